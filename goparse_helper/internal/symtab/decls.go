package symtab

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// decl is one declared name: a function, or one name of a spec.
type decl struct {
	row      declRow // without its texts
	number   int32
	file     *file
	ident    *ast.Ident
	receiver string
	fn       *ast.FuncDecl  // of a function or method
	typ      *ast.TypeSpec  // of a type
	value    *ast.ValueSpec // of a variable or constant
	index    int            // of the name in value
	// fieldFrom and fieldTo bound the numbers of its fields.
	fieldFrom, fieldTo int32
}

// declare collects the declarations of all files that the target takes, sorted by
// file, offset and name, and the fields that belong to them.
func (dir *directory) declare() {
	for number, f := range dir.files {
		if f.verdict != verdictTaken {
			continue
		}
		first := len(dir.decls)
		for _, d := range f.syntax.Decls {
			dir.declareOne(f, d)
		}
		for _, d := range dir.decls[first:] {
			d.row.file = int32(number)
		}
		slices.SortStableFunc(dir.decls[first:], func(a, b *decl) int {
			return cmp.Or(cmp.Compare(a.row.start, b.row.start),
				strings.Compare(a.ident.Name, b.ident.Name))
		})
	}
	dir.numbers = make(map[token.Pos]int32, 4*len(dir.decls))
	for i, d := range dir.decls {
		d.number = int32(i)
		dir.numbers[d.ident.Pos()] = d.number
	}
	dir.linkReceivers()
	for _, d := range dir.decls {
		d.fieldFrom = int32(len(dir.fields))
		dir.declareFields(d)
		d.fieldTo = int32(len(dir.fields))
	}
}

func (dir *directory) declareOne(f *file, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		dir.decls = append(dir.decls, f.funcDecl(d))
	case *ast.GenDecl:
		if d.Tok == token.IMPORT {
			return
		}
		iota := d.Tok == token.CONST && d.Lparen.IsValid() && countsWithIota(d)
		for _, spec := range d.Specs {
			dir.declareSpec(f, d, spec, iota)
		}
	}
}

func (f *file) funcDecl(fn *ast.FuncDecl) *decl {
	d := &decl{file: f, ident: fn.Name, fn: fn, row: f.place(fn, fn.Doc)}
	d.row.kind = kindFunc
	d.row.groupStart, d.row.groupEnd = -1, -1
	if fn.Recv != nil {
		d.row.kind = kindMethod
		d.receiver = receiverName(fn)
		if len(fn.Recv.List) > 0 && isPointer(fn.Recv.List[0].Type) {
			d.row.flags |= declPointer
		}
	}
	if fn.Body != nil {
		d.row.bodyStart = f.offset(fn.Body.Lbrace)
	} else {
		d.row.flags |= declBodiless
	}
	if f.flags&fileTest != 0 && fn.Recv == nil && isEntry(fn.Name.Name) {
		d.row.flags |= declEntry
	}
	return d
}

func (dir *directory) declareSpec(f *file, group *ast.GenDecl, spec ast.Spec, iota bool) {
	row := f.specRow(group, spec)
	if iota {
		row.flags |= declIota
	}
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		row.kind = kindType
		row.flags |= typeFlags(spec)
		dir.decls = append(dir.decls, &decl{file: f, ident: spec.Name, typ: spec, row: row})
	case *ast.ValueSpec:
		row.kind = kindVar
		if group.Tok == token.CONST {
			row.kind = kindConst
		}
		for i, name := range spec.Names {
			dir.decls = append(dir.decls,
				&decl{file: f, ident: name, value: spec, index: i, row: row})
		}
	}
}

// specRow places spec: with its keyword where it stands alone, without where it
// stands in a group.
func (f *file) specRow(group *ast.GenDecl, spec ast.Spec) declRow {
	if !group.Lparen.IsValid() {
		row := f.place(group, group.Doc)
		row.groupStart, row.groupEnd = -1, -1
		return row
	}
	row := f.place(spec, docOf(spec))
	row.groupStart = f.offset(group.Pos())
	row.groupEnd = f.offset(group.End())
	row.flags |= declGrouped
	return row
}

