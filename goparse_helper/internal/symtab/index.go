package symtab

// appendAt appends where the records of each owner begin in their lists.
func appendAt(b []byte, t *Table) []byte {
	decls := len(t.decls)
	b = append(b, `,"at":{`...)
	start := len(b)
	b = appendStarts(b, "fields", t.fields, decls, func(r *fieldRow) int32 { return r.owner })
	b = appendStarts(b, "types", t.types, decls, func(r *typeRow) int32 { return r.decl })
	b = appendStarts(b, "uses", t.uses, decls, func(r *useRow) int32 { return r.decl })
	b = appendStarts(b, "literals", t.literals, decls, func(r *literalRow) int32 { return r.decl })
	b = appendStarts(b, "settings", t.settings, len(t.literals),
		func(r *settingRow) int32 { return r.literal })
	b = appendStarts(b, "accesses", t.accesses, decls, func(r *accessRow) int32 { return r.decl })
	b = appendStarts(b, "origins", t.origins, len(t.nodes),
		func(r *originRow) int32 { return r.node })
	b = appendStarts(b, "faults", t.faults, decls, func(r *faultRow) int32 { return r.decl })
	b = appendStarts(b, "arguments", t.arguments, decls,
		func(r *argumentRow) int32 { return r.decl })
	b = appendStarts(b, "returns", t.returns, decls, func(r *returnRow) int32 { return r.decl })
	b = appendStarts(b, "words", t.words, decls, func(r *wordRow) int32 { return r.decl })
	return closeObject(b, start)
}

// appendBack appends the numbers of the records that point at each declaration, field
// or type.
func appendBack(b []byte, t *Table) []byte {
	decls := len(t.decls)
	b = append(b, `,"back":{`...)
	start := len(b)
	b = appendReverse(b, "methods", t.decls, decls, func(r *declRow) int32 { return r.receiverType })
	b = appendReverse(b, "types", t.types, decls, func(r *typeRow) int32 { return r.target })
	b = appendReverse(b, "uses", t.uses, decls, func(r *useRow) int32 { return r.target })
	b = appendReverse(b, "literals", t.literals, decls, func(r *literalRow) int32 { return r.typ })
	b = appendReverse(b, "accesses", t.accesses, len(t.fields),
		func(r *accessRow) int32 { return r.field })
	b = appendReverse(b, "arguments", t.arguments, decls,
		func(r *argumentRow) int32 { return r.target })
	b = appendReverse(b, "words", t.words, len(t.texts.list),
		func(r *wordRow) int32 { return r.text })
	return closeObject(b, start)
}

// closeObject drops the comma before the first key, which stands at start.
func closeObject(b []byte, start int) []byte {
	copy(b[start:], b[start+1:])
	b[len(b)-1] = '}'
	return b
}

// appendStarts wants rows sorted by key; keys run from 0 to count.
func appendStarts[R any](b []byte, name string, rows []R, count int, key func(*R) int32) []byte {
	starts := make([]int32, count+1)
	next := 0
	for owner := range starts {
		for next < len(rows) && key(&rows[next]) < int32(owner) {
			next++
		}
		starts[owner] = int32(next)
	}
	return appendInts(appendKey(b, name), starts)
}

// appendReverse groups the numbers of rows by key; keys below 0 have no group.
func appendReverse[R any](b []byte, name string, rows []R, count int, key func(*R) int32) []byte {
	starts := make([]int32, count+2)
	for i := range rows {
		if k := key(&rows[i]); k >= 0 {
			starts[k+2]++
		}
	}
	for i := 2; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	numbers := make([]int32, starts[len(starts)-1])
	// Filling moves each group's start to its end, which is where the next begins.
	for i := range rows {
		if k := key(&rows[i]); k >= 0 {
			numbers[starts[k+1]] = int32(i)
			starts[k+1]++
		}
	}
	b = append(appendKey(b, name), '[')
	b = appendInts(b, starts[:count+1])
	b = append(b, ',')
	b = appendInts(b, numbers)
	return append(b, ']')
}
