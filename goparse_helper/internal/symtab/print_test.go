package symtab

import (
	"strings"
	"testing"
)

const printed = `const (
	// A is first.
	A = 1 // one
	B,  C   int = 2, 3
)
`

const printedStruct = `// Box holds things.
type Box[T any] struct {
	*Base
	// Name is shown.
	Name, Host   string ` + "`json:\"name\"`" + ` // both
	opts struct {
		deep int
	}
	list []T
}
`

var printCases = []struct {
	mode, text, at string
	keep           []string
	want           string
}{
	{mode: "spec", text: printed, at: "A = 1", want: "// A is first.\nconst A = 1 // one"},
	{mode: "spec", text: printed, at: "// A is", want: "// A is first.\nconst A = 1 // one"},
	{mode: "spec", text: printed, at: "C   int", want: "const B, C int = 2, 3"},
	{mode: "spec", text: "// X is.\nvar   x = `a\n  b`\n", at: "x =", want: "// X is.\nvar x = `a\n  b`"},
	{mode: "spec", text: "var   x = 1 // behind\n", at: "x =", want: "var x = 1 // behind"},
	{mode: "spec", text: "type (\n\tA struct{ a int }\n\tB = A\n)", at: "B", want: "type B = A"},
	{mode: "spec", text: "type (\r\n\t// Doc.\r\n\tA int\r\n)", at: "A", want: "// Doc.\ntype A int"},
	{
		mode: "signature", text: "// Doc.\nfunc (h *T) M(x   int,\n\ty string) error {\n\treturn nil\n}", at: "func",
		want: "func (h *T) M(x int,\n\ty string) error",
	},
	{mode: "signature", text: "func F[T any](x T) (a, b int)  { broken(", at: "F", want: "func F[T any](x T) (a, b int)"},
	{mode: "signature", text: "func Stub(x *[4]uint64) uint64", at: "func", want: "func Stub(x *[4]uint64) uint64"},
	{
		mode: "struct", text: printedStruct, at: "Box[T", keep: []string{"Base", "Host", "opts.deep"},
		want: "// Box holds things.\ntype Box[T any] struct {\n\t*Base\n\t// Name is shown.\n" +
			"\tHost string `json:\"name\"` // both\n\topts struct {\n\t\tdeep int\n\t}\n\t// ... 2 fields left out\n}",
	},
	{
		mode: "struct", text: printedStruct, at: "Box[T", keep: []string{"Base", "Name", "Host", "opts"},
		want: "// Box holds things.\ntype Box[T any] struct {\n\t*Base\n\t// Name is shown.\n" +
			"\tName, Host string `json:\"name\"` // both\n\topts       struct {\n\t\tdeep int\n\t}\n\t// ... 1 field left out\n}",
	},
	{mode: "struct", text: "type T struct{ a, b int }", at: "T", keep: []string{"a", "b"}, want: "type T struct {\n\ta, b int\n}"},
	{mode: "struct", text: "type T struct{ a, b int }", at: "T", want: "type T struct {\n\t// ... 2 fields left out\n}"},
	{
		mode: "struct", text: "type (\n\tA int\n\t// Doc.\n\tB struct {\n\t\tx int\n\t} // end\n)", at: "B struct", keep: []string{"x"},
		want: "// Doc.\ntype B struct {\n\tx int\n} // end",
	},
}

// Each snippet must come out as gofmt would write it.
func TestPrint(t *testing.T) {
	for _, c := range printCases {
		s := Snippet{Mode: c.mode, Text: []byte(c.text), Offset: strings.Index(c.text, c.at), Keep: c.keep}
		got, err := Print(s)
		if err != nil || got != c.want {
			t.Errorf("%s of %q is %q (%v), want %q", c.mode, c.text, got, err, c.want)
		}
	}
}

// What cannot be printed must say why in one line.
func TestPrintErrors(t *testing.T) {
	for _, c := range []struct {
		snippet Snippet
		want    string
	}{
		{Snippet{Mode: "x", Text: []byte("var a int")}, `unknown mode "x": use spec, signature or struct`},
		{Snippet{Mode: "spec", Text: []byte("var a int"), Offset: 99}, "offset 99 lies outside of the snippet's 9 bytes"},
		{Snippet{Mode: "spec", Text: []byte("func f() {}")}, "no spec at offset 0"},
		{Snippet{Mode: "signature", Text: []byte("var a int")}, "no function at offset 0"},
		{Snippet{Mode: "struct", Text: []byte("var a int")}, "not a type"},
		{Snippet{Mode: "struct", Text: []byte("type A int")}, "A is no struct"},
		{Snippet{Mode: "spec", Text: []byte(nested["structs"](maxPrinted))}, "nested more than 1000 levels deep"},
		{Snippet{Mode: "spec", Text: []byte("\xff\x00 noise")}, "no spec at offset 0"},
	} {
		got, err := Print(c.snippet)
		if err == nil || err.Error() != c.want || got != "" {
			t.Errorf("%s of %q gives %q and %v, want %s", c.snippet.Mode, c.snippet.Text, got, err, c.want)
		}
	}
}

// What a broken text has behind its end must be printed as far as it goes, or not at
// all.
func TestPrintBroken(t *testing.T) {
	const text = "func F(p *int) {\n\tprintln(*p)\n\tvar x T1\n}\n\ntype (\n\tT1 interface| comparable  = 42"
	for cut := range len(text) + 1 {
		for offset := range cut + 1 {
			for _, mode := range []string{"spec", "signature", "struct"} {
				s := Snippet{Mode: mode, Text: []byte(text[:cut]), Offset: offset}
				if got, err := Print(s); (err == nil) == (got == "") {
					t.Fatalf("%s at %d of %q: %q, %v", mode, offset, s.Text, got, err)
				}
			}
		}
	}
}
