package symtab

import (
	"bytes"
	"go/build"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// standard reads a package of the standard library.
func standard(t testing.TB, path string) *Request {
	t.Helper()
	dir := filepath.Join(build.Default.GOROOT, "src", path)
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Skipf("no sources in %s", dir)
	}
	req := &Request{Directory: path, ImportPath: path}
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		req.Files = append(req.Files, File{Name: filepath.Base(name), Source: source})
	}
	return req
}

// One checker and two must find the same.
func TestSplit(t *testing.T) {
	var requests []*Request
	for _, g := range goldens(t) {
		requests = append(requests, g.request)
	}
	for _, path := range []string{"bufio", "encoding/json", "sync"} {
		requests = append(requests, standard(t, path))
	}
	for _, req := range requests {
		one := buildSplit(req, math.MaxInt).AppendJSON(nil)
		two := buildSplit(req, 0).AppendJSON(nil)
		if !bytes.Equal(one, two) {
			t.Errorf("%s: two checkers find what one does not:\n%s", req.Directory,
				difference(decode(t, one).render(), decode(t, two).render()))
		}
	}
}
