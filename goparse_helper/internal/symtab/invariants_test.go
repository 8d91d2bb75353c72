package symtab

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// broken lists what is wrong with the form of a table: numbers that point nowhere,
// records out of order, ranges outside of their file.
func (d *decoded) broken(files []File) []string {
	c := &inspection{decoded: d, sources: map[string]int{}}
	for _, f := range files {
		c.sources[f.Name] = max(len(f.Source), c.sources[f.Name])
	}
	c.sizes()
	if len(c.problems) == 0 {
		c.declarations()
		c.facts()
		c.graph()
		c.order()
	}
	return c.problems
}

type inspection struct {
	*decoded
	sources  map[string]int
	problems []string
}

func (c *inspection) sizes() {
	for name, list := range map[string]struct {
		values []int
		width  int
	}{
		"files": {c.Files, 5}, "imports": {c.Imports, 4}, "lines": {c.Lines, 4}, "errors": {c.Errors, 4},
		"decls": {c.Decls, 16}, "fields": {c.Fields, 6}, "types": {c.Types, 6},
		"externals": {c.Externals, 4}, "uses": {c.Uses, 5}, "literals": {c.Literals, 4},
		"settings": {c.Settings, 3}, "accesses": {c.Accesses, 5}, "implements": {c.Implements, 3},
		"nodes": {c.Nodes, 6}, "origins": {c.Origins, 2}, "faults": {c.Faults, 9},
		"arguments": {c.Arguments, 6}, "returns": {c.Returns, 4},
	} {
		if len(list.values)%list.width != 0 {
			c.complain("%s has %d numbers", name, len(list.values))
		}
	}
}

func (c *inspection) complain(format string, values ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, values...))
}

// within complains where n is no number of a list of that size, nor NONE if optional.
func (c *inspection) within(what string, n, size int, optional bool) {
	if (n < 0 || n >= size) && (!optional || n != int(none)) {
		c.complain("%s is %d of %d", what, n, size)
	}
}

func (c *inspection) aim(what string, n int) {
	switch {
	case n == int(none):
	case n < 0:
		c.within(what, ^n, len(c.Externals)/4, false)
	default:
		c.within(what, n, len(c.Decls)/16, false)
	}
}

func (c *inspection) declarations() {
	for n := range len(c.Decls) / 16 {
		r := record(c.Decls, 16, n)
		c.within("name", r[1], len(c.Strings), false)
		c.within("receiver type", r[3], len(c.Decls)/16, true)
		c.within("package", r[4], len(c.Packages), false)
		c.within("file", r[5], len(c.Files)/5, false)
		size := c.sources[c.fileName(r[5])]
		if r[8] < 0 || r[8] >= r[9] || r[9] > size || r[10] > r[8] || r[10] < 0 || r[6] > r[7] || r[11] > r[6] {
			c.complain("declaration %d lies at %v in %d bytes", n, r, size)
		}
	}
	for n := range len(c.Fields) / 6 {
		r := record(c.Fields, 6, n)
		c.within("owner", r[0], len(c.Decls)/16, false)
		if len(c.problems) == 0 {
			d := record(c.Decls, 16, r[0])
			if r[3] < d[8] || r[3] >= r[4] {
				c.complain("field %d lies at %v, its owner at %v", n, r, d)
			}
		}
	}
}

func (c *inspection) facts() {
	for n := range len(c.Types) / 6 {
		c.aim("type", record(c.Types, 6, n)[3])
	}
	for n := range len(c.Uses) / 5 {
		r := record(c.Uses, 5, n)
		c.aim("use", r[1])
		c.within("member", r[4], len(c.Strings), false)
		if r[1] == int(none) || r[2] < 1 || r[3] == 0 {
			c.complain("use %d is %v", n, r)
		}
	}
	for n := range len(c.Literals) / 4 {
		c.within("literal", record(c.Literals, 4, n)[1], len(c.Decls)/16, false)
	}
	for n := range len(c.Settings) / 3 {
		c.within("setting", record(c.Settings, 3, n)[1], len(c.Fields)/6, false)
	}
	for n := range len(c.Accesses) / 5 {
		c.within("access", record(c.Accesses, 5, n)[1], len(c.Fields)/6, false)
	}
	for n := range len(c.Externals) / 4 {
		c.within("parent", record(c.Externals, 4, n)[0], n, true)
	}
	for n := range len(c.Implements) / 3 {
		c.within("implementer", record(c.Implements, 3, n)[0], len(c.Decls)/16, false)
	}
}

func (c *inspection) graph() {
	nodes := len(c.Nodes) / 6
	for n := range nodes {
		r := record(c.Nodes, 6, n)
		c.aim("type of node", r[4])
		switch int32(r[0]) {
		case nodeField:
			c.within("field of node", r[1], len(c.Fields)/6, true)
		case nodeVariable, nodeCall, nodeExternal, nodeLiteral:
			c.aim("target of node", r[1])
		}
	}
	for n := range len(c.Origins) / 2 {
		c.within("origin", record(c.Origins, 2, n)[1], nodes, false)
	}
	for n := range len(c.Faults) / 9 {
		r := record(c.Faults, 9, n)
		c.within("faulty node", r[3], nodes, true)
		c.within("index node", r[4], nodes, true)
		if r[7] > r[8] || r[7] < 1 || r[1] < 1 {
			c.complain("fault %d is %v", n, r)
		}
	}
	for n := range len(c.Arguments) / 6 {
		r := record(c.Arguments, 6, n)
		c.aim("called", r[2])
		c.within("argument", r[4], nodes, false)
	}
	for n := range len(c.Returns) / 4 {
		c.within("returned", record(c.Returns, 4, n)[2], nodes, true)
	}
}

