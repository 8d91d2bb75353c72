"""The packages that one call reads, as views: out of memory, or fetched and parsed."""

from collections.abc import Container
from dataclasses import replace

from triage.core.keys import Key, table_key
from triage.core.model import BuildContext, Package
from triage.core.modules import import_path
from triage.core.table import Table, Verdict
from triage.core.view import View
from triage.engine.means import Means
from triage.engine.survey import Survey

_PER_TABLE_BYTE = 6
"""Bytes in memory for one of a table's JSON: lists of integers."""
_PER_BYTE = 25
_PER_VIEW = 5 << 19
"""Bytes that what a view works out takes: for one of the sources, and at most."""
_PER_KEY = 500


class Library:
    """Serves the views of one commit under one build context."""

    def __init__(
        self,
        means: Means,
        survey: Survey,
        build: BuildContext,
        tested: Container[str],
    ) -> None:
        """Let tests take part in the directories *tested*."""
        self._means = means
        self._survey = survey
        self._build = build
        self._tested = tested
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

    async def _view(self, directory: str, focus: str | None, first: str | None) -> View:
        path = import_path(directory, self._survey.layout) or ""
        build = replace(self._build, tests=directory in self._tested)
        where = self._survey.key and (self._survey.key, directory, build, focus, path)
        if where is not None and (view := self._held(where)) is not None:
            self.served_from.setdefault(directory, "memory")
            return view
        package = await self._survey.package(directory, first=first)
        self.served_from[directory] = package.served_from
        content = (
            directory,
            package.problems,
            table_key(package, build, focus, path),
        )
        view = self._means.views.get(content)
        if view is None:
            data = await self._means.parser.symbols(
                package, build, focus, import_path=path
            )
            view = self._made(content, package, data, path)
        if where is not None and not view.passing:
            self._means.contents.put(where, content, _PER_KEY)
        return view

    def _held(self, where: Key) -> View | None:
        """Return the view of a directory at its commit, if it is in memory."""
        content = self._means.contents.get(where)
        return self._means.views.get(content) if content is not None else None

    def _made(self, content: Key, package: Package, data: bytes, path: str) -> View:
        """Make a view; whoever waited for the same table finds the first one's."""
        view = self._means.views.get(content)
        if view is None:
            view = View(package, Table(data), import_path=path)
            size = sum(len(file.data) for file in package.files)
            if view.table.checked:
                weight = size + min(_PER_BYTE * size, _PER_VIEW)
                weight += _PER_TABLE_BYTE * len(data)
                self._means.views.put(content, view, weight)
        return view


def _is_left_out(view: View, name: str) -> bool:
    """Tell whether the build context takes the other files and not *name*."""
    number = view.file_number(name)
    return number is not None and view.file_records[number][2] == Verdict.EXCLUDED
