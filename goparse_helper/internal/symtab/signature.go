package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// place is where in a declaration a type stands.
type place struct {
	role, slot, wrap int32
}

// wrapped returns the place behind one more wrap, of which the rarest counts.
func (p place) wrapped(wrap int32) place {
	p.wrap = max(p.wrap, wrap)
	return p
}

// signature notes the types that stand in the declaration outside of its body.
func (w *walker) signature() {
	d := w.decl
	switch {
	case d.fn != nil:
		w.funcSignature(d.fn)
	case d.typ != nil:
		w.fieldTypes(roleConstraint, d.typ.TypeParams)
		w.typeDecl(d.typ)
	case d.value.Type != nil:
		w.fieldsOfDecl()
		w.written(d.value.Type, place{role: roleValue})
	default:
		w.inferred(d)
	}
}

func (w *walker) funcSignature(fn *ast.FuncDecl) {
	if fn.Recv != nil && len(fn.Recv.List) > 0 {
		w.receiverType(fn.Recv.List[0].Type)
	}
	w.fieldTypes(roleConstraint, fn.Type.TypeParams)
	w.fieldTypes(roleParameter, fn.Type.Params)
	w.fieldTypes(roleResult, fn.Type.Results)
}

// receiverType notes the receiver's type without its type parameters, which are no
// types but names.
func (w *walker) receiverType(e ast.Expr) {
	p := place{role: roleReceiver}
	if isPointer(e) {
		p.wrap = wrapPointer
	}
	if n := w.decl.row.receiverType; n != none {
		w.typeRow(n, e.Pos(), p)
	}
}

func (w *walker) fieldTypes(role int32, list *ast.FieldList) {
	if list == nil {
		return
	}
	slot := int32(0)
	for _, f := range list.List {
		for range max(len(f.Names), 1) {
			w.written(f.Type, place{role: role, slot: slot})
			slot++
		}
	}
}

// typeDecl notes what a type is made of: its fields one by one, anything else at once.
func (w *walker) typeDecl(spec *ast.TypeSpec) {
	w.fieldsOfDecl()
	p := place{role: roleUnderlying}
	switch x := ast.Unparen(spec.Type).(type) {
	case *ast.StructType:
	case *ast.InterfaceType:
		for _, f := range x.Methods.List {
			if len(f.Names) == 0 && embeddedName(f.Type) == nil {
				w.written(f.Type, p)
			}
		}
	default:
		w.written(spec.Type, p)
	}
}

// fieldsOfDecl notes the types of the declaration's fields; those of anonymous structs
// are fields of their own.
func (w *walker) fieldsOfDecl() {
	for number := w.decl.fieldFrom; number < w.decl.fieldTo; number++ {
		f := w.dir.fields[number]
		w.written(f.expr, place{role: roleField, slot: number})
	}
}

// inferred notes the type of a variable or constant that is written without one.
func (w *walker) inferred(d *decl) {
	w.fieldsOfDecl()
	obj := w.info.Defs[d.ident]
	if obj == nil {
		return
	}
	p := place{role: roleValue}
	if e := d.literalType(); e != nil {
		w.written(e, p)
		return
	}
	if !isKnown(obj.Type()) && d.row.kind == kindVar {
		if ext := w.variableExternal(d.number); ext != noExternal {
			w.typeRow(^ext, d.ident.Pos(), p)
		}
		return
	}
	w.inferredType(obj.Type(), d.ident.Pos(), p, map[types.Type]bool{})
}

// written notes the named types in the written type e.
func (w *walker) written(e ast.Expr, p place) {
	switch x := e.(type) {
	case *ast.Ident:
		w.writtenIdent(x, p)
	case *ast.SelectorExpr:
		if ext := w.foreignSelector(x); ext != noExternal {
			w.typeRow(^ext, x.Sel.Pos(), p)
		} else {
			w.writtenIdent(x.Sel, p)
		}
	case *ast.ParenExpr:
		w.written(x.X, p)
	case *ast.StarExpr:
		w.written(x.X, p.wrapped(wrapPointer))
	case *ast.ArrayType:
		w.length(x)
		w.written(x.Elt, p.wrapped(wrapContainer))
	case *ast.Ellipsis:
		w.written(x.Elt, p.wrapped(wrapContainer))
	case *ast.MapType:
		w.written(x.Key, p.wrapped(wrapContainer))
		w.written(x.Value, p.wrapped(wrapContainer))
	case *ast.ChanType:
		w.written(x.Value, p.wrapped(wrapContainer))
	default:
		w.writtenInside(e, p)
	}
}

