package symtab

import (
	"go/ast"
	"go/token"
)

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
			if typ := writtenType(literal); typ != nil {
				return &ast.StarExpr{Star: x.OpPos, X: typ}
			}
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
func (c *checker) variableExternal(n int32) int32 {
	if ext, ok := c.variables[n]; ok {
		return ext
	}
	c.variables[n] = noExternal // ends a cycle
	spec := c.dir.decls[n].value
	ext, index := noExternal, c.dir.decls[n].index
	switch {
	case index < len(spec.Values) && len(spec.Values) == len(spec.Names):
		ext = c.initialExternal(spec.Values[index], 0)
	case len(spec.Values) == 1:
		ext = c.initialExternal(spec.Values[0], index)
	}
	c.variables[n] = ext
	return ext
}

// initialExternal returns the external of value slot of an initialiser, by its syntax
// alone.
func (c *checker) initialExternal(e ast.Expr, slot int) int32 {
	switch x := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		if ext := c.foreignSelector(x); ext != noExternal {
			return ext
		}
		if ext := c.initialExternal(x.X, 0); ext != noExternal {
			return c.member(ext, x.Sel.Name)
		}
	case *ast.CallExpr:
		if ext := c.initialExternal(x.Fun, 0); ext != noExternal {
			return c.resultOf(ext, slot)
		}
		return c.foreignResult(x.Fun, slot)
	case *ast.UnaryExpr:
		return c.initialExternal(x.X, 0)
	case *ast.StarExpr:
		return c.initialExternal(x.X, 0)
	case *ast.CompositeLit:
		return c.foreignType(x.Type)
	case *ast.TypeAssertExpr:
		return c.foreignType(x.Type)
	case *ast.IndexExpr:
		if ext := c.initialExternal(x.X, 0); ext != noExternal {
			return c.elementExternal(ext)
		}
	case *ast.Ident:
		return c.namedExternal(x)
	}
	return noExternal
}

func (c *checker) namedExternal(id *ast.Ident) int32 {
	obj := c.objectOf(id)
	if obj == nil {
		return c.dotted(id)
	}
	n, ok := c.dir.numbers[obj.Pos()]
	if !ok || n < 0 || c.dir.decls[n].row.kind != kindVar {
		return noExternal
	}
	if typ := c.dir.decls[n].value.Type; typ != nil {
		return c.foreignType(typ)
	}
	return c.variableExternal(n)
}

// foreignResult returns the foreign type that a function of the directory returns.
func (c *checker) foreignResult(fun ast.Expr, slot int) int32 {
	id := instanceIdent(fun)
	if id == nil {
		return noExternal
	}
	obj := c.objectOf(id)
	if obj == nil {
		return noExternal
	}
	n, ok := c.dir.numbers[obj.Pos()]
	if !ok || n < 0 || c.dir.decls[n].fn == nil {
		return noExternal
	}
	return c.foreignType(nthType(c.dir.decls[n].fn.Type.Results, slot))
}
