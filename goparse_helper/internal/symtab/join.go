package symtab

import (
	"cmp"
	"slices"
	"strings"
)

func (t *Table) addFiles(dir *directory) {
	for _, name := range dir.packages {
		t.packages = append(t.packages, t.texts.number(name))
	}
	for i, f := range dir.files {
		number := int32(i)
		t.files = append(t.files, fileRow{
			name: t.texts.number(f.name), pkg: f.pkg, verdict: f.verdict, flags: f.flags,
			reason: t.texts.number(f.reason),
		})
		for _, err := range f.errors {
			t.addError(f, number, err.Pos.Offset, err.Msg)
		}
		if f.verdict == verdictTaken {
			t.addImports(f, number)
		}
		t.addLines(f, number)
	}
}

// addError places an error by its offset: the line that it has itself is the one that
// //line says.
func (t *Table) addError(f *file, number int32, offset int, message string) {
	i, _ := slices.BinarySearch(f.lines, offset+1)
	line := max(i, 1)
	t.errors = append(t.errors, errorRow{
		file: number, line: int32(line), column: int32(offset - f.lines[line-1] + 1),
		message: t.texts.number(message),
	})
}

// addImports names each import as the file does, or as its path lets expect.
func (t *Table) addImports(f *file, number int32) {
	for _, spec := range f.syntax.Imports {
		path := importPath(spec)
		name := packageName(path)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		t.imports = append(t.imports, importRow{
			file: number, name: t.texts.number(name), path: t.texts.number(path),
			line: f.line(spec.Path.Pos()),
		})
	}
}

// addLines notes where the lines of a file begin to count as those of another.
func (t *Table) addLines(f *file, number int32) {
	changed := false
	for _, group := range f.syntax.Comments {
		for _, c := range group.List {
			if !strings.HasPrefix(c.Text, "//line ") && !strings.HasPrefix(c.Text, "/*line ") {
				continue
			}
			line := int(f.line(c.Pos()))
			if c.Text[1] == '/' {
				line++
			}
			if line > len(f.lines) || f.lines[line-1] == len(f.source) {
				continue // there is no line that it would be about
			}
			pos := c.End()
			if c.Text[1] == '/' {
				// Not LineStart: the parser may have stopped before it knew the line.
				pos = f.handle.Pos(f.lines[line-1])
			}
			reported := f.handle.PositionFor(pos, true)
			if !changed && reported.Filename == f.name && reported.Line == line {
				continue
			}
			changed = true
			t.lines = append(t.lines, lineRow{
				file: number, line: int32(line),
				reportedFile: t.texts.number(reported.Filename),
				reportedLine: int32(reported.Line),
			})
		}
	}
}

func (t *Table) addDecls(dir *directory) {
	t.decls = make([]declRow, len(dir.decls))
	for i, d := range dir.decls {
		row := d.row
		row.name = t.texts.number(d.ident.Name)
		row.receiver = t.texts.number(d.receiver)
		t.decls[i] = row
	}
}

func (t *Table) addFields(dir *directory) {
	t.fields = make([]fieldRow, len(dir.fields))
	for i, f := range dir.fields {
		row := f.row
		row.name = t.texts.number(f.name)
		t.fields[i] = row
	}
}

// join puts together what the checkers found, in the order of the declarations, so
// that the table does not hang on how many there were.
func (t *Table) join(dir *directory, checkers []*checker) {
	joiners := make([]*joiner, len(checkers))
	for i, c := range checkers {
		joiners[i] = newJoiner(t, c)
		t.implements = append(t.implements, c.implementRows...)
		for _, message := range c.failures {
			row := errorRow{file: none, message: t.texts.number(message)}
			if !slices.Contains(t.errors, row) { // both checkers fail alike
				t.errors = append(t.errors, row)
			}
		}
	}
	slices.SortFunc(t.implements, func(a, b implementRow) int {
		return cmp.Or(cmp.Compare(a.typ, b.typ), cmp.Compare(a.iface, b.iface))
	})
	t.externalNumbers = make(map[externalRow]int32, len(checkers[0].foreign))
	t.facts.grow(checkers)
	for n := range dir.decls {
		for i, c := range checkers {
			if c.share[n] {
				joiners[i].declaration(c.spans[n])
			}
		}
	}
}

