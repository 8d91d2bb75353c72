package symtab

import (
	"strings"
	"testing"
)

// A bug in go/types must cost the resolved part of the table alone, and be told.
func TestCheckerFails(t *testing.T) {
	req := &Request{Files: []File{{"a.go", []byte("package a\n\nvar x = undefined\n\nfunc f() {}\n")}}}
	dir := load(req)
	dir.declare()
	c := dir.newChecker(func(*decl) bool { return true }, 1)
	dir.fset = nil // go/types cannot place its errors
	c.check(0, "a")
	if len(c.failures) != 1 || !strings.HasPrefix(c.failures[0], "type checker failed on package a: ") {
		t.Errorf("failures are %q", c.failures)
	}
	if len(c.info.Defs) != 0 {
		t.Error("half-done results are kept")
	}
}

// A failure of the checker must stand among the errors, without a file.
func TestFailureIsTold(t *testing.T) {
	table := Build(&Request{})
	table.join(load(&Request{}), []*checker{{failures: []string{"broke"}}, {failures: []string{"broke"}}})
	d := decode(t, table.AppendJSON(nil))
	if len(d.Errors) != 4 || d.Errors[0] != int(none) || d.Strings[d.Errors[3]] != "broke" {
		t.Errorf("errors are %v of %q", d.Errors, d.Strings)
	}
}

// The name of a package that is not there must be guessed as people name them.
func TestPackageName(t *testing.T) {
	for path, want := range map[string]string{
		"fmt":                            "fmt",
		"net/http":                       "http",
		"math/rand/v2":                   "rand",
		"gopkg.in/yaml.v3":               "yaml",
		"github.com/acme/go-ledger":      "ledger",
		"github.com/acme/ledger-go":      "ledger",
		"github.com/acme/nats.go":        "nats",
		"github.com/acme/kit/v4":         "kit",
		"github.com/acme/go-sql-driver":  "driver",
		"k8s.io/klog/v2":                 "klog",
		"v2":                             "v2",
		"github.com/acme/1":              "",
		"":                               "",
		"github.com/acme/grpc-gateway/v": "v",
	} {
		if got := packageName(path); got != want {
			t.Errorf("package at %q is %q, want %q", path, got, want)
		}
	}
}
