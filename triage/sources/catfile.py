"""Read git objects through one `git cat-file --batch-command` that stays open.

Requests are pipelined: any number may be under way, git answers in order.
"""

import asyncio
import signal
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from triage.errors import SourceError, SourceTimeout
from triage.sources.gitprocess import (
    GitProcess,
    end_process,
    explain_death,
    start_git,
    text_of,
)
from triage.sources.replies import GitObject, ReplyDecoder

_CHUNK = 1 << 20
_TRIES = 8
_BLAMES = 2
"""How often one request may be the one that its child died on."""
_MOST_LOST = 16
"""How many objects of one call git may die on before the call is given up."""
_STDERR = 1 << 11
_FAULTS = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL)
_SHELL = 128
"""A shell adds to it the number of the signal that ended what it ran."""
NOT_HERE = (
    "is not among the objects of this clone, which is partial or damaged;"
    " run: git fetch --refetch"
)


def _was_killed(code: int | None) -> bool:
    """Tell whether git was ended from outside: that says nothing of any object.

    None: it has not ended, it merely talks no more. 255: nobody knows how it ended.
    """
    if code is None or code == 255:  # noqa: PLR2004 - asyncio's own
        return True
    number = -code if code < 0 else code - _SHELL
    # 129 is git's own: it does not know an option.
    return number > (code > 0) and number not in _FAULTS


class _Ended(Exception):
    """The child ended; *blamed* where it did so on this batch."""

    def __init__(self, *, blamed: bool, last_words: str) -> None:
        super().__init__(last_words)
        self.blamed = blamed
        self.last_words = last_words


@dataclass(slots=True)
class _Batch:
    """Requests that were sent together, and the answers so far."""

    size: int
    future: asyncio.Future[list[GitObject | None]]
    replies: list[GitObject | None] = field(default_factory=list)


class _Child:
    """One git process: writes batches, one task reads the answers in order."""

    def __init__(self, process: GitProcess, limit: int) -> None:
        self._process = process
        self._decoder = ReplyDecoder(limit)
        self._batches = deque[_Batch]()
        self._last_words = b""
        self._garbled = False
        self._tasks = [
            asyncio.create_task(self._read()),
            asyncio.create_task(self._listen()),
        ]
        self.alive = True

    async def ask(self, command: str, names: Sequence[str]) -> list[GitObject | None]:
        """Send one command for each name; raises `_Ended` when the child does."""
        # Before anything is queued: what cannot be sent must not be waited for.
        lines = "".join(f"{command} {name}\0" for name in names).encode()
        batch = _Batch(len(names), asyncio.get_running_loop().create_future())
        for _ in names:
            self._decoder.expect(contents=command == "contents")
        self._batches.append(batch)
        # No await between queueing and writing: the order must be the same.
        self._process.stdin.write(lines + b"flush\0")
        return await batch.future

    async def close(self, *, grace: float = 0.0) -> None:
        """End the child and its tasks; every wait is bounded."""
        self.alive = False
        await end_process(self._process, grace=grace)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._fail()

    async def _read(self) -> None:
        """Deliver replies until the output ends."""
        try:
            while data := await self._process.stdout.read(_CHUNK):
                for reply in self._decoder.feed(data):
                    self._deliver(reply)
        except (ValueError, OSError):
            # Not git's language: it will not get better.
            self._process.kill()
            self._garbled = True
        self.alive = False
        with suppress(TimeoutError):
            # What it said last stands on another pipe and may come later.
            async with asyncio.timeout(1.0):
                await self._tasks[1]
                await self._process.process.wait()
        self._fail()

    async def _listen(self) -> None:
        """Keep the end of standard error; unread, it would stop the child."""
        with suppress(OSError):
            while data := await self._process.stderr.read(_STDERR):
                self._last_words = (self._last_words + data)[-_STDERR:]

    def _deliver(self, reply: GitObject | None) -> None:
        batch = self._batches[0]
        batch.replies.append(reply)
        if len(batch.replies) == batch.size:
            self._batches.popleft()
            if not batch.future.done():
                batch.future.set_result(batch.replies)

    def _fail(self) -> None:
        """Fail what is under way; git stopped on the first batch of it.

        Unless someone killed it: then nothing is said of any object.
        """
        blamed = self._garbled or not _was_killed(self._process.process.returncode)
        while self._batches:
            future = self._batches.popleft().future
            if not future.done():
                words = text_of(self._last_words)
                future.set_exception(_Ended(blamed=blamed, last_words=words))
            blamed = False


