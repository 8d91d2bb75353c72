package symtab

// shortest is the length from which an identifier says something of its own.
const shortest = 3

// addWords notes the identifiers in the text of each declaration, once each. They are
// compared by how rare they are, so that no list of common ones is needed; keywords are
// left out since every function has them.
func (t *Table) addWords(dir *directory) {
	var last []int32 // by text: the declaration that had it last, counted from 1
	for i, d := range dir.decls {
		mark := int32(i) + 1
		words(d.file.source[d.row.start:d.row.end], func(word []byte) {
			n := t.texts.numberOf(word)
			if int(n) >= len(last) {
				last = append(last, make([]int32, int(n)+1024-len(last))...)
			}
			if last[n] != mark {
				last[n] = mark
				t.words = append(t.words, wordRow{decl: int32(i), text: n})
			}
		})
	}
}

// words calls yield with each identifier of src that stands outside of comments and
// literals. What is no Go gives words all the same.
func words(src []byte, yield func([]byte)) {
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case isLetter(c):
			start := i
			for i < len(src) && (isLetter(src[i]) || '0' <= src[i] && src[i] <= '9') {
				i++
			}
			if word := src[start:i]; len(word) >= shortest && !isKeyword(word) {
				yield(word)
			}
		case c == '"' || c == '\'' || c == '`':
			i = afterQuote(src, i)
		case c == '/' && i+1 < len(src) && (src[i+1] == '/' || src[i+1] == '*'):
			i = afterComment(src, i)
		case '0' <= c && c <= '9':
			for i < len(src) && (isLetter(src[i]) || '0' <= src[i] && src[i] <= '9') {
				i++
			}
		default:
			i++
		}
	}
}

// isLetter takes every byte of a letter beyond ASCII for one.
func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}

// afterQuote returns the offset behind the literal that begins at i.
func afterQuote(src []byte, i int) int {
	quote := src[i]
	for i++; i < len(src); i++ {
		switch {
		case src[i] == quote:
			return i + 1
		case src[i] == '\\' && quote != '`':
			i++
		case src[i] == '\n' && quote != '`':
			return i
		}
	}
	return len(src)
}

// afterComment returns the offset behind the comment that begins at i.
func afterComment(src []byte, i int) int {
	if src[i+1] == '/' {
		for i < len(src) && src[i] != '\n' {
			i++
		}
		return i
	}
	for i += 2; i+1 < len(src); i++ {
		if src[i] == '*' && src[i+1] == '/' {
			return i + 2
		}
	}
	return len(src)
}

func isKeyword(word []byte) bool {
	switch string(word) {
	case "break", "case", "chan", "const", "continue", "default", "defer", "else",
		"fallthrough", "for", "func", "goto", "import", "interface", "map", "package",
		"range", "return", "select", "struct", "switch", "type", "var",
		"append", "bool", "byte", "cap", "err", "error", "false", "int", "len", "make",
		"new", "nil", "string", "true":
		return true
	}
	return false
}
