package symtab

import (
	"go/ast"
	"go/types"
	"slices"
)

// noNode is the number of no node: graphs begin with one that stands for none.
const noNode int32 = 0

// graph holds the values of one declaration and what each was taken out of.
type graph struct {
	nodes []graphNode
	index map[graphKey]int32
}

// graphNode is a value while its declaration is walked. Its type is looked up only
// when the node is kept.
type graphNode struct {
	kind, ref int32
	name      string
	slot      int32
	line      int32
	typ       types.Type
	syn       ast.Expr
	ext       int32
	origins   []int32
}

// graphKey tells nodes of which one is enough.
type graphKey struct {
	kind, ref, base, slot int32
	name                  string
}

func newGraph() graph {
	return graph{nodes: make([]graphNode, 1, 16)}
}

func (g *graph) add(n graphNode) int32 {
	g.nodes = append(g.nodes, n)
	return int32(len(g.nodes) - 1)
}

// intern adds n or returns the node that is equal in kind, ref, name, slot and origin.
func (g *graph) intern(n graphNode, base ...int32) int32 {
	key := graphKey{kind: n.kind, ref: n.ref, name: n.name, slot: n.slot, base: noNode}
	if len(base) == 1 {
		key.base = base[0]
	}
	if n.kind == nodeNil {
		key.ref = n.line
	}
	if i, ok := g.index[key]; ok {
		return i
	}
	if g.index == nil {
		g.index = make(map[graphKey]int32, 16)
	}
	i := g.add(n)
	for _, b := range base {
		g.flow(i, b)
	}
	g.index[key] = i
	return i
}

// flow says that node to can hold what node from holds.
func (g *graph) flow(to, from int32) {
	if to == noNode || from == noNode || to == from || slices.Contains(g.nodes[to].origins, from) {
		return
	}
	g.nodes[to].origins = append(g.nodes[to].origins, from)
}

// other returns the node of a value that is made out of others.
func (w *walker) other(parts ...operand) int32 {
	var origins []int32
	for _, x := range parts {
		if x.node != noNode && !slices.Contains(origins, x.node) {
			origins = append(origins, x.node)
		}
	}
	if len(origins) == 0 {
		return noNode
	}
	if len(origins) == 1 {
		return w.values.intern(graphNode{kind: nodeOther, line: w.first}, origins[0])
	}
	return w.values.add(graphNode{kind: nodeOther, line: w.first, origins: origins})
}

// nodeOf returns the node of x, one of the kind "other" where x is a constant.
func (w *walker) nodeOf(x operand) int32 {
	if x.node != noNode {
		return x.node
	}
	return w.values.intern(graphNode{kind: nodeOther, line: w.first})
}

// keepNodes moves the nodes that faults, arguments and returns hang on into the
// checker's list and renumbers them there.
func (w *walker) keepNodes() {
	numbers := make([]int32, len(w.values.nodes))
	for i := range numbers {
		numbers[i] = none
	}
	kept := make([]int32, 0, len(numbers))
	var keep func(n int32)
	keep = func(n int32) {
		if n == noNode || numbers[n] != none {
			return
		}
		numbers[n] = int32(w.from.nodes + len(kept))
		kept = append(kept, n)
		for _, origin := range w.values.nodes[n].origins {
			keep(origin)
		}
	}
	renumber := func(n *int32) {
		keep(*n)
		*n = numbers[*n] // none for noNode
	}
	for i := range w.faults[w.from.faults:] {
		row := &w.faults[w.from.faults+i]
		renumber(&row.node)
		renumber(&row.index)
	}
	for i := range w.arguments[w.from.arguments:] {
		renumber(&w.arguments[w.from.arguments+i].node)
	}
	for i := range w.returns[w.from.returns:] {
		renumber(&w.returns[w.from.returns+i].node)
	}
	for _, n := range kept {
		w.keepNode(&w.values.nodes[n], numbers)
	}
}

func (w *walker) keepNode(n *graphNode, numbers []int32) {
	number := int32(len(w.nodes))
	w.nodes = append(w.nodes, nodeRow{
		kind: n.kind, ref: n.ref, name: w.texts.number(n.name), slot: n.slot,
		typ: w.typeTarget(n.typ, n.syn, n.ext), line: n.line,
	})
	for _, origin := range n.origins {
		w.origins = append(w.origins, originRow{number, numbers[origin]})
	}
}
