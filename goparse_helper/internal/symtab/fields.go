package symtab

import (
	"bytes"
	"go/ast"
	"go/token"
	"strings"
)

// field is a struct's field or an interface's method.
type field struct {
	row  fieldRow // without its name
	name string   // dotted inside of anonymous structs
	expr ast.Expr // its type as written
	file *file
}

// declareFields notes the fields of a named type, or of a variable with an anonymous
// struct type.
func (dir *directory) declareFields(d *decl) {
	switch {
	case d.typ != nil:
		dir.fieldsOf(d, "", d.typ.Type, true)
	case d.value == nil || d.row.kind != kindVar:
	case d.value.Type != nil:
		dir.fieldsOf(d, "", d.value.Type, true)
	case d.index < len(d.value.Values):
		if literal, ok := d.value.Values[d.index].(*ast.CompositeLit); ok {
			dir.fieldsOf(d, "", literal.Type, true)
		}
	}
}

// fieldsOf notes the fields of the struct or interface that expr is written as, in
// containers too; methods are those of the outermost interface alone.
func (dir *directory) fieldsOf(d *decl, prefix string, expr ast.Expr, outer bool) {
	switch x := expr.(type) {
	case *ast.ParenExpr:
		dir.fieldsOf(d, prefix, x.X, outer)
	case *ast.StarExpr:
		dir.fieldsOf(d, prefix, x.X, false)
	case *ast.ArrayType:
		dir.fieldsOf(d, prefix, x.Elt, false)
	case *ast.MapType:
		dir.fieldsOf(d, prefix, x.Value, false)
	case *ast.ChanType:
		dir.fieldsOf(d, prefix, x.Value, false)
	case *ast.StructType:
		for _, f := range x.Fields.List {
			dir.structField(d, prefix, f)
		}
	case *ast.InterfaceType:
		if outer && d.typ != nil {
			for _, f := range x.Methods.List {
				dir.method(d, f)
			}
		}
	}
}

func (dir *directory) structField(d *decl, prefix string, f *ast.Field) {
	if len(f.Names) == 0 {
		if id := embeddedName(f.Type); id != nil {
			dir.addField(d, dotted(prefix, id.Name), id.Pos(), f, fieldEmbedded)
		}
		return
	}
	for _, id := range f.Names {
		name := dotted(prefix, id.Name)
		dir.addField(d, name, id.Pos(), f, 0)
		dir.fieldsOf(d, name, f.Type, false)
	}
}

func dotted(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

func (dir *directory) method(d *decl, f *ast.Field) {
	if len(f.Names) == 0 {
		if id := embeddedName(f.Type); id != nil {
			dir.addField(d, id.Name, token.NoPos, f, fieldEmbedded)
		}
		return
	}
	for _, id := range f.Names {
		dir.addField(d, id.Name, id.Pos(), f, fieldMethod)
	}
}

func (dir *directory) addField(d *decl, name string, pos token.Pos, f *ast.Field, flags int32) {
	start, end := f.Pos(), f.End()
	line := start
	if pos.IsValid() {
		line = pos
	}
	if f.Doc != nil {
		start = f.Doc.Pos()
	}
	endOffset := d.file.offset(end)
	if f.Comment != nil {
		endOffset = d.file.commentEnd(f.Comment)
	}
	number := int32(len(dir.fields))
	dir.fields = append(dir.fields, &field{
		name: name, expr: f.Type, file: d.file,
		row: fieldRow{
			owner: d.number, line: d.file.line(line), flags: flags,
			start: d.file.offset(start), end: endOffset,
		},
	})
	if pos.IsValid() {
		dir.numbers[pos] = ^number
	}
}

// fieldNamed returns the first field of declaration n with that name.
func (dir *directory) fieldNamed(n int32, name string) (field int32, ok bool) {
	dir.fieldOnce.Do(dir.indexFields)
	field, ok = dir.fieldNumbers[methodKey{n, name}]
	return field, ok
}

// embeddedIn returns the fields of declaration n that are embedded.
func (dir *directory) embeddedIn(n int32) []int32 {
	dir.fieldOnce.Do(dir.indexFields)
	return dir.embedded[n]
}

func (dir *directory) indexFields() {
	dir.fieldNumbers = make(map[methodKey]int32, len(dir.fields))
	dir.embedded = make(map[int32][]int32)
	for i, f := range dir.fields {
		key := methodKey{f.row.owner, f.name}
		if _, ok := dir.fieldNumbers[key]; !ok {
			dir.fieldNumbers[key] = int32(i)
		}
		if f.row.flags&fieldEmbedded != 0 && !strings.Contains(f.name, ".") {
			dir.embedded[f.row.owner] = append(dir.embedded[f.row.owner], int32(i))
		}
	}
}

// commentEnd returns where a comment ends. The parser drops carriage returns out of its
// text, so that the comment's own end can lie before that.
func (f *file) commentEnd(group *ast.CommentGroup) int32 {
	last := group.List[len(group.List)-1]
	if strings.HasPrefix(last.Text, "/*") {
		start := f.offset(last.Pos())
		if i := bytes.Index(f.source[start:], []byte("*/")); i >= 0 {
			return start + int32(i) + 2
		}
	}
	return f.offset(last.End())
}

// embeddedName returns the identifier that gives an embedded field its name, or nil
// for a constraint such as ~int | ~string.
func embeddedName(expr ast.Expr) *ast.Ident {
	switch x := expr.(type) {
	case *ast.Ident:
		return x
	case *ast.ParenExpr:
		return embeddedName(x.X)
	case *ast.StarExpr:
		return embeddedName(x.X)
	case *ast.SelectorExpr:
		return x.Sel
	case *ast.IndexExpr:
		return embeddedName(x.X)
	case *ast.IndexListExpr:
		return embeddedName(x.X)
	}
	return nil
}
