package methods

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"triage/goparse_helper/internal/wire"
)

func handle(method, params, body string) (any, []byte, error) {
	request := wire.Request{ID: 1, Method: method, Params: []byte(params), Body: []byte(body)}
	methods := Methods{Room: func(int) func() { return func() {} }}
	return methods.Handle(&request, nil)
}

// The room for a package is asked for once, and given back when the table is done.
func TestRoom(t *testing.T) {
	var calls []int
	methods := Methods{Room: func(size int) func() {
		calls = append(calls, size)
		return func() { calls = append(calls, -size) }
	}}
	request := wire.Request{Method: "symbols", Params: []byte(`{"files":[["a.go",9]]}`), Body: []byte("package d")}
	if _, _, err := methods.Handle(&request, nil); err != nil {
		t.Fatal(err)
	}
	if want := []int{9, -9}; !slices.Equal(want, calls) {
		t.Errorf("got %v, want %v", calls, want)
	}
}

// A package gives a table whose file names are those sent.
func TestSymbols(t *testing.T) {
	a, b := "package d\n\ntype A B\n", "package d\n\ntype B int\n"
	params := fmt.Sprintf(`{"directory":"d","import_path":"m/d","goos":"linux","goarch":"amd64",`+
		`"tags":[],"focus":"a.go","files":[["a.go",%d],["b.go",%d]]}`, len(a), len(b))
	_, table, err := handle("symbols", params, a+b)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"a.go"`, `"b.go"`} {
		if !strings.Contains(string(table), want) {
			t.Errorf("no %s in %s", want, table)
		}
	}
}

// Snippets are printed in order, and one that cannot be printed leaves an empty text.
func TestPrint(t *testing.T) {
	group := "const (\n\ta = 1\n\tb = 2\n)"
	broken := "const ("
	params := fmt.Sprintf(`{"snippets":[{"mode":"spec","size":%d,"offset":%d},{"mode":"spec","size":%d}]}`,
		len(group), strings.Index(group, "b"), len(broken))
	result, body, err := handle("print", params, group+broken)
	if err != nil || len(body) > 0 {
		t.Fatalf("body %q, %v", body, err)
	}
	want := []string{"const b = 2", ""}
	if got := result.(wire.PrintResult).Texts; !slices.Equal(want, got) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What the protocol does not allow is refused with the code that says so.
func TestRefused(t *testing.T) {
	tooMany := strings.Repeat(`["a.go",0],`, MaxFiles) + `["b.go",0]`
	cases := []struct{ method, params, body, code string }{
		{"dance", `{}`, "", wire.CodeBadRequest},
		{"symbols", `[]`, "", wire.CodeBadRequest},
		{"symbols", `{"files":[["a.go",9]]}`, "package", wire.CodeBadRequest},
		{"symbols", `{"files":[["a.go",3]]}`, "package", wire.CodeBadRequest},
		{"symbols", `{"files":[["a.go",-1]]}`, "", wire.CodeBadRequest},
		{"symbols", `{"files":[` + tooMany + `]}`, "", wire.CodeTooLarge},
		{"symbols", `{"files":[["a.go",8388609]]}`, "", wire.CodeTooLarge},
		{"symbols", `{"files":[]}`, strings.Repeat("x", MaxBytes+1), wire.CodeTooLarge},
		{"print", `{"snippets":1}`, "", wire.CodeBadRequest},
		{"print", `{"snippets":[{"mode":"spec","size":2}]}`, "x", wire.CodeBadRequest},
		{"print", `{"snippets":[]}`, "x", wire.CodeBadRequest},
		{"print", `{"snippets":[]}`, strings.Repeat("x", MaxBytes+1), wire.CodeTooLarge},
	}
	for _, c := range cases {
		_, _, err := handle(c.method, c.params, c.body)
		var fault *wire.Error
		if !errors.As(err, &fault) || c.code != fault.Code {
			t.Errorf("%s %.60s: %v, want %s", c.method, c.params, err, c.code)
		}
	}
}

// An empty package is no special case.
func TestSymbolsEmpty(t *testing.T) {
	if _, table, err := handle("symbols", `{"files":[]}`, ""); err != nil || len(table) == 0 {
		t.Errorf("table %q, %v", table, err)
	}
}

// The parts of a body do not overlap: growing one leaves the next as it was.
func TestSplit(t *testing.T) {
	front, rest, err := split([]byte("onetwo"), 3)
	if err != nil {
		t.Fatal(err)
	}
	_ = append(front, '!')
	if string(rest) != "two" {
		t.Errorf("got %q", rest)
	}
}

// Warming up takes any sample.
func TestWarm(t *testing.T) {
	for _, text := range []string{"package p\n\nfunc f() int { return g }\n", "no Go at all"} {
		(&Methods{Sample: fstest.MapFS{"p.go": {Data: []byte(text)}}}).Warm()
	}
	(&Methods{Sample: fstest.MapFS{}}).Warm()
}
