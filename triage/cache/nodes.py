"""The rows of `ast_nodes`: a symbol table, one declaration at a time."""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from triage.core.table import NONE, Decl, Table, Use

Row = tuple[int, str, str, str, str, int, int, int, int, bytes, bytes]


@dataclass(frozen=True, slots=True)
class Node:
    """A declaration as it is kept."""

    pkg: int
    id: int
    kind: str
    """`func`, `method`, `type`, `var` or `const`."""
    name: str
    receiver: str
    """Empty where there is none."""
    file: str
    line: int
    end_line: int
    start: int
    """In bytes, in the file; *end* is behind the last."""
    end: int
    edges: tuple[tuple[int, int, int], ...]
    """What it uses: declaration, line, how (`triage.core.table.Use`)."""
    neighbours: tuple[int, ...]
    """The declarations that it uses and that use it, sorted."""


def rows(table: Table) -> Iterator[Row]:
    """Give a row for each declaration, without the package's number."""
    files = [table.text(record[0]) for record in table.records("files")]
    for number in range(table.count("decls")):
        decl = table.decl(number)
        edges = list(_edges(table, decl))
        near = {target for target, _, _ in edges} | set(_users(table, decl))
        near.discard(number)
        yield (
            number,
            decl.kind.name.lower(),
            decl.name,
            decl.receiver,
            files[decl.file],
            decl.line,
            decl.end_line,
            decl.start,
            decl.end,
            _packed(word for edge in edges for word in edge),
            _packed(sorted(near)),
        )


def node(row: tuple[Any, ...]) -> Node:
    """Read a row as it lies in the table."""
    *plain, edges, neighbours = row
    words = _unpacked(edges)
    plain.append(tuple(zip(words[::3], words[1::3], words[2::3], strict=True)))
    plain.append(_unpacked(neighbours))
    return Node(*plain)


def _edges(table: Table, decl: Decl) -> Iterator[tuple[int, int, int]]:
    for _, target, line, how, _ in table.of("uses", decl.id):
        if target >= 0 and target != decl.id:
            yield target, line, how
    for _, _, _, target, _, line in table.of("types", decl.id):
        if target >= 0 and target != decl.id:
            yield target, line, Use.TYPE
    if decl.receiver_type != NONE:
        yield decl.receiver_type, decl.line, Use.TYPE


def _users(table: Table, decl: Decl) -> Iterator[int]:
    for name in ("uses", "types"):
        for number in table.back(name, decl.id):
            yield table.record(name, number)[0]
    yield from table.back("methods", decl.id)


def _packed(words: Iterable[int]) -> bytes:
    values = list(words)
    return struct.pack(f"<{len(values)}i", *values)


def _unpacked(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}i", data)
