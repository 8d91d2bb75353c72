package symtab

import "go/ast"

// go/types forgets what a foreign type argument is called. Written types are therefore
// followed through type parameters too.

// fieldSyntax returns the written type of a field of a value of the written type owner.
func (w *walker) fieldSyntax(number int32, owner ast.Expr) ast.Expr {
	f := w.dir.fields[number]
	spec := w.dir.decls[f.row.owner].typ
	if spec == nil || spec.TypeParams == nil {
		return f.expr
	}
	var names []*ast.Ident
	for _, p := range spec.TypeParams.List {
		names = append(names, p.Names...)
	}
	return substitute(f.expr, names, typeArguments(owner))
}

// methodSyntax returns the written type of a method of a value of the written type
// owner.
func methodSyntax(fn *ast.FuncDecl, owner ast.Expr) ast.Expr {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Type
	}
	var names []*ast.Ident
	for _, a := range typeArguments(fn.Recv.List[0].Type) {
		name, _ := a.(*ast.Ident)
		names = append(names, name)
	}
	return substitute(fn.Type, names, typeArguments(owner))
}

// typeArguments returns the arguments of a written type, behind pointers.
func typeArguments(e ast.Expr) []ast.Expr {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return typeArguments(x.X)
	case *ast.StarExpr:
		return typeArguments(x.X)
	case *ast.IndexExpr:
		return []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		return x.Indices
	}
	return nil
}

// substitute replaces the type parameters in e by arguments; of a function type the
// results alone matter.
func substitute(e ast.Expr, names []*ast.Ident, arguments []ast.Expr) ast.Expr {
	if len(names) == 0 || len(names) != len(arguments) {
		return e
	}
	replace := func(e ast.Expr) ast.Expr { return substitute(e, names, arguments) }
	switch x := e.(type) {
	case *ast.Ident:
		for i, name := range names {
			if name != nil && name.Name == x.Name {
				return arguments[i]
			}
		}
	case *ast.ParenExpr:
		return replace(x.X)
	case *ast.StarExpr:
		return &ast.StarExpr{Star: x.Star, X: replace(x.X)}
	case *ast.ArrayType:
		return &ast.ArrayType{Lbrack: x.Lbrack, Len: x.Len, Elt: replace(x.Elt)}
	case *ast.MapType:
		return &ast.MapType{Map: x.Map, Key: replace(x.Key), Value: replace(x.Value)}
	case *ast.ChanType:
		return &ast.ChanType{Begin: x.Begin, Dir: x.Dir, Value: replace(x.Value)}
	case *ast.IndexExpr:
		return &ast.IndexExpr{X: x.X, Lbrack: x.Lbrack, Index: replace(x.Index), Rbrack: x.Rbrack}
	case *ast.IndexListExpr:
		indices := make([]ast.Expr, len(x.Indices))
		for i, index := range x.Indices {
			indices[i] = replace(index)
		}
		return &ast.IndexListExpr{X: x.X, Lbrack: x.Lbrack, Indices: indices, Rbrack: x.Rbrack}
	case *ast.FuncType:
		return &ast.FuncType{Func: x.Func, Params: x.Params, Results: substituteFields(x.Results, replace)}
	}
	return e
}

func substituteFields(list *ast.FieldList, replace func(ast.Expr) ast.Expr) *ast.FieldList {
	if list == nil {
		return nil
	}
	fields := make([]*ast.Field, len(list.List))
	for i, f := range list.List {
		fields[i] = &ast.Field{Names: f.Names, Type: replace(f.Type)}
	}
	return &ast.FieldList{Opening: list.Opening, List: fields, Closing: list.Closing}
}
