package symtab

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
)

// splitSize is the size of all bodies from which a second checker pays.
const splitSize = 48 << 10

// checker is one go/types pass over the directory, with a share of the bodies, and
// what it found in the declarations of its share.
type checker struct {
	dir   *directory
	info  types.Info
	share []bool // by declaration
	// needed are the packages that the share asks for; owned are those of them that no
	// checker before this one has.
	needed, owned []bool
	// packages are the checked ones, by name.
	packages map[string]*types.Package
	failures []string
	scope    *types.Scope                    // that was looked into last
	inner    map[*types.Scope][]*types.Scope // by position, of scopes with many
	found
}

// checkers returns one checker or, where the bodies are worth it, two that share them.
func (dir *directory) checkers(split int) []*checker {
	size := 0
	for _, d := range dir.decls {
		size += d.weight()
	}
	if size < split || dir.syntaxOnly {
		c := dir.newChecker(func(*decl) bool { return true }, 1)
		c.owned = c.needed
		return []*checker{c}
	}
	half := dir.halve(size)
	a := dir.newChecker(func(d *decl) bool { return half[d.number] }, 2)
	b := dir.newChecker(func(d *decl) bool { return !half[d.number] }, 2)
	a.owned, b.owned = a.needed, make([]bool, len(b.needed))
	for pkg := range b.owned {
		b.owned[pkg] = b.needed[pkg] && !a.needed[pkg]
	}
	return []*checker{a, b}
}

// halve says which declarations make up the first half of the work. It goes package by
// package, so that only one has to be checked twice, and hangs on the input alone.
func (dir *directory) halve(size int) []bool {
	order := slices.Clone(dir.decls)
	slices.SortStableFunc(order, func(a, b *decl) int {
		return cmp.Compare(dir.turn(a.row.pkg), dir.turn(b.row.pkg))
	})
	half := make([]bool, len(order))
	sum := 0
	for _, d := range order {
		half[d.number] = sum < size/2
		sum += d.weight()
	}
	return half
}

// turn is the place of a package in the order of checking: a package that is external
// test of another comes after all that it can import.
func (dir *directory) turn(pkg int32) int {
	if dir.isExternalTest(dir.packages[pkg]) {
		return int(pkg) + len(dir.packages)
	}
	return int(pkg)
}

// isExternalTest reports whether name is a package like foo_test that stands beside
// foo, which it can import.
func (dir *directory) isExternalTest(name string) bool {
	base, ok := strings.CutSuffix(name, "_test")
	return ok && slices.Contains(dir.packages, base)
}

// weight is about how much work the declaration is: the bytes of its body or value.
func (d *decl) weight() int {
	if d.fn != nil && d.fn.Body != nil || d.literalType() != nil {
		return int(d.row.end - d.row.start)
	}
	return 0
}

func (dir *directory) newChecker(mine func(*decl) bool, parts int) *checker {
	size := 0
	for _, f := range dir.files {
		if f.verdict == verdictTaken {
			size += len(f.source)
		}
	}
	c := &checker{
		dir: dir, share: make([]bool, len(dir.decls)),
		packages: make(map[string]*types.Package, len(dir.packages)),
		inner:    make(map[*types.Scope][]*types.Scope),
		info:     newInfo(size / parts),
	}
	c.needed = make([]bool, len(dir.packages))
	for i, d := range dir.decls {
		if mine(d) {
			c.share[i] = true
			c.need(d.row.pkg)
		}
	}
	c.found = newFound(dir, size/parts)
	return c
}

// newInfo makes maps that fit size bytes of source.
func newInfo(size int) types.Info {
	return types.Info{
		Defs:       make(map[*ast.Ident]types.Object, size/70),
		Uses:       make(map[*ast.Ident]types.Object, size/18),
		Selections: make(map[*ast.SelectorExpr]*types.Selection, size/140),
		Implicits:  make(map[ast.Node]types.Object, size/700),
		Instances:  make(map[*ast.Ident]types.Instance),
	}
}

// run checks the packages of the checker's share and then walks its declarations.
func (c *checker) run() {
	var turns []int32
	for pkg, needed := range c.needed {
		if needed {
			turns = append(turns, int32(pkg))
		}
	}
	slices.SortFunc(turns, func(a, b int32) int { return cmp.Compare(c.dir.turn(a), c.dir.turn(b)) })
	for _, pkg := range turns {
		if c.dir.syntaxOnly {
			c.name(pkg, c.dir.packages[pkg])
		} else {
			c.check(pkg, c.dir.packages[pkg])
		}
	}
	if c.dir.syntaxOnly {
		c.failures = append(c.failures, unchecked)
	}
	w := &walker{checker: c}
	for i, d := range c.dir.decls {
		if c.share[i] {
			w.walk(d)
		}
	}
	c.findImplementers()
}

// need marks a package, and the one that it is the external test of.
func (c *checker) need(pkg int32) {
	if c.needed[pkg] {
		return
	}
	c.needed[pkg] = true
	if name := c.dir.packages[pkg]; c.dir.isExternalTest(name) {
		base, _ := slices.BinarySearch(c.dir.packages, strings.TrimSuffix(name, "_test"))
		c.needed[base] = true
	}
}

