package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
)

// noExternal is the number of no external.
const noExternal int32 = 0

// root returns the external pkg.Name.
func (w *checker) root(path, name string) int32 {
	first, _, _ := strings.Cut(path, "/")
	return w.external(externalRow{parent: none, path: w.texts.number(path),
		name: w.texts.number(name)}, strings.Contains(first, "."))
}

// member returns the field or method name of a foreign value.
func (w *checker) member(parent int32, name string) int32 {
	return w.external(externalRow{parent: parent, name: w.texts.number(name)}, w.callable[parent])
}

// resultOf returns result i of calling a foreign value.
func (w *checker) resultOf(parent int32, i int) int32 {
	return w.external(externalRow{parent: parent, slot: int32(i) + 1}, w.callable[parent])
}

// elementExternal returns what a foreign container holds.
func (w *checker) elementExternal(parent int32) int32 {
	return w.external(externalRow{parent: parent, slot: -1}, w.callable[parent])
}

func (w *checker) external(row externalRow, callable bool) int32 {
	if n, ok := w.found.numbers[row]; ok {
		return n
	}
	n := int32(len(w.foreign))
	w.foreign = append(w.foreign, row)
	w.callable = append(w.callable, callable)
	w.found.numbers[row] = n
	return n
}

// unresolved evaluates a name that go/types knows nothing of: where the file has dot
// imports it is one of theirs.
func (w *walker) unresolved(id *ast.Ident, how int32) operand {
	x := unknown
	x.mode = modeNone
	if !token.IsExported(id.Name) {
		return x
	}
	for i, path := range w.file.dots {
		ext := w.root(path, id.Name)
		w.use(^ext, id.Pos(), externalUse(how), "")
		if i == 0 {
			x.mode, x.ext, x.callee, x.syn = modeValue, ext, ^ext, id
			x.node = w.values.intern(graphNode{kind: nodeExternal, ref: x.callee,
				line: w.line(id.Pos()), ext: ext}, noNode)
		}
	}
	return x
}

// objectOf returns what id stands for, or nil. Where something around it is foreign,
// go/types may not have come to it: then the scopes tell.
func (w *checker) objectOf(id *ast.Ident) types.Object {
	if obj := w.info.Uses[id]; obj != nil {
		return obj
	}
	if f := w.dir.fileAt(id.Pos()); f != nil {
		if pkg := w.packages[w.dir.packages[f.pkg]]; pkg != nil {
			if scope := pkg.Scope().Innermost(id.Pos()); scope != nil {
				_, obj := scope.LookupParent(id.Name, id.Pos())
				return obj
			}
		}
	}
	return nil
}

// importNamed returns the path of the import whose package may have that name although
// its path does not end in it, or "".
func (f *file) importNamed(name string) string {
	for _, spec := range f.syntax.Imports {
		if spec.Name != nil {
			continue
		}
		importPath := importPath(spec)
		for _, element := range []string{path.Base(importPath), path.Base(path.Dir(importPath))} {
			words := strings.FieldsFunc(element, func(r rune) bool { return r == '-' || r == '.' })
			if slices.Contains(words, name) || strings.Join(words, "") == name {
				return importPath
			}
		}
	}
	return ""
}

// externalOf returns the external that x is, or that its written type names.
func (w *walker) externalOf(x operand) int32 {
	if x.ext != noExternal || x.syn == nil || isKnown(x.typ) {
		return x.ext
	}
	return w.foreignType(x.syn)
}

// foreignType returns the foreign type that e names, behind pointers and names of the
// directory, or noExternal.
func (w *checker) foreignType(e ast.Expr) int32 {
	for range maxNames {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.SelectorExpr:
			return w.foreignSelector(x)
		case *ast.Ident:
			obj := w.objectOf(x)
			if obj == nil {
				return w.dotted(x)
			}
			if e = w.madeOf(obj); e == nil {
				return noExternal
			}
		default:
			return noExternal
		}
	}
	return noExternal
}

