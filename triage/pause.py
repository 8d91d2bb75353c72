"""Wait on a clock that tests can turn."""

import asyncio

from triage.ports import Clock


async def pause(clock: Clock, seconds: float) -> None:
    """Wait for *seconds*; a cancel leaves no timer behind."""
    over = asyncio.Event()
    timer = clock.call_later(seconds, over.set)
    try:
        await over.wait()
    finally:
        timer.cancel()
