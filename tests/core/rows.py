"""Turn outlined sources and their facts into the lists of a symbol table."""

import re
from dataclasses import dataclass

import orjson

from tests.core.facts import Fact, NodeFact, read_node
from tests.core.outline import DeclOutline, is_generated
from triage.core.table import (
    AT,
    BACK,
    NONE,
    SCHEMA,
    WIDTHS,
    Access,
    DeclFlag,
    Fault,
    FaultFlag,
    FileFlag,
    Kind,
    LiteralFlag,
    Node,
    Role,
    Use,
    Verdict,
    Wrap,
)

_BACK_COLUMN = {"methods": 3, "types": 3, "uses": 1, "literals": 1} | {
    "accesses": 1,
    "arguments": 2,
    "words": 1,
}
_BACK_LIST = {"methods": "decls"}
_SILENT = re.compile(rb"//.*|\"[^\"]*\"|`[^`]*`")
_WORD = re.compile(rb"[A-Za-z_]\w\w+")
_COMMON = frozenset(
    b"append bool case const defer else err error false for func int interface len make "
    b"map new nil package range return string struct switch true type var".split()
)
_NODES = {"param": Node.PARAMETER, "var": Node.VARIABLE}
_WRAPS = {
    "*": Wrap.POINTER,
    "[]": Wrap.CONTAINER,
    "func ": Wrap.FUNCTION,
    "[": Wrap.ARGUMENT,
}
_ROLES = {
    "field": Role.FIELD,
    "param": Role.PARAMETER,
    "result": Role.RESULT,
    "constraint": Role.CONSTRAINT,
    "under": Role.UNDERLYING,
    "value": Role.VALUE,
}


@dataclass(frozen=True, slots=True)
class FileSketch:
    """One file: its bytes, what it declares, what it says of itself."""

    name: str
    data: bytes
    decls: tuple[DeclOutline, ...]
    facts: tuple[Fact, ...]

    @property
    def package(self) -> str:
        """The name in the package clause; empty without one."""
        match = re.search(rb"^package (\w+)", self.data, re.MULTILINE)
        return match[1].decode() if match else ""


