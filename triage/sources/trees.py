"""Read git's tree objects: pure, over bytes.

https://git-scm.com/book/en/v2/Git-Internals-Git-Objects#_tree_objects
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from triage.sources.limits import SKIPPED, is_listed, is_plain

_HEX_DIGITS = 2
_TYPE_SHIFT = 12
_ENTRY = {
    size: re.compile(rb"([0-7]{5,6}) ([^\0/]+)\0(.{%d})" % size, re.DOTALL)
    for size in (20, 32)
}


class Kind(Enum):
    """What a tree entry is."""

    FILE = "file"
    TREE = "tree"
    LINK = "link"
    SUBMODULE = "submodule"


_KINDS = {0o10: Kind.FILE, 0o04: Kind.TREE, 0o12: Kind.LINK, 0o16: Kind.SUBMODULE}


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a directory and the object behind it."""

    kind: Kind
    oid: str


@dataclass(frozen=True, slots=True)
class Tree:
    """One directory. Nobody changes the mapping."""

    entries: Mapping[str, Entry]
    listed: tuple[str, ...]
    """The names that `Source.paths` lists."""
    below: tuple[tuple[str, str], ...]
    """Name and id of the directories that it goes into."""


def parse_tree(data: bytes, oid: str) -> Tree:
    """Read a tree object; *oid* is any id of the repository, for the length of its ids.

    Names that no checkout could make are left out: not UTF-8, with control
    characters, `.` and `..`.
    """
    entries, listed, below = {}, list[str](), list[tuple[str, str]]()
    for mode, raw, target in _ENTRY[len(oid) // _HEX_DIGITS].findall(data):
        name = raw.decode("utf-8", "replace")
        kind = _KINDS.get(int(mode, 8) >> _TYPE_SHIFT)
        if kind is None or not is_plain(name) or name in {".", ".."}:
            continue
        entries[name] = Entry(kind, target.hex())
        if kind is Kind.TREE and name not in SKIPPED:
            below.append((name, entries[name].oid))
        elif kind in {Kind.FILE, Kind.LINK} and is_listed(name):
            listed.append(name)
    return Tree(entries, tuple(listed), tuple(below))
