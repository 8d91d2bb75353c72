package symtab

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the goldens anew")

// golden is a case of testdata: an archive of `-- name --` sections with the sources
// and, last, the table that they must give. Above the sections a line
// `request: focus=x goos=y goarch=z import=p tags=a,b types=no` says what is asked for.
type golden struct {
	path    string
	request *Request
	head    string // all above the wanted table
	want    string
}

const wantMark = "-- want --\n"

func readGolden(t testing.TB, path string) golden {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g := golden{path: path, request: &Request{Directory: strings.TrimSuffix(filepath.Base(path), ".txtar")}}
	g.head, g.want, _ = strings.Cut(string(data), wantMark)
	for line := range strings.Lines(g.head) {
		name, isName := strings.CutPrefix(line, "-- ")
		name, isEnd := strings.CutSuffix(name, " --\n")
		switch {
		case isName && isEnd:
			g.request.Files = append(g.request.Files, File{Name: name})
		case len(g.request.Files) == 0:
			ask(g.request, line)
		default:
			f := &g.request.Files[len(g.request.Files)-1]
			f.Source = append(f.Source, line...)
		}
	}
	return g
}

func ask(req *Request, line string) {
	for word := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "focus":
			req.Focus = value
		case "goos":
			req.GOOS = value
		case "goarch":
			req.GOARCH = value
		case "import":
			req.ImportPath = value
		case "tests":
			req.Tests = value == "yes"
		case "types":
			req.SyntaxOnly = value == "no"
		case "tags":
			req.Tags = strings.Split(value, ",")
		}
	}
}

func goldens(t testing.TB) []golden {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var list []golden
	for _, path := range paths {
		list = append(list, readGolden(t, path))
	}
	return list
}

// The table of each case must say what its golden says.
func TestGoldens(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.request.Directory, func(t *testing.T) {
			got := decode(t, Build(g.request).AppendJSON(nil)).render()
			if *update {
				if err := os.WriteFile(g.path, []byte(g.head+wantMark+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if g.want != got {
				t.Errorf("table differs from %s:\n%s", g.path, difference(g.want, got))
			}
		})
	}
}

// difference shows the lines that only one of the two texts has.
func difference(want, got string) string {
	var b strings.Builder
	for _, side := range []struct{ mark, text, other string }{{"-", want, got}, {"+", got, want}} {
		for line := range strings.Lines(side.text) {
			if !strings.Contains(side.other, line) {
				b.WriteString(side.mark + line)
			}
		}
	}
	return b.String()
}

// The bytes must not hang on the order of the files.
func TestOrderOfFiles(t *testing.T) {
	for _, g := range goldens(t) {
		want := Build(g.request).AppendJSON(nil)
		files := g.request.Files
		for range 5 {
			rand.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
			if got := Build(g.request).AppendJSON(nil); !bytes.Equal(want, got) {
				t.Errorf("%s: another order of files gives other bytes", g.path)
			}
		}
	}
}
