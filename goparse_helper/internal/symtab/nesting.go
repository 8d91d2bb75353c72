package symtab

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"reflect"
)

// maxDepth is how many nodes may stand inside each other. What people and generators
// write stays far below; deeper trees are made to overflow a stack, or to let the ends
// and scopes that go/types asks for at each level cost the square of the depth.
const maxDepth = 4_000

// limitDepth cuts what is nested too deep out of the tree, and says so.
func (f *file) limitDepth(syntax *ast.File) {
	for _, d := range syntax.Decls {
		// Each level takes a byte at least, so that most declarations need no look.
		if d.End()-d.Pos() < maxDepth {
			continue
		}
		if pos := hollowDeep(d); pos.IsValid() {
			f.errors = append(f.errors, &scanner.Error{
				Pos: token.Position{Offset: int(f.offset(pos))},
				Msg: fmt.Sprintf("nested more than %d levels deep: what is inside is left out", maxDepth),
			})
			f.flags |= fileBroken
		}
	}
}

// hollowDeep takes out of the nodes at the greatest depth what they hold, and returns
// where the first such node is.
func hollowDeep(root ast.Node) token.Pos {
	first := token.NoPos
	depth := 0
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			depth--
			return false
		}
		if depth++; depth > maxDepth && !isLeaf(n) {
			if !first.IsValid() {
				first = n.Pos()
			}
			hollow(n)
		}
		return true
	})
	return first
}

// isDeeper reports whether more than limit nodes stand inside each other.
func isDeeper(root ast.Node, limit int) bool {
	depth, deepest := 0, 0
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			depth--
			return false
		}
		depth++
		deepest = max(deepest, depth)
		return true
	})
	return deepest > limit
}

func isLeaf(n ast.Node) bool {
	switch n.(type) {
	case *ast.Ident, *ast.BasicLit, *ast.BadExpr, *ast.EmptyStmt, *ast.Comment, *ast.CommentGroup:
		return true
	}
	return false
}

var (
	exprType = reflect.TypeFor[ast.Expr]()
	stmtType = reflect.TypeFor[ast.Stmt]()
)

// hollow puts nodes that hold nothing in the place of expressions and statements, and
// takes those that stand in a list out. The other children are nodes of their own that
// come next.
func hollow(n ast.Node) {
	fields := reflect.ValueOf(n).Elem()
	for _, child := range fields.Fields() {
		switch t := child.Type(); {
		case t == exprType && !child.IsNil():
			e := child.Interface().(ast.Expr)
			if !isLeaf(e) {
				child.Set(reflect.ValueOf(&ast.BadExpr{From: e.Pos(), To: e.End()}))
			}
		case t == stmtType && !child.IsNil():
			s := child.Interface().(ast.Stmt)
			child.Set(reflect.ValueOf(&ast.EmptyStmt{Semicolon: s.Pos(), Implicit: true}))
		case t.Kind() == reflect.Slice && (t.Elem() == exprType || t.Elem() == stmtType):
			child.SetZero()
		}
	}
}
