"""The symbol table of one package directory, as the Go helper answers it.

The JSON form is an object. `strings` is a list of texts (number 0 is the empty one);
every other list is flat: records of a fixed width, one integer after the other, so
that it decodes in one go and a record becomes a value when it is touched. Lists that
belong to declarations are sorted by declaration; `at` holds for each of them where a
declaration's records begin, `back` the numbers of the records that point at a
declaration, field or type.

    schema, go, context = [goos, goarch, [tag, ...]]
    packages    name
    files       name package verdict flags reason
    imports     file name path line
    lines       file line reported_file reported_line
    errors      file line column message
    decls       kind name receiver receiver_type package file line end_line
                start end doc_start doc_line group_start group_end body_start flags
    fields      owner name line start end flags
    types       decl role slot target wrap line
    externals   parent path name slot
    uses        decl target line how member
    literals    decl type line flags
    settings    literal field nil
    accesses    decl field line how nil
    implements  type interface pointer
    nodes       kind ref name slot type line
    origins     node node
    faults      decl line kind node index text flags first_line last_line
    arguments   decl line target position node member
    returns     decl slot node line
    words       decl text

A table made without checking types begins with `unchecked`: its edges are what names
and written types tell, and nobody keeps it. An error that is no file's (`NONE`) is
about the whole directory.

Tests are read only where the build context has them. `words` are the identifiers in
a declaration's text, keywords and short ones left out.

A *target* is a declaration's number, or `~n` for record n of `externals`; `NONE` is
nothing. Texts are numbers into `strings`. Offsets count bytes in the file as sent,
lines count from 1 and are physical lines, whatever `//line` says.
"""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Final

import msgspec
import orjson

from triage.errors import HelperProtocolError

SCHEMA: Final = 1
"""Raised with every change of this module's records; part of all cache keys."""

NONE: Final = -(1 << 31)
"""No declaration, no external, no node."""

WIDTHS: Final = {
    "packages": 1,
    "files": 5,
    "imports": 4,
    "lines": 4,
    "errors": 4,
    "decls": 16,
    "fields": 6,
    "types": 6,
    "externals": 4,
    "uses": 5,
    "literals": 4,
    "settings": 3,
    "accesses": 5,
    "implements": 3,
    "nodes": 6,
    "origins": 2,
    "faults": 9,
    "arguments": 6,
    "returns": 4,
    "words": 2,
}
AT: Final = (
    "fields",  # by owner
    "types",  # by decl
    "uses",  # by decl
    "literals",  # by decl
    "settings",  # by literal
    "accesses",  # by decl
    "origins",  # by first node
    "faults",  # by decl
    "arguments",  # by decl
    "returns",  # by decl
    "words",  # by decl
)
BACK: Final = (
    "methods",  # decls by receiver_type
    "types",  # by target declaration
    "uses",  # by target declaration
    "literals",  # by type
    "accesses",  # by field
    "arguments",  # by target declaration
    "words",  # by text
)


class Kind(IntEnum):
    """What a declaration is."""

    FUNC = 0
    METHOD = 1
    TYPE = 2
    VAR = 3
    CONST = 4


_KINDS = tuple(Kind)


# Flags are plain integers: asking an enum's members costs ten times as much, and
# every walk asks thousands of times.


class DeclFlag:
    """What else is known of a declaration."""

    GROUPED: Final = 1  # a spec inside parentheses
    IOTA: Final = 2  # its group counts with iota: the spec means nothing alone
    POINTER: Final = 4  # pointer receiver
    BODILESS: Final = 8  # implemented elsewhere, in assembly say
    STRUCT: Final = 16
    INTERFACE: Final = 32
    ALIAS: Final = 64
    GENERATED: Final = 128  # the file carries the standard marker
    TEST: Final = 256  # the file is a _test.go file
    ENTRY: Final = 512  # Test, Benchmark, Fuzz, Example or TestMain function


class FileFlag:
    """What is known of a file."""

    GENERATED: Final = 1
    TEST: Final = 2
    CGO: Final = 4
    BROKEN: Final = 8  # syntax errors: declarations may be missing behind them


class Verdict(IntEnum):
    """Whether the build context takes a file."""

    TAKEN = 0
    EXCLUDED = 1  # by its name or its constraint
    UNREADABLE = 2  # not even a package clause


class FieldFlag:
    """What a record of `fields` is: a struct's field or an interface's method."""

    EMBEDDED: Final = 1
    METHOD: Final = 2


class Role(IntEnum):
    """Where in a declaration a type stands."""

    FIELD = 0  # slot: the field's number
    RECEIVER = 1
    PARAMETER = 2  # slot: its position
    RESULT = 3  # slot: its position
    CONSTRAINT = 4  # slot: the type parameter's position
    UNDERLYING = 5  # what a named or alias type is made of
    VALUE = 6  # the written or inferred type of a var or const


class Wrap(IntEnum):
    """What stands between a place and the named type."""

    DIRECT = 0
    POINTER = 1
    CONTAINER = 2  # slice, array, map, channel, at any depth
    FUNCTION = 3  # inside a function type
    ARGUMENT = 4  # a type argument


class Use:
    """How a body or an initialiser uses what it names."""

    TYPE: Final = 1
    CALL: Final = 2
    VALUE: Final = 4  # a function or method taken as a value
    READ: Final = 8
    WRITE: Final = 16
    IMPLICIT: Final = 32  # a field or method was selected on a value of that type
    DEFER: Final = 64
    GO: Final = 128
    ADDRESS: Final = 256


