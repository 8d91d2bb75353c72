"""The part of the GraphQL language that a query for reading needs.

https://spec.graphql.org/October2021/ : operations with variables, fields with aliases
and arguments, fragments and inline fragments. Raises `QueryError` as GitHub words it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

_TOKEN = re.compile(
    r"""[\s,]+|\#[^\n]*
    |(?P<spread>\.\.\.)
    |(?P<punctuator>[!$():=@\[\]{|}])
    |(?P<name>[_A-Za-z]\w*)
    |(?P<number>-?\d+)
    |"(?P<string>(?:[^"\\\n]|\\.)*)"
    """,
    re.VERBOSE | re.ASCII,
)


class QueryError(Exception):
    """The query is wrong; *fields* go into the error's object."""

    def __init__(self, message: str, **fields: object) -> None:
        super().__init__(message)
        self.fields = fields


@dataclass(frozen=True)
class Variable:
    """`$name` in a place for a value."""

    name: str


@dataclass(frozen=True)
class Field:
    """`alias: name(arguments) { selections }`."""

    alias: str
    name: str
    arguments: dict[str, object]
    selections: "list[Selection]"


@dataclass(frozen=True)
class Spread:
    """`...name`."""

    name: str


@dataclass(frozen=True)
class Inline:
    """`... on type { selections }`, and a fragment's body."""

    type: str
    selections: "list[Selection]"


Selection = Field | Spread | Inline


@dataclass
class Document:
    """One operation and its fragments."""

    variables: dict[str, str] = field(default_factory=dict)
    """Names and types, as declared."""
    selections: list[Selection] = field(default_factory=list)
    fragments: dict[str, Inline] = field(default_factory=dict)


def parse(text: str) -> Document:
    """Parse a query and refuse what is declared and not used, as GitHub does."""
    document = _Parser(text).document()
    used_fragments = set(_spreads(document.selections))
    for fragment in document.fragments.values():
        used_fragments |= set(_spreads(fragment.selections))
    for name in document.fragments:
        if name not in used_fragments:
            raise QueryError(f"Fragment {name} was defined, but not used")
    used = set(_variables(document.selections))
    for fragment in document.fragments.values():
        used |= set(_variables(fragment.selections))
    for name in document.variables:
        if name not in used:
            raise QueryError(f"Variable ${name} is declared but not used")
    for name in used - document.variables.keys():
        raise QueryError(f"Variable ${name} is used but not declared")
    return document


def _spreads(selections: list[Selection]) -> Iterator[str]:
    for selection in selections:
        if isinstance(selection, Spread):
            yield selection.name
        else:
            yield from _spreads(selection.selections)


def _variables(selections: list[Selection]) -> Iterator[str]:
    for selection in selections:
        if isinstance(selection, Field):
            for value in selection.arguments.values():
                if isinstance(value, Variable):
                    yield value.name
        if not isinstance(selection, Spread):
            yield from _variables(selection.selections)


class _Parser:
    """Recursive descent, one token ahead."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0

    def document(self) -> Document:
        document = Document()
        while self._peek() != ("end", ""):
            word = self._peek()[1]
            if word == "fragment":
                self._at += 1
                name = self._take("name")
                self._expect("on")
                kind = self._take("name")
                document.fragments[name] = Inline(kind, self._selections())
            else:
                if word == "query":
                    self._at += 1
                    if self._peek()[0] == "name":
                        self._at += 1
                    document.variables = self._declarations()
                document.selections = self._selections()
        return document

    def _declarations(self) -> dict[str, str]:
        """Read `($a: String!, $b: Int)`."""
        declared: dict[str, str] = {}
        if not self._skip("("):
            return declared
        while not self._skip(")"):
            self._expect("$")
            name = self._take("name")
            self._expect(":")
            declared[name] = self._take("name") + ("!" if self._skip("!") else "")
        return declared

    def _selections(self) -> list[Selection]:
        selections = list[Selection]()
        self._expect("{")
        while not self._skip("}"):
            selections.append(self._selection())
        return selections

    def _selection(self) -> Selection:
        if self._skip("..."):
            if self._skip("on"):
                kind = self._take("name")
                return Inline(kind, self._selections())
            return Spread(self._take("name"))
        alias = name = self._take("name")
        if self._skip(":"):
            name = self._take("name")
        arguments = dict[str, object]()
        if self._skip("("):
            while not self._skip(")"):
                key = self._take("name")
                self._expect(":")
                arguments[key] = self._value()
        below = self._selections() if self._peek()[1] == "{" else []
        return Field(alias, name, arguments, below)

    def _value(self) -> object:
        if self._skip("$"):
            return Variable(self._take("name"))
        kind, text = self._peek()
        self._at += 1
        if kind == "string":
            return text
        if kind == "number":
            return int(text)
        if text in {"true", "false"}:
            return text == "true"
        return self._fail()

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at]

    def _take(self, kind: str) -> str:
        if self._peek()[0] != kind:
            self._fail()
        self._at += 1
        return self._tokens[self._at - 1][1]

    def _skip(self, text: str) -> bool:
        found = self._peek()[0] != "string" and self._peek()[1] == text
        self._at += found
        return found

    def _expect(self, text: str) -> None:
        if not self._skip(text):
            self._fail()

    def _fail(self) -> NoReturn:
        raise QueryError(f'Parse error on "{self._peek()[1]}"')


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise QueryError(f'Parse error on "{text[at]}"')
        if found.lastgroup:
            yield found.lastgroup, found[found.lastgroup]
        at = found.end()
    yield "end", ""
