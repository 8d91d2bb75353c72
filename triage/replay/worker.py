"""One process of a crew: batches in by a pipe, lines out by the same.

The crew imports this too, and has no use for an engine: hence the late imports.
"""

import asyncio
import signal
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Final

from triage.config import Settings
from triage.replay.spool import Batch

if TYPE_CHECKING:
    from triage.replay.desk import Desk

SHARE: Final = 0.1
"""Of an engine's usual memory: what lies in one package comes together."""


def work(pipe: Connection, settings: Settings) -> None:
    """Work until the other end of *pipe* is closed.

    An interrupt is for the parent, which then closes it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asyncio.run(_serve(pipe, settings))


async def _serve(pipe: Connection, settings: Settings) -> None:
    from triage.app import open_engine  # noqa: PLC0415 - as said above
    from triage.replay.desk import Desk  # noqa: PLC0415 - likewise

    async with open_engine(settings, share=SHARE) as engine:
        desk = Desk(engine, asyncio.get_running_loop())
        async with asyncio.TaskGroup() as group:
            while (batch := await asyncio.to_thread(_next, pipe)) is not None:
                group.create_task(_answer(batch, desk, pipe))


def _next(pipe: Connection) -> Batch | None:
    """Wait for a batch; None where there are no more."""
    try:
        batch: Batch = pipe.recv()
    except (EOFError, OSError):
        return None
    return batch


async def _answer(batch: Batch, desk: "Desk", pipe: Connection) -> None:
    for item in batch:
        line = await desk.line(item)
        try:
            pipe.send_bytes(line)
        except OSError:
            return  # nobody wants it any more
