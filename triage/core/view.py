"""A package as the resolver sees it: its symbol table beside its sources."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property, wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast

from triage.core.model import Package
from triage.core.signatures import fits
from triage.core.table import (
    NONE,
    Decl,
    DeclFlag,
    FieldFlag,
    FileFlag,
    Kind,
    Role,
    Table,
    Verdict,
    Wrap,
)

_WORD = re.compile(rb"[A-Za-z_\x80-\xff][0-9A-Za-z_\x80-\xff]*")
_KEPT: Final = 2048
"""How many things that were worked out of its declarations a view keeps."""

P = ParamSpec("P")
R = TypeVar("R")


def remembered(
    function: Callable[Concatenate["View", Decl, P], R],
) -> Callable[Concatenate["View", Decl, P], R]:
    """Keep what *function* returns with the view: crashes of one package ask alike.

    The result is shared, so nobody may change it.
    """

    @wraps(function)
    def remembering(view: "View", decl: Decl, *args: P.args, **named: P.kwargs) -> R:
        key = (function, decl.id, args, *named.items())
        found: R | None = view.kept.get(key)
        if found is None:
            found = function(view, decl, *args, **named)
            if len(view.kept) >= _KEPT:
                view.kept.clear()
            view.kept[key] = found
        return found

    return cast(Callable[Concatenate[View, Decl, P], R], remembering)


class View:
    """Looks things up in one package directory; what it builds it keeps."""

    def __init__(self, package: Package, table: Table, *, import_path: str) -> None:
        self.directory = package.directory
        self.import_path = import_path
        self.problems = (*package.problems, *_problems(package.directory, table))
        self.passing = package.passing or not table.checked
        self.table = table
        self._sources = {file.name: file.data for file in package.files}
        self._decls: dict[int, Decl] = {}
        self.kept: dict[tuple[object, ...], Any] = {}
        """What functions marked `remembered` worked out."""

    @cached_property
    def file_names(self) -> tuple[str, ...]:
        """Names of the files, by their number in the table."""
        return tuple(self.table.text(r[0]) for r in self.table.records("files"))

    @cached_property
    def file_records(self) -> tuple[tuple[int, ...], ...]:
        """The records of the files."""
        return tuple(self.table.records("files"))

    @cached_property
    def _files(self) -> list[int]:
        """The file of each declaration; they are sorted by it."""
        return self.table.column("decls", 5)

    @cached_property
    def _named(self) -> dict[int, list[int]]:
        """The declarations of each name, as the number of a text."""
        found: dict[int, list[int]] = {}
        for number, name in enumerate(self.table.column("decls", 1)):
            found.setdefault(name, []).append(number)
        return found

    def declared_in(self, file: int) -> range:
        """Return the numbers of the declarations of file number *file*, in order."""
        return range(bisect_left(self._files, file), bisect_right(self._files, file))

    def named(self, name: str) -> list[Decl]:
        """Return the declarations with that plain name, methods among them."""
        text = self.table.number(name)
        return [self.decl(n) for n in self._named.get(text, ())] if text else []

    def declared(self, name: str) -> list[Decl]:
        """Return what a package-level *name* means outside of tests."""
        return [
            decl
            for decl in self.named(name)
            if decl.kind != Kind.METHOD and not decl.flags & DeclFlag.TEST
        ]

    def on_line(self, file: int, line: int) -> list[Decl]:
        """Return the declarations of a file that *line* is of."""
        starts, ends = self._first_lines, self._last_lines
        return [
            self.decl(number)
            for number in self.declared_in(file)
            if starts[number] <= line <= ends[number]
        ]

    @cached_property
    def _first_lines(self) -> list[int]:
        return self.table.column("decls", 6)

    @cached_property
    def _last_lines(self) -> list[int]:
        return self.table.column("decls", 7)

    def decl(self, number: int) -> Decl:
        """Return declaration *number*."""
        found = self._decls.get(number)
        if found is None:
            found = self._decls[number] = self.table.decl(number)
        return found

    def source(self, decl: Decl) -> bytes:
        """Return the bytes of the file that holds *decl*."""
        return self._sources[self.file_names[decl.file]]

    def tests(self) -> Iterator[bytes]:
        """Go over the sources of tests, whether the build context takes them or not."""
        for name, data in self._sources.items():
            if name.endswith("_test.go"):
                yield data

    def path(self, decl: Decl) -> str:
        """Return the file of *decl* relative to the repository."""
        return self.path_of(decl.file)

    def path_of(self, file: int) -> str:
        """Return file number *file* relative to the repository."""
        return self.paths[file]

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The files relative to the repository, by their number in the table."""
        prefix = f"{self.directory}/" if self.directory else ""
        return tuple(f"{prefix}{name}" for name in self.file_names)

    def file_number(self, name: str) -> int | None:
        """Return the number of the file called *name*; None where there is none."""
        try:
            return self.file_names.index(name)
        except ValueError:
            return None

    def data(self, file: int) -> bytes:
        """Return the bytes of file number *file*."""
        return self._sources[self.file_names[file]]

    def size(self, *, tests: bool) -> tuple[int, int]:
        """Count the files that the build context takes, and their bytes."""
        files, size, _ = self._sizes[tests]
        return files, size

    def characters(self, *, tests: bool) -> int:
        """Count the characters of the files that the build context takes."""
        return self._sizes[tests][2]

    @cached_property
    def _sizes(self) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Files, bytes and characters, without and with tests."""
        return self._counted(tests=False), self._counted(tests=True)

    def _counted(self, *, tests: bool) -> tuple[int, int, int]:
        taken = list(self._taken(tests=tests))
        characters = sum(len(data.decode("utf-8", "replace")) for data in taken)
        return len(taken), sum(map(len, taken)), characters

    def _taken(self, *, tests: bool) -> Iterator[bytes]:
        for record in self.file_records:
            is_test = bool(record[3] & FileFlag.TEST)
            if record[2] == Verdict.TAKEN and (tests or not is_test):
                yield self._sources[self.table.text(record[0])]

    def package_name(self, decl: Decl) -> str:
        """Return the name in the package clause of the file of *decl*."""
        return self.table.text(self.table.record("packages", decl.package)[0])

    def methods(self, type_number: int) -> Iterator[Decl]:
        """Go over the methods declared on a type."""
        for number in self.table.back("methods", type_number):
            yield self.decl(number)

    def method(self, type_number: int, name: str) -> Decl | None:
        """Find a method by name, also through embedded types of the package."""
        family = map(self.methods, self._family(type_number))
        found = (decl for decls in family for decl in decls if decl.name == name)
        return next(found, None)

    def _family(self, type_number: int) -> Iterator[int]:
        """Give a type and those that it embeds at any depth, the nearest first."""
        seen: set[int] = set()
        queue = [type_number]
        while queue:
            current = queue.pop(0)
            if current not in seen:
                seen.add(current)
                yield current
                queue += self.embedded(current)

    def interface_methods(self, interface: int) -> dict[str, str]:
        """Return the methods that an interface lists itself, name and signature."""
        source = self.source(self.decl(interface))
        found = {}
        for record in self.table.of("fields", interface):
            if record[5] & FieldFlag.METHOD and not record[5] & FieldFlag.EMBEDDED:
                name = self.table.text(record[1])
                text = source[record[3] : record[4]].decode("utf-8", "replace")
                begin = re.search(rf"^\s*{name}\(", text, re.MULTILINE)
                found[name] = text[begin.start() :].strip() if begin else text
        return found

    def has_methods(self, type_number: int, wanted: dict[str, str]) -> bool:
        """Tell whether a type declares methods of these names and signatures."""
        own = {method.name: method for method in self.methods(type_number)}
        return bool(wanted) and all(
            name in own and fits(self.signature(own[name]), signature)
            for name, signature in wanted.items()
        )

    def signature(self, method: Decl) -> str:
        """Return a method's signature as written, from its name on."""
        end = method.body_start if method.body_start >= 0 else method.end
        text = self.source(method)[method.start : end].decode("utf-8", "replace")
        return text[text.find(f"{method.name}(") :]

    def embedded(self, type_number: int) -> list[int]:
        """List the package's types that a type embeds or is an alias of."""
        slots = {
            number
            for number in self.table.numbers_of("fields", type_number)
            if self.table.record("fields", number)[5] & FieldFlag.EMBEDDED
        }
        alias = bool(self.decl(type_number).flags & DeclFlag.ALIAS)
        return [
            record[3]
            for record in self.table.of("types", type_number)
            if record[3] >= 0
            and record[4] <= Wrap.POINTER
            and (
                (record[1] == Role.FIELD and record[2] in slots)
                or (alias and record[1] == Role.UNDERLYING)
            )
        ]

    def field(self, type_number: int, name: str) -> int | None:
        """Find a field by name, also through embedded types; None where unknown."""
        for current in self._family(type_number):
            for number in self.table.numbers_of("fields", current):
                if self.field_name(number) == name:
                    return number
        return None

    def field_owner(self, field: int) -> int:
        """Return the declaration that field number *field* belongs to."""
        return self.table.record("fields", field)[0]

    def field_name(self, field: int) -> str:
        """Return the name of field number *field*."""
        return self.table.text(self.table.record("fields", field)[1])

    @cached_property
    def has_errors(self) -> bool:
        """Whether there is any syntax error."""
        return bool(self.table.count("errors"))

    def is_broken(self, number: int) -> bool:
        """Tell whether a syntax error lies in a declaration: its end is a guess."""
        if not self.has_errors:
            return False
        decl = self.decl(number)
        return any(
            file == decl.file and decl.line <= line <= decl.end_line
            for file, line, _, _ in self.table.records("errors")
        )

    def words_of(self, number: int) -> list[int]:
        """Return the identifiers of a declaration, as numbers of texts."""
        return [row[1] for row in self.table.of("words", number)]

    def words_on(self, decl: Decl, line: int) -> list[int]:
        """Return those of a declaration's identifiers that stand on *line*."""
        lines = _source_lines(self, decl)
        inside = decl.line <= line < decl.line + len(lines)
        if not inside:
            return []
        words = _words(self, decl)
        found = {words[w] for w in _WORD.findall(lines[line - decl.line]) if w in words}
        return [number for _, number in sorted(found)]

    def with_word(self, number: int) -> list[int]:
        """Return the declarations that have the identifier with that number."""
        decls = self._word_decls
        return [decls[row] for row in self.table.back("words", number)]

    @cached_property
    def _word_decls(self) -> list[int]:
        """The declaration of each record of `words`."""
        return self.table.column("words", 0)

    def external(self, target: int) -> tuple[str, str, tuple[tuple[str, int], ...]]:
        """Unroll an external target: import path, name, then (member, slot) steps."""
        steps: list[tuple[str, int]] = []
        number = ~target
        while True:
            parent, path, name, slot = self.table.record("externals", number)
            if parent == NONE:
                return self.table.text(path), self.table.text(name), tuple(steps[::-1])
            steps.append((self.table.text(name), slot))
            number = parent


@remembered
def _words(view: View, decl: Decl) -> dict[bytes, tuple[int, int]]:
    """Return the words of *decl*: where among them each stands, and its number."""
    numbers = enumerate(view.words_of(decl.id))
    return {view.table.text(n).encode(): (turn, n) for turn, n in numbers}


@remembered
def _source_lines(view: View, decl: Decl) -> list[bytes]:
    """Return the lines of the file that *decl* takes, whole."""
    source = view.source(decl)
    start = source.rfind(b"\n", 0, decl.start) + 1
    end = source.find(b"\n", decl.end)
    return source[start : end if end >= 0 else len(source)].split(b"\n")


def _problems(directory: str, table: Table) -> list[str]:
    """Return what is wrong with the directory as a whole."""
    where = directory or "the root directory"
    return [
        f"in {where} {table.text(message)}"
        for file, _, _, message in table.records("errors")
        if file == NONE
    ]
