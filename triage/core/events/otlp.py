"""`/v1/logs`: records of OpenTelemetry, in JSON or protobuf, to what they tell.

https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-logs/
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from triage.core.events import otlp_json, otlp_protobuf
from triage.core.events.clues import from_labels, place
from triage.core.events.crashes import Told, crashes_in, is_likely
from triage.core.events.otlp_values import Record, Stream
from triage.core.events.panic import is_json
from triage.core.events.values import Head
from triage.core.model import Panic
from triage.core.panics import LOGGED, decipher
from triage.core.panics.kinds import is_panic, panic_kind
from triage.core.places import explainable
from triage.errors import BadInput

PROTOBUF: Final = "application/x-protobuf"

_ERROR: Final = 17
_FATAL: Final = 21
_RUNTIME: Final = re.compile(r"\*?runtime\.")
_EXCEPTION: Final = ("exception.type", "exception.message", "exception.stacktrace")
_LONGEST_MESSAGE: Final = 4_000


def read_logs(head: Head, body: bytes) -> Iterator[Told]:
    """Yield the records that may tell of a crash; raises `BadInput`."""
    if is_json(head.content_type):
        streams = otlp_json.read(body)
    elif head.content_type == PROTOBUF:
        streams = otlp_protobuf.read(body)
    else:
        raise BadInput(f"logs come as application/json or {PROTOBUF}")
    for stream in streams:
        yield from _stream(stream)


@dataclass(frozen=True, slots=True)
class _Line:
    """A record that may be one line of a dump that many records make up."""

    text: str
    observed_at: float | None


def _stream(stream: Stream) -> Iterator[Told]:
    """Yield what one program logged: records that stand alone, then dumps of many."""
    lines = list[_Line]()
    for record in stream.records:
        told = _record(record, stream.attributes)
        if told is not None:
            yield told
        elif record.body and "\n" not in record.body.rstrip("\n"):
            lines.append(_Line(record.body.rstrip("\n"), record.observed_at))
    yield from _joined(lines, stream.attributes)


def _record(record: Record, shared: Mapping[str, str]) -> Told | None:
    """Read one record by itself; None where it tells of no crash by itself."""
    attributes = {**shared, **record.attributes}
    excepted = any(name in record.attributes for name in _EXCEPTION)
    # Loggers note where each record was written: only with a crash that is a place.
    where = place(attributes) if excepted or record.severity >= _FATAL else None
    texts = list(filter(None, (_exception(record.attributes),)))
    if "\n" in record.body.rstrip("\n") or where or excepted:
        texts.append(record.body)
    texts = list(filter(is_likely, texts))
    if not texts and where is None:
        return None
    logged = excepted or record.severity >= _ERROR
    clues = from_labels(attributes, record.observed_at)
    return Told(clues, tuple(texts), where, logged=logged)


def _exception(attributes: Mapping[str, str]) -> str:
    """Return the stack as a text that says of itself why the program died."""
    stack = attributes.get("exception.stacktrace", "")
    stack = stack or attributes.get("code.stacktrace", "")
    message = attributes.get("exception.message", "")[:_LONGEST_MESSAGE]
    kind = attributes.get("exception.type", "")
    found = explainable(decipher(stack).crashes) if stack else ()
    if not found or found[0].message or not message:
        return stack
    message = message.removeprefix("panic: ")
    if _raised(kind, message, found[0]):
        return f"panic: {message}\n\n{stack}"
    return msgspec.json.encode({"message": message, "stack": stack}).decode()


def _raised(kind: str, message: str, panic: Panic) -> bool:
    """Tell whether the program was panicking when it recorded the exception."""
    frames = panic.crashed.frames if panic.crashed else ()
    return bool(
        _RUNTIME.match(kind)
        or panic_kind(message) != "custom-panic"
        or panic.kind not in LOGGED
        or any(map(is_panic, frames))
    )


def _joined(lines: list[_Line], shared: Mapping[str, str]) -> Iterator[Told]:
    """Yield the crashes of dumps that shippers sent line by line."""
    if not any(is_likely(line.text) for line in lines):
        return
    text = "\n".join(line.text for line in lines)
    for panic, part in crashes_in(text, logged=False, alone=True):
        first = min(panic.lines[0], len(lines)) - 1
        clues = from_labels(shared, lines[first].observed_at)
        yield Told(clues, (part,), logged=False)