// maxNames bounds a chain of types that are made of each other: it can be a cycle.
const maxNames = 32

func (w *checker) foreignSelector(e *ast.SelectorExpr) int32 {
	id, ok := e.X.(*ast.Ident)
	if !ok {
		return noExternal
	}
	switch obj := w.objectOf(id).(type) {
	case *types.PkgName:
		if isFake(obj.Imported()) || w.info.Uses[e.Sel] == nil {
			return w.root(obj.Imported().Path(), e.Sel.Name)
		}
	case nil:
		if f := w.dir.fileAt(e.Pos()); f != nil {
			if path := f.importNamed(id.Name); path != "" {
				return w.root(path, e.Sel.Name)
			}
		}
	}
	return noExternal
}

// dotted returns the external that an unresolved name of a file with dot imports is.
func (w *checker) dotted(id *ast.Ident) int32 {
	if !token.IsExported(id.Name) {
		return noExternal
	}
	if f := w.dir.fileAt(id.Pos()); f != nil && len(f.dots) > 0 {
		return w.root(f.dots[0], id.Name)
	}
	return noExternal
}

// madeOf returns what the declaration of a type of the directory is written as, or nil.
func (w *checker) madeOf(obj types.Object) ast.Expr {
	if n, ok := w.dir.numbers[obj.Pos()]; ok && n >= 0 && w.dir.decls[n].typ != nil {
		return w.dir.decls[n].typ.Type
	}
	return nil
}

// foreignInside is foreignType for what containers hold too.
func (w *checker) foreignInside(e ast.Expr) int32 {
	for range maxNames {
		if e == nil {
			return noExternal
		}
		if ext := w.foreignType(e); ext != noExternal {
			return ext
		}
		e = w.elementType(e)
	}
	return noExternal
}

// elementType returns the written type of what a container of the written type e holds,
// or nil.
func (w *checker) elementType(e ast.Expr) ast.Expr {
	for range maxNames {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ArrayType:
			return x.Elt
		case *ast.Ellipsis:
			return x.Elt
		case *ast.MapType:
			return x.Value
		case *ast.ChanType:
			return x.Value
		case *ast.Ident:
			obj := w.objectOf(x)
			if obj == nil {
				return nil
			}
			e = w.madeOf(obj)
		default:
			return nil
		}
	}
	return nil
}

// keyType returns the written type of the keys of a map that is written out.
func keyType(e ast.Expr) ast.Expr {
	if m, ok := ast.Unparen(e).(*ast.MapType); ok {
		return m.Key
	}
	return nil
}

// resultType returns the written type of result i of a function of the written type e,
// or nil.
func (w *checker) resultType(e ast.Expr, i int) ast.Expr {
	for range maxNames {
		switch x := ast.Unparen(e).(type) {
		case *ast.FuncType:
			return nthType(x.Results, i)
		case *ast.Ident:
			obj := w.objectOf(x)
			if obj == nil {
				return nil
			}
			e = w.madeOf(obj)
		default:
			return nil
		}
	}
	return nil
}

func nthType(list *ast.FieldList, i int) ast.Expr {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		if i -= max(len(f.Names), 1); i < 0 {
			return f.Type
		}
	}
	return nil
}

// embeddedInterface returns the foreign interface that is embedded in declaration n.
func (w *checker) embeddedInterface(n int32) int32 {
	spec := w.dir.decls[n].typ
	if spec == nil {
		return noExternal
	}
	x, ok := spec.Type.(*ast.InterfaceType)
	if !ok {
		return noExternal
	}
	for _, f := range x.Methods.List {
		if len(f.Names) == 0 {
			if ext := w.foreignType(f.Type); ext != noExternal {
				return ext
			}
		}
	}
	return noExternal
}

