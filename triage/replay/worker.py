"""One process of a crew: batches in by a pipe, lines out by the same.

The crew imports this too, and has no use for an engine: hence the late imports.
"""

import asyncio
import signal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Final

from triage.config import Settings
from triage.replay.spool import Batch

if TYPE_CHECKING:
    from triage.replay.desk import Desk

AHEAD: Final = 4
"""Batches that a worker has at a time: while one waits for a host, others go on."""
SHARE: Final = 0.05
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
        # What lies on disk keeps the processor busy: two at a time take memory alone.
        local, remote = asyncio.Semaphore(1), asyncio.Semaphore(AHEAD)
        async with asyncio.TaskGroup() as group:
            while (batch := await asyncio.to_thread(_next, pipe)) is not None:
                turn = local if _is_local(batch) else remote
                group.create_task(_answer(batch, desk, pipe, turn))


def _next(pipe: Connection) -> Batch | None:
    """Wait for a batch; None where there are no more."""
    try:
        batch: Batch = pipe.recv()
    except (EOFError, OSError):
        return None
    return batch


def _is_local(batch: Batch) -> bool:
    told = batch[0].telemetry
    return told is None or Path(told.repo).is_dir()


async def _answer(
    batch: Batch, desk: "Desk", pipe: Connection, turn: asyncio.Semaphore
) -> None:
    async with turn:
        for item in batch:
            answer = await desk.answer(item)
            try:
                pipe.send(answer)
            except OSError:
                return  # nobody wants it any more
