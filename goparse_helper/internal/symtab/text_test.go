package symtab

import (
	"slices"
	"strings"
	"testing"
)

const textSource = `package a

// Raw has a doc comment.
var raw = ` + "`one\ntwo`" + ` // behind

type box struct {
	/* above
	it */
	name string /* of
	several lines */
	size int // last
}

const (
	// First is "first".
	first = "ä" // é

	second
)

func f(s string) string {
	return s + "<bad>"
}
`

// textWants are the declarations of textSource with the text that their offsets give.
var textWants = []struct{ name, text string }{
	{"raw", "var raw = `one\ntwo`"},
	{"box", "type box struct {\n\t/* above\n\tit */\n\tname string /* of\n\tseveral lines */\n\tsize int // last\n}"},
	{"first", `first = "ä"`},
	{"second", "second"},
	{"f", "func f(s string) string {\n\treturn s + \"<bad>\"\n}"},
}

// texts are forms of a source that shift offsets where a reader is careless.
var textForms = map[string]func(string) string{
	"plain":          func(s string) string { return s },
	"crlf":           func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
	"bom":            func(s string) string { return "\ufeff" + s },
	"bom and crlf":   func(s string) string { return "\ufeff" + strings.ReplaceAll(s, "\n", "\r\n") },
	"no utf-8":       func(s string) string { return strings.ReplaceAll(s, "<bad>", "\xff\xfe") },
	"no utf-8 above": func(s string) string { return "// \xe4 umlaut\n" + s },
	"no last line":   func(s string) string { return strings.TrimSuffix(s, "\n") },
}

// Offsets must cut exactly the declarations, and lines be those of an editor, whatever
// bytes the source is made of.
func TestOffsets(t *testing.T) {
	for name, form := range textForms {
		t.Run(name, func(t *testing.T) {
			source := form(textSource)
			d := decode(t, Build(&Request{Files: []File{{"a.go", []byte(source)}}}).AppendJSON(nil))
			if n := len(d.Decls) / 16; n != len(textWants) {
				t.Fatalf("%d declarations, want %d", n, len(textWants))
			}
			for n, want := range textWants {
				r := record(d.Decls, 16, n)
				text := strings.TrimPrefix(form(want.text), "\ufeff")
				text = strings.TrimPrefix(text, "// \xe4 umlaut\n")
				if got := source[r[8]:r[9]]; got != text || d.Strings[r[1]] != want.name {
					t.Errorf("%s is %q, want %q", d.Strings[r[1]], got, text)
				}
				if got := 1 + strings.Count(source[:r[8]], "\n"); got != r[6] {
					t.Errorf("%s is in line %d, want %d", want.name, r[6], got)
				}
				if got := 1 + strings.Count(source[:r[9]], "\n"); got != r[7] {
					t.Errorf("%s ends in line %d, want %d", want.name, r[7], got)
				}
			}
		})
	}
}

// A field's range must hold its comments to their end, a doc comment begin before it.
func TestOffsetsOfComments(t *testing.T) {
	source := textForms["crlf"](textSource)
	d := decode(t, Build(&Request{Files: []File{{"a.go", []byte(source)}}}).AppendJSON(nil))
	for n, want := range []string{
		"/* above\n\tit */\n\tname string /* of\n\tseveral lines */", "size int // last",
	} {
		r := record(d.Fields, 6, n)
		if got := source[r[3]:r[4]]; got != textForms["crlf"](want) {
			t.Errorf("field is %q", got)
		}
	}
	first := record(d.Decls, 16, 2)
	if got := source[first[10]:first[8]]; got != "// First is \"first\".\r\n\t" {
		t.Errorf("doc comment is %q", got)
	}
	if got := source[first[12]:first[13]]; !strings.HasPrefix(got, "const (") || !strings.HasSuffix(got, "second\r\n)") {
		t.Errorf("group is %q", got)
	}
}

// A source that is no UTF-8 must be told and read all the same.
func TestBadBytes(t *testing.T) {
	source := "package a\n\nvar x = \"\xff\"\n\nfunc \xfe() {}\n\nfunc g() { panic(\"\xff\") }\n"
	d := decode(t, Build(&Request{Files: []File{{"a.go", []byte(source)}}}).AppendJSON(nil))
	if len(d.Errors) == 0 || d.Files[3]&int(fileBroken) == 0 {
		t.Error("bad bytes are not told")
	}
	last := record(d.Decls, 16, len(d.Decls)/16-1)
	if got := source[last[8]:last[9]]; got != "func g() { panic(\"\xff\") }" {
		t.Errorf("last declaration is %q", got)
	}
}

// A //line comment must be read wherever it stands in a broken file; the last one is
// about no line.
func TestLineCommentInBrokenFile(t *testing.T) {
	for _, source := range []string{
		"package p\n\nvar = 1\n//line x.go:7\n\nfunc f() {}\n",
		"package p\n\nvar x = 1\n//line x.go:7\n\nfunc f() {\n",
		"package p\n\nvar = 1\n//line x.go:7\n",
		"package p\n\nvar x = 1\n//line x.go:7\n",
	} {
		for cut := range len(source) {
			Build(&Request{Files: []File{{"a.go", []byte(source[:cut])}}})
		}
		d := decode(t, Build(&Request{Files: []File{{"a.go", []byte(source)}}}).AppendJSON(nil))
		var want []int
		if !strings.HasSuffix(source, ":7\n") {
			want = []int{0, 5, slices.Index(d.Strings, "x.go"), 7}
		}
		if !slices.Equal(want, d.Lines) {
			t.Errorf("%q: lines are %v, want %v", source, d.Lines, want)
		}
	}
}
