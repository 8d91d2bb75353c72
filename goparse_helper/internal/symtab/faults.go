package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
)

// fault notes that expr, which is x, can fault; pos lies on the line that the runtime
// reports.
func (w *walker) fault(kind int32, pos token.Pos, expr ast.Expr, x operand) {
	w.faultText(kind, pos, w.text(expr), x, noNode, 0)
}

func (w *walker) faultText(kind int32, pos token.Pos, text int32, x operand, index, flags int32) {
	row := faultRow{decl: w.decl.number, line: w.line(pos), kind: kind, node: x.node,
		index: index, text: text, flags: flags, first: w.first, last: w.last}
	rows := w.faults[w.from.faults:]
	for i := len(rows) - 1; i >= 0 && rows[i].line == row.line; i-- {
		if rows[i] == row {
			return
		}
	}
	w.faults = append(w.faults, row)
}

// deref notes the dereference of x.
func (w *walker) deref(pos token.Pos, expr ast.Expr, x operand) {
	flags := int32(0)
	if _, ok := under(x.typ).(*types.Pointer); !ok {
		flags = faultPossible
	}
	w.faultText(faultNilDeref, pos, w.text(expr), x, noNode, flags)
}

// indexFault notes how e can fault: x[i], where how says what is done to the element.
func (w *walker) indexFault(e *ast.IndexExpr, x, i operand, how int32) {
	text := w.text(e.X)
	changes := how&changesWhole != 0 && how&(isPart|accessElement) == 0
	switch u := under(x.typ).(type) {
	case *types.Map:
		w.mapFault(e.Lbrack, text, x, i, changes, 0)
		return
	case *types.Pointer:
		w.faultText(faultNilDeref, e.Lbrack, text, x, noNode, 0)
		if i.mode == modeConstant {
			return
		}
	case *types.Array:
		if i.mode == modeConstant {
			return
		}
	case *types.Basic:
		if u.Kind() == types.Invalid {
			w.mapFault(e.Lbrack, text, x, i, changes, faultPossible)
			w.faultText(faultIndex, e.Lbrack, text, x, i.node, faultPossible)
			return
		}
	}
	w.faultText(faultIndex, e.Lbrack, text, x, i.node, 0)
}

func (w *walker) mapFault(pos token.Pos, text int32, x, key operand, changes bool, flags int32) {
	if changes {
		w.faultText(faultNilMapWrite, pos, text, x, key.node, flags)
	}
	w.faultText(faultMapAccess, pos, text, x, key.node, flags)
}

// sliceFault notes how x[low:high] can fault.
func (w *walker) sliceFault(e *ast.SliceExpr, x operand, bounds []operand) {
	text := w.text(e.X)
	if p, ok := under(x.typ).(*types.Pointer); ok {
		if _, ok := under(p.Elem()).(*types.Array); ok {
			w.faultText(faultNilDeref, e.Lbrack, text, x, noNode, 0)
		}
	}
	if len(bounds) == 0 {
		return
	}
	index := noNode
	for _, b := range bounds {
		if b.mode != modeConstant && index == noNode {
			index = b.node
		}
	}
	flags := int32(0)
	if !isKnown(x.typ) {
		flags = faultPossible
	}
	w.faultText(faultSlice, e.Lbrack, text, x, index, flags)
}

// rangeFault notes how the head of a range loop can fault.
func (w *walker) rangeFault(s *ast.RangeStmt, x operand) {
	switch u := under(x.typ).(type) {
	case *types.Map:
		w.fault(faultMapAccess, s.For, s.X, x)
	case *types.Pointer:
		if _, ok := under(u.Elem()).(*types.Array); ok {
			w.fault(faultNilDeref, s.For, s.X, x)
		}
	case *types.Signature:
		if x.callee == none {
			w.fault(faultNilFunc, s.For, s.X, x)
		}
	case *types.Basic:
		if u.Kind() == types.Invalid {
			w.faultText(faultMapAccess, s.For, w.text(s.X), x, noNode, faultPossible)
		}
	}
}

// divide notes that the divisor y can be zero; only integers fault.
func (w *walker) divide(pos token.Pos, x operand, expr ast.Expr, y operand) {
	if y.mode == modeConstant {
		return
	}
	flags := int32(0)
	t := y.typ
	if x.mode != modeConstant {
		t = x.typ
	}
	if b, ok := under(t).(*types.Basic); ok {
		switch {
		case b.Kind() == types.Invalid:
			flags = faultPossible
		case b.Info()&types.IsInteger == 0:
			return
		}
	}
	w.faultText(faultDivide, pos, w.text(expr), y, noNode, flags)
}
