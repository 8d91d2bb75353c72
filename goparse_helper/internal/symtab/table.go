package symtab

import "math"

// Schema is the number of the table's form; it is raised with every change of the
// records, here and in triage/core/table.py.
const Schema = 1

// none stands where there is no declaration, no external, no node.
const none int32 = math.MinInt32

// Kinds of a declaration.
const (
	kindFunc int32 = iota
	kindMethod
	kindType
	kindVar
	kindConst
)

// Flags of a declaration.
const (
	declGrouped int32 = 1 << iota
	declIota
	declPointer
	declBodiless
	declStruct
	declInterface
	declAlias
	declGenerated
	declTest
	declEntry
)

// Flags of a file.
const (
	fileGenerated int32 = 1 << iota
	fileTest
	fileCgo
	fileBroken
)

// Verdicts of the build context on a file.
const (
	verdictTaken int32 = iota
	verdictExcluded
	verdictUnreadable
)

// Flags of a field.
const (
	fieldEmbedded int32 = 1 << iota
	fieldMethod
)

// Roles of a type in a declaration.
const (
	roleField int32 = iota
	roleReceiver
	roleParameter
	roleResult
	roleConstraint
	roleUnderlying
	roleValue
)

// Wraps say what stands between a place and the named type.
const (
	wrapDirect int32 = iota
	wrapPointer
	wrapContainer
	wrapFunction
	wrapArgument
)

// How a body or an initialiser uses what it names. A variable whose contents alone
// are changed (an element, a channel) is both read and written.
const (
	useType int32 = 1 << iota
	useCall
	useValue
	useRead
	useWrite
	useImplicit
	useDefer
	useGo
	useAddress
)

// Flags of a literal.
const (
	literalPositional int32 = 1 << iota
	literalNew
	literalZero
)

// What is done to a field, or with accessElement to what it holds.
const (
	accessRead int32 = 1 << iota
	accessAssign
	accessUpdate
	accessAppend
	accessDelete
	accessClose
	accessSend
	accessAddress
	accessElement
	accessClear
)

// Kinds of a node.
const (
	nodeLocal int32 = iota
	nodeParameter
	nodeReceiver
	nodeField
	nodeVariable
	nodeCall
	nodeExternal
	nodeLiteral
	nodeNil
	nodeOther
)

// Kinds of a fault.
const (
	faultNilDeref int32 = iota
	faultNilMapWrite
	faultIndex
	faultSlice
	faultAssertion
	faultDivide
	faultSend
	faultClose
	faultNilFunc
	faultNilInterface
	faultMake
	faultPanic
	faultMapAccess
	faultConversion
)

// faultPossible marks a site whose operand has a foreign type.
const faultPossible int32 = 1

// The records of the table; triage/core/table.py says what each column holds.
type (
	fileRow      struct{ name, pkg, verdict, flags, reason int32 }
	importRow    struct{ file, name, path, line int32 }
	lineRow      struct{ file, line, reportedFile, reportedLine int32 }
	errorRow     struct{ file, line, column, message int32 }
	fieldRow     struct{ owner, name, line, start, end, flags int32 }
	typeRow      struct{ decl, role, slot, target, wrap, line int32 }
	externalRow  struct{ parent, path, name, slot int32 }
	useRow       struct{ decl, target, line, how, member int32 }
	literalRow   struct{ decl, typ, line, flags int32 }
	settingRow   struct{ literal, field, isNil int32 }
	accessRow    struct{ decl, field, line, how, isNil int32 }
	implementRow struct{ typ, iface, pointer int32 }
	nodeRow      struct{ kind, ref, name, slot, typ, line int32 }
	originRow    struct{ node, origin int32 }
	faultRow     struct{ decl, line, kind, node, index, text, flags, first, last int32 }
	argumentRow  struct{ decl, line, target, position, node, member int32 }
	returnRow    struct{ decl, slot, node, line int32 }
	wordRow      struct{ decl, text int32 }
	declRow      struct {
		kind, name, receiver, receiverType, pkg, file int32
		line, endLine, start, end, docStart, docLine  int32
		groupStart, groupEnd, bodyStart, flags        int32
	}
)

// Table is the symbol table of one directory.
type Table struct {
	unchecked       bool // types are resolved by names alone
	goos, goarch    string
	tags            []string
	texts           texts
	packages        []int32
	files           []fileRow
	imports         []importRow
	lines           []lineRow
	errors          []errorRow
	decls           []declRow
	fields          []fieldRow
	externals       []externalRow
	externalNumbers map[externalRow]int32
	implements      []implementRow
	words           []wordRow
	facts
}

// facts are the records that come out of checked declarations.
type facts struct {
	types     []typeRow
	uses      []useRow
	literals  []literalRow
	settings  []settingRow
	accesses  []accessRow
	nodes     []nodeRow
	origins   []originRow
	faults    []faultRow
	arguments []argumentRow
	returns   []returnRow
}

// texts is a string table; number 0 is the empty text.
type texts struct {
	list    []string
	numbers map[string]int32
}

func newTexts(size int) texts {
	t := texts{list: make([]string, 0, size), numbers: make(map[string]int32, size)}
	t.number("")
	return t
}

// number returns the number of text, which it adds where it is new.
func (t *texts) number(text string) int32 {
	if n, ok := t.numbers[text]; ok {
		return n
	}
	return t.add(text)
}

// numberOf is number for bytes, which it copies where they are new.
func (t *texts) numberOf(text []byte) int32 {
	if n, ok := t.numbers[string(text)]; ok {
		return n
	}
	return t.add(string(text))
}

func (t *texts) add(text string) int32 {
	n := int32(len(t.list))
	t.list = append(t.list, text)
	t.numbers[text] = n
	return n
}
