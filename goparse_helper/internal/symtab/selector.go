package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
)

// selector evaluates x.Sel: a qualified name, a field, or a method.
func (w *walker) selector(e *ast.SelectorExpr, how int32) operand {
	base := accessRead
	if how&(changesWhole|changesPart|accessAddress) != 0 {
		base |= how&accessBits | isPart
	}
	var x operand
	if id, ok := e.X.(*ast.Ident); ok {
		switch obj := w.objectOf(id).(type) {
		case *types.PkgName:
			return w.qualified(e, obj.Imported(), how)
		case nil:
			if path := w.file.importNamed(id.Name); path != "" {
				return w.foreignName(e, path, how)
			}
			x = w.unresolved(id, base)
		default:
			x = w.object(id, obj, base)
		}
	} else {
		x = w.expr(e.X, base)
	}
	if s := w.info.Selections[e]; s != nil {
		return w.selected(e, x, selection{s.Obj(), s.Index()}, how)
	}
	if s := w.missed(e, x); s.obj != nil {
		return w.selected(e, x, s, how)
	}
	return w.unselected(e, x, how)
}

// selection is what a selector means: a field or method and the way to it.
type selection struct {
	obj  types.Object
	path []int
}

// missed resolves a selector that go/types never came to, because something around it
// is foreign.
func (w *walker) missed(e *ast.SelectorExpr, x operand) selection {
	if !isKnown(x.typ) || x.mode != modeValue {
		return selection{}
	}
	obj, path, _ := types.LookupFieldOrMethod(x.typ, true, w.packages[w.dir.packages[w.file.pkg]], e.Sel.Name)
	return selection{obj, path}
}

// qualified evaluates pkg.Name.
func (w *walker) qualified(e *ast.SelectorExpr, pkg *types.Package, how int32) operand {
	if !isFake(pkg) {
		if obj := w.info.Uses[e.Sel]; obj != nil {
			return w.object(e.Sel, obj, how)
		}
	}
	return w.foreignName(e, pkg.Path(), how)
}

// isFake reports whether the sources of pkg are not there.
func isFake(pkg *types.Package) bool { return pkg.Scope().Len() == 0 && pkg != types.Unsafe }

// foreignName evaluates a name of another package.
func (w *walker) foreignName(e *ast.SelectorExpr, path string, how int32) operand {
	x := unknown()
	x.ext, x.syn = w.root(path, e.Sel.Name), e
	x.callee = ^x.ext
	w.use(x.callee, e.Sel.Pos(), externalUse(how), "")
	x.node = w.values.intern(graphNode{kind: nodeExternal, ref: x.callee,
		line: w.line(e.Sel.Pos()), ext: x.ext}, noNode)
	return x
}

// externalUse says how a name of another package is used, be it a function or a value.
func externalUse(how int32) int32 {
	switch {
	case how&isTyped != 0:
		return useType
	case how&isCalled != 0:
		return callUse(how)
	}
	return variableUse(types.Typ[types.Invalid], how)
}

// selected evaluates a selector whose meaning is known.
func (w *walker) selected(e *ast.SelectorExpr, x operand, s selection, how int32) operand {
	if x.mode == modeType {
		y := w.method(e, s.obj, x.typ, how)
		y.typ, y.expression = s.obj.Type(), true
		return y
	}
	suffix := ""
	for _, i := range s.path[:len(s.path)-1] {
		f := w.through(e, &x, suffix, i)
		if f == nil {
			return unknown()
		}
		x = w.field(e, x, f, accessRead)
		suffix = "." + f.Name()
	}
	switch obj := s.obj.(type) {
	case *types.Var:
		w.through(e, &x, suffix, 0)
		return w.field(e, x, obj, how)
	case *types.Func:
		y := w.method(e, obj, w.bind(e, x, obj, suffix, how), how)
		y.receiver = x.node
		if fn := w.functionOf(y.callee); fn != nil {
			y.syn = methodSyntax(fn, x.syn)
		}
		return y
	}
	return unknown()
}