// order complains where the records of a list do not stand where `at` says, or `back`
// leads to a record that does not point back.
func (c *inspection) order() {
	owned := map[string]struct {
		values []int
		width  int
		key    int
	}{
		"fields": {c.Fields, 6, 0}, "types": {c.Types, 6, 0}, "uses": {c.Uses, 5, 0},
		"literals": {c.Literals, 4, 0}, "settings": {c.Settings, 3, 0}, "accesses": {c.Accesses, 5, 0},
		"origins": {c.Origins, 2, 0}, "faults": {c.Faults, 9, 0}, "arguments": {c.Arguments, 6, 0},
		"returns": {c.Returns, 4, 0},
	}
	for name, list := range owned {
		at := c.At[name]
		if at[len(at)-1] != len(list.values)/list.width {
			c.complain("%s: at ends with %d", name, at[len(at)-1])
		}
		for owner := range len(at) - 1 {
			for i := at[owner]; i < at[owner+1]; i++ {
				if record(list.values, list.width, i)[list.key] != owner {
					c.complain("%s: record %d is not of %d", name, i, owner)
				}
			}
		}
	}
	pointing := map[string]struct {
		values []int
		width  int
		key    int
	}{
		"methods": {c.Decls, 16, 3}, "types": {c.Types, 6, 3}, "uses": {c.Uses, 5, 1},
		"literals": {c.Literals, 4, 1}, "accesses": {c.Accesses, 5, 1}, "arguments": {c.Arguments, 6, 2},
	}
	for name, list := range pointing {
		at, rows := c.Back[name][0], c.Back[name][1]
		want := 0
		for i := range len(list.values) / list.width {
			if record(list.values, list.width, i)[list.key] >= 0 {
				want++
			}
		}
		if want != len(rows) || at[len(at)-1] != want {
			c.complain("%s: back has %d of %d", name, len(rows), want)
			continue
		}
		for key := range len(at) - 1 {
			for _, i := range rows[at[key]:at[key+1]] {
				if record(list.values, list.width, i)[list.key] != key {
					c.complain("%s: record %d does not point at %d", name, i, key)
				}
			}
		}
	}
}

// The form must be sound, whatever the directory holds.
func TestInvariants(t *testing.T) {
	var requests []*Request
	for _, g := range goldens(t) {
		requests = append(requests, g.request)
	}
	for _, path := range []string{"bufio", "go/parser", "internal/abi", "sync/atomic"} {
		requests = append(requests, standard(t, path))
	}
	for _, req := range requests {
		d := decode(t, Build(req).AppendJSON(nil))
		if problems := d.broken(req.Files); len(problems) > 0 {
			t.Errorf("%s:\n%s", req.Directory, strings.Join(problems[:min(len(problems), 10)], "\n"))
		}
	}
}

// Any bytes must give a table of sound form.
func FuzzBuild(f *testing.F) {
	for _, g := range goldens(f) {
		for _, file := range g.request.Files {
			f.Add(file.Name, file.Source, []byte("package foo_test\n\nimport . \"foo\"\n\nvar x = F()\n"))
		}
	}
	f.Add("a.go", []byte("package a\n\ntype T = *T\n\ntype P *P\n\nvar x, y = y, x\n\nfunc f[T f[T]](t T) { t.x.y() }\n"), []byte{})
	f.Add("a.go", []byte("package A)var!("), []byte{})
	f.Fuzz(func(t *testing.T, name string, source, test []byte) {
		if strings.ContainsAny(name, "/\x00") || !utf8.ValidString(name) {
			t.Skip("no name of a file")
		}
		files := []File{{name, source}, {"b_test.go", test}}
		req := &Request{Focus: name, Files: files}
		plain := &Request{Focus: name, Files: files, SyntaxOnly: true}
		if problems := decode(t, Build(plain).AppendJSON(nil)).broken(files); len(problems) > 0 {
			t.Errorf("without types: %s", strings.Join(problems, "\n"))
		}
		one, two := buildSplit(req, 0).AppendJSON(nil), buildSplit(req, 1<<30).AppendJSON(nil)
		if string(one) != string(two) {
			t.Error("two checkers find what one does not")
		}
		if problems := decode(t, one).broken(files); len(problems) > 0 {
			t.Error(strings.Join(problems, "\n"))
		}
	})
}

// Printing must never do worse than fail.
func FuzzPrint(f *testing.F) {
	for _, c := range printCases {
		f.Add(c.mode, []byte(c.text), strings.Index(c.text, c.at), strings.Join(c.keep, " "))
	}
	f.Fuzz(func(t *testing.T, mode string, text []byte, offset int, keep string) {
		printed, err := Print(Snippet{mode, text, offset, strings.Fields(keep)})
		if (err == nil) == (printed == "") {
			t.Errorf("printed %q with %v", printed, err)
		}
	})
}
