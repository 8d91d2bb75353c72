package symtab

import (
	"go/token"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nested are shapes of code, each with one level of it written n times.
var nested = map[string]func(n int) string{
	"selectors":  func(n int) string { return "func f(a T) { a" + strings.Repeat(".b", n) + "() }" },
	"calls":      func(n int) string { return "func f(a T) { a" + strings.Repeat("()", n) + " }" },
	"methods":    func(n int) string { return "func f(a T) { a" + strings.Repeat(".b(a.c)", n) + " }" },
	"arguments":  around("func f(a T) { ", "a(", "1", ")", " }"),
	"indexes":    around("func f(a T) { _ = ", "a[", "0", "]", " }"),
	"elements":   func(n int) string { return "func f(a T) { _ = a" + strings.Repeat("[0]", n) + " }" },
	"slices":     func(n int) string { return "func f(a T) { _ = a" + strings.Repeat("[:]", n) + " }" },
	"assertions": func(n int) string { return "func f(a T) { _ = a" + strings.Repeat(".(T)", n) + " }" },
	"stars":      func(n int) string { return "func f(a T) { _ = " + strings.Repeat("*", n) + "a }" },
	"pointers":   func(n int) string { return "func f(a " + strings.Repeat("*", n) + "T) { _ = *a }" },
	"arrays":     func(n int) string { return "func f(a " + strings.Repeat("[]", n) + "T) { _ = a[0] }" },
	"minus":      func(n int) string { return "func f(a T) { _ = " + strings.Repeat("- ", n) + "a }" },
	"sums":       func(n int) string { return "func f(a T) { _ = a" + strings.Repeat("+a", n) + " }" },
	"parens":     around("func f(a T) { _ = ", "(", "a", ")", " }"),
	"literals":   around("var x = ", "[]any{", "1", "}", ""),
	"structs":    around("var x ", "struct{a ", "int", "}", ""),
	"functions":  around("func f(a T) ", "{ func() ", "{}", "() }", ""),
	"results":    func(n int) string { return "var x " + strings.Repeat("func() ", n) + "int" },
	"blocks":     around("func f(a T) ", "{", "", "}", ""),
	"elses":      func(n int) string { return "func f(a T) { " + strings.Repeat("if a {} else ", n) + "{} }" },
	"labels":     func(n int) string { return "func f(a T) { " + strings.Repeat("x: ", n) + "{} }" },
	"instances":  around("var x ", "T[", "int", "]", ""),
	"brackets":   func(n int) string { return "func f(a T) { " + strings.Repeat("([{", n/3) },
}

// around nests n levels of opening and closing text in each other.
func around(head, opening, core, closing, tail string) func(n int) string {
	return func(n int) string {
		return head + strings.Repeat(opening, n) + core + strings.Repeat(closing, n) + tail
	}
}

// endless is more than any of these takes, under the race detector as well, and less
// than its square would. It counts the processor's time: others may keep the machine busy.
const endless = 30 * time.Second

// spent is the processor's time that this process has taken.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// What is nested as deep as a file allows must give a table in the time that its size
// allows, say that it is cut, and cost the other declarations nothing.
func TestNesting(t *testing.T) {
	for name, code := range nested {
		for _, depth := range []int{maxDepth - 100, 80_000} {
			source := "package a\n\ntype T struct{ b *T }\n\nfunc (T) good() {}\n\n" + code(depth) + "\n"
			begin := spent(t)
			d := decode(t, Build(&Request{Files: []File{{"a.go", []byte(source)}}}).AppendJSON(nil))
			for _, mode := range []string{"spec", "signature", "struct"} {
				Print(Snippet{Mode: mode, Text: []byte(code(depth))})
			}
			if took := spent(t) - begin; took > endless {
				t.Errorf("%s, %d deep: took %v", name, depth, took)
			}
			if depth > maxDepth && len(d.Errors) == 0 {
				t.Errorf("%s: nothing is said", name)
			}
			if len(d.Decls) < 2*16 || d.Strings[d.Decls[16+1]] != "good" {
				t.Errorf("%s, %d deep: the declarations in front are lost", name, depth)
			}
			if problems := d.broken([]File{{"a.go", []byte(source)}}); len(problems) > 0 {
				t.Errorf("%s, %d deep: %s", name, depth, strings.Join(problems[:min(3, len(problems))], "\n"))
			}
		}
	}
}

// What people write must not be cut.
func TestNestingOfPeople(t *testing.T) {
	for name, code := range nested {
		if name == "brackets" {
			continue // no Go at any depth
		}
		source := "package a\n\ntype T struct{ b *T }\n\n" + code(maxDepth/8) + "\n"
		if table := Build(&Request{Files: []File{{"a.go", []byte(source)}}}); len(table.errors) > 0 {
			t.Errorf("%s: %s", name, table.texts.list[table.errors[0].message])
		}
	}
}

// many are files of many equal parts.
var many = map[string]func(n int) string{
	"fields of one struct": func(n int) string { return "type S struct { " + strings.Repeat("a int; ", n) + "}" },
	"types of one function": func(n int) string {
		return "type A int\ntype B int\nfunc f(func(" + strings.Repeat("A, B, ", n) + "))"
	},
	"assignments": func(n int) string {
		return "func g() *int\nfunc f() { x := g(); " + strings.Repeat("x = g(); ", n) + "println(*x) }"
	},
	"chain of assignments": func(n int) string {
		return "func f(y *int) { x := y; " + strings.Repeat("{ x := x; _ = *x }; ", n) + " }"
	},
	"names of nowhere":   func(n int) string { return strings.Repeat("func _() { Nowhere.x() }\n", n) },
	"imports":            func(n int) string { return imports(n, "") },
	"dot imports":        func(n int) string { return imports(n, ". ") },
	"words of an import": func(n int) string { return "import \"" + strings.Repeat("a-", n) + "b\"\nfunc f() { nowhere.x() }" },
	"implementers": func(n int) string {
		return strings.Repeat("type _ interface{ M() }\ntype _ struct{ T }\n", n/5) + "type T int\nfunc (T) M() {}"
	},
	"broken functions": func(n int) string { return strings.Repeat("func f() { )\n", n) },
	"open brackets":    func(n int) string { return "func f() { (" + strings.Repeat("[[[]", n) + strings.Repeat("}", n) },
}

func imports(n int, name string) string {
	return strings.Repeat("import "+name+"\"example.com/go-thing\"\n", n/4) +
		"func f() { " + strings.Repeat("Nowhere.x(); ", n/2) + "}"
}

// Many of the same must cost as much as they are, not the square of it.
func TestMany(t *testing.T) {
	for name, code := range many {
		source := "package a\n\n" + code(30_000) + "\n"
		begin := spent(t)
		Build(&Request{Files: []File{{"a.go", []byte(source)}}})
		if took := spent(t) - begin; took > endless {
			t.Errorf("%s: took %v", name, took)
		}
	}
}

// Closing brackets that fit none must cost no search for one, and those that fit an
// outer one close what is inside.
func TestBrackets(t *testing.T) {
	var b brackets
	b.take(token.LBRACE)
	for range 300_000 {
		b.take(token.LBRACK)
	}
	begin := spent(t)
	for range 300_000 {
		b.take(token.RPAREN)
	}
	if took := spent(t) - begin; took > endless || len(b.open) != 300_001 {
		t.Errorf("took %v, %d are open", took, len(b.open))
	}
	if b.take(token.RBRACE); len(b.open) > 0 {
		t.Errorf("%d are open", len(b.open))
	}
}
