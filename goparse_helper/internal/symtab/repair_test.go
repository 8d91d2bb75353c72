package symtab

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// declared lists the names that a source declares, in order.
func declared(source []byte) []string {
	dir := load(&Request{Files: []File{{"a.go", source}}})
	dir.declare()
	var names []string
	for _, d := range dir.decls {
		names = append(names, d.ident.Name)
	}
	return names
}

// Whichever bracket of a function is missing, all other declarations must still be there.
func TestMissingBracket(t *testing.T) {
	source := readGolden(t, "testdata/graph.txtar").request.Files[0].Source
	want := declared(source)
	dir := load(&Request{Files: []File{{"a.go", source}}})
	dir.declare()
	for _, d := range dir.decls {
		if d.fn == nil {
			continue
		}
		for i := d.row.bodyStart; i < d.row.end; i++ {
			if !strings.ContainsRune("{}()", rune(source[i])) {
				continue
			}
			broken := slices.Concat(source[:i], []byte(" "), source[i+1:])
			got := declared(broken)
			for _, name := range want {
				if name != d.ident.Name && !slices.Contains(got, name) {
					t.Errorf("%s is lost where %s lacks the %q at %d", name, d.ident.Name, source[i], i)
				}
			}
		}
	}
}

// Stray tokens between declarations must cost none of them.
func TestStrayTokens(t *testing.T) {
	for _, stray := range []string{"}", ")", "} }", "x := 1", "return", "<<<<<<< HEAD", "=======", ">>>>>>> branch", "( [ {", "\x00", "`"} {
		source := "package a\n\nfunc f() {}\n\n" + stray + "\n\nfunc g() { f() }\n\ntype T int\n\nfunc (T) m() {}\n"
		want := []string{"f", "g", "T", "m"}
		if stray == "`" {
			// All behind it is a text that does not end.
			want = want[:1]
		}
		if got := declared([]byte(source)); !slices.Equal(want, got) {
			t.Errorf("behind %q declared are %v, want %v", stray, got, want)
		}
	}
}

// More errors than the parser takes must not cost the declarations behind them.
func TestManyErrors(t *testing.T) {
	var b strings.Builder
	b.WriteString("package a\n")
	for i := range 40 {
		b.WriteString("\nfunc " + string(rune('a'+i%26)) + "() {\n\tx := := 1\n}\n")
	}
	b.WriteString("\nfunc last() {}\n")
	if names := declared([]byte(b.String())); !slices.Contains(names, "last") {
		t.Errorf("declared are %v", names)
	}
}

// What is written over brackets that lack must not change the source as it was sent.
func TestRepairCopies(t *testing.T) {
	source := []byte("package a\n\nfunc f() {\n\n\nfunc g() {}\n")
	before := string(source)
	declared(source)
	if string(source) != before {
		t.Errorf("source became %q", source)
	}
}

// A declaration with an error inside must keep what it says.
func TestPartOfBroken(t *testing.T) {
	source := "package a\n\nfunc f(x *int) {\n\ty := x +\n}\n\nfunc g() {}\n"
	dir := load(&Request{Files: []File{{"a.go", []byte(source)}}})
	dir.declare()
	if len(dir.decls) != 2 || len(dir.decls[0].fn.Body.List) != 1 {
		t.Fatalf("declared are %v", declared([]byte(source)))
	}
	if _, ok := dir.decls[0].fn.Body.List[0].(*ast.AssignStmt); !ok {
		t.Errorf("statement is %T", dir.decls[0].fn.Body.List[0])
	}
}
