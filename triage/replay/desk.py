"""Where items are explained, whatever becomes of each."""

import asyncio
import logging
import time
from typing import Final

from triage.core.model import Result, Telemetry
from triage.core.replay import Answer, Failure, Item, explained, failed
from triage.engine import Engine
from triage.errors import RateLimited, SourceTimeout, TriageError
from triage.pause import pause
from triage.ports import Clock

_SECONDS: Final = 300.0
"""What one try may take."""
_UNSAID: Final = 60.0
"""Seconds to wait where a rate limit does not say how long it lasts."""
_LONGEST: Final = 3_900.0
"""Seconds that an item waits for a rate limit in all: GitHub's last an hour."""

_log = logging.getLogger(__name__)


class Desk:
    """Explains items by *engine*; nothing but a cancel comes out as an exception."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    async def answer(self, item: Item) -> Answer:
        """Answer *item*."""
        if item.telemetry is None:
            return _unread(item)
        start = time.perf_counter()
        try:
            result = await self._explained(item.id, item.telemetry)
        except TriageError as error:
            code, message = error.code, str(error)
        except Exception:  # noqa: BLE001 - the edge: one item's bug must not end the run
            _log.exception("item %s failed", item.id)
            code, message = "internal", "a bug of Triage's; its log says more"
        else:
            return explained(item.id, result, _since(start))
        return failed(item.id, code, message, _since(start))

    async def _explained(self, id_: str, telemetry: Telemetry) -> Result:
        """Make the context; a rate limit is waited for, as long as that makes sense."""
        waited = 0.0
        while True:
            try:
                return await self._tried(telemetry)
            except RateLimited as error:
                seconds = _UNSAID
                if error.reset_at is not None:
                    seconds = max(1.0, error.reset_at - time.time() + 1)
                waited += seconds
                if waited > _LONGEST:
                    raise
                _log.warning("item %s waits %d s: %s", id_, seconds, error)
            await pause(self._clock, seconds)

    async def _tried(self, telemetry: Telemetry) -> Result:
        try:
            async with asyncio.timeout(_SECONDS):
                return await self._engine.context(telemetry)
        except TimeoutError as error:
            raise SourceTimeout(
                f"it took over {_SECONDS:g} seconds; replay it again alone"
            ) from error


def _unread(item: Item) -> Answer:
    """Answer an item that could not even be read."""
    failure = item.failure or Failure("internal", "the item tells nothing")
    return failed(item.id, failure.code, failure.message)


def _since(start: float) -> float:
    return (time.perf_counter() - start) * 1000