// grow makes room for the records of all checkers.
func (f *facts) grow(checkers []*checker) {
	var n counts
	for _, c := range checkers {
		n = n.plus(c.counts())
	}
	f.types = make([]typeRow, 0, n.types)
	f.uses = make([]useRow, 0, n.uses)
	f.literals = make([]literalRow, 0, n.literals)
	f.settings = make([]settingRow, 0, n.settings)
	f.accesses = make([]accessRow, 0, n.accesses)
	f.nodes = make([]nodeRow, 0, n.nodes)
	f.origins = make([]originRow, 0, n.origins)
	f.faults = make([]faultRow, 0, n.faults)
	f.arguments = make([]argumentRow, 0, n.arguments)
	f.returns = make([]returnRow, 0, n.returns)
}

// joiner moves the records of one checker into the table, under the table's numbers.
type joiner struct {
	*checker
	table     *Table
	texts     []int32 // the table's number of each text and external, or none
	externals []int32
	// nodeShift and literalShift are added to the numbers of the declaration at work.
	nodeShift, literalShift int32
}

func newJoiner(t *Table, c *checker) *joiner {
	j := &joiner{checker: c, table: t,
		texts: make([]int32, len(c.texts.list)), externals: make([]int32, len(c.foreign))}
	for i := range j.texts {
		j.texts[i] = none
	}
	for i := range j.externals {
		j.externals[i] = none
	}
	return j
}

func (j *joiner) text(n int32) int32 {
	if j.texts[n] == none {
		j.texts[n] = j.table.texts.number(j.checker.texts.list[n])
	}
	return j.texts[n]
}

func (j *joiner) external(n int32) int32 {
	if j.externals[n] == none {
		row := j.foreign[n]
		row.path, row.name = j.text(row.path), j.text(row.name)
		if row.parent != none {
			row.parent = j.external(row.parent)
		}
		j.externals[n] = j.table.externalNumber(row)
	}
	return j.externals[n]
}

func (j *joiner) target(n int32) int32 {
	if n >= 0 || n == none {
		return n
	}
	return ^j.external(^n)
}

func (j *joiner) node(n int32) int32 {
	if n == none {
		return none
	}
	return n + j.nodeShift
}

func (j *joiner) declaration(s span) {
	t := j.table
	j.nodeShift = int32(len(t.nodes) - s.from.nodes)
	j.literalShift = int32(len(t.literals) - s.from.literals)
	for _, r := range j.types[s.from.types:s.to.types] {
		r.target = j.target(r.target)
		t.types = append(t.types, r)
	}
	for _, r := range j.uses[s.from.uses:s.to.uses] {
		r.target, r.member = j.target(r.target), j.text(r.member)
		t.uses = append(t.uses, r)
	}
	t.literals = append(t.literals, j.literals[s.from.literals:s.to.literals]...)
	for _, r := range j.settings[s.from.settings:s.to.settings] {
		r.literal += j.literalShift
		t.settings = append(t.settings, r)
	}
	t.accesses = append(t.accesses, j.accesses[s.from.accesses:s.to.accesses]...)
	j.values(s)
}

func (j *joiner) values(s span) {
	t := j.table
	for _, r := range j.nodes[s.from.nodes:s.to.nodes] {
		if r.kind == nodeCall || r.kind == nodeExternal || r.kind == nodeLiteral {
			r.ref = j.target(r.ref)
		}
		r.name, r.typ = j.text(r.name), j.target(r.typ)
		t.nodes = append(t.nodes, r)
	}
	for _, r := range j.origins[s.from.origins:s.to.origins] {
		t.origins = append(t.origins, originRow{j.node(r.node), j.node(r.origin)})
	}
	for _, r := range j.faults[s.from.faults:s.to.faults] {
		r.node, r.index, r.text = j.node(r.node), j.node(r.index), j.text(r.text)
		t.faults = append(t.faults, r)
	}
	for _, r := range j.arguments[s.from.arguments:s.to.arguments] {
		r.target, r.node, r.member = j.target(r.target), j.node(r.node), j.text(r.member)
		t.arguments = append(t.arguments, r)
	}
	for _, r := range j.returns[s.from.returns:s.to.returns] {
		r.node = j.node(r.node)
		t.returns = append(t.returns, r)
	}
}

// externalNumber returns the number of row, which it adds where it is new.
func (t *Table) externalNumber(row externalRow) int32 {
	n, ok := t.externalNumbers[row]
	if !ok {
		n = int32(len(t.externals))
		t.externals = append(t.externals, row)
		t.externalNumbers[row] = n
	}
	return n
}
