package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Of foreign types go/types knows nothing. What they are called stands in the types as
// they are written, which are followed here.

// foreignType returns the foreign type that e names, behind pointers and names of the
// directory, or noExternal.
func (c *checker) foreignType(e ast.Expr) int32 {
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
			return c.foreignSelector(x)
		case *ast.Ident:
			obj := c.objectOf(x)
			if obj == nil {
				return c.dotted(x)
			}
			if e = c.madeOf(obj); e == nil {
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

func (c *checker) foreignSelector(e *ast.SelectorExpr) int32 {
	id, ok := e.X.(*ast.Ident)
	if !ok {
		return noExternal
	}
	switch obj := c.objectOf(id).(type) {
	case *types.PkgName:
		if isFake(obj.Imported()) || c.info.Uses[e.Sel] == nil {
			return c.root(obj.Imported().Path(), e.Sel.Name)
		}
	case nil:
		if f := c.dir.fileAt(e.Pos()); f != nil {
			if path := f.importNamed(id.Name); path != "" {
				return c.root(path, e.Sel.Name)
			}
		}
	}
	return noExternal
}

// dotted returns the external that an unresolved name of a file with dot imports is.
func (c *checker) dotted(id *ast.Ident) int32 {
	if !token.IsExported(id.Name) {
		return noExternal
	}
	if f := c.dir.fileAt(id.Pos()); f != nil && len(f.dots) > 0 {
		return c.root(f.dots[0], id.Name)
	}
	return noExternal
}

// madeOf returns what the declaration of a type of the directory is written as, or nil.
func (c *checker) madeOf(obj types.Object) ast.Expr {
	if n, ok := c.dir.numbers[obj.Pos()]; ok && n >= 0 && c.dir.decls[n].typ != nil {
		return c.dir.decls[n].typ.Type
	}
	return nil
}

// writtenDecl returns the declaration of the directory that a written type names, behind
// pointers and aliases, or none.
func (c *checker) writtenDecl(e ast.Expr) int32 {
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
		case *ast.Ident:
			obj := c.objectOf(x)
			if obj == nil || c.madeOf(obj) == nil {
				return none
			}
			n := c.dir.numbers[obj.Pos()]
			if c.dir.decls[n].row.flags&declAlias == 0 {
				return n
			}
			e = c.madeOf(obj)
		default:
			return none
		}
	}
	return none
}

// foreignInside is foreignType for what containers hold too.
func (c *checker) foreignInside(e ast.Expr) int32 {
	for range maxNames {
		if e == nil {
			return noExternal
		}
		if ext := c.foreignType(e); ext != noExternal {
			return ext
		}
		e = c.elementType(e)
	}
	return noExternal
}

// elementType returns the written type of what a container of the written type e holds,
// or nil.
func (c *checker) elementType(e ast.Expr) ast.Expr {
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
			obj := c.objectOf(x)
			if obj == nil {
				return nil
			}
			e = c.madeOf(obj)
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
func (c *checker) resultType(e ast.Expr, i int) ast.Expr {
	for range maxNames {
		switch x := ast.Unparen(e).(type) {
		case *ast.FuncType:
			return nthType(x.Results, i)
		case *ast.Ident:
			obj := c.objectOf(x)
			if obj == nil {
				return nil
			}
			e = c.madeOf(obj)
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
