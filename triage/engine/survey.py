"""Find out of one commit's tree what a call has to know, and no more.

Each call begins with nothing, so that what it finds does not hang on what others were
looking for; what they found is told by the chart. A list of the whole tree is shared.
"""

from collections.abc import Sequence
from dataclasses import replace

from triage.core.atlas import Atlas, explored, whole
from triage.core.model import Package, Panic, Telemetry, Unread
from triage.core.modules import Layout, import_dir, module_files
from triage.core.places import Finding, find_places
from triage.core.whereabouts import Wanted, forms, said, wanted, wanted_for_imports
from triage.engine.means import Repository
from triage.errors import FileMissing
from triage.ports import Recalled, Shelf


class Survey:
    """What one call knows of the tree of *commit*."""

    def __init__(
        self, repository: Repository, commit: str | None, atlases: Shelf[Atlas]
    ) -> None:
        self._source = repository.source
        self._chart = repository.chart
        self._commit = commit
        self._shelf = atlases
        self.key = (repository.name, commit) if repository.name and commit else None
        """What the commit is known by; None for a working tree."""
        self._atlas = (atlases.get(self.key) if self.key else None) or Atlas()
        self._own_name = repository.source.name
        self._packages: dict[str, Package] = {}
        self._learnt: Layout | None = None
        self._imports: dict[str, None] = {}

    @property
    def layout(self) -> Layout:
        """What is known, with what the trace told of it."""
        return self._learnt or self._atlas.layout

    @property
    def unread(self) -> tuple[str, ...]:
        """Say of each go.mod and go.work file that could not be read why, by path."""
        found = sorted(self._atlas.unread.items())
        return tuple(f"{path} {_why(one)}" for path, one in found)

    @property
    def passing(self) -> bool:
        """Tell whether what is known of the tree may be otherwise the next time."""
        unread = any(one.passing for one in self._atlas.unread.values())
        return unread or any(p.passing for p in self._packages.values())

    async def find(self, telemetry: Telemetry, panics: Sequence[Panic]) -> Finding:
        """Find the places of a crash; raises what `find_places` does."""
        where = self.key and (*self.key, telemetry.root_dir, *said(telemetry, panics))
        known = self._shelf.get(where) if where else None
        if known is not None:
            self._atlas = known
        else:
            await self._explore(telemetry, panics)
        try:
            finding = find_places(telemetry, panics, self._atlas.layout)
        except FileMissing as error:
            closed = self._closed()
            if closed is None:
                raise
            raise FileMissing(f"{error}; {closed}") from error
        if finding.layout is not self._atlas.layout:
            self._learnt = finding.layout
        if where and known is None and self._is_lasting():
            self._shelf.put(where, self._atlas, self._atlas.size)
        return finding

    def _is_lasting(self) -> bool:
        """Tell whether a part of the tree is known as it will be the next time."""
        return not self._atlas.complete and not self.passing

    def _closed(self) -> str | None:
        """Say of a directory that it could not be looked into: a file may be there."""
        for package in self._packages.values():
            if package.problems and not package.files and not package.unread:
                return package.problems[0]
        return None

    async def _explore(self, telemetry: Telemetry, panics: Sequence[Panic]) -> None:
        """Find out what the places of a crash hang on."""
        asked = forms(telemetry, panics)
        if self._commit and asked and not self._atlas.complete:
            self._add(await self._chart.recall_paths(self._commit, asked))
        while step := wanted(telemetry, panics, self._atlas):
            await self._learn(step)

    def directory_of(self, import_path: str) -> str | None:
        """Tell where an import path lies; `settle` then finds out of what is unknown."""
        self._imports[import_path] = None
        return import_dir(import_path, self.layout)

    async def settle(self) -> bool:
        """Find out where the import paths lie that were asked for.

        False where that changed nothing.
        """
        step = wanted_for_imports(self._imports, self._atlas)
        if step is not None:
            await self._learn(step)
        return step is not None

    async def package(self, directory: str, *, first: str | None) -> Package:
        """Read a package, unless a look at its directory has brought it already."""
        package = self._packages.get(directory)
        if package is None or (
            package.problems and first not in [file.name for file in package.files]
        ):
            package = await self._source.package(self._commit, directory, first=first)
        served_from = package.served_from or self._own_name
        return replace(package, served_from=served_from)

    async def _learn(self, step: Wanted) -> None:
        if step.directories:
            await self._look(step.directories)
        else:
            await self._list()

    async def _look(self, directories: Sequence[str]) -> None:
        """Remember, and ask the source for what nobody remembers."""
        if self._commit:
            known = await self._chart.recall_directories(self._commit, directories)
            if known.looked:
                self._add(known)
                return
        packages, modules = await self._source.probe(self._commit, directories)
        self._packages |= packages
        found = {
            directory: [*(file.name for file in package.files), *package.unread]
            for directory, package in packages.items()
        }
        self._add(Recalled(found, modules, frozenset(directories)))

    async def _list(self) -> None:
        paths = await self._source.paths(self._commit)
        names = module_files(paths)
        contents = await self._source.read_all(self._commit, names) if names else {}
        self._atlas = whole(paths, contents)
        if self.key and not self.passing:
            self._shelf.put(self.key, self._atlas, self._atlas.size)

    def _add(self, new: Recalled) -> None:
        self._atlas = explored(self._atlas, new.found, new.modules, looked=new.looked)


def _why(unread: Unread) -> str:
    """Say that a file cannot be read, and why."""
    said = "cannot be read"
    whole = unread.reason.startswith(said)
    return unread.reason if whole else f"{said}: it {unread.reason}"