// check runs go/types over one package. What does not fit together is no news here:
// the sources of other packages are missing, so errors are the rule.
func (c *checker) check(number int32, name string) {
	config := types.Config{
		Importer: fakes{c, strings.TrimSuffix(name, "_test")}, Error: func(error) {}, FakeImportC: true,
		DisableUnusedImportCheck: true,
		Sizes:                    types.SizesFor("gc", c.dir.target.goarch),
	}
	files := c.syntax(number)
	if len(files) == 0 {
		return
	}
	// A bug in go/types must not lose what the syntax alone says; the request's own
	// recover would.
	defer func() {
		if r := recover(); r != nil {
			c.failures = append(c.failures, fmt.Sprintf("type checker failed on package %s: %v", name, r))
			// What it left behind is half done and not fit to be asked.
			c.info = newInfo(0)
		}
	}()
	pkg := types.NewPackage(c.dir.pathOf(name), name)
	c.packages[name] = pkg
	// Files reports the first error, which Error has swallowed already.
	_ = types.NewChecker(&config, c.dir.fset, pkg, &c.info).Files(files)
}

func (dir *directory) pathOf(name string) string {
	if dir.importPath != "" {
		return dir.importPath
	}
	return name
}

// syntax returns the files of a package without the bodies that are not in the share.
func (c *checker) syntax(pkg int32) []*ast.File {
	var files []*ast.File
	for _, f := range c.dir.files {
		if f.verdict != verdictTaken || f.pkg != pkg {
			continue
		}
		shallow := *f.syntax
		shallow.Decls = make([]ast.Decl, len(f.syntax.Decls))
		for i, d := range f.syntax.Decls {
			shallow.Decls[i] = c.withoutBody(d)
		}
		files = append(files, &shallow)
	}
	return files
}

// withoutBody drops the body of a function outside of the share, and the values of
// variables whose type is written. IgnoreFuncBodies would skip the closures of the
// other variables too.
func (c *checker) withoutBody(d ast.Decl) ast.Decl {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body == nil || c.isMine(d.Name) {
			break
		}
		shallow := *d
		shallow.Body = nil
		return &shallow
	case *ast.GenDecl:
		if d.Tok != token.VAR {
			break
		}
		shallow := *d
		shallow.Specs = make([]ast.Spec, len(d.Specs))
		for i, spec := range d.Specs {
			shallow.Specs[i] = c.withoutValue(spec)
		}
		return &shallow
	}
	return d
}

func (c *checker) isMine(name *ast.Ident) bool {
	n, ok := c.dir.numbers[name.Pos()]
	return ok && c.share[n]
}

func (c *checker) withoutValue(spec ast.Spec) ast.Spec {
	v, ok := spec.(*ast.ValueSpec)
	if !ok || len(v.Names) != 1 || len(v.Values) != 1 || c.isMine(v.Names[0]) {
		return spec
	}
	typ := v.Type
	if typ == nil {
		typ = writtenType(v.Values[0])
	}
	if typ == nil {
		return spec
	}
	return &ast.ValueSpec{Names: v.Names, Type: typ}
}

// errFake makes go/types take a package for what it is, and stay quiet about all that
// comes out of it.
var errFake = errors.New("not loaded")

// fakes imports packages whose sources are not there.
type fakes struct {
	*checker
	base string // name of the package that an external test can import
}

// Import returns the checked package where path is that of the directory, else a fake.
func (f fakes) Import(path string) (*types.Package, error) {
	if pkg := f.packages[f.base]; pkg != nil && f.dir.isOwn(path, f.base) && pkg.Complete() {
		return pkg, nil
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	name := packageName(path)
	if name == "" {
		name = "_" // which no source can say
	}
	return types.NewPackage(path, name), errFake
}

// isOwn reports whether path is that of the directory's package of that name.
func (dir *directory) isOwn(importPath, name string) bool {
	if dir.importPath != "" {
		return importPath == dir.importPath
	}
	return packageName(importPath) == name
}

// packageName guesses the name of the package at importPath: `yaml` of
// gopkg.in/yaml.v3, `rand` of math/rand/v2, `sqlite3` of example.com/go-sqlite3; "" where
// the path has nothing like a name.
func packageName(importPath string) string {
	base := path.Base(importPath)
	if isMajor(base) && path.Dir(importPath) != "." {
		base = path.Base(path.Dir(importPath))
	}
	if i := strings.LastIndex(base, ".v"); i > 0 && isMajor(base[i+1:]) {
		base = base[:i]
	}
	base = strings.TrimSuffix(strings.TrimPrefix(base, "go-"), "-go")
	base = strings.TrimSuffix(base, ".go")
	if i := strings.LastIndexAny(base, "-."); i >= 0 && i+1 < len(base) {
		base = base[i+1:]
	}
	if !token.IsIdentifier(base) {
		return ""
	}
	return base
}

// isMajor reports whether element is a major version, as v2.
func isMajor(element string) bool {
	digits, ok := strings.CutPrefix(element, "v")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}
