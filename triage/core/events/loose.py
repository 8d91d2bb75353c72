"""JSON whose shape its sender does not promise: what is not as expected is not there."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final, TypeVar

import msgspec

from triage.errors import BadInput

T = TypeVar("T")

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST: Final = 1e11
"""Seconds of the next thousands of years."""
_DEEP: Final = 8

Object = Mapping[str, object]


def decode(body: bytes, kind: type[T], *, what: str = "the body") -> T:
    """Read JSON as *kind*; raises `BadInput` that says what is wrong with *what*."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise BadInput(f"{what} is not as it should be: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{what} is no JSON: {error}") from error
    except RecursionError as error:
        raise BadInput(f"{what} has JSON that is too deep") from error


def at(value: object, *names: str) -> object:
    """Go down by *names*; None where one of them is missing."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def text(value: object, *names: str) -> str | None:
    """Return a string that is not empty; a whole number is one too."""
    found = at(value, *names)
    if isinstance(found, int) and not isinstance(found, bool):
        return str(found)
    return found if isinstance(found, str) and found else None


def objects(value: object, *names: str) -> list[Object]:
    """Return the objects of an array; also of one that stands alone."""
    found = at(value, *names)
    listed = found if isinstance(found, list) else [found]
    return [part for part in listed if isinstance(part, dict)]


def strings(value: object, depth: int = 0) -> Iterator[str]:
    """Yield every string in *value*, in its order."""
    if isinstance(value, str):
        yield value
    elif depth < _DEEP:
        if isinstance(value, dict):
            parts: Iterable[object] = value.values()
        else:
            parts = value if isinstance(value, list) else ()
        for part in parts:
            yield from strings(part, depth + 1)


def seconds(value: object) -> float | None:
    """Read a moment, a number or RFC 3339, as seconds since the epoch."""
    if isinstance(value, str):
        try:
            moment = msgspec.convert(value, datetime)
        except msgspec.ValidationError:
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        value = (moment - _EPOCH).total_seconds()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value < _LATEST else None
