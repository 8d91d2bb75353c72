"""Records of loggers and log shippers, in JSON: the texts that they hold.

A record holds a whole stack in one of its values (zap, slog, Cloud Logging), or one
line of a stream that many records make up (`go test -json`, Docker, journald).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import orjson

from triage.core.panics.clean import clean
from triage.core.panics.crash import Found
from triage.core.panics.document import Document, Hint
from triage.core.panics.escapes import hint_from
from triage.core.panics.structured import read_structured

_START = re.compile(r'\{\s*"|\[\s*\{')
_INTERESTING = ("goroutine", "panic", "fatal error", "DATA RACE", '"line', "stack")
_SEVERAL = re.compile(r"\\n(?!\\?\")|(?<!\\)\\{2,}n")
"""A line end within a value: more than the one that a line of output has."""
_STREAMED = re.compile(
    r"(?:goroutine \d+ [^\"\n]{0,199}\]:|DATA RACE)\s*(?:\\n)?\""
    r"|\"(?:\\t| )*(?:panic: |fatal error: )|\.go:\d+ (?:\+0x|\(0x)[0-9a-f]+\)?(?:\\n)?\""
)
"""A line of a dump that is a value by itself: the others are in records around it."""
_STACK = re.compile(r"goroutine \d+ |\.(?:go|s|y):\d+|DATA RACE|panic: |fatal error: ")
_FOLDED = re.compile(r'\n|\\n|\{\s*\\?"')
_RAW = ("Output", "log")
"""Fields whose values carry their own line ends."""
_LINES = (
    "MESSAGE", "textPayload", "message", "msg", "@message", "line", "text", "body",
    "content", "event", "data", "_raw",
)  # fmt: skip
_INSIDE = ("jsonPayload", "fields", "_source", "result", "attributes", "kubernetes")
_SENDERS = (
    "Package", "ImportPath", "stream", "container_id", "container_name", "pod_name",
    "instance", "host", "hostname", "_HOSTNAME", "_PID",
)  # fmt: skip
_DEEP = 40
_DECODER = json.JSONDecoder(strict=False)


@dataclass(slots=True)
class Unpacked:
    """What the records of a document hold, and what is left of it without them."""

    rest: Document
    inner: list[Document] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)


@dataclass(slots=True)
class _Stream:
    """Lines that many records carry, put together again."""

    pieces: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """One for each line that was begun."""
    empty: bool = True
    """The last line has no end and nothing in it yet."""

    def feed(self, text: str, number: int, *, raw: bool) -> None:
        """Add what one record carries; *raw* text has its own line ends."""
        if not raw:
            text = text if text.endswith("\n") else f"{text}\n"
        if self.empty and text:
            self.numbers.append(number)
        self.pieces.append(text)
        self.numbers += [number] * (text.count("\n") - text.endswith("\n"))
        self.empty = text.endswith("\n") if text else self.empty

    def document(self) -> Document:
        """Return the lines as one text; what ends the last begins none."""
        return Document("".join(self.pieces).removesuffix("\n"), self.numbers)


def unpack(document: Document) -> Unpacked:
    """Take every record out of a document."""
    text = document.text
    if '"' not in text or not _START.search(text):
        return Unpacked(document)
    whole = _whole(document)
    if whole:
        return whole
    unpacked = Unpacked(document)
    streams: dict[tuple[object, ...], _Stream] = {}
    kept: list[int] = []
    streamed = _STREAMED.search(text) is not None
    for index, line in enumerate(document.lines):
        record = _record(line) if streamed or _interesting(line) else None
        number = document.number(index)
        if record is None or not _open(record, number, unpacked, streams):
            kept.append(index)
    if len(kept) < len(document.lines):
        unpacked.rest = document.only(kept)
    unpacked.inner += [
        stream.document() for stream in streams.values() if stream.numbers
    ]
    return unpacked


def _interesting(line: str) -> bool:
    """Tell whether a record is worth opening; most are not."""
    if any(word in line for word in _INTERESTING):
        return True
    return "\\n" in line and _SEVERAL.search(line) is not None


def _record(line: str) -> dict[str, object] | None:
    """Read the record that begins in a line, behind any prefix."""
    start = line.find('{"')
    if start < 0:
        return None
    try:
        value = orjson.loads(line[start:])
    except orjson.JSONDecodeError:
        value = _lenient(line, start)
    return value if isinstance(value, dict) else None


def _lenient(text: str, start: int) -> object:
    """Read one JSON value where more follows it; None where there is none."""
    try:
        value = _DECODER.raw_decode(text, start)[0]
        orjson.dumps(value)  # refuses halves of characters and whole numbers too long
    except (ValueError, TypeError, RecursionError):
        return None
    return value


def _whole(document: Document) -> Unpacked | None:
    """Read a document that is JSON as a whole, spread over lines."""
    text = document.text.strip()
    if text[:1] not in {"{", "["} or text[-1:] not in {"}", "]"} or "\n" not in text:
        return None
    value = _lenient(text, 0) if not _record(document.lines[0]) else None
    if not isinstance(value, dict | list):
        return None
    unpacked = Unpacked(Document(""))
    for record in value if isinstance(value, list) else [value]:
        if isinstance(record, dict):
            _open(record, document.number(0), unpacked, {})
    return unpacked if unpacked.inner or unpacked.found else None


def _open(
    record: dict[str, object],
    number: int,
    unpacked: Unpacked,
    streams: dict[tuple[object, ...], _Stream],
) -> bool:
    """Take what one record holds; False where that is nothing of ours."""
    stacks = list(_stacks(record, None, 0))
    for text, hint in stacks:
        unpacked.inner.append(clean(text).within(number, hint, whole=True))
    if stacks:
        return True
    found = read_structured(record, number)
    unpacked.found += found
    piece = None if found else _piece(record, 0)
    if piece:
        name, text = piece
        stream = streams.setdefault(_sender(record), _Stream())
        stream.feed(text, number, raw=name in _RAW)
    return bool(found or piece)


def _piece(record: dict[str, object], depth: int) -> tuple[str, str] | None:
    """Return the field that is a line of a stream, and its value."""
    for name in (*_RAW, *_LINES):
        value = record.get(name)
        if isinstance(value, str):
            return name, value
    for name in _INSIDE if depth < _DEEP else ():
        inner = record.get(name)
        piece = _piece(inner, depth + 1) if isinstance(inner, dict) else None
        if piece:
            return piece
    return None


def _sender(record: dict[str, object]) -> tuple[object, ...]:
    inner = record.get("kubernetes")
    places = [record, inner] if isinstance(inner, dict) else [record]
    named = [place.get(name) for place in places for name in _SENDERS]
    return tuple(value for value in named if not isinstance(value, dict | list))


def _stacks(
    value: object, hint: Hint | None, depth: int
) -> Iterator[tuple[str, Hint | None]]:
    """Yield every string of a record that is a text of its own, with what is said of it."""
    if isinstance(value, str):
        if _STACK.search(value) and _FOLDED.search(value.rstrip("\n")):
            yield value, hint
    elif depth < _DEEP:
        if isinstance(value, dict):
            hint = hint_from(lambda name: _short(value, name)) or hint
            parts: list[object] = list(value.values())
        else:
            parts = value if isinstance(value, list) else []
            hint = _attributes(parts) or hint
            if len(parts) > 1 and all(isinstance(part, str) for part in parts):
                parts = ["\n".join(map(str, parts))]
        for part in parts:
            yield from _stacks(part, hint, depth + 1)


def _short(record: dict[str, object], name: str) -> object:
    """Look up a field that is said of a stack, rather than being one."""
    value = record.get(name)
    return value if isinstance(value, str) and not _STACK.search(value) else None


def _attributes(parts: list[object]) -> Hint | None:
    """Find OpenTelemetry's `{"key": "exception.message", "value": {...}}`."""
    for part in parts:
        if isinstance(part, dict) and part.get("key") == "exception.message":
            value = part.get("value")
            text = value.get("stringValue") if isinstance(value, dict) else value
            if isinstance(text, str):
                return Hint(text, crash=False)
    return None
