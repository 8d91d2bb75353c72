"""Packages for tests: Go source whose `//:` comments say what the helper would.

    shop = sketch({"user.go": '''package shop ...'''})
    shop.view             the package as the resolver sees it
    shop.decl("T.M")      a declaration
    shop.site("nil-deref")  the crash on the line with `//: mark crash`

See `facts` for what can be said. What is not said is not in the table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from tests.core.facts import split_facts
from tests.core.outline import outline
from tests.core.rows import FileSketch, Rows
from triage.core.model import Package, SourceFile
from triage.core.site import CrashSite, crash_declaration, fault_sites
from triage.core.table import Decl, Table
from triage.core.view import View


@dataclass(frozen=True)
class Sketch:
    """One package directory, its table, and the lines that `//: mark NAME` names."""

    package: Package
    json: bytes
    rows: Rows
    marks: Mapping[str, tuple[str, int]]
    import_path: str

    @cached_property
    def view(self) -> View:
        """The package as the resolver sees it."""
        return View(self.package, Table(self.json), import_path=self.import_path)

    def decl(self, name: str) -> Decl:
        """Return declaration `T`, `T.M` or `F`."""
        return self.view.decl(self.rows.number(name))

    def line(self, mark: str = "crash") -> int:
        """Return the line of a mark."""
        return self.marks[mark][1]

    def site(
        self, kind: str | None = None, *, depth: int = 2, mark: str = "crash"
    ) -> CrashSite:
        """Return the crash on the line of *mark*."""
        name, line = self.marks[mark]
        file = self.view.file_names.index(name)
        decl = crash_declaration(self.view, file, line)
        faults = fault_sites(self.view, decl, line, kind)
        return CrashSite(self.view, decl, line, kind, faults, depth)


def sketch(
    sources: str | Mapping[str, str],
    *,
    directory: str = "shop",
    import_path: str = "example.com/app/shop",
    crlf: bool = False,
) -> Sketch:
    """Make a package of *sources*, files by name or one `shop.go`."""
    named = {"shop.go": sources} if isinstance(sources, str) else sources
    files = tuple(_file(name, named[name], crlf=crlf) for name in sorted(named))
    rows = Rows(files)
    marks = {
        fact.rest: (file.name, fact.line)
        for file in files
        for fact in file.facts
        if fact.verb == "mark"
    }
    package = Package(
        directory, tuple(SourceFile(file.name, "", file.data) for file in files)
    )
    json = rows.to_json(("linux", "amd64", ()))
    return Sketch(package, json, rows, marks, import_path)


def _file(name: str, source: str, *, crlf: bool) -> FileSketch:
    """Read one file; a lone surrogate U+DCFF in *source* is the byte 0xff."""
    text, facts = split_facts(source.lstrip("\n"))
    if crlf:
        text = text.replace("\n", "\r\n")
    data = text.encode("utf-8", "surrogateescape")
    decls = outline(data, test=name.endswith("_test.go"))
    taken = not any(fact.verb in {"excluded", "unreadable"} for fact in facts)
    return FileSketch(name, data, tuple(decls) if taken else (), tuple(facts))
