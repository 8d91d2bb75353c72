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
	"unicode/utf8"
)

// go/parser takes what follows an error for a part of the declaration that it is in:
// one half-written function swallows every declaration behind it. In sources as gofmt
// leaves them a keyword in the first column begins a declaration. Cut there, what is
// broken can be read on its own, and the rest without it.

// maxRepairs bounds how often a broken file is parsed again.
const maxRepairs = 5

// repaired parses a file with syntax errors again. It returns the tree that shows
// more; offsets mean the same in both.
func (f *file) repaired(fset *token.FileSet, syntax *ast.File) *ast.File {
	source := f.source
	if !utf8.Valid(source) {
		source = validated(source)
	}
	r := &repair{file: f, whole: source, rest: bytes.Clone(source), chunks: cut(source)}
	for _, c := range r.chunks {
		if c.open {
			r.takeOut(c)
		}
	}
	tree := r.parseRest(fset)
	for range maxRepairs {
		if !r.blame() {
			break
		}
		tree = r.parseRest(fset)
	}
	if tree.Name.Name == "" {
		return syntax
	}
	r.putBack(tree, fset.File(tree.FileStart).Base())
	if goodDecls(tree) < goodDecls(syntax) {
		return syntax
	}
	return tree
}

// repair is a broken file while its good and bad parts are told apart.
type repair struct {
	file   *file
	whole  []byte
	rest   []byte // whole without the bad chunks
	chunks []*chunk
	errors scanner.ErrorList // of parsing rest
}

// chunk is a part of a file that looks like one declaration, without the comments and
// the space behind it.
type chunk struct {
	start, end int
	open       bool // it lacks a closing bracket
	out        bool
}

// takeOut blanks a bad chunk, its lines aside.
func (r *repair) takeOut(c *chunk) {
	c.out = true
	for i := c.start; i < c.end; i++ {
		if r.rest[i] != '\n' {
			r.rest[i] = ' '
		}
	}
}

// parseRest does not tell its errors: the first ones are those of the source as sent.
func (r *repair) parseRest(fset *token.FileSet) *ast.File {
	tree, err := r.file.read(fset, r.rest, parser.ParseComments|parser.AllErrors)
	r.errors = nil
	errors.As(err, &r.errors)
	return tree
}

// blame takes out the chunks that errors stand in, and reports whether there were any.
func (r *repair) blame() bool {
	found := false
	for _, err := range r.errors {
		i, _ := slices.BinarySearchFunc(r.chunks, err.Pos.Offset+1, func(c *chunk, offset int) int {
			return cmp.Compare(c.start, offset)
		})
		// What was taken out before cannot be it: then it is the one in front.
		for i--; i >= 0; i-- {
			if !r.chunks[i].out {
				r.takeOut(r.chunks[i])
				found = true
				break
			}
		}
	}
	return found
}

// putBack parses each bad chunk on its own and adds to the tree what it still says.
func (r *repair) putBack(tree *ast.File, base int) {
	const clause = "package p;"
	for i, c := range r.chunks {
		from := c.start
		if i > 0 {
			from = r.chunks[i-1].end // the doc comment is in between
		}
		if !c.out || from < len(clause) {
			continue
		}
		text := slices.Concat([]byte(clause), r.whole[from:c.end])
		// Its positions are to be those of the tree: the file begins as far in front of
		// the chunk as the clause is long.
		fset := token.NewFileSet()
		fset.AddFile("", 1, base+from-len(clause)-2)
		part, _ := r.file.read(fset, text, parser.ParseComments)
		if len(part.Decls) > 0 && int(part.Decls[0].Pos())-base == c.start {
			closeAt(part.Decls[0], token.Pos(base+c.end))
			tree.Decls = append(tree.Decls, part.Decls[0])
			tree.Imports = append(tree.Imports, part.Imports...)
		}
	}
	slices.SortStableFunc(tree.Decls, func(a, b ast.Decl) int { return cmp.Compare(a.Pos(), b.Pos()) })
}

// closeAt lets a declaration that is not closed end with its text.
func closeAt(d ast.Decl, end token.Pos) {
	if d.End() <= end {
		return
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body != nil {
			d.Body.Rbrace = end - 1
		}
	case *ast.GenDecl:
		if d.Rparen.IsValid() {
			d.Rparen = end - 1
		}
	}
}

func goodDecls(tree *ast.File) int {
	n := 0
	for _, d := range tree.Decls {
		if _, bad := d.(*ast.BadDecl); !bad {
			n++
		}
	}
	return n
}

// validated replaces bytes that are no UTF-8 by one that is right in comments, texts
// and names. In front of the package clause one such byte makes the parser give up.
func validated(source []byte) []byte {
	out := bytes.Clone(source)
	for i := 0; i < len(out); {
		r, size := utf8.DecodeRune(out[i:])
		if r == utf8.RuneError && size == 1 {
			out[i] = '_'
		}
		i += size
	}
	return out
}

// cut finds the declarations of a file by the keywords in the first column.
func cut(source []byte) []*chunk {
	var chunks []*chunk
	var last *chunk
	var due brackets
	tokens := newTokens(source)
	for {
		offset, tok := tokens.next()
		if tok == token.EOF {
			return chunks
		}
		if isDeclKeyword(tok) && (offset == 0 || source[offset-1] == '\n') {
			last, due = &chunk{start: offset}, brackets{open: due.open[:0]}
			chunks = append(chunks, last)
		}
		if last != nil {
			due.take(tok)
			last.open = len(due.open) > 0
			if !tokens.inserted {
				last.end = offset + tokens.length
			}
		}
	}
}

// brackets are the closing brackets that are due, the innermost last.
type brackets struct {
	open   []token.Token
	counts [token.RBRACE + 1]int // of each in open
}

// take follows one token. A closing bracket that fits an outer one closes what is open
// inside of it too.
func (b *brackets) take(tok token.Token) {
	switch tok {
	case token.LBRACE:
		b.push(token.RBRACE)
	case token.LPAREN:
		b.push(token.RPAREN)
	case token.LBRACK:
		b.push(token.RBRACK)
	case token.RBRACE, token.RPAREN, token.RBRACK:
		for b.counts[tok] > 0 && b.pop() != tok {
		}
	}
}

func (b *brackets) push(tok token.Token) {
	b.open = append(b.open, tok)
	b.counts[tok]++
}

func (b *brackets) pop() token.Token {
	last := len(b.open) - 1
	tok := b.open[last]
	b.open = b.open[:last]
	b.counts[tok]--
	return tok
}

func isDeclKeyword(tok token.Token) bool {
	return tok == token.IMPORT || tok == token.FUNC || tok == token.TYPE || tok == token.VAR || tok == token.CONST
}

// tokens goes over the tokens of a text, wrong ones too.
type tokens struct {
	scanner  scanner.Scanner
	file     *token.File
	length   int  // of the last token
	inserted bool // it is a semicolon that the text does not hold
}

func newTokens(source []byte) *tokens {
	t := &tokens{}
	t.file = token.NewFileSet().AddFile("", -1, len(source))
	t.scanner.Init(t.file, source, func(token.Position, string) {}, 0)
	return t
}

func (t *tokens) next() (offset int, tok token.Token) {
	pos, tok, literal := t.scanner.Scan()
	t.inserted = tok == token.SEMICOLON && literal == "\n"
	if t.length = len(tok.String()); tok.IsLiteral() || tok == token.ILLEGAL {
		t.length = len(literal)
	}
	return t.file.Offset(pos), tok
}
