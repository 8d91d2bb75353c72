package symtab

import (
	"strings"
	"testing"
)

// Without types the table must begin with the word that it is so, and say it.
func TestUnchecked(t *testing.T) {
	for _, syntaxOnly := range []bool{true, false} {
		req := &Request{SyntaxOnly: syntaxOnly, Files: []File{{"a.go", []byte("package p\n")}}}
		data := Build(req).AppendJSON(nil)
		if got := strings.HasPrefix(string(data), `{"unchecked":true,`); got != syntaxOnly {
			t.Errorf("begins with %.30s", data)
		}
		if got := strings.Contains(string(data), unchecked); got != syntaxOnly {
			t.Errorf("says %s", data)
		}
	}
}

// Without types the table must be of sound form, and lose no declaration, field or file.
func TestNamesOfGoldens(t *testing.T) {
	requests := []*Request{standard(t, "bufio"), standard(t, "net/http"), standard(t, "go/types")}
	for _, g := range goldens(t) {
		requests = append(requests, g.request)
	}
	for _, req := range requests {
		want := decode(t, Build(req).AppendJSON(nil))
		req.SyntaxOnly = true
		got := decode(t, Build(req).AppendJSON(nil))
		if len(want.Decls) != len(got.Decls) || len(want.Fields) != len(got.Fields) || len(want.Files) != len(got.Files) {
			t.Errorf("%s: declarations, fields or files differ", req.Directory)
		}
		if problems := got.broken(req.Files); len(problems) > 0 {
			t.Errorf("%s: %s", req.Directory, strings.Join(problems[:min(3, len(problems))], "\n"))
		}
	}
}

// What go/types does not come to an end with must give a table without it.
func TestNamesOfPoison(t *testing.T) {
	for _, source := range poisons {
		req := &Request{SyntaxOnly: true, Files: []File{{"a.go", []byte(source)}}}
		if table := Build(req); len(table.decls) < 3 {
			t.Errorf("%d declarations of %q", len(table.decls), source)
		}
	}
}

// poisons overflow the stack of go/types, or take it longer than anyone waits.
var poisons = []string{
	"package p\n\ntype T3 (T3)\n\nvar x3 T3\n\nvar y = x3.a\n",
	"package p\n\ntype P[A, B any] struct {\n\ta A\n\tb B\n}\n\ntype X int\n\nvar y " +
		strings.Repeat("P[X, ", 3) + "X" + strings.Repeat("]", 3) + "\n",
}
