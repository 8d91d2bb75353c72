"""Reports of the race detector: who accessed what, and where they were started."""

import re
from dataclasses import dataclass, field

from triage.core.model import Frame, Goroutine, Panic
from triage.core.panics import shapes
from triage.core.panics.crash import Found
from triage.core.panics.document import Document
from triage.core.panics.frames import StackReader
from triage.core.panics.prefix import Prefixes
from triage.core.panics.view import View

_ANCHOR = re.compile(
    r"(?:Previous |[Aa]tomic |[Rr]ead|[Ww]rite)[\w ]{0,48}"
    rf" by (?:goroutine {shapes.NUMBER}|main goroutine)[^:\n]{{0,99}}:"
    rf"|Goroutine {shapes.NUMBER} \(\w+\) created at:"
)
_WORDS = ("by goroutine ", "by main goroutine", " created at:")
_WARNING = "WARNING: DATA RACE"


@dataclass(slots=True)
class Race:
    """One report; line indexes are those of the document."""

    first: int
    last: int
    accesses: list[Goroutine] = field(default_factory=list)
    makers: dict[int | None, Frame] = field(default_factory=dict)
    """The frame that started a goroutine, by the goroutine's number."""


def read_races(document: Document) -> list[Found]:
    """Read every race report of *document*, in order."""
    text = document.text
    if not any(word in text for word in _WORDS):
        return []
    prefixes, before = Prefixes(document), -1
    latest: dict[View, Race] = {}
    races: list[Race] = []
    for found in _ANCHOR.finditer(text):
        line, column, end = document.span(found)
        if line == before:
            continue
        before = line
        view = prefixes.view((line, column, end), _ANCHOR.match, _fits)
        reader = StackReader(view)
        last = reader.read(line + 1)
        reader.take(line)
        access = shapes.ACCESS.match(found[0])
        race = latest.get(view)
        if access and (race is None or not access["previous"]):
            race = latest[view] = Race(_top(view, line), last)
            races.append(race)
        if race:
            race.last = last
            _add(race, access, found[0], reader)
    return [_found(document, race) for race in races]


def _fits(view: View, line: int) -> bool:
    reader = StackReader(view, most=1)
    reader.read(line + 1)
    return bool(reader.frames)


def _top(view: View, line: int) -> int:
    """Take in the warning and the rule above the first access."""
    for index in range(line - 1, max(-1, line - 4), -1):
        if view.body(index) == _WARNING:
            return index
    return line


def _add(
    race: Race, access: re.Match[str] | None, title: str, reader: StackReader
) -> None:
    if access:
        goroutine = shapes.number(access["id"]) if access["id"] else None
        frames = tuple(reader.frames)
        race.accesses.append(Goroutine(goroutine, title.rstrip(":"), frames))
        return
    born = shapes.BORN.match(title)
    if born and reader.frames:
        race.makers.setdefault(shapes.number(born["id"]), reader.frames[0])


def _found(document: Document, race: Race) -> Found:
    accesses = tuple(
        Goroutine(a.id, a.state, a.frames, created_by=race.makers.get(a.id or -1))
        for a in race.accesses
    )
    span = (document.number(race.first), document.number(race.last))
    return Found(
        Panic(
            kind="data-race",
            message="DATA RACE",
            crashed=accesses[0],
            goroutines=0,
            lines=span,
            others=accesses[1:],
            form="race",
        )
    )