// functionOf returns the function that is declaration n, or nil.
func (w *walker) functionOf(n int32) *ast.FuncDecl {
	if n < 0 {
		return nil
	}
	return w.dir.decls[n].fn
}

// through dereferences the pointer that x may be, notes the named type of what is
// selected on, and returns its field i, or nil where it is no struct.
func (w *walker) through(e *ast.SelectorExpr, x *operand, suffix string, i int) *types.Var {
	if p, ok := under(x.typ).(*types.Pointer); ok {
		w.derefFault(site{pos: dot(e), expr: e.X, suffix: suffix}, *x)
		x.typ = p.Elem()
	}
	w.implicit(x.typ, e.Sel.Pos())
	if s, ok := under(x.typ).(*types.Struct); ok && i < s.NumFields() {
		return s.Field(i)
	}
	return nil
}

// field evaluates the field f of x.
func (w *walker) field(e *ast.SelectorExpr, x operand, f *types.Var, how int32) operand {
	y := value(f.Type(), nil, noNode)
	ref := w.fieldOf(f)
	if ref == none {
		y.node = w.namedField(f.Name(), e.Sel.Pos(), x.node)
		return y
	}
	y.syn = w.fieldSyntax(ref, x.syn)
	w.access(ref, e.Sel.Pos(), how)
	y.node = w.values.intern(graphNode{kind: nodeField, ref: ref,
		line: w.line(e.Sel.Pos()), typ: y.typ, syn: y.syn}, x.node)
	return y
}

// namedField returns the node of a field of which only the name is known.
func (w *walker) namedField(name string, pos token.Pos, base int32) int32 {
	// The number of the name keeps it apart from other such fields of base.
	n := w.values.intern(graphNode{kind: nodeField, ref: ^w.texts.number(name), name: name,
		line: w.line(pos)}, base)
	w.values.nodes[n].ref = none
	return n
}

// bind notes how selecting method f on x can fault, the embedded fields on the way to it
// being passed, and returns the type that has the method.
func (w *walker) bind(e *ast.SelectorExpr, x operand, f *types.Func, suffix string, how int32) types.Type {
	s := site{kind: faultNilInterface, pos: dot(e), expr: e.X, suffix: suffix}
	typ := x.typ
	switch u := under(x.typ).(type) {
	case *types.Interface:
		if how&isCalled != 0 {
			// The compiler gives the call the line of its parenthesis.
			s.pos = e.Sel.Pos()
		}
		if !isTypeParam(x.typ) {
			w.fault(s, x)
		}
	case *types.Pointer:
		if !hasPointerReceiver(f) {
			w.derefFault(s, x)
		}
		typ = u.Elem()
	}
	w.implicit(typ, e.Sel.Pos())
	return typ
}

// method notes the use of a method of typ and evaluates it. A method of an interface is
// used through the interface that the value has, which may embed the one that declares
// it.
func (w *walker) method(e *ast.SelectorExpr, f types.Object, typ types.Type, how int32) operand {
	y := value(f.Type(), nil, noNode)
	y.name, y.sure = f.Name(), true
	if instance, ok := w.info.Instances[e.Sel]; ok {
		y.typ = instance.Type
	}
	n, ok := w.dir.numbers[f.Pos()]
	switch {
	case !ok:
		return y
	case n >= 0:
		y.callee = n
		if fn := w.functionOf(n); fn != nil {
			y.syn = fn.Type
		}
		w.use(n, e.Sel.Pos(), callUse(how), "")
		return y
	}
	m := w.dir.fields[^n]
	y.callee, y.syn, y.member = m.row.owner, m.expr, w.texts.number(y.name)
	if own := w.namedDecl(typ); own != none {
		y.callee = own
	}
	w.use(y.callee, e.Sel.Pos(), callUse(how), y.name)
	return y
}
