package symtab

import (
	"fmt"
	"testing"
)

// targetCases say for a file that must be taken which target is the nearest one.
var targetCases = []struct{ name, head, want string }{
	{"a.go", "", "linux/amd64 []"},
	{"a.go", "//go:build linux\n\n", "linux/amd64 []"},
	{"a.go", "//go:build unix && cgo && gc && go1.21\n\n", "linux/amd64 []"},
	{"a_windows.go", "", "windows/amd64 []"},
	{"a_windows_test.go", "", "windows/amd64 []"},
	{"a_arm64.go", "", "linux/arm64 []"},
	{"a_darwin_arm64.go", "", "darwin/arm64 []"},
	{"a_wasm.go", "", "js/wasm []"},
	{"a.go", "//go:build !linux\n\n", "darwin/amd64 []"},
	{"a.go", "//go:build !amd64\n\n", "linux/arm64 []"},
	{"a.go", "//go:build !unix\n\n", "windows/amd64 []"},
	{"a.go", "// +build plan9\n\n", "plan9/amd64 []"},
	{"a.go", "// Licence.\n\n// +build freebsd\n// +build arm64\n\n", "freebsd/arm64 []"},
	{"a.go", "//go:build integration\n\n", "linux/amd64 [integration]"},
	{"a.go", "//go:build (a && b) || windows\n\n", "windows/amd64 []"},
	{"a.go", "//go:build a && b && windows\n\n", "windows/amd64 [a b]"},
	{"a.go", "//go:build ignore\n\n", "linux/amd64 [ignore]"},
	{"a.go", "//go:build go1.999\n\n", "linux/amd64 []"},
	{"_a.go", "", "linux/amd64 []"},
}

// The crash's file must be taken, under the target that is nearest to the one asked for.
func TestNearestTarget(t *testing.T) {
	for _, c := range targetCases {
		source := []byte(c.head + "package p\n\nfunc f() {}\n")
		table := Build(&Request{Focus: c.name, Files: []File{{c.name, source}}})
		if got := fmt.Sprintf("%s/%s %v", table.goos, table.goarch, table.tags); got != c.want {
			t.Errorf("%s with %q is built for %s, want %s", c.name, c.head, got, c.want)
		}
		if len(table.decls) != 1 {
			t.Errorf("%s with %q is not taken", c.name, c.head)
		}
	}
}

// A tag that keeps the crash's file out must be dropped.
func TestRefusedTag(t *testing.T) {
	source := []byte("//go:build !race && extra\n\npackage p\n")
	table := Build(&Request{Focus: "a.go", Tags: []string{"race", "x", "x"}, Files: []File{{"a.go", source}}})
	if got := fmt.Sprint(table.tags); got != "[extra x]" {
		t.Errorf("tags are %s", got)
	}
}

// A program of its own beside the crash's one must stay out, whatever lets that in.
func TestIgnoredNeighbours(t *testing.T) {
	head := "//go:build ignore\n\npackage main\n\nfunc main() {}\n"
	table := Build(&Request{Focus: "b.go", Files: []File{{"a.go", []byte(head)}, {"b.go", []byte(head)}}})
	if table.files[0].verdict != verdictExcluded || table.files[1].verdict != verdictTaken {
		t.Errorf("verdicts are %d and %d", table.files[0].verdict, table.files[1].verdict)
	}
}

// What is asked for must be taken as it is where nothing speaks against it.
func TestAskedTarget(t *testing.T) {
	req := &Request{GOOS: "windows", GOARCH: "arm64", Tags: []string{"b", "a"}, Files: []File{
		{"x_windows.go", []byte("package p\n")}, {"x_linux.go", []byte("package p\n")},
		{"y.go", []byte("//go:build a\n\npackage p\n")},
	}}
	table := Build(req)
	got := fmt.Sprint(table.goos, table.goarch, table.tags)
	for _, f := range table.files {
		got += fmt.Sprint(" ", table.texts.list[f.name], f.verdict)
	}
	if want := "windowsarm64[a b] x_linux.go1 x_windows.go0 y.go0"; got != want {
		t.Errorf("table has %s, want %s", got, want)
	}
}
