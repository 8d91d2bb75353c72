package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
)

// selector evaluates x.Sel: a qualified name, a field, or a method.
func (w *walker) selector(e *ast.SelectorExpr, how int32) operand {
	var x operand
	if id, ok := e.X.(*ast.Ident); ok {
		obj := w.info.Uses[id]
		if pkg, ok := obj.(*types.PkgName); ok {
			return w.qualified(e, pkg.Imported().Path(), how)
		}
		if obj == nil {
			if path := w.file.importNamed(id.Name); path != "" {
				return w.qualified(e, path, how)
			}
		}
	}
	base := accessRead
	if how&(changesWhole|changesPart|accessAddress) != 0 {
		base |= how&accessBits | isPart
	}
	x = w.expr(e.X, base)
	if selection := w.info.Selections[e]; selection != nil {
		return w.selected(e, x, selection, how)
	}
	return w.unselected(e, x, how)
}

// qualified evaluates pkg.Name.
func (w *walker) qualified(e *ast.SelectorExpr, path string, how int32) operand {
	if obj := w.info.Uses[e.Sel]; obj != nil {
		return w.object(e.Sel, obj, how)
	}
	x := unknown
	x.ext, x.syn = w.root(path, e.Sel.Name), e
	x.callee = ^x.ext
	w.use(x.callee, e.Sel.Pos(), externalUse(how), "")
	x.node = w.values.intern(graphNode{kind: nodeExternal, ref: x.callee,
		line: w.line(e.Sel.Pos()), ext: x.ext})
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

// selected evaluates a selector that go/types resolved.
func (w *walker) selected(e *ast.SelectorExpr, x operand, s *types.Selection, how int32) operand {
	if s.Kind() == types.MethodExpr {
		return w.method(e, value(s.Type(), nil, noNode), s, how)
	}
	path := s.Index()
	text := func() int32 { return w.text(e.X) }
	for _, i := range path[:len(path)-1] {
		x = w.step(e, x, i, text())
		if x.typ == nil {
			return unknown
		}
		name := x.name
		text = func() int32 {
			return w.texts.number(w.texts.list[w.text(e.X)] + "." + name)
		}
	}
	if f, ok := s.Obj().(*types.Var); ok {
		w.through(e, &x, text())
		return w.field(e, x, f, how)
	}
	return w.methodOf(e, x, s, how, text())
}

// through dereferences the pointer that x may be and notes the named type of what is
// selected on.
func (w *walker) through(e *ast.SelectorExpr, x *operand, text int32) {
	if p, ok := under(x.typ).(*types.Pointer); ok {
		w.faultText(faultNilDeref, e.X.End()-1, text, *x, noNode, 0)
		x.typ = p.Elem()
	}
	w.implicit(x.typ, e.Sel.Pos())
}

// step goes to embedded field i of x on the way to a promoted one.
func (w *walker) step(e *ast.SelectorExpr, x operand, i int, text int32) operand {
	w.through(e, &x, text)
	s, ok := under(x.typ).(*types.Struct)
	if !ok || i >= s.NumFields() {
		return operand{}
	}
	f := s.Field(i)
	y := w.fieldValue(x, f, e.Sel.Pos())
	y.name = f.Name()
	return y
}

// field evaluates the field f of x.
func (w *walker) field(e *ast.SelectorExpr, x operand, f *types.Var, how int32) operand {
	y := w.fieldValue(x, f, e.Sel.Pos())
	if n := w.fieldOf(f); n != none {
		w.access(n, e.Sel.Pos(), how)
	}
	return y
}

func (w *walker) fieldValue(x operand, f *types.Var, pos token.Pos) operand {
	y := value(f.Type(), nil, noNode)
	ref, name := w.fieldOf(f), ""
	if ref == none {
		name = f.Name()
	} else {
		y.syn = w.dir.fields[ref].expr
	}
	y.node = w.values.intern(graphNode{kind: nodeField, ref: ref, name: name,
		line: w.line(pos), typ: y.typ, syn: y.syn}, x.node)
	return y
}

// methodOf evaluates the method that s selects on x, embedded fields being passed.
func (w *walker) methodOf(e *ast.SelectorExpr, x operand, s *types.Selection, how, text int32) operand {
	f, ok := s.Obj().(*types.Func)
	if !ok {
		return unknown
	}
	y := value(f.Type(), nil, noNode)
	y.receiver = x.node
	switch u := under(x.typ).(type) {
	case *types.Interface:
		pos := e.X.End() - 1
		if how&isCalled != 0 {
			// The compiler gives the call the line of its parenthesis.
			pos = e.Sel.Pos()
		}
		if !isTypeParam(x.typ) {
			w.faultText(faultNilInterface, pos, text, x, noNode, 0)
		}
		w.implicit(x.typ, e.Sel.Pos())
	case *types.Pointer:
		if !hasPointerReceiver(f) {
			w.faultText(faultNilDeref, e.X.End()-1, text, x, noNode, 0)
		}
		w.implicit(u.Elem(), e.Sel.Pos())
	default:
		w.implicit(x.typ, e.Sel.Pos())
	}
	z := w.method(e, y, s, how)
	if z.member != 0 {
		if n := w.namedDecl(x.typ); n != none && w.dir.decls[n].typ != nil {
			z.callee = n
		}
	}
	return z
}

// method notes the use of the method that s selects and evaluates it to y.
func (w *walker) method(e *ast.SelectorExpr, y operand, s *types.Selection, how int32) operand {
	f, ok := s.Obj().(*types.Func)
	if !ok {
		return y
	}
	n, ok := w.dir.numbers[f.Pos()]
	switch {
	case !ok:
		return y
	case n >= 0:
		y.callee = n
		if fn := w.dir.decls[n].fn; fn != nil {
			y.syn = fn.Type
		}
		w.use(n, e.Sel.Pos(), callUse(how), "")
	default:
		m := w.dir.fields[^n]
		y.callee, y.syn = m.row.owner, m.expr
		y.member = w.texts.number(f.Name())
		if named := w.namedDecl(s.Recv()); named != none {
			y.callee = named
		}
		w.use(y.callee, e.Sel.Pos(), callUse(how), f.Name())
	}
	return y
}

// unselected evaluates a selector that go/types could not resolve: the value is
// foreign, or a foreign type is embedded in it.
func (w *walker) unselected(e *ast.SelectorExpr, x operand, how int32) operand {
	y := unknown
	parent := w.externalOf(x)
	if parent == noExternal && isKnown(x.typ) {
		x, parent = w.embedded(e, x)
	}
	if x.mode != modeType {
		w.faultText(faultNilDeref, e.X.End()-1, w.text(e.X), x, noNode, faultPossible)
	}
	if parent == noExternal {
		y.node = w.values.intern(graphNode{kind: nodeField, ref: none, name: e.Sel.Name,
			line: w.line(e.Sel.Pos())}, x.node)
		return y
	}
	y.ext = w.member(parent, e.Sel.Name)
	y.callee, y.receiver = ^y.ext, x.node
	w.use(y.callee, e.Sel.Pos(), externalUse(how), "")
	y.node = w.values.intern(graphNode{kind: nodeExternal, ref: y.callee,
		line: w.line(e.Sel.Pos()), ext: y.ext}, x.node)
	return y
}

// embedded looks for the foreign type through which x may have the selected name.
func (w *walker) embedded(e *ast.SelectorExpr, x operand) (operand, int32) {
	t := x.typ
	if p, ok := under(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	switch u := under(t).(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if !f.Embedded() || isKnown(f.Type()) {
				continue
			}
			y := w.fieldValue(x, f, e.Sel.Pos())
			if ext := w.externalOf(y); ext != noExternal {
				w.implicit(t, e.Sel.Pos())
				return y, ext
			}
		}
	case *types.Interface:
		if n := w.namedDecl(t); n != none {
			return x, w.embeddedInterface(n)
		}
	}
	return x, noExternal
}
