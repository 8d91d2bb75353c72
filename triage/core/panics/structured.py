"""Stacks that come as arrays of frames in JSON: AWS Lambda, Sentry, zerolog and such."""

from collections.abc import Iterator, Mapping

from triage.core.model import Frame, Goroutine
from triage.core.panics import kinds
from triage.core.panics.crash import Found, make
from triage.core.panics.document import Document, Hint

_FILES = ("abs_path", "absPath", "path", "filename", "fileName", "file", "source")
_LINES = ("lineno", "lineNo", "lineNumber", "line", "number")
_FUNCTIONS = ("function", "func", "label", "method", "methodName", "name")
_MESSAGES = ("errorMessage", "value", "panic", "error", "message", "msg", "title")
_TYPES = ("errorType", "type", "class", "errorClass")
_DEEP = 12
_DIGITS = 8
"""A line of so many digits is in no file."""


def read_structured(record: Mapping[str, object], number: int) -> list[Found]:
    """Read the stacks of one record, which stood on line *number*."""
    level = record.get("level")
    return [
        _found(frames, owner, number, fatal=level in {"fatal", "panic"})
        for frames, owner in _arrays(record, record, 0)
    ]


def _arrays(
    value: object, owner: Mapping[str, object], depth: int
) -> Iterator[tuple[tuple[Frame, ...], Mapping[str, object]]]:
    """Yield each array of frames, innermost call first, and the object that names it."""
    if depth > _DEEP:
        return
    if isinstance(value, dict):
        named = any(isinstance(value.get(name), str) for name in _MESSAGES)
        owner = value if named else owner
        for name, part in value.items():
            frames = _frames(part) if isinstance(part, list) else ()
            if frames:
                sentry = name == "frames" and "lineno" in part[0]
                yield (frames[::-1] if sentry else frames), owner
            else:
                yield from _arrays(part, owner, depth + 1)
    elif isinstance(value, list):
        for part in value:
            yield from _arrays(part, owner, depth + 1)


def _frames(parts: list[object]) -> tuple[Frame, ...]:
    """Read an array as frames; empty where it is not one of Go's."""
    frames = [_frame(part) for part in parts if isinstance(part, dict)]
    whole = tuple(frame for frame in frames if frame)
    if not whole or len(whole) < len(parts):
        return ()
    go = any((frame.file or "").endswith((".go", ".s")) for frame in whole)
    return whole if go else ()


def _frame(part: dict[str, object]) -> Frame | None:
    file = _first(part, _FILES)
    line = next((_number(part[name]) for name in _LINES if name in part), None)
    if not isinstance(file, str) or line is None:
        return None
    name, module = _first(part, _FUNCTIONS), part.get("module")
    function = name if isinstance(name, str) else ""
    if isinstance(module, str) and module and not function.startswith(f"{module}."):
        function = f"{module}.{function}"
    return Frame(function, file, line)


def _number(value: object) -> int | None:
    """Read a line's number, in digits or as such; None where it can be none."""
    if isinstance(value, str) and value.isdecimal() and len(value) < _DIGITS:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value < 10**_DIGITS else None


def _first(part: Mapping[str, object], names: tuple[str, ...]) -> object:
    return next((part[name] for name in names if part.get(name)), None)


def _found(
    frames: tuple[Frame, ...], owner: Mapping[str, object], number: int, *, fatal: bool
) -> Found:
    message = _first(owner, _MESSAGES)
    named = _first(owner, _TYPES)
    text = message if isinstance(message, str) else ""
    mechanism = owner.get("mechanism")
    unhandled = isinstance(mechanism, dict) and mechanism.get("handled") is False
    crash = fatal or unhandled or any(kinds.is_panic(frame) for frame in frames)
    if isinstance(named, str) and named.startswith(("runtime.", "*runtime.")):
        crash = True
    return make(
        Document("", [number], Hint(text, crash)),
        [Goroutine(None, "", frames)],
        head=None,
        span=(0, 0),
        form="json" if crash else "errors",
    )
