"""Answers written out: what is asked for again and again is written once."""

from typing import Final

from triage.cache.memory import MemoryShelf
from triage.core import render
from triage.core.model import Result

_LIMIT: Final = 32 << 20
_MEDIA: Final = {
    "json": "application/json",
    "markdown": "text/markdown",
    "text": "text/plain",
}


class Rendered:
    """Gives results in the three forms.

    A result out of memory is the same object each time: the bytes are kept with it.
    """

    def __init__(self) -> None:
        self._kept: MemoryShelf[tuple[Result, bytes]] = MemoryShelf(_LIMIT)

    def get(self, result: Result, form: str) -> tuple[bytes, str]:
        """Return the bytes of a form, and their media type."""
        if result.served_from != "memory":
            return _written(result, form), _MEDIA[form]
        key = (id(result), form)
        kept = self._kept.get(key)
        # The result is kept too, so that its id stays its own.
        if kept is None or kept[0] is not result:
            kept = (result, _written(result, form))
            self._kept.put(key, kept, 2 * len(kept[1]))
        return kept[1], _MEDIA[form]


def _written(result: Result, form: str) -> bytes:
    if form == "json":
        return result.to_json()
    text = render.markdown(result) if form == "markdown" else result.context
    return text.encode("utf-8", "replace")
