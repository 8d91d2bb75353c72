package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
)

// call evaluates a call, a conversion, or a builtin.
func (w *walker) call(e *ast.CallExpr, how int32) operand {
	f := w.expr(e.Fun, accessRead|isCalled|how&(inDefer|inGo))
	switch f.mode {
	case modeType:
		return w.conversion(e, f)
	case modeBuiltin:
		return w.builtin(e, f.name)
	}
	w.callFault(e, f, how)
	arguments := w.passed(e)
	w.argumentsOf(e, f, arguments)
	if literal, ok := ast.Unparen(e.Fun).(*ast.FuncLit); ok {
		w.flowInto(literal, arguments)
	}
	x := w.returnedBy(e, f)
	if how&(commaOK|unused) == 0 {
		return w.result(x, 0)
	}
	return x
}

// flowInto lets the arguments of a function literal that is called at once flow into
// its parameters.
func (w *walker) flowInto(literal *ast.FuncLit, arguments []operand) {
	i := 0
	for _, f := range literal.Type.Params.List {
		for _, name := range f.Names {
			if l, ok := w.locals[w.defined(name)]; ok && i < len(arguments) {
				w.values.flow(l.node, arguments[i].node)
			}
			i++
		}
	}
}

// passed evaluates the arguments; `f(g())` passes all that g returns.
func (w *walker) passed(e *ast.CallExpr) []operand {
	if len(e.Args) != 1 {
		return w.operands(e.Args, len(e.Args))
	}
	if _, ok := ast.Unparen(e.Args[0]).(*ast.CallExpr); !ok {
		return []operand{w.expr(e.Args[0], accessRead)}
	}
	x := w.expr(e.Args[0], accessRead|commaOK)
	t, ok := x.typ.(*types.Tuple)
	if x.call == nil || !ok || t.Len() < 2 {
		return []operand{w.result(x, 0)}
	}
	all := make([]operand, t.Len())
	for i := range all {
		all[i] = w.result(x, i)
	}
	return all
}

// argumentsOf notes what is passed to functions whose declaration can be looked at:
// those of the directory, and those of packages that may be of the same repository.
func (w *walker) argumentsOf(e *ast.CallExpr, f operand, arguments []operand) {
	if f.callee == none || f.callee < 0 && !w.callable[^f.callee] {
		return
	}
	line := w.line(e.Lparen)
	if f.receiver != noNode {
		w.arguments = append(w.arguments,
			argumentRow{w.decl.number, line, f.callee, -1, f.receiver, f.member})
	}
	first := int32(0)
	if f.expression {
		first = -1
	}
	for i, a := range arguments {
		if a.node == noNode || a.mode == modeConstant {
			continue
		}
		w.arguments = append(w.arguments,
			argumentRow{w.decl.number, line, f.callee, first + int32(i), a.node, f.member})
	}
}

// returnedBy evaluates the call itself, whose values result gives.
func (w *walker) returnedBy(e *ast.CallExpr, f operand) operand {
	x := unknown()
	x.call, x.callee, x.member, x.name = e, f.callee, f.member, f.name
	x.syn, x.ext, x.receiver = f.syn, f.ext, f.node
	if s, ok := under(f.typ).(*types.Signature); ok {
		x.typ = s.Results()
	} else if f.callee == none {
		x.ext = w.externalOf(f)
	}
	return x
}

// result returns value i of x, which is a tuple or, with i = 1, a value with an ok.
func (w *walker) result(x operand, i int) operand {
	if x.call == nil {
		if i == 0 {
			return x
		}
		return value(types.Typ[types.Bool], nil, noNode)
	}
	y := unknown()
	if t, ok := x.typ.(*types.Tuple); ok && i < t.Len() {
		y.typ = t.At(i).Type()
	}
	y.syn = w.resultType(x.syn, i)
	if x.ext != noExternal {
		y.ext = w.resultOf(x.ext, i)
	}
	n := graphNode{kind: nodeCall, ref: x.callee, slot: int32(i), line: w.line(x.call.Lparen),
		typ: y.typ, syn: y.syn, ext: y.ext}
	if x.callee < 0 || x.member != 0 { // else the callee has a name
		n.name = x.name
	}
	y.node = w.values.add(n)
	if x.callee == none {
		w.values.flow(y.node, x.receiver)
	}
	return y
}

