package symtab

import (
	"cmp"
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
func (c *checker) root(path, name string) int32 {
	first, _, _ := strings.Cut(path, "/")
	return c.external(externalRow{parent: none, path: c.texts.number(path),
		name: c.texts.number(name)}, strings.Contains(first, "."))
}

// member returns the field or method name of a foreign value.
func (c *checker) member(parent int32, name string) int32 {
	return c.external(externalRow{parent: parent, name: c.texts.number(name)}, c.callable[parent])
}

// resultOf returns result i of calling a foreign value.
func (c *checker) resultOf(parent int32, i int) int32 {
	return c.external(externalRow{parent: parent, slot: int32(i) + 1}, c.callable[parent])
}

// elementExternal returns what a foreign container holds.
func (c *checker) elementExternal(parent int32) int32 {
	return c.external(externalRow{parent: parent, slot: -1}, c.callable[parent])
}

func (c *checker) external(row externalRow, callable bool) int32 {
	if n, ok := c.found.numbers[row]; ok {
		return n
	}
	n := int32(len(c.foreign))
	c.foreign = append(c.foreign, row)
	c.callable = append(c.callable, callable)
	c.found.numbers[row] = n
	return n
}

// unresolved evaluates a name that go/types knows nothing of: where the file has dot
// imports it is one of theirs.
func (w *walker) unresolved(id *ast.Ident, how int32) operand {
	x := unknown()
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
func (c *checker) objectOf(id *ast.Ident) types.Object {
	if obj := c.info.Uses[id]; obj != nil {
		return obj
	}
	if f := c.dir.fileAt(id.Pos()); f != nil {
		if pkg := c.packages[c.dir.packages[f.pkg]]; pkg != nil {
			if scope := c.innermost(pkg.Scope(), id.Pos()); scope != nil {
				_, obj := scope.LookupParent(id.Name, id.Pos())
				return obj
			}
		}
	}
	return nil
}

// innermost returns the scope around pos, or nil. It mostly lies in or near the last one:
// from the top go/types would go over all functions of the file.
func (c *checker) innermost(top *types.Scope, pos token.Pos) *types.Scope {
	scope := c.scope
	for scope != nil && scope != top && !scope.Contains(pos) {
		scope = scope.Parent()
	}
	if scope == nil {
		scope = top
	}
	for scope.NumChildren() > maxScan {
		inner := c.innerScope(scope, pos)
		if inner == nil && scope == top {
			return nil
		}
		if inner == nil {
			c.scope = scope
			return scope
		}
		scope = inner
	}
	c.scope = scope.Innermost(pos)
	return c.scope
}

// innerScope returns the child of a scope with many of them that holds pos, or nil. They
// lie side by side.
func (c *checker) innerScope(scope *types.Scope, pos token.Pos) *types.Scope {
	inner, ok := c.inner[scope]
	if !ok {
		inner = make([]*types.Scope, 0, scope.NumChildren())
		for child := range scope.Children() {
			if child.Pos().IsValid() {
				inner = append(inner, child)
			}
		}
		slices.SortFunc(inner, func(a, b *types.Scope) int { return cmp.Compare(a.Pos(), b.Pos()) })
		c.inner[scope] = inner
	}
	i, found := slices.BinarySearchFunc(inner, pos, func(s *types.Scope, pos token.Pos) int { return cmp.Compare(s.Pos(), pos) })
	if !found {
		i--
	}
	if i < 0 || !inner[i].Contains(pos) {
		return nil
	}
	return inner[i]
}

// importNamed returns the path of the import whose package may have that name although
// its path does not end in it, or "": `sqlite` of example.com/sqlite-go-driver.
func (f *file) importNamed(name string) string {
	f.nameOnce.Do(f.nameImports)
	return f.named[name]
}

// maxElement is the length of the longest element of an import path that is read: no
// file system takes more.
const maxElement = 255

func (f *file) nameImports() {
	f.named = make(map[string]string)
	for _, spec := range f.syntax.Imports {
		if spec.Name != nil {
			continue
		}
		importPath := importPath(spec)
		for _, element := range []string{path.Base(importPath), path.Base(path.Dir(importPath))} {
			if len(element) > maxElement {
				continue
			}
			words := strings.FieldsFunc(element, func(r rune) bool { return r == '-' || r == '.' })
			for i := range words {
				f.nameImport(words[i], importPath)
				f.nameImport(strings.Join(words[i:], ""), importPath)
			}
		}
	}
}

// nameImport notes a name; the first import that can have it has it.
func (f *file) nameImport(name, importPath string) {
	if _, ok := f.named[name]; !ok {
		f.named[name] = importPath
	}
}
