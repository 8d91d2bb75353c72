package symtab

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
)

// go/parser takes what follows an unclosed bracket for its inside, so that one
// half-written function swallows every declaration behind it. In sources as gofmt
// leaves them a keyword in the first column begins a declaration: what is open there
// was not closed.

// maxRepairs bounds how often a broken file is parsed again.
const maxRepairs = 4

// repair parses a file with syntax errors again: first with its unclosed declarations
// closed, then without those that still swallow others. It returns the tree that shows
// most; offsets mean the same in all of them.
func (f *file) repair(fset *token.FileSet, syntax *ast.File) *ast.File {
	chunks := cut(f.source)
	source := bytes.Clone(f.source)
	if !closeChunks(source, chunks) && len(swallowed(fset, syntax, chunks)) == 0 {
		return syntax
	}
	best := syntax
	for range maxRepairs {
		// The errors have been told; these would be those of another text.
		tree, _ := parser.ParseFile(fset, f.name, source, parser.ParseComments|parser.SkipObjectResolution)
		if tree == nil {
			break
		}
		if len(tree.Decls) > len(best.Decls) {
			best = tree
		}
		guilty := swallowed(fset, tree, chunks)
		if len(guilty) == 0 {
			break
		}
		for _, c := range guilty {
			c.blank(source)
		}
	}
	return best
}

// chunk is a part of a file that looks like one declaration, without the comments and
// the space behind it.
type chunk struct {
	start, end int
	open       []byte // the closing brackets that it lacks
	blanked    bool
}

// blank takes the chunk out of source, its lines aside.
func (c *chunk) blank(source []byte) {
	c.blanked = true
	for i := c.start; i < c.end; i++ {
		if source[i] != '\n' {
			source[i] = ' '
		}
	}
}

// cut finds the declarations of a file by the keywords in the first column.
func cut(source []byte) []*chunk {
	var chunks []*chunk
	var last *chunk
	tokens := newTokens(source)
	for {
		offset, tok := tokens.next()
		if tok == token.EOF {
			return chunks
		}
		if isDeclKeyword(tok) && (offset == 0 || source[offset-1] == '\n') {
			last = &chunk{start: offset}
			chunks = append(chunks, last)
		}
		if last != nil {
			last.open = balance(last.open, tok)
			if !tokens.inserted {
				last.end = offset + tokens.length
			}
		}
	}
}

// closeChunks writes the missing brackets over the space behind their chunks, where
// there is enough of it, and reports whether any was missing.
func closeChunks(source []byte, chunks []*chunk) bool {
	found := false
	for i, c := range chunks {
		need := len(c.open)
		if need == 0 {
			continue
		}
		found = true
		behind := source[c.end:]
		free := len(behind) - len(bytes.TrimLeft(behind, " \t\r\n"))
		if i+1 < len(chunks) {
			free-- // a line end must stay before the next declaration
		}
		if free < need {
			c.blank(source)
			continue
		}
		slices.Reverse(c.open)
		copy(behind, c.open)
	}
	return found
}

// swallowed returns the chunks that hide the beginning of another.
func swallowed(fset *token.FileSet, tree *ast.File, chunks []*chunk) []*chunk {
	base := fset.File(tree.FileStart).Base()
	starts := make(map[int]bool, len(tree.Decls))
	for _, d := range tree.Decls {
		starts[int(d.Pos())-base] = true
	}
	var guilty []*chunk
	var shown *chunk
	for _, c := range chunks {
		switch {
		case starts[c.start]:
			shown = c
		case !c.blanked && shown != nil && !slices.Contains(guilty, shown):
			guilty = append(guilty, shown)
		}
	}
	return guilty
}

// balance updates the brackets that are due. A closing one that fits an outer bracket
// closes what is open inside of it too.
func balance(open []byte, tok token.Token) []byte {
	switch tok {
	case token.LBRACE:
		return append(open, '}')
	case token.LPAREN:
		return append(open, ')')
	case token.LBRACK:
		return append(open, ']')
	case token.RBRACE, token.RPAREN, token.RBRACK:
		if i := bytes.LastIndexByte(open, tok.String()[0]); i >= 0 {
			return open[:i]
		}
	}
	return open
}

func isDeclKeyword(tok token.Token) bool {
	return tok == token.FUNC || tok == token.TYPE || tok == token.VAR || tok == token.CONST
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
	if t.length = len(tok.String()); tok.IsLiteral() {
		t.length = len(literal)
	}
	return t.file.Offset(pos), tok
}
