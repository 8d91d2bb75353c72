package symtab

import (
	"runtime"
	"slices"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends the table in the form that triage/core/table.py describes.
func (t *Table) AppendJSON(b []byte) []byte {
	if t.unchecked {
		// First, so that a reader can tell without reading on.
		b = append(b, `{"unchecked":true,"schema":`...)
	} else {
		b = append(b, `{"schema":`...)
	}
	b = strconv.AppendInt(b, Schema, 10)
	b = append(b, `,"go":`...)
	b = appendText(b, runtime.Version())
	b = append(b, `,"context":[`...)
	b = appendText(b, t.goos)
	b = append(b, ',')
	b = appendText(b, t.goarch)
	b = append(b, ',')
	b = appendTexts(b, t.tags)
	b = append(b, ']')
	b = appendLists(b, t)
	b = appendAt(b, t)
	b = appendBack(b, t)
	b = append(b, `,"strings":`...)
	b = appendTexts(b, t.texts.list)
	return append(b, '}')
}

func appendLists(b []byte, t *Table) []byte {
	b = appendInts(appendKey(b, "packages"), t.packages)
	b = appendRows(b, "files", t.files)
	b = appendRows(b, "imports", t.imports)
	b = appendRows(b, "lines", t.lines)
	b = appendRows(b, "errors", t.errors)
	b = appendRows(b, "decls", t.decls)
	b = appendRows(b, "fields", t.fields)
	b = appendRows(b, "types", t.types)
	b = appendRows(b, "externals", t.externals)
	b = appendRows(b, "uses", t.uses)
	b = appendRows(b, "literals", t.literals)
	b = appendRows(b, "settings", t.settings)
	b = appendRows(b, "accesses", t.accesses)
	b = appendRows(b, "implements", t.implements)
	b = appendRows(b, "nodes", t.nodes)
	b = appendRows(b, "origins", t.origins)
	b = appendRows(b, "faults", t.faults)
	b = appendRows(b, "arguments", t.arguments)
	b = appendRows(b, "returns", t.returns)
	return appendRows(b, "words", t.words)
}

// row is a record that can append its columns, each behind a comma.
type row interface{ appendTo(b []byte) []byte }

func appendRows[R row](b []byte, name string, rows []R) []byte {
	b = appendKey(b, name)
	start := len(b)
	b = append(b, '[')
	for i := range rows {
		b = rows[i].appendTo(b)
	}
	if len(rows) > 0 {
		// The first column wrote a comma where the list begins.
		copy(b[start:], b[start+1:])
		b[start] = '['
		b = b[:len(b)-1]
	}
	return append(b, ']')
}

func (r fileRow) appendTo(b []byte) []byte {
	return columns(b, r.name, r.pkg, r.verdict, r.flags, r.reason)
}

func (r importRow) appendTo(b []byte) []byte {
	return columns(b, r.file, r.name, r.path, r.line)
}

func (r wordRow) appendTo(b []byte) []byte {
	return columns(b, r.decl, r.text)
}

func (r lineRow) appendTo(b []byte) []byte {
	return columns(b, r.file, r.line, r.reportedFile, r.reportedLine)
}

func (r errorRow) appendTo(b []byte) []byte {
	return columns(b, r.file, r.line, r.column, r.message)
}

func (r declRow) appendTo(b []byte) []byte {
	return columns(b, r.kind, r.name, r.receiver, r.receiverType, r.pkg, r.file,
		r.line, r.endLine, r.start, r.end, r.docStart, r.docLine,
		r.groupStart, r.groupEnd, r.bodyStart, r.flags)
}

func (r fieldRow) appendTo(b []byte) []byte {
	return columns(b, r.owner, r.name, r.line, r.start, r.end, r.flags)
}

func (r typeRow) appendTo(b []byte) []byte {
	return columns(b, r.decl, r.role, r.slot, r.target, r.wrap, r.line)
}

func (r externalRow) appendTo(b []byte) []byte {
	return columns(b, r.parent, r.path, r.name, r.slot)
}

func (r useRow) appendTo(b []byte) []byte {
	return columns(b, r.decl, r.target, r.line, r.how, r.member)
}

func (r literalRow) appendTo(b []byte) []byte {
	return columns(b, r.decl, r.typ, r.line, r.flags)
}

func (r settingRow) appendTo(b []byte) []byte {
	return columns(b, r.literal, r.field, r.isNil)
}

func (r accessRow) appendTo(b []byte) []byte {
	return columns(b, r.decl, r.field, r.line, r.how, r.isNil)
}

func (r implementRow) appendTo(b []byte) []byte {
	return columns(b, r.typ, r.iface, r.pointer)
}

func (r nodeRow) appendTo(b []byte) []byte {
	return columns(b, r.kind, r.ref, r.name, r.slot, r.typ, r.line)
}

func (r originRow) appendTo(b []byte) []byte { return columns(b, r.node, r.origin) }

func (r faultRow) appendTo(b []byte) []byte {
	return columns(b, r.decl, r.line, r.kind, r.node, r.index, r.text, r.flags, r.first, r.last)
}

func (r argumentRow) appendTo(b []byte) []byte {
	return columns(b, r.decl, r.line, r.target, r.position, r.node, r.member)
}

func (r returnRow) appendTo(b []byte) []byte {
	return columns(b, r.decl, r.slot, r.node, r.line)
}

// maxDigits is the length of the longest number with its sign and a comma.
const maxDigits = 12

func columns(b []byte, values ...int32) []byte {
	b = slices.Grow(b, maxDigits*len(values))
	for _, v := range values {
		b = appendInt(append(b, ','), v)
	}
	return b
}

// appendInt is strconv.AppendInt with short ways for the numbers that most are.
func appendInt(b []byte, v int32) []byte {
	switch {
	case 0 <= v && v < 10:
		return append(b, byte('0'+v))
	case 10 <= v && v < 100:
		return append(b, byte('0'+v/10), byte('0'+v%10))
	case 100 <= v && v < 1000:
		return append(b, byte('0'+v/100), byte('0'+v/10%10), byte('0'+v%10))
	case 1000 <= v && v < 10000:
		return append(b, byte('0'+v/1000), byte('0'+v/100%10), byte('0'+v/10%10), byte('0'+v%10))
	case v == none:
		return append(b, "-2147483648"...)
	}
	return strconv.AppendInt(b, int64(v), 10)
}

func appendInts(b []byte, values []int32) []byte {
	b = append(b, '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendInt(b, v)
	}
	return append(b, ']')
}

func appendKey(b []byte, name string) []byte {
	b = append(b, ',', '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

func appendTexts(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, text := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(b, text)
	}
	return append(b, ']')
}

// appendText quotes text; bytes that are not UTF-8 become U+FFFD.
func appendText(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
			i++
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			i++
		case c < utf8.RuneSelf:
			b = append(b, c)
			i++
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			b = utf8.AppendRune(b, r)
			i += size
		}
	}
	return append(b, '"')
}