// place fills in what follows from the position of node and its doc comment.
func (f *file) place(node ast.Node, doc *ast.CommentGroup) declRow {
	start, end := node.Pos(), node.End()
	row := declRow{
		pkg: f.pkg, receiverType: none, bodyStart: -1,
		start: f.offset(start), end: f.offset(end),
		line: f.line(start), endLine: f.line(end - 1),
	}
	row.docStart, row.docLine = row.start, row.line
	if doc != nil {
		row.docStart, row.docLine = f.offset(doc.Pos()), f.line(doc.Pos())
	}
	if f.flags&fileGenerated != 0 {
		row.flags |= declGenerated
	}
	if f.flags&fileTest != 0 {
		row.flags |= declTest
	}
	return row
}

func docOf(spec ast.Spec) *ast.CommentGroup {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return spec.Doc
	case *ast.ValueSpec:
		return spec.Doc
	}
	return nil
}

func typeFlags(spec *ast.TypeSpec) int32 {
	var flags int32
	if spec.Assign.IsValid() {
		flags |= declAlias
	}
	switch ast.Unparen(spec.Type).(type) {
	case *ast.StructType:
		flags |= declStruct
	case *ast.InterfaceType:
		flags |= declInterface
	}
	return flags
}

// countsWithIota reports whether a spec of the group says nothing without the others.
func countsWithIota(group *ast.GenDecl) bool {
	for _, spec := range group.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if len(value.Values) == 0 && value.Type == nil {
			return true
		}
		for _, v := range value.Values {
			if mentions(v, "iota") {
				return true
			}
		}
	}
	return false
}

func mentions(expr ast.Expr, name string) bool {
	found := false
	ast.Inspect(expr, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	return found
}

func isPointer(expr ast.Expr) bool {
	_, ok := ast.Unparen(expr).(*ast.StarExpr)
	return ok
}

// receiverName returns the name of the type that a method belongs to: `Cache` of
// `(c *Cache[K, V])`.
func receiverName(fn *ast.FuncDecl) string {
	if len(fn.Recv.List) == 0 {
		return ""
	}
	return typeName(fn.Recv.List[0].Type)
}

// typeName returns the name in a written type, behind pointers and without arguments,
// or "".
func typeName(expr ast.Expr) string {
	for {
		switch x := expr.(type) {
		case *ast.ParenExpr:
			expr = x.X
		case *ast.StarExpr:
			expr = x.X
		case *ast.IndexExpr:
			expr = x.X
		case *ast.IndexListExpr:
			expr = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// isEntry reports whether go test calls a function of that name.
func isEntry(name string) bool {
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			r, _ := utf8.DecodeRuneInString(rest)
			return rest == "" || !unicode.IsLower(r)
		}
	}
	return false
}

// methodKey names a method: the declaration of its type, and its name.
type methodKey struct {
	typ  int32
	name string
}

// typeKey names a type of a package.
type typeKey struct {
	pkg  int32
	name string
}

// linkReceivers finds the types that methods belong to, in the same package alone.
func (dir *directory) linkReceivers() {
	types := make(map[typeKey]int32, len(dir.decls)/4)
	for _, d := range dir.decls {
		if d.typ != nil {
			types[typeKey{d.row.pkg, d.ident.Name}] = d.number
		}
	}
	dir.methods = make(map[methodKey]int32, len(dir.decls)/2)
	for _, d := range dir.decls {
		if d.receiver == "" {
			continue
		}
		if n := dir.aliased(types, typeKey{d.row.pkg, d.receiver}); n != none {
			d.row.receiverType = n
			dir.methods[methodKey{n, d.ident.Name}] = d.number
		}
	}
}

// aliased returns the type of that name, or the one that it is an alias of, or none.
func (dir *directory) aliased(types map[typeKey]int32, key typeKey) int32 {
	found := none
	for range maxNames {
		n, ok := types[key]
		if !ok {
			break
		}
		found = n
		if dir.decls[n].row.flags&declAlias == 0 {
			break
		}
		key.name = typeName(dir.decls[n].typ.Type)
	}
	return found
}
