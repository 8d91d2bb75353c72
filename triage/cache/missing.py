"""Remember for a while that something is not there."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from cachetools import TTLCache

from triage.errors import NotFound
from triage.ports import Clock

SECONDS: Final = 30.0
"""A commit may be pushed, a repository made: so not for long."""
_ENTRIES: Final = 1_000


class Missing:
    """Errors that say that something does not exist, for a short time."""

    def __init__(self, clock: Clock) -> None:
        self._errors: TTLCache[str, NotFound] = TTLCache(
            _ENTRIES, SECONDS, timer=clock.time
        )

    @contextmanager
    def noted(self, name: str) -> Iterator[None]:
        """Raise what *name* raised a short while ago, else note what it raises now."""
        if (known := self._errors.get(name)) is not None:
            # A copy: raising adds to an error, and this one is raised many times.
            raise copy.copy(known)
        try:
            yield
        except NotFound as error:
            self._errors[name] = copy.copy(error)
            raise
