package symtab

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
)

// use notes that the declaration uses target.
func (w *walker) use(target int32, pos token.Pos, how int32, member string) {
	row := useRow{decl: w.decl.number, target: target, line: w.line(pos), how: how}
	if member != "" {
		row.member = w.texts.number(member)
	}
	w.uses = append(w.uses, row)
}

// implicit notes the named type of a value on which something is selected.
func (w *walker) implicit(t types.Type, pos token.Pos) {
	if n := w.namedDecl(t); n != none {
		w.use(n, pos, useImplicit, "")
	}
}

// mergeUses sorts the declaration's uses by line and makes one of those that differ in
// how alone; the order of the first ones stays.
func (w *walker) mergeUses() {
	rows := w.uses[w.from.uses:]
	slices.SortStableFunc(rows, func(a, b useRow) int { return cmp.Compare(a.line, b.line) })
	kept := rows[:0]
	for from := 0; from < len(rows); {
		to := from + 1
		for to < len(rows) && rows[to].line == rows[from].line {
			to++
		}
		kept = w.mergeLine(kept, rows[from:to])
		from = to
	}
	w.uses = w.uses[:w.from.uses+len(kept)]
}

// maxScan is how many records are compared one by one. Generated files can have all
// their code in one line.
const maxScan = 64

// mergeLine appends the uses of one line to kept, which lies before them in the same
// array.
func (w *walker) mergeLine(kept, line []useRow) []useRow {
	type key struct{ target, member int32 }
	var seen map[key]int
	if len(line) > maxScan {
		seen = make(map[key]int, len(line))
	}
	first := len(kept)
	for _, row := range line {
		k := key{row.target, row.member}
		i, found := seen[k]
		if seen == nil {
			i = first + slices.IndexFunc(kept[first:], func(other useRow) bool {
				return other.target == row.target && other.member == row.member
			})
			found = i >= first
		}
		if found {
			kept[i].how |= row.how
			continue
		}
		if seen != nil {
			seen[k] = len(kept)
		}
		kept = append(kept, row)
	}
	return kept
}

// access notes what is done to a field.
func (w *walker) access(field int32, pos token.Pos, how int32) {
	row := accessRow{decl: w.decl.number, field: field, line: w.line(pos), how: how & accessBits}
	if how&isPart != 0 || row.how == 0 {
		row.how = accessRead | how&accessElement
	}
	if how&assignsNil != 0 {
		row.isNil = 1
	}
	rows := w.accesses[w.from.accesses:]
	for i := len(rows) - 1; i >= max(0, len(rows)-maxScan) && rows[i].line == row.line; i-- {
		if rows[i].field == field && rows[i].isNil == row.isNil &&
			rows[i].how&accessElement == row.how&accessElement {
			rows[i].how |= row.how
			return
		}
	}
	w.accesses = append(w.accesses, row)
}
