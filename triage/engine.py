"""The pipeline: panic, location, package, symbol table, slice, answer.

Knows ports alone. One `Engine` serves many calls at once; what one call needs lives
in its `Investigation`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from posixpath import basename
from typing import Protocol

from triage.core import linemap
from triage.core.answer import Origin, assemble
from triage.core.buildcontext import hinted
from triage.core.model import (
    Frame,
    Panic,
    Result,
    ShownFrame,
    ShownPanic,
    Telemetry,
)
from triage.core.modules import (
    build_layout,
    import_dir,
    import_path,
    module_files,
)
from triage.core.names import split_function
from triage.core.origins import build_roots, learn_root
from triage.core.panics import decipher, own_frames
from triage.core.paths import BuildRoot, Located, is_own, locate, package_directory
from triage.core.resolve import FrameSite, Plan, named_declaration
from triage.core.rules import CrashSite
from triage.core.site import crash_declaration, fault_sites, first_error
from triage.core.table import Decl, FileFlag, Table, Verdict
from triage.core.view import View
from triage.errors import (
    BadInput,
    FileMissing,
    HelperError,
    NoPanic,
    NotFound,
    SourceError,
    TriageError,
)
from triage.ports import Parser, Source


@dataclass(frozen=True, slots=True)
class Repository:
    """An opened source and where in it the caller stands."""

    source: Source
    root_dir: str | None = None
    """The module directory to assume where the telemetry names none."""


class Opener(Protocol):
    """Opens a repository by path or OWNER/NAME; without a commit as it lies on disk."""

    async def __call__(self, name: str, *, at_commit: bool) -> Repository:
        """Raise a `SourceError` where there is none."""
        ...


class Engine:
    """Answers telemetry with context; close it when done."""

    def __init__(
        self, parser: Parser, open_repository: Opener, *, max_tokens: int = 3000
    ) -> None:
        """*max_tokens* is the budget of telemetry that names none."""
        self._parser = parser
        self._max_tokens = max_tokens
        self._open = open_repository
        self._opened: dict[tuple[str, bool], asyncio.Future[Repository]] = {}

    async def context(self, telemetry: Telemetry) -> Result:
        """Explain a crash. Everything raised is a `TriageError`."""
        panics = _read(telemetry)
        at_commit = telemetry.commit_sha is not None
        repository = await self._repository(telemetry.repo, at_commit=at_commit)
        telemetry = self._completed(telemetry, repository)
        return await Investigation(
            repository.source, self._parser, telemetry, panics
        ).answer()

    def _completed(self, telemetry: Telemetry, repository: Repository) -> Telemetry:
        """Fill in what the caller left to the engine."""
        return replace(
            telemetry,
            max_tokens=telemetry.max_tokens or self._max_tokens,
            root_dir=repository.root_dir
            if telemetry.root_dir is None
            else telemetry.root_dir,
        )

    async def _repository(self, name: str, *, at_commit: bool) -> Repository:
        """Open a repository once, whoever of the waiting is cancelled meanwhile."""
        key = (name, at_commit)
        if key not in self._opened:
            self._opened[key] = asyncio.ensure_future(
                self._open(name, at_commit=at_commit)
            )
        opening = self._opened[key]
        try:
            return await asyncio.shield(opening)
        except TriageError:
            self._opened.pop(key, None)  # the next one may find it mended
            raise

    async def close(self) -> None:
        """Close the sources and the parser."""
        opened = await asyncio.gather(*self._opened.values(), return_exceptions=True)
        self._opened.clear()
        for repository in opened:
            if isinstance(repository, Repository):
                await repository.source.close()
        await self._parser.close()


def _read(telemetry: Telemetry) -> tuple[Panic, ...]:
    """Read the crashes with a stack; none where file and line are given instead."""
    if telemetry.trace is None:
        if telemetry.file is None or telemetry.line is None:
            raise BadInput("telemetry needs a trace, or a file and a line")
        return ()
    crashes = decipher(telemetry.trace).crashes
    found = tuple(p for p in crashes if p.crashed and p.crashed.frames)
    if not found:
        raise NoPanic("the text holds no Go panic with a stack; give the whole output")
    return found


@dataclass(frozen=True, slots=True)
class _Place:
    """A frame found in the repository."""

    frame: Frame
    directory: str
    name: str
    """Of the file; with `//line` one that is not in the directory itself."""
    located: Located | None

    @property
    def path(self) -> str:
        """The file relative to the repository."""
        return f"{self.directory}/{self.name}" if self.directory else self.name


class Investigation:
    """One call: what it found out so far, and what it still has to ask."""

    def __init__(
        self,
        source: Source,
        parser: Parser,
        telemetry: Telemetry,
        panics: Sequence[Panic],
    ) -> None:
        self._source = source
        self._parser = parser
        self._telemetry = telemetry
        self._panics = panics
        self._panic: Panic | None = None
        self._commit: str | None = None
        self._layout = build_layout((), {})
        self._roots: tuple[BuildRoot, ...] = ()
        self._build = hinted(telemetry, None)
        self._tested: frozenset[str] = frozenset()
        self._warnings: list[str] = []

    async def answer(self) -> Result:
        """Go all the way from the telemetry to the result."""
        await self._open_commit()
        places = self._own_places()
        crash = places[0]
        self._tested = frozenset(
            place.directory for place in places if place.name.endswith("_test.go")
        )
        view = await self._view(crash.directory, crash.name)
        site = self._site(view, crash)
        frames = self._frame_sites(places[1:])
        plan = Plan(
            site,
            frames,
            directory_of=lambda path: import_dir(path, self._layout),
            max_frames=self._telemetry.frames,
            related=self._telemetry.related,
            message=self._panic.message if self._panic else "",
        )
        await self._supply(plan, frames)
        fitted = plan.finish(
            self._telemetry.max_tokens or 0, warned=tuple(dict.fromkeys(self._warnings))
        )
        self._warnings += plan.warnings
        pieces = [shown.snippet for shown in fitted.shown if shown.snippet]
        printed = await self._parser.print(pieces) if pieces else []
        return assemble(site, fitted, printed, self._origin(places))

    async def _open_commit(self) -> None:
        self._commit = await self._source.resolve(self._telemetry.commit_sha)
        paths = await self._source.paths(self._commit)
        wanted = module_files(paths)
        found = await asyncio.gather(
            *(self._source.read(self._commit, path) for path in wanted)
        )
        contents = {
            path: data for path, data in zip(wanted, found, strict=True) if data
        }
        self._layout = build_layout(paths, contents)

    # -- frames to files

    def _own_places(self) -> list[_Place]:
        """Find the own frames of the first crash that has any, the crash site first."""
        if not self._panics:
            return [self._place(Frame("", self._telemetry.file, self._telemetry.line))]
        failures = list[TriageError]()
        for panic in self._panics:
            places = self._places_of(panic, failures)
            if places:
                self._panic = panic
                self._build = hinted(self._telemetry, panic)
                return places
        raise (
            failures[0]
            if failures
            else FileMissing(
                f"no frame of the trace lies in {self._telemetry.repo}; name another "
                "repository, or the module's directory as root_dir"
            )
        )

    def _places_of(self, panic: Panic, failures: list[TriageError]) -> list[_Place]:
        frames = panic.crashed.frames if panic.crashed else ()
        self._layout = learn_root(self._layout, frames)
        self._roots = build_roots(frames, self._layout)
        places = list[_Place]()
        for number in own_frames(panic, self._is_own):
            try:
                places.append(self._place(frames[number]))
            except (NotFound, BadInput) as failure:
                failures.append(failure)
        return places

    def _is_own(self, frame: Frame) -> bool:
        return is_own(
            frame,
            self._layout,
            root_dir=self._telemetry.root_dir,
            roots=self._roots,
        )

    def _place(self, frame: Frame) -> _Place:
        """Find a frame's file; one that is not there may be what `//line` tells."""
        file, function = frame.file or "", frame.function or None
        root_dir = self._telemetry.root_dir
        try:
            located = locate(
                file,
                function=function,
                layout=self._layout,
                root_dir=root_dir,
                roots=self._roots,
            )
        except FileMissing:
            directory = package_directory(
                file, function=function, layout=self._layout, root_dir=root_dir
            )
            if directory is None:
                raise
            return _Place(frame, directory, basename(file.replace("\\", "/")), None)
        directory, _, name = located.path.rpartition("/")
        return _Place(frame, directory, name, located)

    def _frame_sites(self, places: Sequence[_Place]) -> tuple[FrameSite, ...]:
        return tuple(
            FrameSite(
                turn,
                place.directory,
                place.name,
                place.frame.line or 0,
                split_function(place.frame.function),
                place.frame.function,
            )
            for turn, place in enumerate(places, 1)
        )

    # -- packages to tables

    async def _view(self, directory: str, focus: str | None) -> View:
        """Fetch and parse one package directory."""
        package = await self._source.package(self._commit, directory, first=focus)
        path = import_path(directory, self._layout) or ""
        build = replace(self._build, tests=directory in self._tested)
        table = await self._parser.symbols(package, build, focus, import_path=path)
        view = View(package, Table(table), import_path=path)
        self._warnings += package.problems
        return view

    async def _supply(self, plan: Plan, frames: Sequence[FrameSite]) -> None:
        """Hand the plan the packages it wants until it wants no more."""
        focus = {frame.directory: frame.file for frame in reversed(frames)}
        while wanted := plan.wants():
            views = await asyncio.gather(
                *(self._view_or_none(name, focus.get(name)) for name in wanted)
            )
            for name, view in zip(wanted, views, strict=True):
                plan.supply(name, view)

    async def _view_or_none(self, directory: str, focus: str | None) -> View | None:
        """Fetch a package beside the crash's; without it there is a warning."""
        try:
            return await self._view(directory, focus)
        except (SourceError, HelperError) as error:
            self._warnings.append(f"package {directory} left out: {error}")
            return None

    # -- the crash

    def _site(self, view: View, crash: _Place) -> CrashSite:
        """Find the crash declaration and what can have faulted in it."""
        line = crash.frame.line or 0
        file, line = self._physical(view, crash, line)
        decl = self._declaration(view, crash, file, line)
        kind = self._panic.kind if self._panic else None
        if crash.located and crash.located.warning:
            self._warnings.append(crash.located.warning)
        self._note_file(view, file)
        faults = fault_sites(view, decl, line, kind)
        return CrashSite(view, decl, line, kind, faults, self._telemetry.depth)

    def _physical(self, view: View, crash: _Place, line: int) -> tuple[int, int]:
        """Undo `//line`; raises `FileMissing` where neither file nor map has it."""
        mapped = linemap.physical(view, crash.frame.file or crash.name, line)
        if mapped is not None:
            return mapped
        number = view.file_number(crash.name)
        if number is None:
            raise FileMissing(
                f"{crash.path} is not in the repository, and no //line comment of "
                "its package leads to it"
            )
        return number, line

    def _declaration(self, view: View, crash: _Place, file: int, line: int) -> Decl:
        printed = crash.frame.function
        if printed:
            name = view.file_names[file]
            decl, warning = named_declaration(
                view, name, line, split_function(printed), printed
            )
            if warning:
                self._warnings.append(warning)
            if decl is not None:
                return decl
        return crash_declaration(view, file, line)

    def _note_file(self, view: View, file: int) -> None:
        """Say what is wrong with the crash file, if anything is."""
        record, path = view.file_records[file], view.path_of(file)
        if record[3] & FileFlag.BROKEN:
            self._warnings.append(
                f"{path} has a syntax error ({first_error(view, file)}); "
                "declarations behind it may be missing"
            )
        if record[2] == Verdict.EXCLUDED:
            reason = view.table.text(record[4])
            self._warnings.append(f"{path} is excluded by its constraint: {reason}")

    def _origin(self, places: Sequence[_Place]) -> Origin:
        located = places[0].located
        return Origin(
            repo=self._telemetry.repo,
            commit=self._commit,
            module_path=located.module_path if located else places[0].path,
            panic=self._shown_panic({id(p.frame): p.path for p in places}),
            functions=tuple(_fingerprinted(place.frame) for place in places)
            if self._panic
            else (),
            served_from=self._source.name,
            warnings=tuple(dict.fromkeys(self._warnings)),
        )

    def _shown_panic(self, paths: dict[int, str]) -> ShownPanic:
        if self._panic is None or self._panic.crashed is None:
            return ShownPanic(None, None, ())
        frames = tuple(
            ShownFrame(frame.function, frame.file, frame.line, paths.get(id(frame)))
            for frame in self._panic.crashed.frames
        )
        return ShownPanic(self._panic.kind, self._panic.message, frames)


def _fingerprinted(frame: Frame) -> str:
    name = split_function(frame.function)
    return f"{name.package}.{name.declaration}"
