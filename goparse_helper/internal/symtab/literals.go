package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
)

// composite evaluates a composite literal. Where its type is left out, typ and syn are
// those of the literal around it.
func (w *walker) composite(e *ast.CompositeLit, typ types.Type, syn ast.Expr) operand {
	if e.Type != nil {
		typ, syn = w.typeExpr(e.Type), e.Type
	} else if p, ok := under(typ).(*types.Pointer); ok {
		typ = p.Elem()
	}
	switch u := under(typ).(type) {
	case *types.Struct:
		w.structLiteral(e, typ, u)
	case *types.Map:
		w.literal(typ, e.Pos(), 0)
		w.elements(e, u.Key(), keyType(syn), u.Elem(), w.elementType(syn))
	case *types.Slice:
		w.literal(typ, e.Pos(), 0)
		w.elements(e, nil, nil, u.Elem(), w.elementType(syn))
	case *types.Array:
		w.literal(typ, e.Pos(), 0)
		w.elements(e, nil, nil, u.Elem(), w.elementType(syn))
	default:
		if w.dir.syntaxOnly {
			w.writtenLiteral(e, syn)
		} else {
			w.foreignLiteral(e)
		}
	}
	return value(typ, syn, w.literalNode(typ, syn, e.Pos()))
}

// structLiteral notes the literal and the fields that it sets.
func (w *walker) structLiteral(e *ast.CompositeLit, typ types.Type, s *types.Struct) {
	flags := int32(0)
	if len(e.Elts) > 0 {
		if _, keyed := e.Elts[0].(*ast.KeyValueExpr); !keyed {
			flags = literalPositional
		}
	}
	number := w.literal(typ, e.Pos(), flags)
	for i, element := range e.Elts {
		var f *types.Var
		given := element
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			given = pair.Value
			if id, ok := pair.Key.(*ast.Ident); ok {
				f = w.keyField(id, s)
			}
		} else if i < s.NumFields() {
			f = s.Field(i)
		}
		w.setting(number, f, given)
	}
}

// keyField returns the field that a key of a literal names. With a foreign type argument
// go/types has not come to it.
func (w *walker) keyField(key *ast.Ident, s *types.Struct) *types.Var {
	if f, ok := w.info.Uses[key].(*types.Var); ok {
		return f
	}
	for f := range s.Fields() {
		if f.Name() == key.Name {
			return f
		}
	}
	return nil
}

func (w *walker) setting(literal int32, f *types.Var, given ast.Expr) {
	x := w.element(given, fieldType(f), nil)
	if f == nil || literal == none {
		return
	}
	if n := w.fieldOf(f); n != none {
		row := settingRow{literal: literal, field: n}
		if x.mode == modeNil {
			row.isNil = 1
		}
		w.settings = append(w.settings, row)
	}
}

func fieldType(f *types.Var) types.Type {
	if f == nil {
		return nil
	}
	return f.Type()
}

// elements walks the elements of a slice, array or map literal.
func (w *walker) elements(e *ast.CompositeLit, key types.Type, keySyn ast.Expr, elem types.Type, syn ast.Expr) {
	for _, element := range e.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			w.element(pair.Key, key, keySyn)
			element = pair.Value
		}
		w.element(element, elem, syn)
	}
}

// element evaluates an element, which can be a literal without a type.
func (w *walker) element(e ast.Expr, typ types.Type, syn ast.Expr) operand {
	if literal, ok := e.(*ast.CompositeLit); ok && literal.Type == nil {
		return w.composite(literal, typ, syn)
	}
	return w.expr(e, accessRead)
}

// foreignLiteral walks a literal of a type that is not known: its keys can be names of
// fields that nobody knows.
func (w *walker) foreignLiteral(e *ast.CompositeLit) {
	for _, element := range e.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if id, ok := pair.Key.(*ast.Ident); !ok || w.info.Uses[id] != nil {
				w.element(pair.Key, nil, nil)
			}
			element = pair.Value
		}
		w.element(element, nil, nil)
	}
}

// literal notes that a value of typ comes to be and returns the number of the record,
// or none where typ is no named type of the directory.
func (w *walker) literal(typ types.Type, pos token.Pos, flags int32) int32 {
	n := w.ownNamed(typ)
	if n == none {
		return none
	}
	w.literals = append(w.literals, literalRow{w.decl.number, n, w.line(pos), flags})
	return int32(len(w.literals) - 1)
}

// zeroLiteral notes `var x T`.
func (w *walker) zeroLiteral(obj types.Object, pos token.Pos) {
	if obj == nil {
		return
	}
	if _, ok := under(obj.Type()).(*types.Interface); !ok {
		w.literal(obj.Type(), pos, literalZero)
	}
}
