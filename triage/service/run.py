"""Run the service in one process: from its start to a signal, and to the end."""

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from aiohttp import web

from triage.app import open_works
from triage.config import Settings
from triage.service.app import make_app
from triage.service.connection import Runner
from triage.service.door import announce
from triage.service.limits import Limits
from triage.service.logbook import set_up


def run_one(settings: Settings, place: socket.socket) -> None:
    """Serve with this process alone, until a signal."""
    asyncio.run(serve(settings, place))


async def serve(
    settings: Settings,
    place: socket.socket,
    *,
    alive: int | None = None,
    shared_metrics: str | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT, or until the pipe *alive* ends.

    With *alive* the process is one of several.
    """
    set_up(settings.log_level)
    app = make_app(
        open_works, settings, shared_metrics=shared_metrics, alone=alive is None
    )
    stop = asyncio.Event()
    with _told(stop.set, alive):
        runner = Runner(app, Limits())
        try:
            await runner.setup()
            await web.SockSite(runner, place, backlog=runner.backlog).start()
            if alive is None:
                announce(settings, place)
            await stop.wait()
        finally:
            await runner.cleanup()


@contextmanager
def _told(stop: Callable[[], object], alive: int | None) -> Iterator[None]:
    """Call *stop* on a signal to end, and when whoever holds *alive* is gone."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    if alive is not None:
        loop.add_reader(alive, stop)
    try:
        yield
    finally:
        if alive is not None:
            loop.remove_reader(alive)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
