package symtab

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// Where types must not be checked, names are resolved by the scopes that they stand in,
// as go/parser tells them, and by the declarations of the package. What a field or a
// method is selected on is known where its type is written; the rest stays open.

// unchecked is told where names are all that is resolved.
const unchecked = "types were not checked: what belongs together is told by names and written types alone"

// names resolves the identifiers of one file after the other.
type names struct {
	*checker
	pkg     *types.Package
	fakes   fakes
	imports map[string]types.Object
	// objects are what the parser found to be declared.
	objects map[*ast.Object]types.Object
	// open are names of the function at work that the parser leaves open: the type
	// parameters of a receiver.
	open []string
}

// name does for a package what check does, by names alone.
func (c *checker) name(number int32, name string) {
	pkg := types.NewPackage(c.dir.pathOf(name), name)
	c.packages[name] = pkg
	r := &names{checker: c, pkg: pkg, objects: make(map[*ast.Object]types.Object),
		fakes: fakes{c, strings.TrimSuffix(name, "_test")}}
	for _, d := range c.dir.decls {
		if d.row.pkg == number {
			r.declare(d)
		}
	}
	for _, f := range c.dir.files {
		// Without a scope the parser gave up on its names.
		if f.verdict == verdictTaken && f.pkg == number && f.syntax.Scope != nil {
			r.resolve(f)
		}
	}
	pkg.MarkComplete()
}

// declare makes the object of a declaration.
func (r *names) declare(d *decl) {
	obj := r.object([]ast.ObjKind{ast.Fun, ast.Fun, ast.Typ, ast.Var, ast.Con}[d.row.kind], d.ident)
	r.info.Defs[d.ident] = obj
	if d.ident.Obj != nil {
		r.objects[d.ident.Obj] = obj
	}
	if d.row.kind != kindMethod {
		r.pkg.Scope().Insert(obj)
	}
}

// object makes what id declares. Of its type no more is known than its name.
func (r *names) object(kind ast.ObjKind, id *ast.Ident) types.Object {
	nothing := types.Typ[types.Invalid]
	switch kind {
	case ast.Fun:
		return types.NewFunc(id.Pos(), r.pkg, id.Name, types.NewSignatureType(nil, nil, nil, nil, nil, false))
	case ast.Typ:
		name := types.NewTypeName(id.Pos(), r.pkg, id.Name, nil)
		types.NewNamed(name, nothing, nil)
		return name
	case ast.Con:
		return types.NewConst(id.Pos(), r.pkg, id.Name, nothing, nil)
	}
	return types.NewVar(id.Pos(), r.pkg, id.Name, nothing)
}

// resolve resolves the names of a file.
func (r *names) resolve(f *file) {
	r.imports = make(map[string]types.Object, len(f.syntax.Imports))
	for _, spec := range f.syntax.Imports {
		// An import that is not there comes as a fake.
		imported, _ := r.fakes.Import(importPath(spec))
		name := imported.Name()
		if spec.Name != nil {
			name = spec.Name.Name
		}
		r.imports[name] = types.NewPkgName(spec.Pos(), r.pkg, name, imported)
	}
	for _, d := range f.syntax.Decls {
		ast.Walk(r, d)
	}
}

// Visit resolves the identifiers in n. Where an identifier is no use of a name it goes
// on by hand.
func (r *names) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.Ident:
		r.ident(n)
	case *ast.SelectorExpr:
		ast.Walk(r, n.X)
		r.qualified(n)
	case *ast.FuncDecl:
		r.function(n)
	case *ast.StructType:
		r.fields(n.Fields, ast.Var)
	case *ast.InterfaceType:
		r.fields(n.Methods, ast.Fun)
	case *ast.CompositeLit:
		r.literal(n)
	case *ast.LabeledStmt:
		ast.Walk(r, n.Stmt)
	case *ast.ImportSpec, *ast.BranchStmt, *ast.CommentGroup:
	default:
		return r
	}
	return nil
}

// ident notes what id declares or means: the first identifier of an object is the one
// that declares it.
func (r *names) ident(id *ast.Ident) {
	if id.Name == "_" || r.info.Defs[id] != nil {
		return
	}
	if id.Obj == nil {
		if obj := r.lookup(id.Name); obj != nil {
			r.info.Uses[id] = obj
		}
		return
	}
	if obj, ok := r.objects[id.Obj]; ok {
		r.info.Uses[id] = obj
		return
	}
	obj := r.object(id.Obj.Kind, id)
	r.objects[id.Obj], r.info.Defs[id] = obj, obj
}

// lookup returns what a name means that no scope of its file declares.
func (r *names) lookup(name string) types.Object {
	if slices.Contains(r.open, name) {
		return nil
	}
	if obj := r.imports[name]; obj != nil {
		return obj
	}
	if obj := r.pkg.Scope().Lookup(name); obj != nil {
		return obj
	}
	return types.Universe.Lookup(name)
}

// qualified resolves pkg.Name where the package is one of the directory.
func (r *names) qualified(e *ast.SelectorExpr) {
	id, ok := e.X.(*ast.Ident)
	if !ok {
		return
	}
	if name, ok := r.info.Uses[id].(*types.PkgName); ok {
		if obj := name.Imported().Scope().Lookup(e.Sel.Name); obj != nil {
			r.info.Uses[e.Sel] = obj
		}
	}
}

