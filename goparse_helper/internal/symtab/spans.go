package symtab

import (
	"go/ast"
	"go/token"
)

// To ask each operand of a long chain where it begins costs the square of its length:
// go/ast goes down to the first one every time.

// maxSteps is how many steps go unnoticed.
const maxSteps = 16

// start returns where e begins.
func (w *walker) start(e ast.Expr) token.Pos {
	steps := 0
	pos := token.NoPos
	for x := e; x != nil; steps++ {
		if len(w.starts) > 0 {
			if known, ok := w.starts[x]; ok {
				pos = known
				break
			}
		}
		if next := leftmost(x); next != nil {
			x = next
			continue
		}
		pos = x.Pos()
		break
	}
	if steps > maxSteps {
		if w.starts == nil {
			w.starts = make(map[ast.Expr]token.Pos)
		}
		w.starts[e] = pos
	}
	return pos
}

// leftmost returns the operand that e begins with, or nil.
func leftmost(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return e.X
	case *ast.CallExpr:
		return e.Fun
	case *ast.IndexExpr:
		return e.X
	case *ast.IndexListExpr:
		return e.X
	case *ast.SliceExpr:
		return e.X
	case *ast.TypeAssertExpr:
		return e.X
	case *ast.BinaryExpr:
		return e.X
	case *ast.CompositeLit:
		return e.Type
	}
	return nil
}

// endWithin returns where e ends, or limit where that is before.
func endWithin(e ast.Expr, limit token.Pos) token.Pos {
	for {
		at := token.NoPos
		switch x := e.(type) {
		case *ast.StarExpr:
			at, e = x.Star, x.X
		case *ast.UnaryExpr:
			at, e = x.OpPos, x.X
		case *ast.BinaryExpr:
			at, e = x.OpPos, x.Y
		default:
			return min(e.End(), limit)
		}
		if at >= limit {
			return limit
		}
	}
}
