"""The lines of a replay's output, one an item: written, and read again.

`{"id", "status": "ok|error", "error": {"code", "message"}|null, "context": {...}|null,
"ms"}`; the context is `triage.context/1`.
"""

from dataclasses import dataclass
from typing import Literal

import msgspec
import orjson

from triage.core.model import Result


class Fault(msgspec.Struct, frozen=True):
    """Why there is no context."""

    code: str
    message: str


class _Panic(msgspec.Struct, frozen=True):
    kind: str | None
    message: str | None


class _Crash(msgspec.Struct, frozen=True):
    repo: str
    path: str
    line: int
    function: str


class _Stats(msgspec.Struct, frozen=True):
    package_tokens: int
    context_tokens: int


class Context(msgspec.Struct, frozen=True):
    """Of a context, what a summary and a report need."""

    panic: _Panic
    crash: _Crash
    fingerprint: str
    stats: _Stats
    served_from: str


class Line(msgspec.Struct, frozen=True):
    """One line of the output."""

    id: str
    status: Literal["ok", "error"]
    ms: float
    error: Fault | None = None
    context: Context | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A line as it is written, and as it reads."""

    raw: bytes
    line: Line


_lines = msgspec.json.Decoder(Line)


def explained(id_: str, result: Result, ms: float) -> Answer:
    """Answer an item that has its context."""
    raw = _written(id_, "ok", None, orjson.Fragment(result.to_json()), ms)
    panic, crash, stats = result.panic, result.crash, result.stats
    context = Context(
        _Panic(panic.kind, panic.message),
        _Crash(crash.repo, crash.path, crash.line, crash.function),
        result.fingerprint,
        _Stats(stats.package_tokens, stats.context_tokens),
        result.served_from,
    )
    return Answer(raw, Line(id_, "ok", ms, context=context))


def failed(id_: str, code: str, message: str, ms: float = 0.0) -> Answer:
    """Answer an item that has none."""
    raw = _written(id_, "error", {"code": code, "message": message}, None, ms)
    return Answer(raw, Line(id_, "error", ms, error=Fault(code, message)))


def read_line(line: bytes) -> Line | None:
    """Read a line; None for what is none, or only the beginning of one."""
    try:
        return _lines.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _written(id_: str, status: str, error: object, context: object, ms: float) -> bytes:
    line = {
        "id": id_,
        "status": status,
        "error": error,
        "context": context,
        "ms": round(ms, 3),
    }
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
