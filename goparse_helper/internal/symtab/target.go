package symtab

import (
	"bytes"
	"go/build"
	"go/build/constraint"
	"io"
	"slices"
	"strings"
)

// target is what the sources are built for.
type target struct {
	goos, goarch string
	tags         []string
	// focus is taken whatever its constraint says.
	focus string
	tests bool
}

// ports are the targets of the go tool, the usual ones first: each GOOS with its
// GOARCHes.
var ports = []struct {
	goos    string
	goarchs []string
}{
	{"linux", []string{"amd64", "arm64", "386", "arm", "riscv64", "ppc64le", "s390x",
		"loong64", "mips64le", "mips64", "mipsle", "mips", "ppc64"}},
	{"darwin", []string{"arm64", "amd64"}},
	{"windows", []string{"amd64", "arm64", "386"}},
	{"freebsd", []string{"amd64", "arm64", "386", "arm", "riscv64"}},
	{"openbsd", []string{"amd64", "arm64", "386", "arm", "ppc64", "riscv64"}},
	{"netbsd", []string{"amd64", "arm64", "386", "arm"}},
	{"dragonfly", []string{"amd64"}},
	{"solaris", []string{"amd64"}},
	{"illumos", []string{"amd64"}},
	{"aix", []string{"ppc64"}},
	{"android", []string{"arm64", "amd64", "386", "arm"}},
	{"ios", []string{"arm64", "amd64"}},
	{"plan9", []string{"amd64", "386", "arm"}},
	{"js", []string{"wasm"}},
	{"wasip1", []string{"wasm"}},
}

// targetFor returns the target that req asks for or, where that leaves the focus out,
// the nearest one that takes it.
func targetFor(req *Request) target {
	t := target{
		goos: req.GOOS, goarch: req.GOARCH, tags: slices.Clone(req.Tags),
		focus: req.Focus, tests: req.Tests,
	}
	if t.goos == "" {
		t.goos = "linux"
	}
	if t.goarch == "" {
		t.goarch = "amd64"
	}
	slices.Sort(t.tags)
	t.tags = slices.Compact(t.tags)
	for i := range req.Files {
		if f := &req.Files[i]; f.Name == req.Focus && !t.takes(f) {
			return t.nearest(f)
		}
	}
	return t
}

// nearest looks for a target that takes f: another GOARCH, another GOOS, then the same
// with the tags that the constraint of f asks for.
func (t target) nearest(f *File) target {
	asked, refused := tagsOf(f.Source)
	more := union(t.tags, asked)
	for _, tags := range [][]string{t.tags, more, without(more, refused)} {
		try := t
		try.tags = tags
		if try.takes(f) {
			return try
		}
		for _, port := range t.candidates() {
			try.goos, try.goarch = port[0], port[1]
			if try.takes(f) {
				return try
			}
		}
	}
	return t
}

// candidates returns all ports: those of the same GOOS, then those of the same GOARCH,
// then the others.
func (t target) candidates() [][2]string {
	var same, near, far [][2]string
	for _, port := range ports {
		for _, goarch := range port.goarchs {
			switch pair := [2]string{port.goos, goarch}; {
			case port.goos == t.goos:
				same = append(same, pair)
			case goarch == t.goarch:
				near = append(near, pair)
			default:
				far = append(far, pair)
			}
		}
	}
	return slices.Concat(same, near, far)
}

// takes reports whether the target takes f, by its name and its constraint.
func (t target) takes(f *File) bool {
	if !t.takesName(f.Name) {
		return false
	}
	return !mayConstrain(f.Source) || t.match(f.Name, f.Source)
}

func (t target) takesName(name string) bool {
	if base := strings.TrimSuffix(name, "_test.go"); !strings.ContainsRune(base, '_') &&
		!strings.HasPrefix(base, ".") {
		return true
	}
	return t.match(name, []byte("package p\n"))
}

// match asks go/build. Cgo counts as there, so that a file that uses it stays in.
func (t target) match(name string, source []byte) bool {
	context := build.Context{
		GOOS: t.goos, GOARCH: t.goarch, Compiler: "gc", CgoEnabled: true,
		BuildTags: t.tags, ToolTags: build.Default.ToolTags,
		ReleaseTags: build.Default.ReleaseTags,
		OpenFile: func(string) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(source)), nil
		},
	}
	ok, err := context.MatchFile("", name)
	// An error is about the source: go/parser will tell it better.
	return ok || err != nil
}

// verdict says whether the target takes f, and why not.
func (t target) verdict(f *File) (verdict int32, reason string) {
	switch {
	case f.Name == t.focus:
		return verdictTaken, ""
	case !t.takesName(f.Name):
		return verdictExcluded, "file name"
	case isTest(f.Name) && !t.tests:
		// Nothing but tests depends on tests, and they are often the larger half.
		return verdictExcluded, "test"
	case !mayConstrain(f.Source) || t.standalone(f.Source):
		return verdictTaken, ""
	}
	return verdictExcluded, "//go:build " + constraintOf(f.Source).String()
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// standalone is match for the files beside the focus: what is marked `ignore` is a
// program of its own and joins no other, even where the focus is such a one.
func (t target) standalone(source []byte) bool {
	t.tags = without(t.tags, []string{"ignore"})
	return t.match("p.go", source)
}

// header returns the lines before the package clause.
func header(source []byte) []byte {
	if bytes.HasPrefix(source, []byte("package ")) {
		return nil
	}
	if before, _, ok := bytes.Cut(source, []byte("\npackage ")); ok {
		return before
	}
	return source
}

// mayConstrain is a cheap test that most files fail.
func mayConstrain(source []byte) bool {
	return bytes.Contains(header(source), []byte("build"))
}

// constraintOf returns the constraint in the header of source, in the old form too, or
// the empty tag where there is none.
func constraintOf(source []byte) constraint.Expr {
	var all constraint.Expr
	for line := range strings.Lines(string(header(source))) {
		line = strings.TrimSpace(line)
		expr, err := constraint.Parse(line)
		switch {
		case err != nil:
			continue
		case constraint.IsGoBuild(line):
			return expr
		case all == nil:
			all = expr
		default:
			all = &constraint.AndExpr{X: all, Y: expr}
		}
	}
	if all == nil {
		return &constraint.TagExpr{}
	}
	return all
}

// tagsOf returns the tags that the constraint of source asks for and those that it
// refuses, without the ones that a target sets.
func tagsOf(source []byte) (asked, refused []string) {
	var walk func(expr constraint.Expr, negated bool)
	walk = func(expr constraint.Expr, negated bool) {
		switch x := expr.(type) {
		case *constraint.NotExpr:
			walk(x.X, !negated)
		case *constraint.AndExpr:
			walk(x.X, negated)
			walk(x.Y, negated)
		case *constraint.OrExpr:
			walk(x.X, negated)
			walk(x.Y, negated)
		case *constraint.TagExpr:
			switch {
			case x.Tag == "" || isTargetTag(x.Tag):
			case negated:
				refused = append(refused, x.Tag)
			default:
				asked = append(asked, x.Tag)
			}
		}
	}
	walk(constraintOf(source), false)
	return asked, refused
}

func isTargetTag(tag string) bool {
	if tag == "unix" || tag == "cgo" || tag == "gc" || tag == "gccgo" ||
		strings.HasPrefix(tag, "go1.") {
		return true
	}
	for _, port := range ports {
		if port.goos == tag || slices.Contains(port.goarchs, tag) {
			return true
		}
	}
	return false
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

func without(list, drop []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(tag string) bool {
		return slices.Contains(drop, tag)
	})
}
