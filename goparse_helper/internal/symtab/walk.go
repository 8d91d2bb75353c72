package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
)

// walker goes once over a declaration, bottom up: each expression is evaluated to an
// operand, and on the way everything that the table wants is noted.
type walker struct {
	*checker
	decl *decl
	file *file
	// locals are the variables of the declaration and of its closures.
	locals map[*types.Var]local
	values graph
	kept   []int32 // nodes that the table gets
	asked  []int32 // nodes that are still to be kept
	// starts are those of operands that begin with many others, see start.
	starts map[ast.Expr]token.Pos
	from   counts
	statement
	current  int       // index of the line that was asked for last
	closures int       // how many are open
	end      token.Pos // closing brace of the innermost function
	results  []*types.Var
}

// statement is the innermost simple statement. Its lines are looked up when something
// in it can fault.
type statement struct {
	node        ast.Node
	first, last int32 // 0 before they are looked up
}

// local is what is known of a local variable.
type local struct {
	node int32
	syn  ast.Expr // its type as written, where it is
	ext  int32    // the external that it holds, or noExternal
}

// mode says what an operand is.
type mode uint8

const (
	modeNone mode = iota
	modeValue
	modeConstant
	modeNil
	modeType
	modePackage
	modeBuiltin
)

// operand is an evaluated expression: what operand is to go/types, less exact but with
// names for what is foreign.
type operand struct {
	typ  types.Type // invalid or nil where it is foreign or not known
	syn  ast.Expr   // its type as written, of use where typ holds something foreign
	ext  int32      // the external that it is, or noExternal
	node int32      // where it comes from, or noNode
	// callee, member and receiver describe a function that can be called.
	callee   int32
	member   int32
	receiver int32
	mode     mode
	sure     bool // it is not nil: an address, a function
	// expression: the first argument is the receiver, as in T.Method(x).
	expression bool
	call       *ast.CallExpr // of a tuple
	name       string        // of a builtin or a method
}

// unknown is a value of which nothing is known.
func unknown() operand { return value(types.Typ[types.Invalid], nil, noNode) }

func value(typ types.Type, syn ast.Expr, node int32) operand {
	return operand{mode: modeValue, typ: typ, syn: syn, node: node, callee: none}
}

// walk notes the facts of d.
func (w *walker) walk(d *decl) {
	w.decl, w.file, w.from = d, d.file, w.counts()
	w.current, w.closures, w.results, w.statement = 0, 0, nil, statement{}
	w.values.reset()
	if w.locals == nil || len(w.locals) > maxReused {
		w.locals = make(map[*types.Var]local, 64)
	}
	clear(w.locals)
	w.starts = nil
	w.signature()
	switch {
	case d.fn != nil && d.fn.Body != nil:
		w.function(d.fn)
	case d.value != nil:
		w.initialiser()
	}
	w.finish()
}

// function walks the body of a top-level function.
func (w *walker) function(fn *ast.FuncDecl) {
	if fn.Recv != nil {
		for _, f := range fn.Recv.List {
			for _, name := range f.Names {
				w.parameter(name, f.Type, graphNode{kind: nodeReceiver, name: name.Name})
			}
		}
	}
	position := int32(0)
	for _, f := range fn.Type.Params.List {
		for _, name := range f.Names {
			w.parameter(name, f.Type, graphNode{kind: nodeParameter, ref: position, name: name.Name})
			position++
		}
		if len(f.Names) == 0 {
			position++
		}
	}
	w.body(fn.Type, fn.Body)
}

func (w *walker) parameter(name *ast.Ident, syn ast.Expr, n graphNode) {
	obj := w.defined(name)
	if obj == nil {
		return
	}
	n.line = w.line(name.Pos())
	n.typ, n.syn = obj.Type(), syn
	w.locals[obj] = local{node: w.values.add(n), syn: syn}
}

// body walks a function's statements; parameters are known by now, results are not.
func (w *walker) body(typ *ast.FuncType, body *ast.BlockStmt) {
	results, end := w.results, w.end
	w.results, w.end = nil, body.Rbrace
	if typ.Results != nil {
		for _, f := range typ.Results.List {
			for _, name := range f.Names {
				w.named(name, f.Type)
				w.results = append(w.results, w.defined(name))
			}
		}
	}
	w.block(body.List)
	w.results, w.end = results, end
}

// defined returns the variable that name introduces, or nil.
func (w *walker) defined(name *ast.Ident) *types.Var {
	v, _ := w.info.Defs[name].(*types.Var)
	return v
}

// named defines a variable that begins with its zero value.
func (w *walker) named(name *ast.Ident, syn ast.Expr) {
	obj := w.defined(name)
	if obj == nil {
		return
	}
	zero := w.zero(obj.Type(), syn, name.Pos())
	w.define(name, obj, value(obj.Type(), syn, zero))
}

// zero returns the node of a zero value.
func (w *walker) zero(typ types.Type, syn ast.Expr, pos token.Pos) int32 {
	if isNilable(typ) || isNilableSyntax(syn) {
		return w.nilNode(w.line(pos))
	}
	return w.values.add(graphNode{kind: nodeLiteral, ref: w.typeTarget(typ, syn, noExternal),
		typ: typ, syn: syn, line: w.line(pos)})
}

// initialiser walks the value that a package variable or constant begins with.
func (w *walker) initialiser() {
	spec := w.decl.value
	w.at(spec)
	if spec.Type != nil {
		w.typeExpr(spec.Type)
		if len(spec.Values) == 0 && w.decl.row.kind == kindVar {
			w.zeroLiteral(w.info.Defs[w.decl.ident], w.decl.ident.Pos())
		}
	}
	switch {
	case w.decl.row.kind == kindConst:
		if w.decl.index < len(spec.Values) {
			w.constant(spec.Values[w.decl.index])
		}
	case w.decl.index < len(spec.Values) && len(spec.Values) == len(spec.Names):
		w.expr(spec.Values[w.decl.index], accessRead)
	case len(spec.Values) == 1:
		w.expr(spec.Values[0], accessRead|commaOK)
	}
}

// at makes n the innermost simple statement.
func (w *walker) at(n ast.Node) { w.statement = statement{node: n} }

// lines returns the first and last line of the innermost simple statement.
func (w *walker) lines() (first, last int32) {
	if w.first == 0 && w.node != nil {
		w.first, w.last = w.line(w.node.Pos()), w.line(w.node.End()-1)
	}
	return w.first, w.last
}

// line returns the physical line of pos, which is mostly that of the last one.
func (w *walker) line(pos token.Pos) int32 {
	offset, lines := int(pos)-w.file.base, w.file.lines
	if i := w.current; i < len(lines) && lines[i] <= offset {
		for ; i < w.current+4 && i < len(lines); i++ {
			if i+1 == len(lines) || offset < lines[i+1] {
				w.current = i
				return int32(i + 1)
			}
		}
	}
	w.current = max(sort.SearchInts(lines, offset+1)-1, 0)
	return int32(w.current + 1)
}

// maxText limits the source text of an operand.
const maxText = 120

// text returns the number of the source text of expr.
func (w *walker) text(expr ast.Expr) int32 {
	from := w.start(expr)
	return w.texts.numberOf(w.file.cut(w.file.source, from, endWithin(expr, from+maxText)))
}

// finish keeps the nodes that matter and puts the declaration's records in order.
func (w *walker) finish() {
	w.keepNodes()
	slices.SortStableFunc(w.settings[w.from.settings:], func(a, b settingRow) int {
		return int(a.literal - b.literal)
	})
	w.mergeUses()
	w.spans[w.decl.number] = span{from: w.from, to: w.counts()}
}
