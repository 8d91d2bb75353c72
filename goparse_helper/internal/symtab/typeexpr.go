package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
)

// typeExpr notes the types that e names and returns the type that it stands for. It
// spares go/types its map of all types, which costs a third of the whole check.
func (w *walker) typeExpr(e ast.Expr) types.Type {
	switch e := e.(type) {
	case *ast.Ident:
		return w.typeIdent(e)
	case *ast.ParenExpr:
		return w.typeExpr(e.X)
	case *ast.StarExpr:
		return types.NewPointer(w.typeExpr(e.X))
	case *ast.ArrayType:
		return w.arrayType(e)
	case *ast.Ellipsis:
		if e.Elt == nil {
			break
		}
		return types.NewSlice(w.typeExpr(e.Elt))
	case *ast.MapType:
		return types.NewMap(w.typeExpr(e.Key), w.typeExpr(e.Value))
	case *ast.ChanType:
		return types.NewChan(types.SendRecv, w.typeExpr(e.Value))
	case *ast.FuncType:
		return w.funcType(e)
	case *ast.StructType:
		return w.structType(e)
	case *ast.InterfaceType:
		return w.interfaceType(e)
	case *ast.SelectorExpr:
		return w.typeSelector(e)
	case *ast.IndexExpr:
		return w.typeInstance(e.X, []ast.Expr{e.Index})
	case *ast.IndexListExpr:
		return w.typeInstance(e.X, e.Indices)
	case *ast.UnaryExpr: // ~T of a constraint
		return w.typeExpr(e.X)
	case *ast.BinaryExpr: // A | B of a constraint
		w.typeExpr(e.X)
		return w.typeExpr(e.Y)
	}
	return types.Typ[types.Invalid]
}

func (w *walker) typeIdent(id *ast.Ident) types.Type {
	switch obj := w.objectOf(id).(type) {
	case *types.TypeName:
		return w.typeName(id, obj)
	case nil:
		w.unresolved(id, isTyped)
	}
	return types.Typ[types.Invalid]
}

func (w *walker) typeName(id *ast.Ident, obj *types.TypeName) types.Type {
	if n := w.declOf(obj); n != none {
		w.use(n, id.Pos(), useType, "")
	}
	return obj.Type()
}

func (w *walker) typeSelector(e *ast.SelectorExpr) types.Type {
	if _, ok := e.X.(*ast.Ident); ok {
		if x := w.selector(e, isTyped); x.mode == modeType {
			return x.typ
		}
	}
	return types.Typ[types.Invalid]
}

func (w *walker) arrayType(e *ast.ArrayType) types.Type {
	if e.Len == nil {
		return types.NewSlice(w.typeExpr(e.Elt))
	}
	w.length(e)
	// The length matters to nothing here.
	return types.NewArray(w.typeExpr(e.Elt), 0)
}

func (w *walker) typeInstance(base ast.Expr, arguments []ast.Expr) types.Type {
	typ := w.typeExpr(base)
	for _, a := range arguments {
		w.typeExpr(a)
	}
	if id := instanceIdent(base); id != nil {
		if instance, ok := w.info.Instances[id]; ok {
			return instance.Type
		}
	}
	return typ
}

func (w *walker) funcType(e *ast.FuncType) types.Type {
	params, results := w.tuple(e.Params), w.tuple(e.Results)
	variadic := false
	if n := params.Len(); n > 0 {
		_, slice := params.At(n - 1).Type().(*types.Slice)
		list := e.Params.List
		_, dots := list[len(list)-1].Type.(*ast.Ellipsis)
		variadic = slice && dots
	}
	return types.NewSignatureType(nil, nil, nil, params, results, variadic)
}

func (w *walker) tuple(list *ast.FieldList) *types.Tuple {
	if list == nil {
		return nil
	}
	var vars []*types.Var
	for _, f := range list.List {
		typ := w.typeExpr(f.Type)
		for range max(len(f.Names), 1) {
			vars = append(vars, types.NewParam(token.NoPos, nil, "", typ))
		}
	}
	return types.NewTuple(vars...)
}

func (w *walker) structType(e *ast.StructType) types.Type {
	var fields []*types.Var
	seen := map[string]bool{}
	for _, f := range e.Fields.List {
		w.typeExpr(f.Type)
		names := f.Names
		if len(names) == 0 {
			names = []*ast.Ident{embeddedName(f.Type)}
		}
		for _, name := range names {
			// NewStruct panics where two fields share a name.
			if name == nil || seen[name.Name] && name.Name != "_" {
				continue
			}
			if v, ok := w.info.Defs[name].(*types.Var); ok {
				seen[name.Name] = true
				fields = append(fields, v)
			}
		}
	}
	return types.NewStruct(fields, nil)
}

func (w *walker) interfaceType(e *ast.InterfaceType) types.Type {
	var methods []*types.Func
	for _, f := range e.Methods.List {
		w.typeExpr(f.Type)
		for _, name := range f.Names {
			if m, ok := w.info.Defs[name].(*types.Func); ok {
				methods = append(methods, m)
			}
		}
	}
	if len(methods) == 0 {
		return types.NewInterfaceType(nil, nil)
	}
	// The methods have a receiver already, of the type that go/types made.
	if s, ok := methods[0].Type().(*types.Signature); ok && s.Recv() != nil {
		return s.Recv().Type()
	}
	return types.Typ[types.Invalid]
}
