"""One generation of the helper: a child process from its start to its burial."""

import asyncio
import contextlib
import errno
import logging
import signal
import socket
from collections.abc import AsyncIterator
from typing import Any, Final

from triage.core.visible import printable
from triage.core.wire import Hello, Reply, Request
from triage.errors import (
    HelperDied,
    HelperError,
    HelperProtocolError,
    HelperStartFailed,
    HelperVersionMismatch,
)
from triage.helper.client import Client, OnClose
from triage.helper.launch import Launch
from triage.helper.tail import Tail
from triage.ports import Clock
from triage.spawning import Process, spawn

_log = logging.getLogger("triage.helper")

_BUFFER: Final = 1 << 20
_MISMATCH: Final = 3
"""The exit status of a helper that was built from other code (main.go)."""
_REBUILD: Final = "build it again with `pip install .` or `pip install -e .`"
_FILES: Final = "close files, or allow more of them with `ulimit -n`"
_CURES: Final = {errno.EMFILE: _FILES, errno.ENFILE: _FILES}
"""What helps where a new build does not, by error number."""


class Child:
    """A process, and the client that talks to it. Once ended it stays so.

    *on_death* is told of an end that nobody asked for, before the calls fail.
    """

    def __init__(self, launch: Launch, on_death: OnClose) -> None:
        self._launch = launch
        self._on_death = on_death
        self._tail = Tail()
        self._process: Process | None = None
        self._dismissed = False
        loop = asyncio.get_running_loop()
        self._spawned: asyncio.Future[Client] = loop.create_future()
        # Owns process and streams from beginning to end: callers come and go and are
        # cancelled, this task is not.
        self.life = loop.create_task(self._live())

    @property
    def usable(self) -> bool:
        """Whether a started child takes calls."""
        return not self._dismissed and not self._spawned.result().closed

    @property
    def hello(self) -> Hello:
        """What a started child was built with."""
        return self._spawned.result().hello.result()

    async def start(self) -> None:
        """Wait for the hello and check it; a child that fails in this is killed.

        Raises `HelperStartFailed`, `HelperVersionMismatch` or `HelperProtocolError`.
        """
        try:
            client = await asyncio.shield(self._spawned)
            await self._handshake(client)
        except BaseException:
            self.kill()
            raise
        _log.info("helper started: %s", self.hello)

    async def call(self, request: Request) -> Reply:
        """Ask a started child; see `Client.call`."""
        return await self._spawned.result().call(request)

    def kill(self) -> None:
        """End the process without waiting for anything."""
        self._dismissed = True
        self._signal(signal.SIGKILL)

    async def close(self) -> None:
        """End the process, with good words first; bounded in time."""
        self._dismissed = True
        limits, clock = self._launch.limits, self._launch.clock
        try:
            if self._spawned.done() and self._spawned.exception() is None:
                self._spawned.result().finish()
            if not await within(clock, limits.finish, self.life):
                self._signal(signal.SIGTERM)
                await within(clock, limits.terminate, self.life)
        finally:
            self._signal(signal.SIGKILL)  # also where the caller cannot wait
        await within(clock, 2 * limits.reap, self.life)

    async def _handshake(self, client: Client) -> None:
        limit = self._launch.limits.hello
        if not await within(self._launch.clock, limit, client.hello):
            reason = f"the Go helper did not say hello within {limit:g} s"
            client.close(HelperStartFailed(reason))
        try:
            self._launch.check(client.hello.result())
        except HelperVersionMismatch as err:
            client.close(err)
            raise

    async def _live(self) -> None:
        try:
            await self._run()
        except OSError as err:  # no such program, no descriptors left
            if self._spawned.done():
                raise
            self._fail_to_spawn(err)

    async def _run(self) -> None:
        async with (
            _connection() as (reader, writer, stdio),
            _connection() as (errors, _, stderr),
        ):
            try:
                process = spawn(
                    self._launch.arguments(),
                    stdin=stdio.fileno(),
                    stdout=stdio.fileno(),
                    stderr=stderr.fileno(),
                    env=self._launch.environment,
                )
            finally:
                # The child has its own by now; with ours open its end would not show.
                stdio.close()
                stderr.close()
            limit, clock = self._launch.limits.call, self._launch.clock
            client = Client(
                reader, writer, clock=clock, limit=limit, on_close=self._closed
            )
            self._process = process
            self._spawned.set_result(client)
            await self._attend(process, client, errors)

    def _fail_to_spawn(self, err: OSError) -> None:
        cure = _CURES.get(err.errno or 0, _REBUILD)
        failure = HelperStartFailed(
            f"cannot start {self._launch.command[0]}: {err.strerror}; {cure}"
        )
        failure.__cause__ = err
        self._spawned.set_exception(failure)
        self._spawned.exception()  # it is no fault if nobody asks any more

    async def _attend(
        self,
        process: Process,
        client: Client,
        errors: asyncio.StreamReader,
    ) -> None:
        """See the process to its end, however that comes, and close the client."""
        reading = asyncio.create_task(client.run())
        exited = asyncio.create_task(process.wait())
        tasks = (reading, exited, asyncio.create_task(self._listen(errors)))
        clock, reap = self._launch.clock, self._launch.limits.reap
        if self._dismissed:  # before there was anything to kill
            self._signal(signal.SIGKILL)
        try:
            await asyncio.wait({reading, exited}, return_when=asyncio.FIRST_COMPLETED)
            if client.closed or isinstance(_reason(reading), HelperProtocolError):
                self._signal(signal.SIGKILL)
            # One end brings the others with it, and the last words are worth a
            # moment: unless the process goes on, or a child of its own does.
            if not await within(clock, reap, *tasks):
                self._signal(signal.SIGKILL)
                await within(clock, reap, *tasks)
        finally:
            self._signal(signal.SIGKILL)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            client.close(self._obituary(_reason(reading), process.returncode, client))

    async def _listen(self, errors: asyncio.StreamReader) -> None:
        """Read standard error for ever: a full pipe would stop the helper."""
        with contextlib.suppress(OSError):
            while data := await errors.read(_BUFFER):
                self._tail.feed(data)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)

    def _closed(self, reason: HelperError, suspects: tuple[Request, ...]) -> None:
        if not self._dismissed:
            _log.info("helper ended: %s", reason)
            self._on_death(reason, suspects)

    def _obituary(
        self, reason: HelperError, status: int | None, client: Client
    ) -> HelperError:
        """Add the exit status and the last words to the reason of an end."""
        if not isinstance(reason, HelperDied):
            return reason
        story = f"{reason} ({_describe(status)})"
        if headline := printable(self._tail.headline()):
            story += f": {headline}"
        if client.hello.done():
            return HelperDied(story, stderr=self._tail.lines())
        if status == _MISMATCH:
            return HelperVersionMismatch(story)
        return HelperStartFailed(f"{story}; it had not said hello")