func (r *names) function(fn *ast.FuncDecl) {
	if fn.Recv != nil {
		for _, f := range fn.Recv.List {
			for _, a := range typeArguments(f.Type) {
				if id, ok := a.(*ast.Ident); ok {
					r.open = append(r.open, id.Name)
				}
			}
		}
		ast.Walk(r, fn.Recv)
	}
	ast.Walk(r, fn.Type)
	if fn.Body != nil {
		ast.Walk(r, fn.Body)
	}
	r.open = r.open[:0]
}

// fields declares the fields of a struct or the methods of an interface.
func (r *names) fields(list *ast.FieldList, kind ast.ObjKind) {
	for _, f := range list.List {
		for _, id := range f.Names {
			r.info.Defs[id] = r.object(kind, id)
		}
		ast.Walk(r, f.Type)
	}
}

// literal leaves out keys that can be names of fields.
func (r *names) literal(e *ast.CompositeLit) {
	if e.Type != nil {
		ast.Walk(r, e.Type)
	}
	for _, element := range e.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if _, name := pair.Key.(*ast.Ident); !name || isContainer(e.Type) {
				ast.Walk(r, pair.Key)
			}
			element = pair.Value
		}
		ast.Walk(r, element)
	}
}

func isContainer(e ast.Expr) bool {
	switch ast.Unparen(e).(type) {
	case *ast.ArrayType, *ast.MapType:
		return true
	}
	return false
}

// methodOfWritten evaluates method f of an interface.
func (w *walker) methodOfWritten(e *ast.SelectorExpr, x operand, f, how int32) operand {
	s := site{kind: faultNilInterface, pos: dot(e), expr: e.X}
	if how&isCalled != 0 {
		s.pos = e.Sel.Pos()
	}
	w.fault(s, x)
	owner, name := w.dir.fields[f].row.owner, e.Sel.Name
	y := unknown()
	y.callee, y.member, y.name = owner, w.texts.number(name), name
	y.receiver, y.syn, y.sure = x.node, w.fieldSyntax(f, x.syn), true
	w.use(owner, e.Sel.Pos(), useImplicit, "")
	w.use(owner, e.Sel.Pos(), callUse(how), name)
	return y
}

// promoted evaluates a field or method that declaration n has from what it embeds.
func (w *walker) promoted(e *ast.SelectorExpr, x operand, n, how int32) (operand, bool) {
	f := w.promoting(n, e.Sel.Name)
	if f == none {
		return operand{}, false
	}
	if w.dir.decls[n].row.flags&declStruct != 0 {
		x = w.fieldOfWritten(e, x, f, accessRead)
	} else {
		x.syn = w.dir.fields[f].expr // of an interface in another
	}
	return w.memberOfWritten(e, x, how)
}

// promoting returns the embedded field of declaration n through which the shortest way
// leads to a field or method of that name, or none.
func (w *walker) promoting(n int32, name string) int32 {
	type step struct{ decl, field int32 }
	seen := map[int32]bool{n: true}
	for queue := []step{{n, none}}; len(queue) > 0 && len(seen) < maxScan; queue = queue[1:] {
		at := queue[0]
		if _, ok := w.dir.methods[methodKey{at.decl, name}]; ok {
			return at.field
		}
		if _, ok := w.dir.fieldNamed(at.decl, name); ok {
			return at.field
		}
		for _, f := range w.dir.embeddedIn(at.decl) {
			to, first := w.writtenDecl(w.dir.fields[f].expr), at.field
			if to == none || seen[to] {
				continue
			}
			if first == none {
				first = f
			}
			seen[to] = true
			queue = append(queue, step{to, first})
		}
	}
	return none
}

// writtenLiteral notes a literal, and the fields that it sets by name, where nothing but
// the written type tells what it is of.
func (w *walker) writtenLiteral(e *ast.CompositeLit, syn ast.Expr) {
	n := w.writtenDecl(syn)
	if n == none || w.dir.decls[n].row.flags&declStruct == 0 {
		w.foreignLiteral(e)
		return
	}
	number := int32(len(w.literals))
	flags := int32(0)
	if len(e.Elts) > 0 {
		if _, keyed := e.Elts[0].(*ast.KeyValueExpr); !keyed {
			flags = literalPositional
		}
	}
	w.literals = append(w.literals, literalRow{w.decl.number, n, w.line(e.Pos()), flags})
	for i, element := range e.Elts {
		f, given, ok := w.dir.decls[n].fieldFrom+int32(i), element, flags != 0
		if pair, keyed := element.(*ast.KeyValueExpr); keyed {
			given, ok = pair.Value, false
			if id, named := pair.Key.(*ast.Ident); named {
				f, ok = w.dir.fieldNamed(n, id.Name)
			}
		}
		x := w.element(given, nil, nil)
		if ok && f < w.dir.decls[n].fieldTo {
			row := settingRow{literal: number, field: f}
			if x.mode == modeNil {
				row.isNil = 1
			}
			w.settings = append(w.settings, row)
		}
	}
}
