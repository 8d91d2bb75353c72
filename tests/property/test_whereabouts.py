"""Looking at what a trace names finds what a list of the whole tree finds."""

import re
from collections.abc import Sequence
from posixpath import dirname

import pytest

from tests.casefiles import Case, Form, read_cases
from triage.core.atlas import Atlas, explored, whole
from triage.core.model import Panic, Telemetry
from triage.core.modules import import_dir
from triage.core.panics import decipher
from triage.core.places import Finding, find_places
from triage.core.whereabouts import Wanted, wanted, wanted_for_imports
from triage.errors import TriageError

CASES = read_cases()
_IMPORT = re.compile(rb'^\s*(?:import\s+)?(?:[\w.]+\s+)?"([^"\n]+)"\s*$', re.MULTILINE)
_LISTED = re.compile(r".*\.go|(?:.*/)?go\.(?:mod|work)")


class Tree:
    """A repository in memory, looked at piece by piece."""

    def __init__(self, case: Case) -> None:
        self.files = {p: d for p, d in case.files.items() if _LISTED.fullmatch(p)}
        self.modules = {p: d for p, d in self.files.items() if not p.endswith(".go")}
        self.listed = False

    def whole(self) -> Atlas:
        """Know everything."""
        return whole(self.files, self.modules)

    def learn(self, atlas: Atlas, step: Wanted) -> Atlas:
        """Know what *step* asks for."""
        if not step.directories:
            self.listed = True
            return self.whole()
        found = {
            directory: names
            for directory in step.directories
            if (names := self._names(directory))
        }
        above = {
            path: data
            for path, data in self.modules.items()
            if any(_is_above(dirname(path), directory) for directory in found)
        }
        return explored(atlas, found, above, looked=step.directories)

    def _names(self, directory: str) -> list[str]:
        return [
            path.rpartition("/")[2]
            for path in self.files
            if dirname(path) == directory and path.endswith(".go")
        ]


def _is_above(directory: str, other: str) -> bool:
    return not directory or f"{other}/".startswith(f"{directory}/")


def asked(case: Case, form: Form) -> tuple[Telemetry, Sequence[Panic]]:
    """Say what a sender of telemetry would."""
    root_dir = case.expect.root_dir
    if form == "trace":
        crashes = decipher(case.trace).crashes
        panics = [p for p in crashes if p.crashed and p.crashed.frames]
        return Telemetry(repo="r", trace=case.trace, root_dir=root_dir), panics
    at = case.position
    return Telemetry(repo="r", file=at.file, line=at.line, root_dir=root_dir), ()


def placed(telemetry: Telemetry, panics: Sequence[Panic], atlas: Atlas) -> object:
    """Return where the frames lie, or what is said where they are not found."""
    try:
        found: Finding = find_places(telemetry, panics, atlas.layout)
    except TriageError as error:
        return type(error), str(error)
    return [(place.path, place.located) for place in found.places]


@pytest.mark.parametrize("form", ["trace", "fileline"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_looking_finds_what_listing_finds(case, form):
    """The same frames in the same files, with the same doubts, or the same error."""
    tree = Tree(case)
    telemetry, panics = asked(case, form)
    atlas = Atlas()
    while step := wanted(telemetry, panics, atlas):
        atlas = tree.learn(atlas, step)
    assert placed(telemetry, panics, atlas) == placed(telemetry, panics, tree.whole())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_looking_finds_the_imports_that_listing_finds(case):
    """Every import of every file leads to the same directory, or to none."""
    tree = Tree(case)
    telemetry, panics = asked(case, "fileline")
    atlas = Atlas()
    while step := wanted(telemetry, panics, atlas):
        atlas = tree.learn(atlas, step)
    imports = sorted(
        {
            found.decode()
            for data in tree.files.values()
            for found in _IMPORT.findall(data)
        }
    )
    while step := wanted_for_imports(imports, atlas):
        atlas = tree.learn(atlas, step)
    everything = tree.whole().layout
    assert {path: import_dir(path, atlas.layout) for path in imports} == {
        path: import_dir(path, everything) for path in imports
    }


def test_listing_is_the_exception():
    """Of all crash cases few need the whole tree."""
    listed = []
    for case in CASES:
        tree = Tree(case)
        telemetry, panics = asked(case, "trace")
        atlas = Atlas()
        while step := wanted(telemetry, panics, atlas):
            atlas = tree.learn(atlas, step)
        listed += [case.name] if tree.listed else []
    assert len(listed) < len(CASES) / 10
