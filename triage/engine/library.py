"""The packages that one call reads, as views: out of memory, or fetched and parsed."""

from collections.abc import Container, Hashable
from dataclasses import replace

from triage.core.keys import table_key
from triage.core.model import BuildContext, Package
from triage.core.modules import import_path
from triage.core.table import Table, Verdict
from triage.core.view import View
from triage.engine.means import Means, Repository
from triage.engine.survey import Survey

_PER_TABLE_BYTE = 6
"""Bytes in memory for one of a table's JSON: lists of integers."""
_PER_KEY = 500


class Library:
    """Serves the views of one commit under one build context."""

    def __init__(
        self,
        means: Means,
        repository: Repository,
        survey: Survey,
        commit: str | None,
        build: BuildContext,
        tested: Container[str],
    ) -> None:
        """*tested* are the directories whose tests take part."""
        self._means = means
        self._survey = survey
        self._build = build
        self._tested = tested
        self._own_name = repository.source.name
        self._commit = (repository.name, commit) if repository.name and commit else None
        self.served_from: dict[str, str] = {}
        """Who had the files of each directory."""

    async def view(self, directory: str, focus: str | None) -> View:
        """Return the package of *directory*, with the file *focus* in it.

        Without need for it, *focus* leaves no trace: a package is parsed once for
        all its files.
        """
        view = await self._view(directory, None, focus)
        if focus is not None and _is_left_out(view, focus):
            view = await self._view(directory, focus, focus)
        return view

    async def _view(
        self, directory: str, focus: str | None, first: str | None
    ) -> View:
        path = import_path(directory, self._survey.layout) or ""
        build = replace(self._build, tests=directory in self._tested)
        where = self._commit and (self._commit, directory, build, focus, path)
        content = where and self._means.contents.get(where)
        view = content and self._means.views.get(content)
        if view:
            self.served_from.setdefault(directory, "memory")
            return view
        package = await self._survey.package(directory, first=first)
        self.served_from[directory] = package.served_from or self._own_name
        content, view = await self._parsed(package, build, focus, path)
        if where and not package.passing:
            self._means.contents.put(where, content, _PER_KEY)
        return view

    async def _parsed(
        self, package: Package, build: BuildContext, focus: str | None, path: str
    ) -> tuple[Hashable, View]:
        content = (
            package.directory,
            package.problems,
            table_key(package, build, focus, path),
        )
        view = self._means.views.get(content)
        if view is None:
            data = await self._means.parser.symbols(
                package, build, focus, import_path=path
            )
            # Whoever waited for the same table finds the view that the first made.
            view = self._means.views.get(content)
        if view is None:
            view = View(package, Table(data), import_path=path)
            size = sum(len(file.data) for file in package.files)
            self._means.views.put(content, view, size + _PER_TABLE_BYTE * len(data))
        return content, view


def _is_left_out(view: View, name: str) -> bool:
    """Tell whether the build context takes the other files and not *name*."""
    number = view.file_number(name)
    return number is not None and view.file_records[number][2] == Verdict.EXCLUDED
