package symtab

// found is what one checker found: its records, with numbers of its own for texts and
// externals, and where those of each declaration lie.
type found struct {
	facts
	texts   texts
	foreign []externalRow // number 0 is noExternal
	numbers map[externalRow]int32
	// callable says of an external whether its import path has a dot in its first
	// element: it may then be of the same repository.
	callable  []bool
	variables map[int32]int32 // externals of package variables, see variableExternal
	spans     []span          // by declaration
	// implementRows belong to no declaration.
	implementRows []implementRow
}

// counts are the lengths of the lists of facts.
type counts struct {
	types, uses, literals, settings, accesses  int
	nodes, origins, faults, arguments, returns int
}

// span is where the records of one declaration lie.
type span struct{ from, to counts }

// newFound makes lists that fit what size bytes of source usually give.
func newFound(dir *directory, size int) found {
	return found{
		types:     make([]typeRow, 0, size/400),
		uses:      make([]useRow, 0, size/45),
		accesses:  make([]accessRow, 0, size/250),
		nodes:     make([]nodeRow, 0, size/70),
		origins:   make([]originRow, 0, size/140),
		faults:    make([]faultRow, 0, size/100),
		arguments: make([]argumentRow, 0, size/120),
		texts:     newTexts(4 * len(dir.decls)),
		numbers:   make(map[externalRow]int32, len(dir.decls)),
		variables: make(map[int32]int32),
		spans:     make([]span, len(dir.decls)),
		foreign:   make([]externalRow, 1),
		callable:  make([]bool, 1),
	}
}

func (n counts) plus(m counts) counts {
	return counts{
		types: n.types + m.types, uses: n.uses + m.uses, literals: n.literals + m.literals,
		settings: n.settings + m.settings, accesses: n.accesses + m.accesses,
		nodes: n.nodes + m.nodes, origins: n.origins + m.origins, faults: n.faults + m.faults,
		arguments: n.arguments + m.arguments, returns: n.returns + m.returns,
	}
}

func (f *facts) counts() counts {
	return counts{
		types: len(f.types), uses: len(f.uses), literals: len(f.literals),
		settings: len(f.settings), accesses: len(f.accesses), nodes: len(f.nodes),
		origins: len(f.origins), faults: len(f.faults), arguments: len(f.arguments),
		returns: len(f.returns),
	}
}