// conversion evaluates T(x).
func (w *walker) conversion(e *ast.CallExpr, t operand) operand {
	if len(e.Args) == 0 {
		return value(t.typ, t.syn, noNode)
	}
	x := w.expr(e.Args[0], accessRead)
	to := under(t.typ)
	if p, ok := to.(*types.Pointer); ok {
		to = under(p.Elem())
	}
	if _, ok := to.(*types.Array); ok {
		if _, ok := under(x.typ).(*types.Slice); ok || !isKnown(x.typ) {
			w.fault(site{kind: faultConversion, pos: e.Args[0].End() - 1, expr: e.Args[0]}, x)
		}
	}
	if x.mode == modeConstant {
		return constant(t.typ)
	}
	return value(t.typ, t.syn, w.other(e.Lparen, x))
}

// builtin evaluates a call of a predeclared function.
func (w *walker) builtin(e *ast.CallExpr, name string) operand {
	if len(e.Args) == 0 {
		return unknown()
	}
	switch name {
	case "make":
		return w.make(e)
	case "new":
		return w.new(e)
	}
	x := w.expr(e.Args[0], doneBy(name))
	rest := make([]operand, 0, len(e.Args))
	rest = append(rest, x)
	for _, a := range e.Args[1:] {
		rest = append(rest, w.expr(a, accessRead))
	}
	w.builtinFault(e, name, x)
	switch name {
	case "append":
		return value(x.typ, x.syn, w.other(e.Lparen, rest...))
	case "min", "max":
		return value(x.typ, x.syn, w.other(e.Lparen, rest...))
	case "len", "cap", "copy":
		return value(types.Typ[types.Int], nil, w.other(e.Lparen, x))
	}
	return value(types.Typ[types.Invalid], nil, noNode)
}

// doneBy says what a predeclared function does to its first argument.
func doneBy(name string) int32 {
	switch name {
	case "append":
		return accessAppend
	case "delete":
		return accessDelete
	case "close":
		return accessClose
	case "clear":
		return accessClear
	case "copy":
		return accessAssign | accessElement
	}
	return accessRead
}

func (w *walker) builtinFault(e *ast.CallExpr, name string, x operand) {
	s := site{pos: e.Lparen, expr: e.Args[0]}
	switch name {
	case "close":
		s.kind = faultClose
	case "panic":
		s.kind, x.node = faultPanic, w.nodeOf(x, e.Lparen)
	case "delete", "clear", "len":
		if _, ok := under(x.typ).(*types.Map); !ok {
			return
		}
		s.kind = faultMapAccess
	default:
		return
	}
	w.fault(s, x)
}

// make evaluates make(T, sizes...).
func (w *walker) make(e *ast.CallExpr) operand {
	typ := w.typeExpr(e.Args[0])
	_, isMap := under(typ).(*types.Map)
	for _, a := range e.Args[1:] {
		if size := w.expr(a, accessRead); size.mode != modeConstant && !isMap {
			w.fault(site{kind: faultMake, pos: e.Lparen, expr: a}, size)
		}
	}
	w.literal(typ, e.Pos(), 0)
	return value(typ, e.Args[0], w.literalNode(typ, e.Args[0], e.Pos()))
}

// new evaluates new(T) or new(x).
func (w *walker) new(e *ast.CallExpr) operand {
	x := w.expr(e.Args[0], accessRead)
	if x.mode == modeType {
		w.literal(x.typ, e.Pos(), literalNew)
	}
	typ := types.NewPointer(x.typ)
	return value(typ, x.syn, w.literalNode(typ, x.syn, e.Pos()))
}

func (w *walker) literalNode(typ types.Type, syn ast.Expr, pos token.Pos) int32 {
	return w.values.add(graphNode{kind: nodeLiteral, ref: w.typeTarget(typ, syn, noExternal),
		typ: typ, syn: syn, line: w.line(pos)})
}
