package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
)

func (w *walker) block(list []ast.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

// stmt walks one statement.
func (w *walker) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		w.at(s)
		w.expr(s.X, accessRead|unused)
	case *ast.AssignStmt:
		w.at(s)
		w.assign(s)
	case *ast.ReturnStmt:
		w.at(s)
		w.returned(s)
	case *ast.DeclStmt:
		w.declStmt(s)
	case *ast.DeferStmt:
		w.at(s)
		w.call(s.Call, inDefer|unused)
	case *ast.GoStmt:
		w.at(s)
		w.call(s.Call, inGo|unused)
	case *ast.SendStmt:
		w.at(s)
		w.expr(s.Value, accessRead)
		channel := w.expr(s.Chan, accessSend)
		w.fault(site{kind: faultSend, pos: s.Arrow, expr: s.Chan}, channel)
	case *ast.IncDecStmt:
		w.at(s)
		w.expr(s.X, accessUpdate)
	case *ast.LabeledStmt:
		w.stmt(s.Stmt)
	default:
		w.compound(s)
	}
}

// compound walks a statement that holds others.
func (w *walker) compound(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		w.block(s.List)
	case *ast.IfStmt:
		w.optional(s.Init)
		w.head(s.Cond)
		w.block(s.Body.List)
		w.optional(s.Else)
	case *ast.ForStmt:
		w.optional(s.Init)
		w.head(s.Cond)
		w.optional(s.Post)
		w.block(s.Body.List)
	case *ast.RangeStmt:
		w.rangeOver(s)
		w.block(s.Body.List)
	case *ast.SwitchStmt:
		w.optional(s.Init)
		w.head(s.Tag)
		w.block(s.Body.List)
	case *ast.CaseClause:
		for _, e := range s.List {
			w.head(e)
		}
		w.block(s.Body)
	case *ast.TypeSwitchStmt:
		w.typeSwitch(s)
	case *ast.SelectStmt:
		w.block(s.Body.List)
	case *ast.CommClause:
		w.optional(s.Comm)
		w.block(s.Body)
	}
}

func (w *walker) optional(s ast.Stmt) {
	if s != nil {
		w.stmt(s)
	}
}

// head evaluates the expression in the head of a compound statement.
func (w *walker) head(e ast.Expr) {
	if e != nil {
		w.at(e)
		w.expr(e, accessRead)
	}
}

func (w *walker) declStmt(s *ast.DeclStmt) {
	group, ok := s.Decl.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range group.Specs {
		w.at(spec)
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			w.typeExpr(spec.Type)
		case *ast.ValueSpec:
			w.valueSpec(spec, group.Tok == token.VAR)
		}
	}
}

func (w *walker) valueSpec(spec *ast.ValueSpec, variable bool) {
	if spec.Type != nil {
		w.typeExpr(spec.Type)
	}
	switch {
	case !variable:
		for _, v := range spec.Values {
			w.constant(v)
		}
	case len(spec.Values) == 0:
		for _, name := range spec.Names {
			w.zeroLiteral(w.info.Defs[name], name.Pos())
			w.named(name, spec.Type)
		}
	default:
		xs := w.operands(spec.Values, len(spec.Names))
		for i, name := range spec.Names {
			x := xs[i]
			if spec.Type != nil {
				x.syn, x.ext = spec.Type, noExternal
			}
			if obj := w.defined(name); obj != nil {
				w.define(name, obj, x)
			}
		}
	}
}

// operands evaluates a list of expressions that gives n values.
func (w *walker) operands(list []ast.Expr, n int) []operand {
	xs := make([]operand, 0, max(n, len(list)))
	if len(list) == 1 && n > 1 {
		x := w.expr(list[0], accessRead|commaOK)
		for i := range n {
			xs = append(xs, w.result(x, i))
		}
		return xs
	}
	for _, e := range list {
		xs = append(xs, w.expr(e, accessRead))
	}
	for len(xs) < n {
		xs = append(xs, unknown())
	}
	return xs
}

func (w *walker) assign(s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		w.updateBy(s)
		return
	}
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		w.assignTo(s.Lhs[0], w.expr(s.Rhs[0], accessRead), s.Tok == token.DEFINE)
		return
	}
	for i, x := range w.operands(s.Rhs, len(s.Lhs)) {
		if i < len(s.Lhs) {
			w.assignTo(s.Lhs[i], x, s.Tok == token.DEFINE)
		}
	}
}

// updateBy walks `x op= y`.
func (w *walker) updateBy(s *ast.AssignStmt) {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return
	}
	y := w.expr(s.Rhs[0], accessRead)
	x := w.expr(s.Lhs[0], accessUpdate)
	if s.Tok == token.QUO_ASSIGN || s.Tok == token.REM_ASSIGN {
		w.divisionFault(s.TokPos, x, s.Rhs[0], y)
	}
	if id, ok := ast.Unparen(s.Lhs[0]).(*ast.Ident); ok {
		if l, ok := w.localOf(w.info.Uses[id]); ok && y.node != noNode {
			w.values.flow(l.node, w.other(s.TokPos, y))
		}
	}
}

