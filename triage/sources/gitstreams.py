"""The streams of a child process, made by us and handed to it.

With pipes of its own, asyncio never ends a start that is cancelled half-way, nor a wait
for a child whose output another process holds.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass

_BUFFER = 1 << 20


class Output(asyncio.StreamReader):
    """What a child says on one stream."""

    ended = False
    """Whether all that could write to it have closed it, read or not."""

    def feed_eof(self) -> None:
        """Take note of the end."""
        self.ended = True
        super().feed_eof()


@dataclass(frozen=True, slots=True)
class Streams:
    """Our ends: what is written to a child and what it says."""

    stdin: asyncio.StreamWriter
    stdout: Output
    stderr: Output
    transports: tuple[asyncio.Transport, ...]

    def are_held(self) -> bool:
        """Tell whether an output is open still: what a child started may hold it."""
        return not (self.stdout.ended and self.stderr.ended)

    def close(self) -> None:
        """Close our ends, read or not."""
        for transport in self.transports:
            transport.abort()


@dataclass(frozen=True, slots=True)
class Handles:
    """The child's ends, as file numbers."""

    stdin: int
    stdout: int
    stderr: int


@asynccontextmanager
async def streams() -> AsyncIterator[tuple[Streams, Handles]]:
    """Make the streams of a child that is started in the block.

    The child's ends are closed at the block's end: it has its own by then. Ours stay
    open, unless the block fails.
    """
    with ExitStack() as theirs:
        async with AsyncExitStack() as ours:
            ends, handles = list[tuple[asyncio.Transport, Output]](), list[int]()
            for _ in range(3):
                here, there = socket.socketpair()
                handles.append(theirs.enter_context(there).fileno())
                ends.append(await _connected(here))
                ours.callback(ends[-1][0].abort)
            (into, _), (out, said), (err, complained) = ends
            loop = asyncio.get_running_loop()
            protocol = into.get_protocol()
            stdin = asyncio.StreamWriter(into, protocol, None, loop)
            yield Streams(stdin, said, complained, (into, out, err)), Handles(*handles)
            ours.pop_all()


async def _connected(end: socket.socket) -> tuple[asyncio.Transport, Output]:
    """Read a socket as a stream; a socket holds more than a pipe's 64 KiB."""
    try:
        output = Output(limit=_BUFFER)
        transport, _ = await asyncio.get_running_loop().create_connection(
            lambda: asyncio.StreamReaderProtocol(output), sock=end
        )
    except BaseException:
        end.close()
        raise
    return transport, output
