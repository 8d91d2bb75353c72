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
	for _, row := range rows {
		i := len(kept) - 1
		for ; i >= 0 && kept[i].line == row.line; i-- {
			if kept[i].target == row.target && kept[i].member == row.member {
				break
			}
		}
		if i >= 0 && kept[i].line == row.line {
			kept[i].how |= row.how
			continue
		}
		kept = append(kept, row)
	}
	w.uses = w.uses[:w.from.uses+len(kept)]
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
	for i := len(rows) - 1; i >= 0 && rows[i].line == row.line; i-- {
		if rows[i].field == field && rows[i].isNil == row.isNil &&
			rows[i].how&accessElement == row.how&accessElement {
			rows[i].how |= row.how
			return
		}
	}
	w.accesses = append(w.accesses, row)
}
