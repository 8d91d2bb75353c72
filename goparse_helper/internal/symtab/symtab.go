// Package symtab makes the symbol table of one directory of Go sources: what is
// declared there, how the declarations hang together as go/types resolves them, and
// where each expression that can fault takes its value from.
//
// It is a pure function of its input. It opens no file, looks at no other package, and
// takes broken sources for what they still say.
package symtab

// File is one .go file of a directory.
type File struct {
	Name   string // relative to the directory
	Source []byte
}

// Request is what Build works on.
type Request struct {
	Directory  string // in the repository; the table does not hang on it
	ImportPath string // empty where it is not known
	GOOS       string // empty means linux
	GOARCH     string // empty means amd64
	Tags       []string
	Tests      bool   // whether _test.go files take part
	Focus      string // the file that the build context must take, or empty
	Files      []File
	// SyntaxOnly leaves go/types out: for sources that it does not come to an end with.
	SyntaxOnly bool
}

// Build makes the symbol table of req. It never fails on bad Go source: what could not
// be read is told in the table.
func Build(req *Request) *Table { return buildSplit(req, splitSize) }

// buildSplit is Build with the size from which two checkers share the work.
func buildSplit(req *Request, split int) *Table {
	dir := load(req)
	t := &Table{
		unchecked: req.SyntaxOnly,
		goos:      dir.target.goos, goarch: dir.target.goarch, tags: dir.target.tags,
		texts: newTexts(1024),
	}
	dir.declare()
	t.addFiles(dir)
	t.addDecls(dir)
	t.addFields(dir)
	checkers := dir.checkers(split)
	var work []func()
	for _, c := range checkers {
		work = append(work, c.run)
	}
	work = append(work, func() { t.addWords(dir) })
	inParallel(work...)
	t.join(dir, checkers)
	return t
}
