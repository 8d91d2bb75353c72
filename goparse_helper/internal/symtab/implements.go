package symtab

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// maxTries bounds how many pairs of a type and an interface are compared. The pairs grow
// with the square of the source, and so does the table.
const maxTries = 500_000

// findImplementers finds which named types of the packages that the checker owns
// implement which interfaces of the directory. With foreign types in the signatures this
// is a best guess: their names must agree.
func (c *checker) findImplementers() {
	byMethod, embedding := c.methodIndex()
	tries := 0
	for _, d := range c.dir.decls {
		iface := c.interfaceOf(d)
		if iface == nil {
			continue
		}
		for _, n := range candidates(iface, byMethod, embedding) {
			if t := c.dir.decls[n]; c.mayMeet(t, d) {
				if tries++; tries > maxTries {
					c.failures = append(c.failures, fmt.Sprintf("types and interfaces are more than %d pairs: who implements what is not told of all", maxTries))
					return
				}
				if pointer, ok := c.implements(t, d, iface); ok {
					c.implementRows = append(c.implementRows, implementRow{n, d.number, pointer})
				}
			}
		}
	}
}

// methodIndex returns the types by the names of their methods, and those that get
// methods from what they embed.
func (c *checker) methodIndex() (byMethod map[string][]int32, embedding []int32) {
	byMethod = make(map[string][]int32)
	for _, d := range c.dir.decls {
		if n := d.row.receiverType; n != none {
			byMethod[d.ident.Name] = append(byMethod[d.ident.Name], n)
		}
	}
	for _, f := range c.dir.fields {
		owner := f.row.owner
		if f.row.flags&fieldEmbedded != 0 && c.dir.decls[owner].row.flags&declStruct != 0 &&
			!strings.Contains(f.name, ".") && (len(embedding) == 0 || embedding[len(embedding)-1] != owner) {
			embedding = append(embedding, owner)
		}
	}
	return byMethod, embedding
}

// interfaceOf returns the interface that d declares if a type can implement it by
// methods.
func (c *checker) interfaceOf(d *decl) *types.Interface {
	if d.typ == nil || d.typ.Assign.IsValid() {
		return nil
	}
	obj := c.info.Defs[d.ident]
	if obj == nil {
		return nil
	}
	iface, ok := obj.Type().Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 || !iface.IsMethodSet() {
		return nil
	}
	return iface
}

// candidates returns the types that have the rarest method of iface, and those that
// embed something.
func candidates(iface *types.Interface, byMethod map[string][]int32, embedding []int32) []int32 {
	var rarest []int32
	for i := range iface.NumMethods() {
		if with := byMethod[iface.Method(i).Name()]; i == 0 || len(with) < len(rarest) {
			rarest = with
		}
	}
	all := slices.Concat(rarest, embedding)
	slices.Sort(all)
	return slices.Compact(all)
}

// mayMeet reports whether the packages of the two can know each other, and the checker
// is the one to say so.
func (c *checker) mayMeet(t, iface *decl) bool {
	if !c.owned[t.row.pkg] || t.row.flags&declAlias != 0 || c.info.Defs[t.ident] == nil {
		return false
	}
	a, b := c.dir.packages[t.row.pkg], c.dir.packages[iface.row.pkg]
	return a == b || a == b+"_test"
}

// implements reports whether t implements iface, and with 1 that only *T does.
func (c *checker) implements(t, d *decl, iface *types.Interface) (pointer int32, ok bool) {
	typ := c.info.Defs[t.ident].Type()
	if types.IsInterface(typ) {
		return 0, false
	}
	generic := d.typ.TypeParams != nil
	for try, v := range []types.Type{typ, types.NewPointer(typ)} {
		if c.hasMethods(v, iface, generic) {
			return int32(try), true
		}
	}
	return 0, false
}

// hasMethods reports whether t has the methods of iface; of a generic interface only
// their names and the numbers of their parameters and results are compared.
func (c *checker) hasMethods(t types.Type, iface *types.Interface, generic bool) bool {
	for m := range iface.Methods() {
		obj, _, _ := types.LookupFieldOrMethod(t, false, m.Pkg(), m.Name())
		f, ok := obj.(*types.Func)
		if !ok {
			return false
		}
		got, want := f.Signature(), m.Signature()
		if generic {
			if got.Params().Len() != want.Params().Len() || got.Results().Len() != want.Results().Len() {
				return false
			}
			continue
		}
		if !types.Identical(withoutReceiver(got), withoutReceiver(want)) || !c.sameForeign(f, m) {
			return false
		}
	}
	return true
}

func withoutReceiver(s *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
}

// sameForeign reports whether the written signatures of two methods name the same
// foreign types. To go/types these are all one: the invalid type.
func (c *checker) sameForeign(a, b *types.Func) bool {
	return slices.Equal(c.foreignTypes(a), c.foreignTypes(b))
}

func (c *checker) foreignTypes(f *types.Func) []int32 {
	n, ok := c.dir.numbers[f.Pos()]
	if !ok {
		return nil
	}
	var typ ast.Expr
	if n < 0 {
		typ = c.dir.fields[^n].expr
	} else if fn := c.dir.decls[n].fn; fn != nil {
		typ = fn.Type
	}
	if typ == nil {
		return nil
	}
	var list []int32
	ast.Inspect(typ, func(node ast.Node) bool {
		x, ok := node.(*ast.SelectorExpr)
		if ok {
			list = append(list, c.foreignSelector(x))
		}
		return !ok
	})
	return list
}
