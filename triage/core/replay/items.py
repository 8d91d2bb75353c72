"""Items of a replay: one crash each, as a line of JSON or a part of a log tells it."""

from dataclasses import dataclass
from typing import Annotated, Final

import msgspec

from triage.core.events import loose
from triage.core.events.wanted import Wanted, decode_as, telemetry
from triage.core.model import Telemetry
from triage.errors import BadInput, TriageError

_LONGEST_ID: Final = 1_000


class Told(Wanted, frozen=True):
    """A line of the input: the telemetry object, with an id and a date if it has them."""

    id: (
        Annotated[str, msgspec.Meta(min_length=1, max_length=_LONGEST_ID)] | int | None
    ) = None
    depth: Annotated[int, msgspec.Meta(ge=0, le=10)] | None = None  # type: ignore[assignment] # None: not told
    frames: Annotated[int, msgspec.Meta(ge=1, le=50)] | None = None  # type: ignore[assignment] # likewise
    at: object = None
    """When it crashed, a number of seconds or RFC 3339, as the next four are."""
    time: object = None
    timestamp: object = None
    date: object = None
    observed_at: object = None


@dataclass(frozen=True, slots=True)
class Given:
    """What the command says, for all that an item does not tell."""

    repo: str = "."
    commit: str | None = None
    root_dir: str | None = None
    max_tokens: int | None = None
    depth: int = 2
    frames: int = 5


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no context."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Item:
    """One crash to explain; without telemetry it has failed already."""

    id: str
    telemetry: Telemetry | None = None
    at: float | None = None
    """When it crashed, in seconds since the epoch, where that is told."""
    failure: Failure | None = None


def is_item(line: bytes) -> bool:
    """Tell whether a text that begins with *line* is one of items, not a log.

    Logs are JSON too: an item tells its trace, its commit, or a file beside a line.
    """
    try:
        names = msgspec.json.decode(line, type=dict[str, msgspec.Raw]).keys()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return not names.isdisjoint(("trace", "commit_sha")) or {"file", "line"} <= names


def read_item(line: bytes, name: str, given: Given) -> Item:
    """Read one line of JSON; *name* is the item's id where it tells none.

    What is wrong with it is the item's failure.
    """
    try:
        told = decode_as(line, Told, what="the line")
    except BadInput as error:
        return Item(_told_id(line) or name, failure=_failure(error))
    id_ = name if told.id is None else str(told.id)
    moment = _moment(told)
    try:
        return Item(id_, telemetry(_completed(told, given)), moment)
    except TriageError as error:
        return Item(id_, at=moment, failure=_failure(error))


def text_item(text: str, name: str, given: Given) -> Item:
    """Make an item of a crash's text."""
    return Item(
        name,
        Telemetry(
            repo=given.repo,
            commit_sha=given.commit,
            trace=text,
            root_dir=given.root_dir,
            max_tokens=given.max_tokens,
            depth=given.depth,
            frames=given.frames,
        ),
    )


def _completed(told: Told, given: Given) -> Wanted:
    """Fill in what the line does not tell."""
    return msgspec.structs.replace(
        told,
        repo=told.repo or given.repo,
        commit_sha=told.commit_sha or told.commit or given.commit,
        root_dir=given.root_dir if told.root_dir is None else told.root_dir,
        max_tokens=told.max_tokens or given.max_tokens,
        depth=given.depth if told.depth is None else told.depth,
        frames=told.frames or given.frames,
    )


def _moment(told: Told) -> float | None:
    moments = (told.at, told.time, told.timestamp, told.date, told.observed_at)
    return next(filter(None, map(loose.seconds, moments)), None)


def _told_id(line: bytes) -> str | None:
    """Read the id alone: it names the line whatever else is wrong with it."""
    try:
        told = loose.decode(line, dict[str, object])
    except BadInput:
        return None
    found = loose.text(told, "id")
    return found if found and len(found) <= _LONGEST_ID else None


def _failure(error: TriageError) -> Failure:
    return Failure(error.code, str(error))
