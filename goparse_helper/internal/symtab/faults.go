package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
)

// fault notes that expr, which is x, can fault; pos lies on the line that the runtime
// reports.
func (w *walker) fault(kind int32, pos token.Pos, expr ast.Expr, x operand) {
	w.faultAt(kind, pos, faultSite{expr: expr}, x, noNode, 0)
}

// faultSite is the source text of what faults: an expression, and the embedded field
// that it goes on to.
type faultSite struct {
	expr   ast.Expr
	suffix string
}

func (w *walker) faultAt(kind int32, pos token.Pos, site faultSite, x operand, index, flags int32) {
	text := w.text(site.expr)
	if site.suffix != "" {
		text = w.texts.number(w.texts.list[text] + site.suffix)
	}
	first, last := w.lines()
	row := faultRow{decl: w.decl.number, line: w.line(pos), kind: kind, node: x.node,
		index: index, text: text, flags: flags, first: first, last: last}
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
	if x.sure {
		return
	}
	flags := int32(0)
	if _, ok := under(x.typ).(*types.Pointer); !ok {
		flags = faultPossible
	}
	w.faultAt(faultNilDeref, pos, faultSite{expr: expr}, x, noNode, flags)
}

// indexFault notes how e can fault: x[i], where how says what is done to the element.
func (w *walker) indexFault(e *ast.IndexExpr, x, i operand, how int32) {
	site := faultSite{expr: e.X}
	changes := how&changesWhole != 0 && how&(isPart|accessElement) == 0
	switch u := under(x.typ).(type) {
	case *types.Map:
		w.mapFault(e.Lbrack, site, x, i, changes, 0)
		return
	case *types.Pointer:
		w.faultAt(faultNilDeref, e.Lbrack, site, x, noNode, 0)
		if i.mode == modeConstant {
			return
		}
	case *types.Array:
		if i.mode == modeConstant {
			return
		}
	case *types.Basic:
		if u.Kind() == types.Invalid {
			w.mapFault(e.Lbrack, site, x, i, changes, faultPossible)
			w.faultAt(faultIndex, e.Lbrack, site, x, i.node, faultPossible)
			return
		}
	}
	w.faultAt(faultIndex, e.Lbrack, site, x, i.node, 0)
}

func (w *walker) mapFault(pos token.Pos, site faultSite, x, key operand, changes bool, flags int32) {
	if changes {
		w.faultAt(faultNilMapWrite, pos, site, x, key.node, flags)
	}
	w.faultAt(faultMapAccess, pos, site, x, key.node, flags)
}

// sliceFault notes how x[low:high] can fault.
func (w *walker) sliceFault(e *ast.SliceExpr, x operand, bounds []operand) {
	site := faultSite{expr: e.X}
	if p, ok := under(x.typ).(*types.Pointer); ok {
		if _, ok := under(p.Elem()).(*types.Array); ok {
			w.faultAt(faultNilDeref, e.Lbrack, site, x, noNode, 0)
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
	w.faultAt(faultSlice, e.Lbrack, site, x, index, flags)
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
			w.faultAt(faultMapAccess, s.For, faultSite{expr: s.X}, x, noNode, faultPossible)
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
	w.faultAt(faultDivide, pos, faultSite{expr: expr}, y, noNode, flags)
}
