package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
)

// site is a place where something can fault.
type site struct {
	kind   int32
	pos    token.Pos // on the line that the runtime reports
	expr   ast.Expr  // the source of what is at fault
	suffix string    // what to add to it: the embedded field that it goes on to
	index  int32     // node of an index or key
	flags  int32
}

// fault notes that x can fault at s.
func (w *walker) fault(s site, x operand) {
	text := w.text(s.expr)
	if s.suffix != "" {
		text = w.texts.number(w.texts.list[text] + s.suffix)
	}
	first, last := w.lines()
	row := faultRow{decl: w.decl.number, line: w.line(s.pos), kind: s.kind, node: x.node,
		index: s.index, text: text, flags: s.flags, first: first, last: last}
	rows := w.faults[w.from.faults:]
	for i := len(rows) - 1; i >= max(0, len(rows)-maxScan) && rows[i].line == row.line; i-- {
		if rows[i] == row {
			return
		}
	}
	w.faults = append(w.faults, row)
}

// derefFault notes the dereference of x. It has the line of the operator; a selector
// has that of its dot, which is the line where the expression before it ends.
func (w *walker) derefFault(s site, x operand) {
	if x.sure {
		return
	}
	if _, ok := under(x.typ).(*types.Pointer); !ok && !(w.dir.syntaxOnly && x.syn != nil && isPointer(x.syn)) {
		s.flags = faultPossible
	}
	s.kind = faultNilDeref
	w.fault(s, x)
}

// dot returns a position on the line of the selector's dot: no line can end before it.
func dot(e *ast.SelectorExpr) token.Pos { return e.X.End() - 1 }

// indexFault notes how x[i] can fault, where how says what is done to the element.
func (w *walker) indexFault(e *ast.IndexExpr, x, i operand, how int32) {
	s := site{kind: faultIndex, pos: e.Lbrack, expr: e.X, index: i.node}
	switch u := under(x.typ).(type) {
	case *types.Map:
		w.mapFault(s, x, how)
		return
	case *types.Pointer:
		w.derefFault(site{pos: e.Lbrack, expr: e.X}, x)
		if i.mode == modeConstant {
			return
		}
	case *types.Array:
		if i.mode == modeConstant {
			return
		}
	case *types.Basic:
		if u.Kind() == types.Invalid {
			s.flags = faultPossible
			w.mapFault(s, x, how)
		}
	}
	w.fault(s, x)
}

// mapFault notes an access to a map, which can be nil when it is written to.
func (w *walker) mapFault(s site, x operand, how int32) {
	if how&changesWhole != 0 && how&(isPart|accessElement) == 0 {
		s.kind = faultNilMapWrite
		w.fault(s, x)
	}
	s.kind = faultMapAccess
	w.fault(s, x)
}

// sliceFault notes how x[low:high] can fault.
func (w *walker) sliceFault(e *ast.SliceExpr, x operand, bounds []operand) {
	s := site{kind: faultSlice, pos: e.Lbrack, expr: e.X}
	if _, ok := under(x.typ).(*types.Pointer); ok {
		w.derefFault(s, x)
	}
	if len(bounds) == 0 {
		return
	}
	for _, b := range bounds {
		if b.mode != modeConstant && s.index == noNode {
			s.index = b.node
		}
	}
	if !isKnown(x.typ) {
		s.flags = faultPossible
	}
	w.fault(s, x)
}

// rangeFault notes how the head of a range loop can fault.
func (w *walker) rangeFault(e *ast.RangeStmt, x operand) {
	s := site{kind: faultMapAccess, pos: e.For, expr: e.X}
	switch u := under(x.typ).(type) {
	case *types.Map:
		w.fault(s, x)
	case *types.Pointer:
		w.derefFault(s, x)
	case *types.Signature:
		if x.callee == none && !x.sure {
			s.kind = faultNilFunc
			w.fault(s, x)
		}
	case *types.Basic:
		if u.Kind() == types.Invalid {
			s.flags = faultPossible
			w.fault(s, x)
		}
	}
}

// divisionFault notes that the divisor y can be zero; only integers fault.
func (w *walker) divisionFault(pos token.Pos, x operand, expr ast.Expr, y operand) {
	if y.mode == modeConstant {
		return
	}
	s := site{kind: faultDivide, pos: pos, expr: expr}
	t := y.typ
	if x.mode != modeConstant {
		t = x.typ
	}
	if b, ok := under(t).(*types.Basic); ok {
		switch {
		case b.Kind() == types.Invalid:
			s.flags = faultPossible
		case b.Info()&types.IsInteger == 0:
			return
		}
	}
	w.fault(s, y)
}

// callFault notes that the called function value can be nil.
func (w *walker) callFault(e *ast.CallExpr, f operand, how int32) {
	if f.callee != none || f.sure || f.ext != noExternal || f.mode == modeNone {
		return
	}
	s := site{kind: faultNilFunc, pos: e.Lparen, expr: e.Fun}
	if _, ok := under(f.typ).(*types.Signature); !ok {
		s.flags = faultPossible
	}
	w.fault(s, f)
	if how&inDefer != 0 {
		// It faults where the function ends.
		s.pos = w.end
		w.fault(s, f)
	}
}
