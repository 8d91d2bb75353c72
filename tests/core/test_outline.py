"""The test kit's own reader must place declarations as the helper does."""

import re
from pathlib import Path

import pytest

from tests.core.outline import DeclOutline, FieldOutline, outline
from triage.core.table import DeclFlag, FieldFlag, Kind

_GOLDENS = Path("goparse_helper/internal/symtab/testdata")
_READ = ["accesses", "decls", "generics", "graph", "interfaces"]


def golden(name: str) -> tuple[dict[str, str], list[str]]:
    """Return the sources of a golden, and the declarations and fields it wants."""
    head, _, want = (_GOLDENS / f"{name}.txtar").read_text().partition("-- want --\n")
    _, *parts = re.split(r"^-- (.*) --\n", head, flags=re.MULTILINE)
    sources = dict(zip(parts[::2], parts[1::2], strict=True))
    rows = [row.strip() for row in want.split("\n")]
    wanted = re.compile(r"(?:func|method|type|var|const) \S+ \S+\.go:|field ")
    return sources, [row for row in rows if wanted.match(row)]


def shown(
    file: str, decl: DeclOutline, package: str, owners: dict[str, str]
) -> list[str]:
    """Write a declaration as the goldens do."""
    span = decl.span
    name = f"{decl.receiver}.{decl.name}" if decl.receiver else decl.name
    row = f"{decl.kind.name.lower()} {name} {file}:{span.line}-{span.end_line}"
    row += f" [{span.start}:{span.end}]"
    if decl.doc_start != span.start:
        row += f" doc {decl.doc_start}@{decl.doc_line}"
    if decl.group[0] >= 0:
        row += f" group [{decl.group[0]}:{decl.group[1]}]"
    if decl.body_start >= 0:
        row += f" body {decl.body_start}"
    row += _flag_names(DeclFlag, decl.flags) + f" of {package}"
    if decl.receiver:
        row += f" receiver {owners.get(decl.receiver, '-')}"
    return [row, *map(shown_field, decl.fields)]


def shown_field(member: FieldOutline) -> str:
    """Write a field as the goldens do."""
    at, flags = member.span, _flag_names(FieldFlag, member.flags)
    return f"field {member.name} @{at.line} [{at.start}:{at.end}]{flags}"


@pytest.mark.parametrize("name", _READ)
def test_outline_agrees_with_helper(name):
    """Every place that the kit computes is the one in the helper's golden."""
    sources, want = golden(name)
    read = {
        file: outline(source.encode(), test=file.endswith("_test.go"))
        for file, source in sources.items()
    }
    declared = [decl for decls in read.values() for decl in decls]
    types = [decl for decl in declared if decl.kind == Kind.TYPE]
    owners = {decl.name: decl.alias_of or decl.name for decl in types}
    got = [
        row
        for file, decls in read.items()
        for decl in decls
        for row in shown(file, decl, name, owners)
    ]
    assert want == got


def _flag_names(kind: type, flags: int) -> str:
    names = [name for name in vars(kind) if name.isupper()]
    return "".join(f" {n.lower()}" for n in names if getattr(kind, n) & flags)
