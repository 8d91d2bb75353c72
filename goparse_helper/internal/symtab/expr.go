package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Where an expression stands, beside the access bits, which say what is done to it.
const (
	isCalled int32 = 1 << (iota + 12)
	inDefer
	inGo
	commaOK    // more than one value is wanted; a failed assertion is no fault then
	unused     // no value is wanted
	assignsNil // the assigned value is nil
	isTyped    // a type is named
	isPart     // a part of the value is what the access bits mean
)

const (
	accessBits   = 1<<12 - 1
	changesWhole = accessAssign | accessUpdate
	changesPart  = accessAppend | accessDelete | accessClose | accessSend | accessClear
)

// expr evaluates e; how says what is done to it.
func (w *walker) expr(e ast.Expr, how int32) operand {
	switch e := e.(type) {
	case *ast.Ident:
		return w.ident(e, how)
	case *ast.SelectorExpr:
		return w.selector(e, how)
	case *ast.CallExpr:
		return w.call(e, how)
	case *ast.BasicLit:
		return constant(basicType(e.Kind))
	case *ast.CompositeLit:
		return w.composite(e, nil, nil)
	case *ast.ParenExpr:
		return w.expr(e.X, how)
	case *ast.StarExpr:
		return w.star(e, how)
	case *ast.UnaryExpr:
		return w.unary(e)
	case *ast.BinaryExpr:
		return w.binary(e)
	case *ast.IndexExpr:
		return w.index(e, how)
	case *ast.IndexListExpr:
		return w.instance(w.expr(e.X, how), e.X, e.Indices)
	case *ast.SliceExpr:
		return w.slice(e)
	case *ast.TypeAssertExpr:
		return w.assertion(e, how)
	case *ast.FuncLit:
		return w.closure(e)
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.StructType,
		*ast.InterfaceType, *ast.Ellipsis:
		return operand{mode: modeType, typ: w.typeExpr(e), syn: e, callee: none}
	}
	return unknown()
}

func constant(typ types.Type) operand {
	return operand{mode: modeConstant, typ: typ, callee: none}
}

func basicType(kind token.Token) types.Type {
	switch kind {
	case token.INT:
		return types.Typ[types.UntypedInt]
	case token.FLOAT:
		return types.Typ[types.UntypedFloat]
	case token.IMAG:
		return types.Typ[types.UntypedComplex]
	case token.CHAR:
		return types.Typ[types.UntypedRune]
	}
	return types.Typ[types.UntypedString]
}

func (w *walker) ident(id *ast.Ident, how int32) operand {
	if id.Name == "_" {
		return unknown()
	}
	obj := w.objectOf(id)
	if obj == nil {
		return w.unresolved(id, how)
	}
	return w.object(id, obj, how)
}

// object evaluates an identifier that stands for obj.
func (w *walker) object(id *ast.Ident, obj types.Object, how int32) operand {
	switch obj := obj.(type) {
	case *types.Var:
		return w.variable(id, obj, how)
	case *types.Const:
		if n := w.declOf(obj); n != none {
			w.use(n, id.Pos(), useRead, "")
		}
		return constant(obj.Type())
	case *types.TypeName:
		return operand{mode: modeType, typ: w.typeName(id, obj), syn: id, callee: none}
	case *types.Func:
		return w.funcValue(id, obj, how)
	case *types.PkgName:
		return operand{mode: modePackage, callee: none}
	case *types.Builtin:
		return operand{mode: modeBuiltin, name: obj.Name(), callee: none}
	case *types.Nil:
		return operand{mode: modeNil, typ: obj.Type(), callee: none,
			node: w.nilNode(w.line(id.Pos()))}
	}
	return unknown()
}

func (w *walker) variable(id *ast.Ident, obj *types.Var, how int32) operand {
	if l, ok := w.locals[obj]; ok {
		x := value(obj.Type(), l.syn, l.node)
		x.ext = l.ext
		return x
	}
	n := w.declOf(obj)
	if n == none {
		return value(obj.Type(), nil, noNode)
	}
	w.use(n, id.Pos(), variableUse(obj.Type(), how), "")
	d := w.dir.decls[n]
	x := value(obj.Type(), d.value.Type, noNode)
	if !isKnown(x.typ) && x.syn == nil {
		x.ext = w.variableExternal(n)
		x.syn = d.literalType()
	}
	x.node = w.values.intern(graphNode{kind: nodeVariable, ref: n, name: id.Name,
		line: w.line(id.Pos()), typ: x.typ, syn: x.syn, ext: x.ext}, noNode)
	return x
}

// variableUse says how a package variable is used where how is done to it.
func variableUse(typ types.Type, how int32) int32 {
	var use int32
	if how&isCalled != 0 {
		use |= callUse(how)
	}
	if how&(changesWhole|changesPart) != 0 {
		switch _, pointer := typ.Underlying().(*types.Pointer); {
		case how&isPart != 0 && pointer:
		case how&(changesPart|accessElement|accessUpdate|isPart) != 0:
			use |= useWrite | useRead
		default:
			return use | useWrite
		}
	}
	if how&accessAddress != 0 {
		use |= useAddress
	}
	if how&accessRead != 0 || use == 0 {
		use |= useRead
	}
	return use
}

