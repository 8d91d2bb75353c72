package symtab

import (
	"bytes"
	"cmp"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// directory is a request while it is worked on. Once declared it is only read, so that
// two checkers can share it.
type directory struct {
	syntaxOnly bool
	importPath string
	target     target
	fset       *token.FileSet
	files      []*file // by name
	handles    map[*token.File]*file
	packages   []string
	decls      []*decl
	fields     []*field
	// numbers tells objects by the position of their name, which every checker's
	// objects share: a declaration's number, or ^ of a field's.
	numbers map[token.Pos]int32
	methods map[methodKey]int32
	// fieldNumbers and embedded are made when first asked for, which is rare.
	fieldNumbers map[methodKey]int32
	embedded     map[int32][]int32
	fieldOnce    sync.Once
}

// file is one parsed file. Offsets count bytes of source as it was sent.
type file struct {
	name   string
	source []byte
	scoped bool // the parser is to resolve names
	syntax *ast.File
	handle *token.File
	extent
	lines   []int // offset of each line's first byte
	pkg     int32
	verdict int32
	flags   int32
	reason  string
	errors  []*scanner.Error
	// dots are the import paths that lend their names to the file.
	dots []string
	// named are the paths of imports by the names that their packages may have.
	named    map[string]string
	nameOnce sync.Once
}

func load(req *Request) *directory {
	dir := &directory{
		syntaxOnly: req.SyntaxOnly, importPath: req.ImportPath, target: targetFor(req), fset: token.NewFileSet(),
		files: make([]*file, len(req.Files)), handles: make(map[*token.File]*file, len(req.Files)),
	}
	// A position that was never set then lies in no file of ours.
	dir.fset.AddFile("", -1, 1024)
	for i := range req.Files {
		dir.files[i] = &file{name: req.Files[i].Name, source: req.Files[i].Source,
			scoped: req.SyntaxOnly}
	}
	// Names alone may be equal; the order must not hang on that of the request.
	slices.SortFunc(dir.files, func(a, b *file) int {
		if a.name != b.name {
			return strings.Compare(a.name, b.name)
		}
		return bytes.Compare(a.source, b.source)
	})
	dir.parse()
	for _, f := range dir.files {
		dir.handles[f.handle] = f
	}
	dir.namePackages()
	return dir
}

// parse reads all files on two goroutines, the biggest first so that both end together.
func (dir *directory) parse() {
	queue := slices.Clone(dir.files)
	slices.SortStableFunc(queue, func(a, b *file) int {
		return cmp.Compare(len(b.source), len(a.source))
	})
	var next atomic.Int32
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(queue) {
				return
			}
			queue[i].parse(dir.fset, dir.target)
		}
	}
	inParallel(work, work)
}

// parse keeps of an excluded file its clause and imports alone.
func (f *file) parse(fset *token.FileSet, t target) {
	f.verdict, f.reason = t.verdict(&File{Name: f.name, Source: f.source})
	mode := parser.ParseComments
	if f.verdict == verdictExcluded {
		mode = parser.ImportsOnly
	}
	syntax, err := f.read(fset, f.source, mode)
	if list, ok := errors.AsType[scanner.ErrorList](err); ok {
		f.errors = list
		f.flags |= fileBroken
	}
	if f.errors != nil && f.verdict == verdictTaken {
		syntax = f.repaired(fset, syntax)
	}
	f.syntax = syntax
	f.handle = fset.File(syntax.FileStart)
	f.extent = extent{base: f.handle.Base(), size: len(f.source)}
	f.limitDepth(syntax)
	f.lines = f.handle.Lines()
	if f.errors != nil {
		// The parser may have stopped, or have read another text of the same length.
		f.lines = linesOf(f.source)
	}
	f.mark()
}

// read parses a text of the file. From scopes that are nested too deep the parser comes
// back with nothing, so that it has to go without them.
func (f *file) read(fset *token.FileSet, source []byte, mode parser.Mode) (*ast.File, error) {
	if f.scoped {
		if syntax, err := parser.ParseFile(fset, f.name, source, mode); syntax.Name.Name != "" {
			return syntax, err
		}
	}
	return parser.ParseFile(fset, f.name, source, mode|parser.SkipObjectResolution)
}

// linesOf returns the offset of each line. Unlike go/scanner it counts the empty one
// behind the last, where a syntax error can stand.
func linesOf(source []byte) []int {
	lines := []int{0}
	for i, c := range source {
		if c == '\n' {
			lines = append(lines, i+1)
		}
	}
	return lines
}

// maxDots bounds how many packages a name of nowhere is looked for in.
const maxDots = 16

// mark notes what the file says of itself.
func (f *file) mark() {
	if f.syntax.Name == nil || f.syntax.Name.Name == "" {
		f.verdict, f.reason = verdictUnreadable, "no package clause"
	}
	if ast.IsGenerated(f.syntax) {
		f.flags |= fileGenerated
	}
	if strings.HasSuffix(f.name, "_test.go") {
		f.flags |= fileTest
	}
	for _, spec := range f.syntax.Imports {
		path := importPath(spec)
		if path == "C" {
			f.flags |= fileCgo
		}
		if spec.Name != nil && spec.Name.Name == "." && len(f.dots) < maxDots {
			f.dots = append(f.dots, path)
		}
	}
}

// namePackages numbers the packages of the directory by name.
func (dir *directory) namePackages() {
	for _, f := range dir.files {
		if f.verdict != verdictUnreadable {
			dir.packages = append(dir.packages, f.syntax.Name.Name)
		}
	}
	slices.Sort(dir.packages)
	dir.packages = slices.Compact(dir.packages)
	for _, f := range dir.files {
		f.pkg = none
		if f.verdict != verdictUnreadable {
			n, _ := slices.BinarySearch(dir.packages, f.syntax.Name.Name)
			f.pkg = int32(n)
		}
	}
}

// fileAt returns the file that holds pos, or nil.
func (dir *directory) fileAt(pos token.Pos) *file {
	return dir.handles[dir.fset.File(pos)]
}

// line returns the physical line of pos.
func (f *file) line(pos token.Pos) int32 {
	return int32(sort.SearchInts(f.lines, int(f.offset(pos))+1))
}

// importPath returns the path of spec, which is empty where it is no string.
func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	return path
}
