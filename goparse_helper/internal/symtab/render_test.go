package symtab

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// decoded is a table as a reader of the JSON sees it.
type decoded struct {
	Schema  int
	Go      string
	Context []any
	Strings []string
	At      map[string][]int
	Back    map[string][][]int

	Packages, Files, Imports, Lines, Errors, Decls, Fields, Types, Externals, Uses,
	Literals, Settings, Accesses, Implements, Nodes, Origins, Faults, Arguments,
	Returns []int
}

func decode(t *testing.T, data []byte) *decoded {
	t.Helper()
	d := new(decoded)
	if err := json.Unmarshal(data, d); err != nil {
		t.Fatalf("table is no JSON: %v", err)
	}
	return d
}

func record(list []int, width, n int) []int { return list[n*width : (n+1)*width] }

// render writes a table as text that a person can check.
func (d *decoded) render() string {
	var b strings.Builder
	fmt.Fprintf(&b, "context %v\n", d.Context)
	for n := range len(d.Files) / 5 {
		r := record(d.Files, 5, n)
		pkg := "-"
		if r[1] != int(none) {
			pkg = d.Strings[d.Packages[r[1]]]
		}
		fmt.Fprintf(&b, "file %s package %s %s%s %s\n", d.Strings[r[0]], pkg,
			[]string{"taken", "excluded", "unreadable"}[r[2]],
			flags(r[3], "generated", "test", "cgo", "broken"), d.Strings[r[4]])
	}
	for n := range len(d.Imports) / 4 {
		r := record(d.Imports, 4, n)
		fmt.Fprintf(&b, "import %s:%d %s %q\n", d.fileName(r[0]), r[3], d.Strings[r[1]], d.Strings[r[2]])
	}
	for n := range len(d.Lines) / 4 {
		r := record(d.Lines, 4, n)
		fmt.Fprintf(&b, "line %s:%d is %s:%d\n", d.fileName(r[0]), r[1], d.Strings[r[2]], r[3])
	}
	for n := range len(d.Errors) / 4 {
		r := record(d.Errors, 4, n)
		fmt.Fprintf(&b, "error %s:%d:%d %s\n", d.fileName(r[0]), r[1], r[2], d.Strings[r[3]])
	}
	for n := range len(d.Decls) / 16 {
		d.renderDecl(&b, n)
	}
	for n := range len(d.Implements) / 3 {
		r := record(d.Implements, 3, n)
		fmt.Fprintf(&b, "%s%s implements %s\n", strings.Repeat("*", r[2]), d.target(r[0]), d.target(r[1]))
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

func (d *decoded) renderDecl(b *strings.Builder, n int) {
	r := record(d.Decls, 16, n)
	fmt.Fprintf(b, "%s %s %s:%d-%d [%d:%d]", []string{"func", "method", "type", "var", "const"}[r[0]],
		d.target(n), d.fileName(r[5]), r[6], r[7], r[8], r[9])
	if r[10] != r[8] {
		fmt.Fprintf(b, " doc %d@%d", r[10], r[11])
	}
	if r[12] >= 0 {
		fmt.Fprintf(b, " group [%d:%d]", r[12], r[13])
	}
	if r[14] >= 0 {
		fmt.Fprintf(b, " body %d", r[14])
	}
	fmt.Fprintf(b, "%s of %s", flags(r[15], "grouped", "iota", "pointer", "bodiless", "struct",
		"interface", "alias", "generated", "test", "entry"), d.Strings[d.Packages[r[4]]])
	if r[2] != 0 {
		fmt.Fprintf(b, " receiver %s", d.target(r[3]))
	}
	b.WriteString("\n")
	for _, i := range d.of("fields", n) {
		f := record(d.Fields, 6, i)
		fmt.Fprintf(b, "\tfield %s @%d [%d:%d]%s\n", d.Strings[f[1]], f[2], f[3], f[4],
			flags(f[5], "embedded", "method"))
	}
	for _, i := range d.of("types", n) {
		d.renderType(b, record(d.Types, 6, i))
	}
	for _, i := range d.of("uses", n) {
		u := record(d.Uses, 5, i)
		member := ""
		if u[4] != 0 {
			member = " ." + d.Strings[u[4]]
		}
		fmt.Fprintf(b, "\tuse @%d %s%s%s\n", u[2], d.target(u[1]), member,
			flags(u[3], "type", "call", "value", "read", "write", "implicit", "defer", "go", "address"))
	}
	d.renderData(b, n)
	d.renderFlow(b, n)
}

func (d *decoded) renderType(b *strings.Builder, r []int) {
	slot := ""
	switch r[1] {
	case int(roleField):
		slot = " " + d.field(r[2])
	case int(roleParameter), int(roleResult), int(roleConstraint):
		slot = fmt.Sprint(" ", r[2])
	}
	fmt.Fprintf(b, "\ttype @%d %s%s: %s, %s\n", r[5], []string{"field", "receiver", "parameter",
		"result", "constraint", "underlying", "value"}[r[1]], slot, d.target(r[3]),
		[]string{"direct", "pointer", "container", "function", "argument"}[r[4]])
}

func (d *decoded) renderData(b *strings.Builder, n int) {
	for _, i := range d.of("literals", n) {
		r := record(d.Literals, 4, i)
		var set []string
		for _, s := range d.of("settings", i) {
			set = append(set, d.field(record(d.Settings, 3, s)[1])+[]string{"", "=nil"}[record(d.Settings, 3, s)[2]])
		}
		fmt.Fprintf(b, "\tliteral @%d %s%s {%s}\n", r[2], d.target(r[1]),
			flags(r[3], "positional", "new", "zero"), strings.Join(set, " "))
	}
	for _, i := range d.of("accesses", n) {
		r := record(d.Accesses, 5, i)
		fmt.Fprintf(b, "\taccess @%d %s%s%s\n", r[2], d.field(r[1]), flags(r[3], "read", "assign",
			"update", "append", "delete", "close", "send", "address", "element", "clear"),
			[]string{"", " nil"}[r[4]])
	}
}

var faultNames = []string{"nil-deref", "nil-map-write", "index", "slice", "assertion", "divide",
	"send", "close", "nil-func", "nil-interface", "make", "panic", "map-access", "conversion"}

func (d *decoded) renderFlow(b *strings.Builder, n int) {
	for _, i := range d.of("faults", n) {
		r := record(d.Faults, 9, i)
		fmt.Fprintf(b, "\tfault @%d %s%s `%s` (%d-%d): %s", r[1], faultNames[r[2]],
			flags(r[6], "possible"), d.Strings[r[5]], r[7], r[8], d.node(r[3], 4))
		if r[4] != int(none) {
			fmt.Fprintf(b, " at %s", d.node(r[4], 4))
		}
		b.WriteString("\n")
	}
	for _, i := range d.of("arguments", n) {
		r := record(d.Arguments, 6, i)
		fmt.Fprintf(b, "\targument @%d %s.%s %d: %s\n", r[1], d.target(r[2]), d.Strings[r[5]], r[3],
			d.node(r[4], 4))
	}
	for _, i := range d.of("returns", n) {
		r := record(d.Returns, 4, i)
		fmt.Fprintf(b, "\treturn @%d %d: %s\n", r[3], r[1], d.node(r[2], 4))
	}
}

// of returns the numbers of the records that belong to n.
func (d *decoded) of(list string, n int) []int {
	var numbers []int
	for i := d.At[list][n]; i < d.At[list][n+1]; i++ {
		numbers = append(numbers, i)
	}
	return numbers
}

func (d *decoded) fileName(n int) string {
	if n == int(none) {
		return "-"
	}
	return d.Strings[record(d.Files, 5, n)[0]]
}

func (d *decoded) field(n int) string {
	if n == int(none) {
		return "-"
	}
	r := record(d.Fields, 6, n)
	return d.target(r[0]) + "." + d.Strings[r[1]]
}

func (d *decoded) target(n int) string {
	if n == int(none) {
		return "-"
	}
	if n < 0 {
		return d.external(^n)
	}
	r := record(d.Decls, 16, n)
	if r[2] != 0 {
		return d.Strings[r[2]] + "." + d.Strings[r[1]]
	}
	return d.Strings[r[1]]
}

func (d *decoded) external(n int) string {
	r := record(d.Externals, 4, n)
	switch {
	case r[0] == int(none):
		return "<" + d.Strings[r[1]] + ">." + d.Strings[r[2]]
	case r[2] != 0:
		return d.external(r[0]) + "." + d.Strings[r[2]]
	case r[3] < 0:
		return d.external(r[0]) + "[]"
	}
	return fmt.Sprintf("%s()%d", d.external(r[0]), r[3]-1)
}

func (d *decoded) node(n, depth int) string {
	if n == int(none) {
		return "-"
	}
	r := record(d.Nodes, 6, n)
	text := []string{"local", "parameter", "receiver", "field", "variable", "call", "external",
		"literal", "nil", "other"}[r[0]]
	switch int32(r[0]) {
	case nodeParameter:
		text += fmt.Sprint(" ", r[1])
	case nodeField:
		text += " " + d.field(r[1])
	case nodeVariable, nodeCall, nodeExternal, nodeLiteral:
		text += " " + d.target(r[1])
	}
	if r[2] != 0 {
		text += " " + d.Strings[r[2]]
	}
	if r[3] != 0 {
		text += fmt.Sprint(" #", r[3])
	}
	if r[4] != int(none) {
		text += ":" + d.target(r[4])
	}
	text += fmt.Sprint(" @", r[5])
	var from []string
	for _, i := range d.of("origins", n) {
		if depth == 0 {
			return text + " <- ..."
		}
		from = append(from, d.node(record(d.Origins, 2, i)[1], depth-1))
	}
	switch len(from) {
	case 0:
		return text
	case 1:
		return text + " <- " + from[0]
	}
	return text + " <- (" + strings.Join(from, " | ") + ")"
}

func flags(bits int, names ...string) string {
	text := ""
	for i, name := range names {
		if bits&(1<<i) != 0 {
			text += " " + name
		}
	}
	return text
}