// writtenInside is written for what is rarer.
func (w *walker) writtenInside(e ast.Expr, p place) {
	switch x := e.(type) {
	case *ast.FuncType:
		w.writtenFields(x.Params, p.wrapped(wrapFunction))
		w.writtenFields(x.Results, p.wrapped(wrapFunction))
	case *ast.IndexExpr:
		w.written(x.X, p)
		w.written(x.Index, p.wrapped(wrapArgument))
	case *ast.IndexListExpr:
		w.written(x.X, p)
		for _, a := range x.Indices {
			w.written(a, p.wrapped(wrapArgument))
		}
	case *ast.StructType:
		// Those of a declaration are fields of their own.
		if p.role != roleField && p.role != roleValue && p.role != roleUnderlying {
			w.writtenFields(x.Fields, p)
		}
	case *ast.InterfaceType:
		w.writtenFields(x.Methods, p)
	case *ast.UnaryExpr:
		w.written(x.X, p)
	case *ast.BinaryExpr:
		w.written(x.X, p)
		w.written(x.Y, p)
	}
}

// length notes the constants in the length of an array.
func (w *walker) length(e *ast.ArrayType) {
	if _, dots := e.Len.(*ast.Ellipsis); e.Len != nil && !dots {
		w.constant(e.Len)
	}
}

// constant notes what a constant expression uses: it cannot fault at run time.
func (w *walker) constant(e ast.Expr) {
	faults := len(w.faults)
	w.expr(e, accessRead)
	w.faults = w.faults[:faults]
}

func (w *walker) writtenFields(list *ast.FieldList, p place) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		w.written(f.Type, p)
	}
}

func (w *walker) writtenIdent(id *ast.Ident, p place) {
	obj := w.objectOf(id)
	if obj == nil {
		if ext := w.dotted(id); ext != noExternal {
			w.typeRow(^ext, id.Pos(), p)
		}
		return
	}
	if name, ok := obj.(*types.TypeName); ok {
		if n := w.declOf(name); n != none {
			w.typeRow(n, id.Pos(), p)
		}
	}
}

// inferredType notes the named types in t, of which there is no written form.
func (w *walker) inferredType(t types.Type, pos token.Pos, p place, seen map[types.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch u := t.(type) {
	case *types.Alias:
		if n := w.declOf(u.Obj()); n != none {
			w.typeRow(n, pos, p)
		}
	case *types.Named:
		if n := w.ownNamed(u); n != none {
			w.typeRow(n, pos, p)
		}
		for a := range u.TypeArgs().Types() {
			w.inferredType(a, pos, p.wrapped(wrapArgument), seen)
		}
	case *types.Pointer:
		w.inferredType(u.Elem(), pos, p.wrapped(wrapPointer), seen)
	case *types.Map:
		w.inferredType(u.Key(), pos, p.wrapped(wrapContainer), seen)
		w.inferredType(u.Elem(), pos, p.wrapped(wrapContainer), seen)
	case *types.Signature:
		for v := range u.Params().Variables() {
			w.inferredType(v.Type(), pos, p.wrapped(wrapFunction), seen)
		}
		for v := range u.Results().Variables() {
			w.inferredType(v.Type(), pos, p.wrapped(wrapFunction), seen)
		}
	case interface{ Elem() types.Type }:
		w.inferredType(u.Elem(), pos, p.wrapped(wrapContainer), seen)
	}
}

func (w *walker) typeRow(target int32, pos token.Pos, p place) {
	row := typeRow{w.decl.number, p.role, p.slot, target, p.wrap, w.line(pos)}
	rows := w.types[w.from.types:]
	if slices.Contains(rows[max(0, len(rows)-maxScan):], row) {
		return
	}
	w.types = append(w.types, row)
}
