"""`--workers N`: processes that share one listening socket and one inbox.

The parent listens, keeps the lock on the data directory, and starts each process
again that dies, after it has put back what that one was working on. It has no threads
and no event loop of its own while it forks. Processes that lose their parent end.
"""

import asyncio
import os
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Final, NoReturn

from triage.config import Settings
from triage.core.visible import printable
from triage.errors import TriageError
from triage.service.door import announce
from triage.store import INBOX, Inbox

_ENDINGS: Final = (signal.SIGTERM, signal.SIGINT)
_ENDING: Final = 30
"""Seconds after which processes that were told to end are killed."""
_YOUNG: Final = 5.0
"""Seconds that a process has to live for its death not to be its start's failure."""
_MOST_FAILED: Final = 5
"""Starts in a row that fail until the service gives up."""
_MOST_ATTEMPTS: Final = 12


def run_cluster(settings: Settings, place: socket.socket, count: int) -> int:
    """Serve with *count* processes until a signal; returns the exit code."""
    with tempfile.TemporaryDirectory(prefix="triage-metrics-") as shared:
        # Before prometheus-client is imported: it chooses then how it keeps numbers.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = shared
        from prometheus_client.multiprocess import (  # noqa: PLC0415 - after that
            mark_process_dead,
        )

        from triage.service.run import serve  # noqa: PLC0415 - after that

        asyncio.run(_recover(settings, None))
        cluster = _Cluster(
            settings,
            place,
            shared,
            serve=lambda alive, numbers: serve(
                settings, place, alive=alive, shared_metrics=numbers
            ),
            forget=lambda pid: mark_process_dead(pid, shared),  # type: ignore[no-untyped-call] # theirs
        )
        return cluster.run(count)


async def _recover(settings: Settings, owner: int | None) -> None:
    inbox = Inbox(settings.data_dir / INBOX)
    inbox.open()
    try:
        await inbox.recover(_MOST_ATTEMPTS, owner)
    finally:
        await inbox.close()


@dataclass(slots=True)
class _Cluster:
    """The parent's view of its processes."""

    settings: Settings
    place: socket.socket
    shared: str
    serve: Callable[[int, str], Coroutine[object, object, None]]
    """Serves in the process that it is called in."""
    forget: Callable[[int], object]
    """Drops what a process that is gone has measured."""
    born: dict[int, float] = field(default_factory=dict)
    stopping: bool = False
    failed: int = 0
    code: int = 0
    pipe: tuple[int, int] = (-1, -1)

    def run(self, count: int) -> int:
        self.pipe = os.pipe()
        for number in _ENDINGS:
            signal.signal(number, self.stop)
        signal.signal(signal.SIGALRM, self.kill)
        for _ in range(count):
            self.start()
        announce(self.settings, self.place)
        while self.born:
            pid, status = os.wait()
            self.ended(pid, os.waitstatus_to_exitcode(status))
        return self.code

    def start(self) -> None:
        # Held back meanwhile: the child must not answer a signal as its parent does.
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDINGS)
        pid = os.fork()
        if pid == 0:
            self.be_a_process()
        self.born[pid] = time.monotonic()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDINGS)
        if self.stopping:  # told while others were ending
            os.kill(pid, signal.SIGTERM)

    def be_a_process(self) -> NoReturn:
        """Serve, in the child; never returns into the parent's code."""
        code = 1
        try:
            for number in (*_ENDINGS, signal.SIGALRM):
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDINGS)
            os.close(self.pipe[1])
            asyncio.run(self.serve(self.pipe[0], self.shared))
            code = 0
        except TriageError as error:
            sys.stderr.write(f"triage: error: {error.code}: {printable(str(error))}\n")
        except BaseException:  # noqa: BLE001 - the edge: nothing may go up from here
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)

    def ended(self, pid: int, code: int) -> None:
        """Take note of a process that is gone, and start another one."""
        lived = time.monotonic() - self.born.pop(pid)
        self.forget(pid)
        if self.stopping:
            return
        self.failed = self.failed + 1 if lived < _YOUNG else 0
        if self.failed >= _MOST_FAILED:
            self.code = code if code > 0 else 1
            self.stop(signal.SIGTERM, None)
            return
        asyncio.run(_recover(self.settings, pid))
        self.start()

    def stop(self, number: int, frame: object) -> None:
        """Tell all to end; those that do not are killed after a while."""
        del number, frame
        self.stopping = True
        signal.alarm(_ENDING)
        self._signal(signal.SIGTERM)

    def kill(self, number: int, frame: object) -> None:
        del number, frame
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        for pid in list(self.born):
            os.kill(
                pid, number
            )  # a zombie's id is not another's before it is waited for
