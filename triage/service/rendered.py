"""Answers written out: what is asked for again and again is written once."""

from dataclasses import dataclass
from typing import Final

from triage.cache.memory import MemoryShelf
from triage.core import render
from triage.core.model import Result

_LIMIT: Final = 64 << 20
_LONGEST: Final = 1 << 16
"""Bytes of a request from which on it is not kept."""
_BESIDES: Final = 8 << 10
"""Bytes that an answer takes besides: its result, and what allocation leaves unused."""
_MEDIA: Final = {
    "json": "application/json",
    "markdown": "text/markdown",
    "text": "text/plain",
}


@dataclass(frozen=True, slots=True)
class Written:
    """A result in one form."""

    result: Result
    data: bytes
    media: str


class Rendered:
    """Remembers what the same request has been answered with.

    Only where the answer came out of the engine's memory: then the same request has the
    same answer for as long as this process runs, as the list of repositories is fixed.
    """

    def __init__(self) -> None:
        self._kept: MemoryShelf[Written] = MemoryShelf(_LIMIT)

    def known(self, body: bytes, accept: str) -> Written | None:
        """Return the answer to the very same request."""
        return self._kept.get((body, accept))

    def write(self, result: Result, form: str, *, body: bytes, accept: str) -> Written:
        """Write a result in a form, and remember it where it lasts."""
        written = Written(result, _write(result, form), _MEDIA[form])
        if result.served_from == "memory" and len(body) <= _LONGEST:
            size = len(body) + len(accept) + len(written.data) + _BESIDES
            self._kept.put((body, accept), written, size)
        return written


def _write(result: Result, form: str) -> bytes:
    if form == "json":
        return result.to_json()
    text = render.markdown(result) if form == "markdown" else result.context
    return text.encode("utf-8", "replace")
