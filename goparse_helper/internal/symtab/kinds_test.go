package symtab

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"testing"
)

// samples has a source for each kind of declaration and spec that go/ast knows, with
// the names that must come out of it.
var samples = map[string]struct {
	source string
	names  []string
}{
	"BadDecl":    {"func f() {}\n\n) stray (\n\nfunc g() {}", []string{"f", "g"}},
	"FuncDecl":   {"func f() {}\n\nfunc (t T) m() {}", []string{"f", "m"}},
	"GenDecl":    {"var (\n\ta int\n\tb, c int\n)", []string{"a", "b", "c"}},
	"ImportSpec": {"import \"fmt\"", nil},
	"TypeSpec":   {"type A int\n\ntype (\n\tB = A\n\tC[T any] struct{}\n)", []string{"A", "B", "C"}},
	"ValueSpec":  {"const a, b = 1, 2\n\nvar c int", []string{"a", "b", "c"}},
}

// Each kind of declaration and spec must have a sample, and each sample its names.
func TestKinds(t *testing.T) {
	want := slices.Sorted(maps.Keys(samples))
	if got := kindsOfSyntax(t); !slices.Equal(want, got) {
		t.Errorf("go/ast has %v, the samples %v", got, want)
	}
	for kind, sample := range samples {
		req := &Request{Files: []File{{"a.go", []byte("package a\n\n" + sample.source + "\n")}}}
		d := decode(t, Build(req).AppendJSON(nil))
		var names []string
		for n := range len(d.Decls) / 16 {
			names = append(names, d.Strings[record(d.Decls, 16, n)[1]])
		}
		if !slices.Equal(sample.names, names) {
			t.Errorf("%s: declared are %v, want %v", kind, names, sample.names)
		}
	}
}

// kindsOfSyntax lists the types of go/ast that are declarations or specs.
func kindsOfSyntax(t *testing.T) []string {
	path := filepath.Join(build.Default.GOROOT, "src", "go", "ast", "ast.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Skipf("no sources of go/ast: %v", err)
	}
	var kinds []string
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && (fn.Name.Name == "declNode" || fn.Name.Name == "specNode") {
			kinds = append(kinds, receiverName(fn))
		}
	}
	slices.Sort(kinds)
	return kinds
}
