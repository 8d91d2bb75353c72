package symtab

import (
	"go/ast"
	"go/token"
)

// extent turns positions into offsets of one text, and is the only one to do so: what
// the parser only thinks to be there, an end it has not found, an expression that lacks,
// can have a position outside of the text, or one that was never set.
type extent struct {
	base int // position of the first byte
	size int // bytes of the text
}

// offset returns where pos lies in the text, or its nearer end.
func (e extent) offset(pos token.Pos) int32 {
	return int32(min(max(int(pos)-e.base, 0), e.size))
}

// cut returns the part of text from one position to another, which is empty where they
// are the wrong way round.
func (e extent) cut(text []byte, from, to token.Pos) []byte {
	start := e.offset(from)
	return text[start:max(start, e.offset(to))]
}

// holds reports whether node, or the comment above it, holds the offset.
func (e extent) holds(node ast.Node, doc *ast.CommentGroup, offset int) bool {
	from := node.Pos()
	if doc != nil {
		from = doc.Pos()
	}
	return int(e.offset(from)) <= offset && offset < int(e.offset(node.End()))
}
