"""The telemetry object that the API and `/webhooks/panic` take."""

from dataclasses import replace
from typing import Annotated, TypeVar

import msgspec

from triage.core.events import loose
from triage.core.events.crashes import crashes_in
from triage.core.model import Telemetry
from triage.errors import BadInput

MOST_TOKENS = 1_000_000

_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)]


class Wanted(msgspec.Struct, frozen=True):
    """A crash: a trace, or a file and a line, of a repository at a commit."""

    repo: _Name | None = None
    commit_sha: _Name | None = None
    commit: _Name | None = None
    """The same as `commit_sha`."""
    file: Annotated[str, msgspec.Meta(min_length=1, max_length=4_096)] | None = None
    line: Annotated[int, msgspec.Meta(ge=1, le=100_000_000)] | None = None
    trace: str | None = None
    text: str | None = None
    """The same as `trace`, as is `message`."""
    message: str | None = None
    root_dir: Annotated[str, msgspec.Meta(max_length=4_096)] | None = None
    max_tokens: Annotated[int, msgspec.Meta(ge=100, le=MOST_TOKENS)] | None = None
    depth: Annotated[int, msgspec.Meta(ge=0, le=10)] = 2
    frames: Annotated[int, msgspec.Meta(ge=1, le=50)] = 5
    related: bool = True
    goos: _Name | None = None
    goarch: _Name | None = None
    tags: Annotated[list[_Name], msgspec.Meta(max_length=100)] = []


W = TypeVar("W", bound=Wanted)


def decode(body: bytes) -> Wanted:
    """Read the object; raises `BadInput` that says what is wrong with it."""
    return decode_as(body, Wanted, what="the body")


def decode_as(text: bytes, kind: type[W], *, what: str) -> W:
    """Read an object that tells more besides; *what* is what messages call it."""
    try:
        return loose.decode(text, kind, what=what)
    except BadInput:
        plain = loose.decode(text, dict[str, object], what=what)
        if not any(isinstance(value, float) for value in plain.values()):
            raise
        whole = {name: _whole(value) for name, value in plain.items()}
        return loose.decode(msgspec.json.encode(whole), kind, what=what)


def _whole(value: object) -> object:
    """Read `7.0` as 7: they are the same number, and some senders know but one kind."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def telemetry(wanted: Wanted) -> Telemetry:
    """Make telemetry of it; raises `BadInput` where something needed is missing."""
    if wanted.repo is None:
        raise BadInput("`repo` is missing; give OWNER/NAME")
    trace = _trace(wanted)
    return replace(
        options(wanted),
        repo=wanted.repo,
        commit_sha=wanted.commit_sha or wanted.commit,
        file=None if trace else wanted.file,
        line=None if trace else wanted.line,
        trace=trace,
        root_dir=wanted.root_dir,
    )


def texts(wanted: Wanted) -> tuple[str, ...]:
    """Return what may hold the crash, in the order in which it counts."""
    return tuple(filter(None, (wanted.trace, wanted.text, wanted.message)))


def place(wanted: Wanted) -> tuple[str, int] | None:
    """Return file and line, for an object whose texts hold no crash."""
    if wanted.file is None or wanted.line is None:
        return None
    return wanted.file, wanted.line


def is_ambiguous(wanted: Wanted) -> bool:
    """Tell whether `telemetry` has to search the texts, which takes its time."""
    return len(texts(wanted)) + (place(wanted) is not None) > 1


def _trace(wanted: Wanted) -> str | None:
    """Return the first text with a crash; None where the place has to do."""
    told = texts(wanted)
    if not told and place(wanted) is None:
        raise BadInput("give a `trace`, or `file` and `line`")
    if not is_ambiguous(wanted):
        return told[0] if told else None
    found = next((text for text in told if crashes_in(text)), None)
    return found if found or place(wanted) else told[0]


def options(wanted: Wanted) -> Telemetry:
    """Return telemetry that tells nothing but how it is to be explained."""
    return Telemetry(
        repo="",
        max_tokens=wanted.max_tokens,
        depth=wanted.depth,
        frames=wanted.frames,
        related=wanted.related,
        goos=wanted.goos,
        goarch=wanted.goarch,
        tags=tuple(wanted.tags),
    )
