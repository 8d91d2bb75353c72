package symtab

import (
	"go/ast"
	"go/types"
)

// unselected evaluates a selector that go/types could not resolve: the value is
// foreign, or a foreign type is embedded in it.
func (w *walker) unselected(e *ast.SelectorExpr, x operand, how int32) operand {
	s := site{kind: faultNilDeref, pos: dot(e), expr: e.X, flags: faultPossible}
	if y, ok := w.memberOfWritten(e, x, how); ok {
		return y
	}
	parent := w.externalOf(x)
	if parent == noExternal && isKnown(x.typ) {
		x, parent = w.embedded(e, x, &s)
	}
	if x.mode != modeType && !x.sure {
		w.foreignFault(e, s, x, how)
	}
	if parent == noExternal {
		y := unknown()
		y.mode, y.node = modeNone, w.namedField(e.Sel.Name, e.Sel.Pos(), x.node)
		return y
	}
	if how&isPart != 0 {
		how = accessRead
	}
	y := unknown()
	y.ext = w.member(parent, e.Sel.Name)
	y.callee, y.receiver = ^y.ext, x.node
	w.use(y.callee, e.Sel.Pos(), externalUse(how), "")
	y.node = w.values.intern(graphNode{kind: nodeExternal, ref: y.callee,
		line: w.line(e.Sel.Pos()), ext: y.ext}, x.node)
	return y
}

// memberOfWritten evaluates a field or method of a type of the directory that go/types
// gave up on: a generic one with a foreign type argument.
func (w *walker) memberOfWritten(e *ast.SelectorExpr, x operand, how int32) (operand, bool) {
	n := none
	if !isKnown(x.typ) && x.ext == noExternal {
		n = w.writtenDecl(x.syn)
	}
	if n == none {
		return operand{}, false
	}
	if _, ok := under(x.typ).(*types.Pointer); ok || x.syn != nil && isPointer(x.syn) {
		w.derefFault(site{pos: dot(e), expr: e.X}, x)
	}
	y := unknown()
	if m, ok := w.dir.methods[methodKey{n, e.Sel.Name}]; ok {
		y.callee, y.receiver, y.sure = m, x.node, true
		y.syn = methodSyntax(w.dir.decls[m].fn, x.syn)
		w.use(n, e.Sel.Pos(), useImplicit, "")
		w.use(m, e.Sel.Pos(), callUse(how), "")
		return y, true
	}
	f, ok := w.dir.fieldNamed(n, e.Sel.Name)
	switch {
	case !ok && w.dir.syntaxOnly:
		return w.promoted(e, x, n, how)
	case !ok:
		return operand{}, false
	case w.dir.syntaxOnly && w.dir.fields[f].row.flags&fieldMethod != 0:
		return w.methodOfWritten(e, x, f, how), true
	}
	return w.fieldOfWritten(e, x, f, how), true
}

// fieldOfWritten evaluates field f of x.
func (w *walker) fieldOfWritten(e *ast.SelectorExpr, x operand, f, how int32) operand {
	y := unknown()
	y.syn = w.fieldSyntax(f, x.syn)
	w.use(w.dir.fields[f].row.owner, e.Sel.Pos(), useImplicit, "")
	w.access(f, e.Sel.Pos(), how)
	y.node = w.values.intern(graphNode{kind: nodeField, ref: f,
		line: w.line(e.Sel.Pos()), syn: y.syn}, x.node)
	return y
}

// foreignFault notes a fault on what can be a pointer or an interface. A called method
// faults on the line of the call where it is an interface, of the dot where a pointer.
func (w *walker) foreignFault(e *ast.SelectorExpr, s site, x operand, how int32) {
	if s.kind == faultNilDeref {
		w.fault(s, x)
	}
	called := how&isCalled != 0 && w.line(s.pos) != w.line(e.Sel.Pos())
	if called {
		s.pos = e.Sel.Pos()
	}
	if called || s.kind != faultNilDeref {
		w.fault(s, x)
	}
}

// embedded looks for the foreign type through which x may have the selected name, and
// tells s what is at fault then.
func (w *walker) embedded(e *ast.SelectorExpr, x operand, s *site) (operand, int32) {
	t := x.typ
	if p, ok := under(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	switch u := under(t).(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if f := u.Field(i); !f.Embedded() || isKnown(f.Type()) {
				continue
			}
			f := w.through(e, &x, s.suffix, i)
			y := w.field(e, x, f, accessRead)
			if ext := w.externalOf(y); ext != noExternal {
				s.suffix = "." + f.Name()
				return y, ext
			}
		}
	case *types.Interface:
		s.kind, s.flags = faultNilInterface, 0
		w.implicit(t, e.Sel.Pos())
		if n := w.namedDecl(t); n != none {
			return x, w.embeddedInterface(n)
		}
	}
	return x, noExternal
}

// externalOf returns the external that x is, or that its written type names.
func (w *walker) externalOf(x operand) int32 {
	if x.ext != noExternal || x.syn == nil || isKnown(x.typ) {
		return x.ext
	}
	return w.foreignType(x.syn)
}

// embeddedInterface returns the foreign interface that is embedded in declaration n.
func (c *checker) embeddedInterface(n int32) int32 {
	spec := c.dir.decls[n].typ
	if spec == nil {
		return noExternal
	}
	x, ok := spec.Type.(*ast.InterfaceType)
	if !ok {
		return noExternal
	}
	for _, f := range x.Methods.List {
		if len(f.Names) == 0 {
			if ext := c.foreignType(f.Type); ext != noExternal {
				return ext
			}
		}
	}
	return noExternal
}
