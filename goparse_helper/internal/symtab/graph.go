package symtab

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// noNode is the number of no node: graphs begin with one that stands for none.
const noNode int32 = 0

// graph holds the values of one declaration and what each was taken out of.
type graph struct {
	nodes []graphNode
	edges []edge // number 0 is the end of every list
	index map[graphKey]int32
}

// graphNode is a value while its declaration is walked. Its type is looked up only
// when the node is kept.
type graphNode struct {
	kind, ref   int32
	name        string
	slot, line  int32
	typ         types.Type
	syn         ast.Expr
	ext         int32
	first, last int32 // edges to its origins
	degree      int32 // how many they are
	number      int32 // in the checker's list, 1 more; 0 before it is kept
}

// edge is one origin of a node.
type edge struct{ origin, next int32 }

// graphKey tells nodes of which one is enough; with edgeKey for a kind, edges.
type graphKey struct{ kind, ref, base int32 }

const edgeKey int32 = -1

// maxReused bounds what a graph keeps for the next declaration.
const maxReused = 4096

// reset empties the graph but keeps its memory.
func (g *graph) reset() {
	if len(g.nodes) > maxReused || g.index == nil {
		*g = graph{
			nodes: make([]graphNode, 0, 128), edges: make([]edge, 0, 128),
			index: make(map[graphKey]int32, 64),
		}
	}
	clear(g.index)
	g.nodes = append(g.nodes[:0], graphNode{})
	g.edges = append(g.edges[:0], edge{})
}

func (g *graph) add(n graphNode) int32 {
	g.nodes = append(g.nodes, n)
	return int32(len(g.nodes) - 1)
}

// intern adds n, taken out of base, or returns the node that is equal in kind, ref and
// base.
func (g *graph) intern(n graphNode, base int32) int32 {
	key := graphKey{n.kind, n.ref, base}
	if i, ok := g.index[key]; ok {
		return i
	}
	i := g.add(n)
	g.flow(i, base)
	g.index[key] = i
	return i
}

// flow says that node to can hold what node from holds.
func (g *graph) flow(to, from int32) {
	if to == noNode || from == noNode || to == from {
		return
	}
	n := &g.nodes[to]
	if g.flows(n, to, from) {
		return
	}
	n.degree++
	e := int32(len(g.edges))
	g.edges = append(g.edges, edge{origin: from})
	if n.first == 0 {
		n.first = e
	} else {
		g.edges[n.last].next = e
	}
	n.last = e
}

// flows reports whether node from is an origin of n, which is node to. Of many origins
// those behind the first ones stand in the index.
func (g *graph) flows(n *graphNode, to, from int32) bool {
	seen := 0
	for e := n.first; e != 0 && seen < maxScan; e = g.edges[e].next {
		if g.edges[e].origin == from {
			return true
		}
		seen++
	}
	if n.degree < maxScan {
		return false
	}
	key := graphKey{edgeKey, to, from}
	_, ok := g.index[key]
	g.index[key] = from
	return ok
}

// other returns the node of a value that is made out of others.
func (w *walker) other(pos token.Pos, parts ...operand) int32 {
	from, many := noNode, false
	for i := range parts {
		switch n := parts[i].node; {
		case n == noNode || n == from:
		case from == noNode:
			from = n
		default:
			many = true
		}
	}
	if from == noNode {
		return noNode
	}
	n := graphNode{kind: nodeOther, line: w.line(pos)}
	if !many {
		return w.values.intern(n, from)
	}
	i := w.values.add(n)
	for j := range parts {
		w.values.flow(i, parts[j].node)
	}
	return i
}

// nodeOf returns the node of x, one of the kind "other" where x is a constant.
func (w *walker) nodeOf(x operand, pos token.Pos) int32 {
	if x.node != noNode {
		return x.node
	}
	return w.values.intern(graphNode{kind: nodeOther, line: w.line(pos)}, noNode)
}

// nilNode returns the node of a nil of that line.
func (w *walker) nilNode(line int32) int32 {
	n := w.values.intern(graphNode{kind: nodeNil, ref: line, line: line}, noNode)
	w.values.nodes[n].ref = 0
	return n
}

// keepNodes moves the nodes that faults, arguments and returns hang on into the
// checker's list and renumbers them there.
func (w *walker) keepNodes() {
	w.kept = w.kept[:0]
	for i := range w.faults[w.from.faults:] {
		row := &w.faults[w.from.faults+i]
		row.node, row.index = w.keep(row.node), w.keep(row.index)
	}
	for i := range w.arguments[w.from.arguments:] {
		row := &w.arguments[w.from.arguments+i]
		row.node = w.keep(row.node)
	}
	for i := range w.returns[w.from.returns:] {
		row := &w.returns[w.from.returns+i]
		row.node = w.keep(row.node)
	}
	for _, i := range w.kept {
		n := &w.values.nodes[i]
		w.nodes = append(w.nodes, nodeRow{
			kind: n.kind, ref: n.ref, name: w.texts.number(n.name), slot: n.slot,
			typ: w.typeTarget(n.typ, n.syn, n.ext), line: n.line,
		})
		for e := n.first; e != 0; e = w.values.edges[e].next {
			w.origins = append(w.origins,
				originRow{n.number - 1, w.values.nodes[w.values.edges[e].origin].number - 1})
		}
	}
}

// keep returns the number of node i in the checker's list, which it and all that it
// was taken out of get when first asked for. A chain can be as long as its function, so
// that this does not recurse.
func (w *walker) keep(i int32) int32 {
	if i == noNode {
		return none
	}
	w.asked = append(w.asked[:0], i)
	for len(w.asked) > 0 {
		last := len(w.asked) - 1
		next := w.asked[last]
		w.asked = w.asked[:last]
		n := &w.values.nodes[next]
		if n.number != 0 {
			continue
		}
		w.kept = append(w.kept, next)
		n.number = int32(w.from.nodes + len(w.kept))
		for e := n.first; e != 0; e = w.values.edges[e].next {
			w.asked = append(w.asked, w.values.edges[e].origin)
		}
		slices.Reverse(w.asked[last:])
	}
	return w.values.nodes[i].number - 1
}
