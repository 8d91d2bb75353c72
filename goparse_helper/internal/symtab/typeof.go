package symtab

import (
	"go/ast"
	"go/types"
)

// under returns the underlying type of t, or nil where there is none to look into: for
// type parameters it is that of their constraint, an interface.
func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// isKnown reports whether t says something. What comes out of a package that is not
// there is invalid, also behind a pointer.
func isKnown(t types.Type) bool {
	for range maxNames {
		switch u := under(t).(type) {
		case nil:
			return false
		case *types.Basic:
			return u.Kind() != types.Invalid
		case *types.Pointer:
			t = u.Elem()
		default:
			return true
		}
	}
	return true
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// isNilable reports whether the zero value of t is nil.
func isNilable(t types.Type) bool {
	switch u := under(t).(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return true
	case *types.Interface:
		return !isTypeParam(t)
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// isNilableSyntax is isNilable for a written type, of which go/types may know nothing: to
// it a pointer to a foreign type is invalid too.
func isNilableSyntax(e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.StarExpr, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType:
		return true
	case *ast.ArrayType:
		return x.Len == nil
	}
	return false
}

func hasPointerReceiver(f *types.Func) bool {
	s, ok := f.Type().(*types.Signature)
	if !ok || s.Recv() == nil {
		return false
	}
	_, ok = types.Unalias(s.Recv().Type()).(*types.Pointer)
	return ok
}

// elementOf returns what an index, a receive or a range takes out of x; it comes from
// where x comes from.
func (w *walker) elementOf(x operand) operand {
	y := value(types.Typ[types.Invalid], w.elementType(x.syn), x.node)
	switch u := under(x.typ).(type) {
	case *types.Slice:
		y.typ = u.Elem()
	case *types.Array:
		y.typ = u.Elem()
	case *types.Map:
		y.typ = u.Elem()
	case *types.Chan:
		y.typ = u.Elem()
	case *types.Pointer:
		if array, ok := under(u.Elem()).(*types.Array); ok {
			y.typ = array.Elem()
		}
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			y.typ = types.Typ[types.Byte]
		}
	}
	if !isKnown(y.typ) && y.syn == nil {
		if ext := w.externalOf(x); ext != noExternal {
			y.ext = w.elementExternal(ext)
		}
	}
	return y
}

// keyOf returns the first value that a range over x gives.
func (w *walker) keyOf(x operand) operand {
	switch u := under(x.typ).(type) {
	case *types.Map:
		return value(u.Key(), keyType(x.syn), x.node)
	case *types.Chan:
		return w.elementOf(x)
	case *types.Basic:
		if u.Info()&types.IsInteger != 0 {
			return x
		}
	case *types.Signature:
		if u.Params().Len() == 1 {
			if yield, ok := under(u.Params().At(0).Type()).(*types.Signature); ok && yield.Params().Len() > 0 {
				return value(yield.Params().At(0).Type(), nil, x.node)
			}
		}
	}
	if !isKnown(x.typ) {
		return value(types.Typ[types.Invalid], keyType(x.syn), x.node)
	}
	return value(types.Typ[types.Int], nil, x.node)
}

// secondOf returns the second value that a range over x gives.
func (w *walker) secondOf(x operand) operand {
	if s, ok := under(x.typ).(*types.Signature); ok && s.Params().Len() == 1 {
		yield, ok := under(s.Params().At(0).Type()).(*types.Signature)
		if ok && yield.Params().Len() > 1 {
			return value(yield.Params().At(1).Type(), nil, x.node)
		}
	}
	return w.elementOf(x)
}

// declOf returns the declaration of a name of the directory, or none.
func (w *walker) declOf(obj types.Object) int32 {
	if obj.Pkg() == nil || obj.Parent() != nil && obj.Parent() != obj.Pkg().Scope() {
		return none
	}
	if n, ok := w.dir.numbers[obj.Pos()]; ok && n >= 0 {
		return n
	}
	return none
}

// fieldOf returns the number of a field, or none; all instances of a generic type share
// their positions.
func (w *walker) fieldOf(f *types.Var) int32 {
	if n, ok := w.dir.numbers[f.Pos()]; ok && n < 0 {
		return ^n
	}
	return none
}

// namedDecl returns the declaration of the named type that t is, behind a pointer too,
// or none.
func (w *walker) namedDecl(t types.Type) int32 {
	if t == nil {
		return none
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	return w.ownNamed(t)
}

// ownNamed is namedDecl without the pointer.
func (w *walker) ownNamed(t types.Type) int32 {
	if t == nil {
		return none
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return w.declOf(named.Obj())
	}
	return none
}

// typeTarget returns the first named type inside of t, behind pointers and containers,
// or none. Where t is foreign, syn or ext tell it.
func (w *walker) typeTarget(t types.Type, syn ast.Expr, ext int32) int32 {
	for range maxNames {
		if t == nil {
			break
		}
		switch u := types.Unalias(t).(type) {
		case *types.Named:
			return w.ownNamed(u)
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
		case *types.Chan:
			t = u.Elem()
		case *types.Basic:
			if u.Kind() != types.Invalid {
				return none
			}
			t = nil
		default:
			return none
		}
	}
	if ext == noExternal {
		ext = w.foreignInside(syn)
	}
	if ext == noExternal {
		return none
	}
	return ^ext
}