@contextlib.asynccontextmanager
async def _connection() -> AsyncIterator[
    tuple[asyncio.StreamReader, asyncio.StreamWriter, socket.socket]
]:
    """Give our end of a pair of sockets as streams, and the child's end as it is.

    Sockets, since a pipe holds 64 KiB: a package goes through in a tenth of the turns.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        reader, writer = await asyncio.open_connection(sock=ours, limit=_BUFFER)
        try:
            yield reader, writer, theirs
        finally:
            writer.transport.abort()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def within(clock: Clock, seconds: float, *waited: asyncio.Future[Any]) -> bool:
    """Wait for all of *waited*, but not for long; say whether all are done."""
    expired: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    timer = clock.call_later(seconds, expired.cancel)
    try:
        pending = {future for future in waited if not future.done()}
        while pending and not expired.done():
            await asyncio.wait({*pending, expired}, return_when=asyncio.FIRST_COMPLETED)
            pending = {future for future in pending if not future.done()}
        return not pending
    finally:
        timer.cancel()


def _reason(reading: asyncio.Task[HelperError]) -> HelperError:
    """Return what the reader came to, if it did."""
    if reading.done() and not reading.cancelled():
        return reading.result()
    return HelperDied("the helper ended")


def _describe(status: int | None) -> str:
    if status is None:
        return "it does not exit"
    if status < 0:
        return f"signal {-status}"
    return f"exit status {status}"