// literalType returns the written type of the literal that a variable begins with, or
// nil.
func (d *decl) literalType() ast.Expr {
	if d.value == nil || d.index >= len(d.value.Values) {
		return nil
	}
	return writtenType(d.value.Values[d.index])
}

// writtenType returns T of T{} and make(T), *T of &T{}, and the type of a function
// literal, else nil.
func writtenType(e ast.Expr) ast.Expr {
	switch x := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		if literal, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok && x.Op == token.AND {
			return &ast.StarExpr{Star: x.OpPos, X: literal.Type}
		}
	case *ast.CompositeLit:
		// [...]T needs its elements to be counted.
		if array, ok := x.Type.(*ast.ArrayType); ok && array.Len != nil {
			if _, dots := array.Len.(*ast.Ellipsis); dots {
				return nil
			}
		}
		return x.Type
	case *ast.CallExpr:
		if id, ok := x.Fun.(*ast.Ident); ok && id.Name == "make" && len(x.Args) > 0 {
			return x.Args[0]
		}
	case *ast.FuncLit:
		return x.Type
	}
	return nil
}

// variableExternal returns the external that package variable n begins with.
func (w *checker) variableExternal(n int32) int32 {
	if ext, ok := w.variables[n]; ok {
		return ext
	}
	w.variables[n] = noExternal // ends a cycle
	spec := w.dir.decls[n].value
	ext, slot := noExternal, 0
	index := w.dir.decls[n].index
	switch {
	case index < len(spec.Values) && len(spec.Values) == len(spec.Names):
		ext = w.initialExternal(spec.Values[index], slot)
	case len(spec.Values) == 1:
		ext = w.initialExternal(spec.Values[0], index)
	}
	w.variables[n] = ext
	return ext
}

// initialExternal returns the external of value slot of an initialiser, by its syntax
// alone.
func (w *checker) initialExternal(e ast.Expr, slot int) int32 {
	switch x := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if ext := w.foreignSelector(x); ext != noExternal {
			return ext
		}
		if ext := w.initialExternal(x.X, 0); ext != noExternal {
			return w.member(ext, x.Sel.Name)
		}
	case *ast.CallExpr:
		if ext := w.initialExternal(x.Fun, 0); ext != noExternal {
			return w.resultOf(ext, slot)
		}
		return w.foreignResult(x.Fun, slot)
	case *ast.UnaryExpr:
		return w.initialExternal(x.X, 0)
	case *ast.StarExpr:
		return w.initialExternal(x.X, 0)
	case *ast.CompositeLit:
		return w.foreignType(x.Type)
	case *ast.TypeAssertExpr:
		return w.foreignType(x.Type)
	case *ast.IndexExpr:
		if ext := w.initialExternal(x.X, 0); ext != noExternal {
			return w.elementExternal(ext)
		}
	case *ast.Ident:
		return w.namedExternal(x)
	}
	return noExternal
}

func (w *checker) namedExternal(id *ast.Ident) int32 {
	obj := w.objectOf(id)
	if obj == nil {
		return w.dotted(id)
	}
	n, ok := w.dir.numbers[obj.Pos()]
	if !ok || n < 0 || w.dir.decls[n].row.kind != kindVar {
		return noExternal
	}
	if typ := w.dir.decls[n].value.Type; typ != nil {
		return w.foreignType(typ)
	}
	return w.variableExternal(n)
}

// foreignResult returns the foreign type that a function of the directory returns.
func (w *checker) foreignResult(fun ast.Expr, slot int) int32 {
	id := instanceIdent(fun)
	if id == nil {
		return noExternal
	}
	obj := w.objectOf(id)
	if obj == nil {
		return noExternal
	}
	n, ok := w.dir.numbers[obj.Pos()]
	if !ok || n < 0 || w.dir.decls[n].fn == nil {
		return noExternal
	}
	return w.foreignType(nthType(w.dir.decls[n].fn.Type.Results, slot))
}
