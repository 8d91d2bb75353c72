package symtab

import (
	"slices"
	"testing"
)

// Words are the identifiers of a text, without those of comments, literals and numbers.
func TestWords(t *testing.T) {
	src := "func (s *Store) grössen(k1 int) {\n" +
		"\t// comment words\n\t/* and\n these */ s.load(\"quoted \\\" word\", 'c', `raw\nword`, 0xbeef)\n" +
		"\tx := unfinished(\"open\n\tlater /* never closed"
	var got []string
	words([]byte(src), func(word []byte) { got = append(got, string(word)) })
	want := []string{"Store", "grössen", "load", "unfinished", "later"}
	if !slices.Equal(want, got) {
		t.Errorf("words = %q, want %q", got, want)
	}
}

// A declaration that its file leaves open ends with the file.
func TestUnclosedDeclaration(t *testing.T) {
	source := []byte("package a\n\nfunc Half() {\n\tcall(open[")
	table := Build(&Request{Files: []File{{Name: "a.go", Source: source}}})
	if got, want := int(table.decls[0].end), len(source); got > want {
		t.Errorf("end = %d, beyond the file's %d bytes", got, want)
	}
}

// The words of a declaration stand once each in the table.
func TestWordsOfDeclarations(t *testing.T) {
	table := Build(&Request{Files: []File{
		{Name: "a.go", Source: []byte("package a\n\nfunc Twice(name string) { use(name, name); use(name) }\n")},
		{Name: "a_test.go", Source: []byte("package a\n\nfunc TestTwice() { Twice(other) }\n")},
	}})
	var got []string
	for _, row := range table.words {
		got = append(got, table.texts.list[row.text])
	}
	if want := []string{"Twice", "name", "use"}; !slices.Equal(want, got) {
		t.Errorf("words = %q, want %q", got, want)
	}
}