class Rows:
    """The lists of one table; files in the order of their names."""

    def __init__(self, files: tuple[FileSketch, ...]) -> None:
        self._files = files
        self._texts = {"": 0}
        self._lists: dict[str, list[tuple[int, ...]]] = {name: [] for name in WIDTHS}
        self._origins: list[tuple[int, ...]] = []
        self._packages = sorted({file.package for file in files} - {""})
        self._decls = [
            (number, decl) for number, file in enumerate(files) for decl in file.decls
        ]
        self._names: dict[str, int] = {}
        for number, (_, decl) in enumerate(self._decls):
            self._names.setdefault(_full_name(decl), number)
        self._fields: dict[tuple[int, str], int] = {}
        self._fill()

    def number(self, name: str) -> int:
        """Return the number of a declaration (`T`, `T.M`) or an external target."""
        if name == "-":
            return NONE
        return self._external(name) if name.startswith("<") else self._names[name]

    def field(self, name: str) -> int:
        """Return the number of field `T.A`."""
        owner, _, rest = name.partition(".")
        return self._fields[self._names[owner], rest]

    def to_json(self, context: tuple[str, str, tuple[str, ...]]) -> bytes:
        """Return the table as the helper writes it."""
        lists = self._lists | {"origins": self._flat_origins()}
        decls = len(self._decls)
        keys = {"accesses": len(lists["fields"]), "words": len(self._texts)}
        owners = {"settings": len(lists["literals"]), "origins": len(lists["nodes"])}
        form: dict[str, object] = {
            "schema": SCHEMA,
            "go": "go1.27",
            "context": context,
            "strings": list(self._texts),
            "at": {n: _starts(lists[n], owners.get(n, decls)) for n in AT},
            "back": {
                name: _reverse(
                    [
                        row[_BACK_COLUMN[name]]
                        for row in lists[_BACK_LIST.get(name, name)]
                    ],
                    keys.get(name, decls),
                )
                for name in BACK
            },
        }
        flat = {name: [n for row in rows for n in row] for name, rows in lists.items()}
        return orjson.dumps(form | flat)

    # -- what the outline tells

    def _fill(self) -> None:
        self._lists["packages"] = [(self._text(name),) for name in self._packages]
        for number, file in enumerate(self._files):
            self._file(number, file)
        for number, (file_number, decl) in enumerate(self._decls):
            self._decl(number, file_number, decl)
        for number, (file_number, decl) in enumerate(self._decls):
            self._facts_of(number, file_number, decl)
        for number, (file_number, decl) in enumerate(self._decls):
            self._words(number, file_number, decl)

    def _file(self, number: int, file: FileSketch) -> None:
        verdict, flags, reason = Verdict.TAKEN, 0, ""
        if file.name.endswith("_test.go"):
            flags |= FileFlag.TEST
        if is_generated(file.data):
            flags |= FileFlag.GENERATED
        for fact in file.facts:
            if fact.verb in {"broken", "cgo"}:
                flags |= getattr(FileFlag, fact.verb.upper())
            elif fact.verb in {"excluded", "unreadable"}:
                verdict, reason = Verdict[fact.verb.upper()], fact.rest
            elif fact.verb == "error":
                column, _, message = fact.rest.partition(" ")
                row = (number, fact.line, int(column), self._text(message))
                self._lists["errors"].append(row)
            elif fact.verb == "reported":
                name, _, line = fact.rest.rpartition(":")
                row = (number, fact.line, self._text(name), int(line))
                self._lists["lines"].append(row)
        package = self._packages.index(file.package) if file.package else NONE
        self._lists["files"].append(
            (self._text(file.name), package, verdict, flags, self._text(reason))
        )

    def _decl(self, number: int, file_number: int, decl: DeclOutline) -> None:
        file, span = self._files[file_number], decl.span
        owner = self._owner(decl)
        row = (
            *(decl.kind, self._text(decl.name), self._text(decl.receiver), owner),
            *(self._packages.index(file.package), file_number),
            *(span.line, span.end_line, span.start, span.end),
            *(decl.doc_start, decl.doc_line, *decl.group, decl.body_start, decl.flags),
        )
        self._lists["decls"].append(row)
        for member in decl.fields:
            at, text = member.span, self._text(member.name)
            self._fields[number, member.name] = len(self._lists["fields"])
            self._add("fields", number, text, at.line, at.start, at.end, member.flags)

    def _owner(self, decl: DeclOutline) -> int:
        """Return the type that a method is declared on, through an alias of it."""
        number = self._names.get(decl.receiver, NONE)
        alias = self._decls[number][1].alias_of if number != NONE else ""
        return self._names.get(alias, number)

    def _words(self, number: int, file_number: int, decl: DeclOutline) -> None:
        """Note the identifiers outside of comments and literals, once each."""
        text = self._files[file_number].data[decl.span.start : decl.span.end]
        for word in dict.fromkeys(_WORD.findall(_SILENT.sub(b"", text))):
            if word not in _COMMON:
                self._add("words", number, self._text(word.decode()))

    # -- what the facts tell

    def _facts_of(self, number: int, file_number: int, decl: DeclOutline) -> None:
        owner = self._owner(decl)
        if owner != NONE:
            wrap = Wrap.POINTER if decl.flags & DeclFlag.POINTER else Wrap.DIRECT
            self._add("types", number, Role.RECEIVER, 0, owner, wrap, decl.span.line)
        for fact in self._files[file_number].facts:
            if decl.span.line <= fact.line <= decl.span.end_line:
                if fact.verb in _ROLES:
                    self._type(number, decl, fact)
                elif (read := getattr(self, f"_read_{fact.verb}", None)) is not None:
                    read(number, fact.line, fact.rest)

    def _type(self, number: int, decl: DeclOutline, fact: Fact) -> None:
        slots, name = [0], fact.rest
        if fact.verb == "field":
            on_line = [f for f in decl.fields if f.span.line == fact.line]
            slots = [self._fields[number, f.name] for f in on_line]
        elif fact.verb in {"param", "result", "constraint"}:
            position, _, name = fact.rest.partition(" ")
            slots = [int(position)]
        prefix = next((p for p in _WRAPS if name.startswith(p)), "")
        target = self.number(name.removeprefix(prefix))
        for slot in slots:
            wrap = _WRAPS.get(prefix, Wrap.DIRECT)
            self._add("types", number, _ROLES[fact.verb], slot, target, wrap, fact.line)

    def _read_use(self, decl: int, line: int, rest: str) -> None:
        target, *words = rest.split()
        member = words.pop(0)[1:] if words[0].startswith(".") else ""
        row = (self.number(target), line, _flags(Use, words), self._text(member))
        self._add("uses", decl, *row)

    def _read_literal(self, decl: int, line: int, rest: str) -> None:
        head, _, body = rest.partition("{")
        name, *words = head.split()
        given, _, behind = body.partition("}")
        flags = _flags(LiteralFlag, [*words, *behind.split()])
        for setting in given.split():
            member, _, value = setting.partition("=")
            row = (self.field(f"{name}.{member}"), int(value == "nil"))
            self._add("settings", len(self._lists["literals"]), *row)
        self._add("literals", decl, self.number(name), line, flags)

    def _read_access(self, decl: int, line: int, rest: str) -> None:
        name, *words = rest.split()
        nil = "nil" in words
        how = _flags(Access, [word for word in words if word != "nil"])
        self._add("accesses", decl, self.field(name), line, how, int(nil))

    def _read_fault(self, decl: int, line: int, rest: str) -> None:
        head, text, tail = rest.split("`")
        kind, *words = head.split()
        match = re.fullmatch(r"(?: \((\d+)-(\d+)\))?(?:: (.*?)(?: at (.*))?)?", tail)
        assert match is not None, rest
        first, last = int(match[1] or line), int(match[2] or line)
        node = self._node(match[3]) if match[3] else NONE
        index = self._node(match[4]) if match[4] else NONE
        what = Fault[kind.upper().replace("-", "_")]
        row = (what, node, index, self._text(text), _flags(FaultFlag, words))
        self._add("faults", decl, line, *row, first, last)

    def _read_argument(self, decl: int, line: int, rest: str) -> None:
        head, _, value = rest.partition(": ")
        target, *words = head.split()
        member = words.pop(0)[1:] if words[0].startswith(".") else ""
        row = (self.number(target), int(words[0]), self._node(value))
        self._add("arguments", decl, line, *row, self._text(member))

    def _read_return(self, decl: int, line: int, rest: str) -> None:
        slot, _, value = rest.partition(": ")
        node = NONE if value == "-" else self._node(value)
        self._add("returns", decl, int(slot), node, line)

    def _read_implements(self, decl: int, _line: int, rest: str) -> None:
        pointer = rest.startswith("*")
        self._add("implements", decl, self.number(rest.lstrip("*")), int(pointer))

    # -- values

    def _node(self, text: str) -> int:
        return self._add_node(read_node(text), {})

    def _add_node(self, fact: NodeFact, labels: dict[str, int]) -> int:
        if not fact.kind:
            return labels[fact.label]
        kind = _NODES.get(fact.kind) or Node[fact.kind.upper()]
        number = labels[fact.label] = len(self._lists["nodes"])
        target = self.number(fact.type) if fact.type else NONE
        ref, name = self._ref(kind, fact.ref), self._text(fact.member)
        self._add("nodes", kind, ref, name, 0, target, 1)
        for origin in fact.origins:
            self._origins.append((number, self._add_node(origin, labels)))
        return number

    def _ref(self, kind: Node, ref: str) -> int:
        if kind == Node.PARAMETER:
            return int(ref)
        if kind == Node.FIELD:
            return NONE if ref == "-" else self.field(ref)
        named = {Node.VARIABLE, Node.CALL, Node.EXTERNAL, Node.LITERAL}
        return self.number(ref) if kind in named and ref else NONE

    def _flat_origins(self) -> list[tuple[int, ...]]:
        return sorted(self._origins, key=lambda row: row[0])

    # -- texts and other packages

    def _text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def _external(self, name: str) -> int:
        match = re.match(r"<([^>]*)>\.(\w+)", name)
        assert match is not None, name
        number = self._external_row(NONE, match[1], match[2], 0)
        for step in re.finditer(r"\.(\w+)|\(\)(\d+)|(\[\])", name[match.end() :]):
            slot = -1 if step[3] else int(step[2] or -1) + 1
            number = self._external_row(number, "", step[1] or "", slot)
        return ~number

    def _external_row(self, parent: int, path: str, name: str, slot: int) -> int:
        rows = self._lists["externals"]
        row = (parent, self._text(path), self._text(name), slot)
        if row not in rows:
            rows.append(row)
        return rows.index(row)

    def _add(self, name: str, *row: int) -> None:
        assert len(row) == WIDTHS[name], (name, row)
        self._lists[name].append(tuple(map(int, row)))


def _full_name(decl: DeclOutline) -> str:
    return f"{decl.receiver}.{decl.name}" if decl.kind == Kind.METHOD else decl.name


def _flags(kind: type[Use | Access | LiteralFlag | FaultFlag], words: list[str]) -> int:
    return sum({int(getattr(kind, word.upper())) for word in words})


def _starts(rows: list[tuple[int, ...]], count: int) -> list[int]:
    """Where the rows of each owner begin; they are sorted by owner."""
    owners = [row[0] for row in rows]
    assert owners == sorted(owners), owners
    return [sum(owner < key for owner in owners) for key in range(count + 1)]


def _reverse(keys: list[int], count: int) -> tuple[list[int], list[int]]:
    """Where the group of each key begins, and the numbers of its rows."""
    groups = [[n for n, key in enumerate(keys) if key == at] for at in range(count)]
    starts = [0]
    for group in groups:
        starts.append(starts[-1] + len(group))
    return starts, [number for group in groups for number in group]