// assignTo lets the value x flow into an expression or, with fresh, into what may be a
// new variable.
func (w *walker) assignTo(lhs ast.Expr, x operand, fresh bool) {
	id, ok := ast.Unparen(lhs).(*ast.Ident)
	if !ok {
		how := accessAssign
		if x.mode == modeNil {
			how |= assignsNil
		}
		w.expr(lhs, how)
		return
	}
	if id.Name == "_" {
		return
	}
	if fresh {
		if obj := w.defined(id); obj != nil {
			w.define(id, obj, x)
			return
		}
	}
	obj := w.objectOf(id)
	if l, ok := w.localOf(obj); ok {
		w.values.flow(l.node, x.node)
		return
	}
	w.object(id, obj, accessAssign)
}

// define makes obj a local variable that begins with x.
func (w *walker) define(id *ast.Ident, obj *types.Var, x operand) {
	n := w.values.add(graphNode{kind: nodeLocal, name: id.Name, line: w.line(id.Pos()),
		typ: obj.Type(), syn: x.syn, ext: x.ext})
	w.values.flow(n, x.node)
	w.locals[obj] = local{node: n, syn: x.syn, ext: x.ext}
}

// localOf returns what is known of obj if it is a local variable.
func (w *walker) localOf(obj types.Object) (local, bool) {
	v, ok := obj.(*types.Var)
	if !ok {
		return local{}, false
	}
	l, ok := w.locals[v]
	return l, ok
}

func (w *walker) returned(s *ast.ReturnStmt) {
	if len(s.Results) == 0 {
		for i, obj := range w.results {
			if l, ok := w.locals[obj]; ok {
				w.giveBack(i, l.node, s.Pos())
			}
		}
		return
	}
	n := len(s.Results)
	if n == 1 && w.closures == 0 && w.decl.fn != nil {
		n = max(n, w.decl.fn.Type.Results.NumFields())
	}
	for i, x := range w.operands(s.Results, n) {
		w.giveBack(i, w.nodeOf(x, s.Pos()), s.Pos())
		if i < len(w.results) {
			if l, ok := w.locals[w.results[i]]; ok {
				w.values.flow(l.node, x.node)
			}
		}
	}
}

// giveBack notes one returned value. What closures return is no result of the
// declaration.
func (w *walker) giveBack(slot int, node int32, pos token.Pos) {
	if w.closures == 0 {
		w.returns = append(w.returns, returnRow{w.decl.number, int32(slot), node, w.line(pos)})
	}
}

// rangeHead is a range loop without its body.
type rangeHead struct{ *ast.RangeStmt }

// End returns the end of what is gone over.
func (h rangeHead) End() token.Pos { return h.X.End() }

// rangeOver walks the head of a range loop.
func (w *walker) rangeOver(s *ast.RangeStmt) {
	w.at(rangeHead{s})
	x := w.expr(s.X, accessRead|accessElement)
	w.rangeFault(s, x)
	if s.Key != nil {
		w.assignTo(s.Key, w.keyOf(x), s.Tok == token.DEFINE)
	}
	if s.Value != nil {
		w.assignTo(s.Value, w.secondOf(x), s.Tok == token.DEFINE)
	}
}

func (w *walker) typeSwitch(s *ast.TypeSwitchStmt) {
	w.optional(s.Init)
	w.at(s.Assign)
	var x operand
	var name *ast.Ident
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = w.expr(a.X, accessRead|commaOK)
	case *ast.AssignStmt:
		if len(a.Rhs) == 1 && len(a.Lhs) == 1 {
			x = w.expr(a.Rhs[0], accessRead|commaOK)
			name, _ = a.Lhs[0].(*ast.Ident)
		}
	}
	for _, c := range s.Body.List {
		if clause, ok := c.(*ast.CaseClause); ok {
			w.typeCase(clause, name, x)
		}
	}
}

// typeCase walks one clause of a type switch, which has a variable of its own.
func (w *walker) typeCase(clause *ast.CaseClause, name *ast.Ident, x operand) {
	for _, e := range clause.List {
		w.at(e)
		if id, ok := e.(*ast.Ident); ok && id.Name == "nil" {
			continue
		}
		w.typeExpr(e)
	}
	if obj, _ := w.info.Implicits[clause].(*types.Var); obj != nil && name != nil {
		if len(clause.List) == 1 {
			x.syn, x.ext = clause.List[0], noExternal
		}
		w.define(name, obj, x)
	}
	w.block(clause.Body)
}