class LiteralFlag:
    """How a value of the type comes to be."""

    POSITIONAL: Final = 1  # all fields given without names
    NEW: Final = 2  # new(T)
    ZERO: Final = 4  # var x T


class Access:
    """What is done to a field; with ELEMENT it is done to what the field holds."""

    READ: Final = 1
    ASSIGN: Final = 2
    UPDATE: Final = 4  # += ++ --
    APPEND: Final = 8
    DELETE: Final = 16
    CLOSE: Final = 32
    SEND: Final = 64
    ADDRESS: Final = 128
    ELEMENT: Final = 256
    CLEAR: Final = 512


class Node(IntEnum):
    """Where a value comes from; `origins` says what it was taken out of."""

    LOCAL = 0  # name
    PARAMETER = 1  # ref: its position
    RECEIVER = 2
    FIELD = 3  # ref: field; origin: the value it is selected on
    VARIABLE = 4  # ref: declaration of a package variable, constant or function
    CALL = 5  # ref: target; name: the method where the target is an interface
    EXTERNAL = 6  # ref: ~external
    LITERAL = 7  # ref: target type; composite literal, new, make
    NIL = 8
    OTHER = 9  # arithmetic, conversions, constants: origins are the operands


class Fault(IntEnum):
    """How an expression can fault."""

    NIL_DEREF = 0
    NIL_MAP_WRITE = 1
    INDEX = 2
    SLICE = 3
    ASSERTION = 4
    DIVIDE = 5
    SEND = 6
    CLOSE = 7
    NIL_FUNC = 8
    NIL_INTERFACE = 9
    MAKE = 10
    PANIC = 11
    MAP_ACCESS = 12  # matters to concurrent use alone
    CONVERSION = 13  # slice to array


class FaultFlag:
    """How sure a fault site is."""

    POSSIBLE: Final = 1  # the operand's type is foreign


class Decl(msgspec.Struct, frozen=True, gc=False):
    """One declaration; one record for each name of a spec."""

    id: int
    kind: Kind
    name: str
    receiver: str
    receiver_type: int
    package: int
    file: int
    line: int
    end_line: int
    start: int
    end: int
    doc_start: int
    doc_line: int
    group_start: int
    group_end: int
    body_start: int
    flags: int

    @property
    def is_function(self) -> bool:
        """Whether it is a function or a method."""
        return self.kind <= Kind.METHOD


_UNCHECKED: Final = b'{"unchecked":true,'


def is_checked(data: bytes) -> bool:
    """Tell without decoding whether a table was made with its types checked."""
    return not data.startswith(_UNCHECKED)


class Table:
    """Read-only view of a symbol table; records are tuples of integers."""

    __slots__ = ("_at", "_back", "_lists", "_numbers", "_strings", "checked")

    def __init__(self, data: bytes) -> None:
        """Decode *data*; raises `HelperProtocolError` where its form is another."""
        self.checked = is_checked(data)
        """Whether the type checker had its say."""
        try:
            form = orjson.loads(data)
            if form["schema"] != SCHEMA:
                raise HelperProtocolError(
                    f"symbol table has schema {form['schema']}, this is {SCHEMA}; "
                    "rebuild with: pip install --force-reinstall triage-go"
                )
            self._lists: dict[str, list[int]] = {name: form[name] for name in WIDTHS}
            self._at: dict[str, list[int]] = {name: form["at"][name] for name in AT}
            self._back: dict[str, tuple[list[int], list[int]]] = {
                name: (form["back"][name][0], form["back"][name][1]) for name in BACK
            }
            self._strings: list[str] = form["strings"]
            self._numbers: dict[str, int] | None = None
        except (KeyError, IndexError, TypeError, ValueError) as err:
            raise HelperProtocolError(f"symbol table is malformed: {err!r}") from err

    def text(self, number: int) -> str:
        """Return text *number* of the string table."""
        return self._strings[number]

    def number(self, text: str) -> int:
        """Return the number of *text* in the string table; 0 where it has none."""
        if self._numbers is None:
            self._numbers = {text: n for n, text in enumerate(self._strings)}
        return self._numbers.get(text, 0)

    def count(self, name: str) -> int:
        """Return how many records list *name* has."""
        return len(self._lists[name]) // WIDTHS[name]

    def record(self, name: str, number: int) -> Sequence[int]:
        """Return record *number* of list *name*."""
        width = WIDTHS[name]
        return self._lists[name][number * width : (number + 1) * width]

    def records(self, name: str) -> Iterator[tuple[int, ...]]:
        """Go over all records of list *name*."""
        values, width = self._lists[name], WIDTHS[name]
        return zip(*(iter(values[i::width]) for i in range(width)), strict=True)

    def column(self, name: str, place: int) -> list[int]:
        """Return what stands at *place* in all records of list *name*."""
        return self._lists[name][place :: WIDTHS[name]]

    def of(self, name: str, key: int) -> Iterator[Sequence[int]]:
        """Go over the records of list *name* that belong to *key*."""
        at = self._at[name]
        for number in range(at[key], at[key + 1]):
            yield self.record(name, number)

    def numbers_of(self, name: str, key: int) -> range:
        """Return the numbers of the records that belong to *key*."""
        at = self._at[name]
        return range(at[key], at[key + 1])

    def back(self, name: str, key: int) -> Sequence[int]:
        """Return the numbers of the records of list *name* that point at *key*."""
        at, rows = self._back[name]
        return rows[at[key] : at[key + 1]]

    def decl(self, number: int) -> Decl:
        """Build declaration *number*."""
        r = self.record("decls", number)
        return Decl(
            number,
            _KINDS[r[0]],
            self._strings[r[1]],
            self._strings[r[2]],
            *r[3:],
        )
