"""Child processes on files that are open already.

asyncio's own never end where the event loop does so while they start: the cancelled start
waits for a child that nobody reaps any more. A start that awaits nothing has no such
moment.
"""

import asyncio
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Thread


class Process:
    """A child that is waited for, whoever asks."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self._child = child
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] = self._loop.create_future()
        Thread(target=self._reap, name=f"reap-{child.pid}", daemon=True).start()

    @property
    def pid(self) -> int:
        """Its number."""
        return self._child.pid

    @property
    def returncode(self) -> int | None:
        """How it ended, a signal as a negative number; None while it runs."""
        return self._child.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        self._child.send_signal(number)

    async def wait(self) -> int:
        """Wait for its end and tell how it ended."""
        return await asyncio.shield(self._ended)

    def _reap(self) -> None:
        code = self._child.wait()
        with suppress(RuntimeError):  # the event loop may be gone
            self._loop.call_soon_threadsafe(self._tell, code)

    def _tell(self, code: int) -> None:
        if not self._ended.done():  # cancelled with all else at the loop's end
            self._ended.set_result(code)


def spawn(
    command: Sequence[str],
    *,
    stdin: int,
    stdout: int,
    stderr: int,
    env: Mapping[str, str] | None,
    start_new_session: bool = False,
) -> Process:
    """Start a process; raises OSError where it does not start."""
    child = subprocess.Popen(
        command,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=env,
        start_new_session=start_new_session,
    )
    return Process(child)