func (w *walker) funcValue(id *ast.Ident, obj *types.Func, how int32) operand {
	x := value(obj.Type(), nil, noNode)
	if instance, ok := w.info.Instances[id]; ok {
		x.typ = instance.Type
	}
	n := w.declOf(obj)
	if n == none {
		return x
	}
	w.use(n, id.Pos(), callUse(how), "")
	x.callee, x.syn = n, w.dir.decls[n].fn.Type
	x.node = w.values.intern(graphNode{kind: nodeVariable, ref: n, name: id.Name,
		line: w.line(id.Pos())}, noNode)
	return x
}

// callUse says how a function is used.
func callUse(how int32) int32 {
	if how&isCalled == 0 {
		return useValue
	}
	use := useCall
	if how&inDefer != 0 {
		use |= useDefer
	}
	if how&inGo != 0 {
		use |= useGo
	}
	return use
}

func (w *walker) star(e *ast.StarExpr, how int32) operand {
	x := w.expr(e.X, how&(accessBits|isPart|assignsNil)|accessElement)
	if x.mode == modeType {
		x.typ = types.NewPointer(x.typ)
		return x
	}
	w.derefFault(site{pos: e.Star, expr: e.X}, x)
	elem := x
	elem.callee, elem.mode, elem.sure = none, modeValue, false
	if p, ok := under(x.typ).(*types.Pointer); ok {
		elem.typ = p.Elem()
	}
	return elem
}

func (w *walker) unary(e *ast.UnaryExpr) operand {
	switch e.Op {
	case token.AND:
		x := w.expr(e.X, accessAddress)
		x.typ, x.callee, x.mode, x.sure = types.NewPointer(x.typ), none, modeValue, true
		return x
	case token.ARROW:
		x := w.expr(e.X, accessRead)
		return w.elementOf(x)
	}
	x := w.expr(e.X, accessRead)
	if x.mode == modeConstant || x.mode == modeType {
		return x
	}
	return value(x.typ, x.syn, w.other(e.OpPos, x))
}

func (w *walker) binary(e *ast.BinaryExpr) operand {
	x, y := w.expr(e.X, accessRead), w.expr(e.Y, accessRead)
	if e.Op == token.QUO || e.Op == token.REM {
		w.divisionFault(e.OpPos, x, e.Y, y)
	}
	typ, syn := x.typ, x.syn
	switch e.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		typ, syn = types.Typ[types.UntypedBool], nil
	case token.SHL, token.SHR:
	default:
		if x.mode == modeConstant {
			typ, syn = y.typ, y.syn
		}
	}
	if x.mode == modeConstant && y.mode == modeConstant {
		return constant(typ)
	}
	return value(typ, syn, w.other(e.OpPos, x, y))
}

// index evaluates x[i], or a generic type or function with one type argument.
func (w *walker) index(e *ast.IndexExpr, how int32) operand {
	if id := instanceIdent(e.X); id != nil {
		switch w.info.Uses[id].(type) {
		case *types.Func, *types.TypeName:
			return w.instance(w.expr(e.X, how), e.X, []ast.Expr{e.Index})
		}
	}
	x := w.expr(e.X, how&(accessBits|isPart|assignsNil)|accessElement)
	i := w.expr(e.Index, accessRead)
	w.indexFault(e, x, i, how)
	return w.elementOf(x)
}

// instance evaluates a generic type or function with type arguments.
func (w *walker) instance(x operand, base ast.Expr, arguments []ast.Expr) operand {
	for _, a := range arguments {
		w.typeExpr(a)
	}
	if id := instanceIdent(base); id != nil {
		if instance, ok := w.info.Instances[id]; ok {
			x.typ = instance.Type
		}
	}
	return x
}

// instanceIdent returns the identifier under which go/types notes an instance.
func instanceIdent(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	}
	return nil
}

func (w *walker) slice(e *ast.SliceExpr) operand {
	x := w.expr(e.X, accessRead)
	var bounds []operand
	for _, bound := range []ast.Expr{e.Low, e.High, e.Max} {
		if bound != nil {
			bounds = append(bounds, w.expr(bound, accessRead))
		}
	}
	w.sliceFault(e, x, bounds)
	y := x
	y.callee, y.mode = none, modeValue
	switch u := under(x.typ).(type) {
	case *types.Array:
		y.typ = types.NewSlice(u.Elem())
	case *types.Pointer:
		if array, ok := under(u.Elem()).(*types.Array); ok {
			y.typ = types.NewSlice(array.Elem())
		}
	}
	return y
}

func (w *walker) assertion(e *ast.TypeAssertExpr, how int32) operand {
	x := w.expr(e.X, accessRead)
	if e.Type == nil {
		return x
	}
	typ := w.typeExpr(e.Type)
	if how&commaOK == 0 {
		w.fault(site{kind: faultAssertion, pos: e.X.End() - 1, expr: e.X}, x)
	}
	return value(typ, e.Type, x.node)
}

// closure walks a function literal, which belongs to the declaration around it.
func (w *walker) closure(e *ast.FuncLit) operand {
	around := w.statement
	typ := w.typeExpr(e.Type)
	for _, f := range e.Type.Params.List {
		for _, name := range f.Names {
			w.parameter(name, f.Type, graphNode{kind: nodeLocal, name: name.Name})
		}
	}
	w.closures++
	w.body(e.Type, e.Body)
	w.closures--
	w.statement = around
	x := value(typ, e.Type, noNode)
	x.sure = true
	return x
}