class CatFile:
    """The objects of one repository, by id or by any name that git resolves.

    *timeout* is in seconds for each call, *limit* in bytes for each object.
    """

    def __init__(self, directory: Path, *, timeout: float, limit: int) -> None:
        self._directory = directory
        self._timeout = timeout
        self._limit = limit
        self._child: _Child | None = None
        self._starting = asyncio.Lock()
        self._apart = asyncio.Lock()
        self._closed = False

    async def info(self, names: Sequence[str]) -> list[GitObject | None]:
        """Tell kind and size of each object, None where there is none."""
        return await self._ask("info", names)

    async def contents(self, names: Sequence[str]) -> list[GitObject | None]:
        """Read each object, None where there is none."""
        return await self._ask("contents", names)

    async def close(self) -> None:
        """End the child; later calls raise `SourceError`."""
        async with self._starting:
            self._closed = True
            if self._child:
                await self._child.close(grace=1.0)
                self._child = None

    async def _ask(self, command: str, names: Sequence[str]) -> list[GitObject | None]:
        """Ask together, and one by one where git died on something among them.

        Git dies on a damaged object, and on one that a partial clone would fetch.
        """
        if not names:
            return []
        replies = await self._ask_together(command, names)
        if replies is not None:
            return replies
        if len(names) == 1:
            return [None]
        replies, lost = [], 0
        for name in names:
            replies += await self._ask(command, [name])
            lost += replies[-1] is None
            if lost > _MOST_LOST:
                raise SourceError(
                    f"over {_MOST_LOST} objects asked for: each {NOT_HERE}"
                )
        return replies

    async def _ask_together(
        self, command: str, names: Sequence[str]
    ) -> list[GitObject | None] | None:
        """Ask, again where the child died; None where it did so on this twice."""
        try:
            return await self._ask_once(await self._running(), command, names)
        except _Ended as ended:
            first = ended
        # By itself: what others ask for may have been what the child died on.
        async with self._apart:
            return await self._ask_again(command, names, first)

    async def _ask_again(
        self, command: str, names: Sequence[str], ended: _Ended
    ) -> list[GitObject | None] | None:
        """Ask children of its own until one answers or two have died on it."""
        blames = int(ended.blamed)
        for _ in range(_TRIES):
            if blames >= _BLAMES:
                break
            try:
                return await self._ask_alone(command, names)
            except _Ended as again:
                blames, ended = blames + again.blamed, again
        else:
            words = ended.last_words or "it was killed each time"
            raise SourceError(await explain_death(words))
        try:
            # A name that no object has: is it the objects, or git as such?
            await self._ask_alone("info", ["0"])
        except _Ended:
            raise SourceError(await explain_death(ended.last_words)) from None
        return None

    async def _ask_alone(
        self, command: str, names: Sequence[str]
    ) -> list[GitObject | None]:
        """Ask a child that nobody else asks."""
        if self._closed:
            raise SourceError("the source is closed")
        child = await self._started()
        try:
            return await self._ask_once(child, command, names)
        finally:
            await child.close()

    async def _ask_once(
        self, child: _Child, command: str, names: Sequence[str]
    ) -> list[GitObject | None]:
        """Ask *child*; raises `_Ended` where it dies."""
        try:
            async with asyncio.timeout(self._timeout):
                return await child.ask(command, names)
        except TimeoutError as error:
            await child.close()
            raise SourceTimeout(
                f"git did not answer within {self._timeout:g} s"
            ) from error

    async def _running(self) -> _Child:
        """Give the child that lives, starting one where there is none."""
        async with self._starting:
            if self._closed:
                raise SourceError("the source is closed")
            if self._child and self._child.alive:
                return self._child
            if self._child:
                await self._child.close()
            self._child = await self._started()
            return self._child

    async def _started(self) -> _Child:
        arguments = ("cat-file", "--batch-command", "-z", "--buffer")
        return _Child(await start_git(self._directory, *arguments), self._limit)
