"""Calls to a helper over a pair of streams: ids, futures, limits, cancellation.

There is no process in sight: the streams may lead anywhere. Whatever goes wrong with
them ends in `Client.close`, which fails every pending call at once.
"""

import asyncio
import copy
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from triage.core.wire import (
    Failure,
    FrameDecoder,
    Hello,
    Message,
    Reply,
    Request,
    decode_message,
    encode_cancel,
    encode_request,
)
from triage.errors import (
    HelperDied,
    HelperError,
    HelperFailed,
    HelperProtocolError,
    HelperTimeout,
    HelperUnavailable,
    TooLarge,
    TriageError,
)
from triage.ports import Clock, Timer

_CHUNK: Final = 1 << 20

OnClose = Callable[[HelperError, tuple[Request, ...]], None]
"""Told why a client closes and which requests the helper was at work on."""


@dataclass(slots=True, eq=False)
class _Call:
    """A request without a reply; it may outlive its caller."""

    number: int
    request: Request
    answer: asyncio.Future[Reply]
    timer: Timer = field(init=False)
    sent: bool = False


class Client:
    """One connection to a helper, from its hello to its end.

    *reader* and *writer* belong together: aborting the writer ends the reader.
    *limit* is the time in seconds after which a call is taken for endless; a parse
    cannot be interrupted, so that then the whole client closes.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        clock: Clock,
        limit: float,
        on_close: OnClose,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._clock = clock
        self._limit = limit
        self._on_close = on_close
        self._numbers = itertools.count(1)
        self._calls: dict[int, _Call] = {}
        # Frames never mix, since each is one write; the lock keeps all but one of
        # them out of the transport's buffer until the helper reads.
        self._writing = asyncio.Lock()
        self._sealed: HelperError | None = None  # why nothing is written any more
        self.closed = False
        self.hello: asyncio.Future[Hello] = asyncio.get_running_loop().create_future()

    def __repr__(self) -> str:
        state = "closed" if self.closed else "sealed" if self._sealed else "open"
        return f"<Client {state}, {len(self._calls)} calls>"

    async def run(self) -> HelperError:
        """Read messages until the stream ends; return why. Never waits for writers.

        The owner closes the client with that reason, or a better one.
        """
        decoder = FrameDecoder()
        try:
            while data := await self._reader.read(_CHUNK):
                for frame in decoder.feed(data):
                    self._dispatch(decode_message(frame))
        except HelperProtocolError as err:
            return err
        except OSError as err:
            return HelperDied(f"the connection to the helper broke: {err}")
        if decoder.pending:
            return HelperDied("the helper ended in the middle of a message")
        return HelperDied("the helper ended")

    async def call(self, request: Request) -> Reply:
        """Send *request* and wait for its reply.

        Raises what the client is closed with, `HelperTimeout`, `TooLarge` or
        `HelperFailed`. A caller that is cancelled leaves the helper at work: its
        reply is dropped, and the limit holds on.
        """
        call = self._register(request)
        try:
            await self._send(call)
            return await call.answer
        finally:
            self._leave(call)

    def finish(self) -> None:
        """Send nothing more: the helper ends once it has answered what it has."""
        if self._sealed is None:
            self._sealed = HelperUnavailable("the helper is being shut down")
            self._writer.write_eof()

    def close(self, reason: HelperError) -> None:
        """Fail every pending call with *reason*; only the first reason counts."""
        self._close(reason, [call for call in self._calls.values() if call.sent])

    def _close(self, reason: HelperError, suspects: list[_Call]) -> None:
        if self.closed:
            return
        self.closed = True
        self._sealed = reason
        # Before the callers learn of it: they may try again at once.
        self._on_close(reason, tuple(call.request for call in suspects))
        for call in self._calls.values():
            self._settle(call, reason)
        self._calls.clear()
        if not self.hello.done():
            self.hello.set_exception(copy.copy(reason))
            self.hello.exception()  # it is no fault if nobody asks
        self._writer.transport.abort()

    def _register(self, request: Request) -> _Call:
        if self._sealed is not None:
            raise copy.copy(self._sealed)
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        call = _Call(next(self._numbers), request, answer)
        call.timer = self._clock.call_later(self._limit, lambda: self._expire(call))
        self._calls[call.number] = call
        return call

    async def _send(self, call: _Call) -> None:
        async with self._writing:
            if self._sealed is not None:  # while waiting for the lock
                raise copy.copy(self._sealed)
            frame = b"".join(encode_request(call.number, call.request))
            # A view, since the transport cuts off what it could send at once: cutting
            # bytes would copy the rest.
            self._writer.write(memoryview(frame))
            call.sent = True
            try:
                await self._writer.drain()
            except OSError:
                return  # the reader sees the same end, and the answer says why

    def _leave(self, call: _Call) -> None:
        """Clean up behind a caller, however it leaves."""
        if call.answer.done() and not call.answer.cancelled():
            call.answer.exception()  # the caller may have been cancelled beforehand
            return
        call.answer.cancel()
        if not call.sent:
            # No reply will ever come: nothing may wait for one.
            self._calls.pop(call.number, None)
            call.timer.cancel()
        elif self._sealed is None and call.number in self._calls:
            # A few bytes, in one write: there is no need to wait for the lock.
            cancel = encode_cancel(next(self._numbers), call.number)
            self._writer.writelines(cancel)

    def _expire(self, call: _Call) -> None:
        """Close on a call that takes too long; the others are not to blame."""
        late = f"took longer than {self._limit:g} s"
        self._settle(call, HelperTimeout(f"the Go helper {late} on one package"))
        self._close(HelperDied(f"the helper was ended: another call {late}"), [call])

    def _dispatch(self, message: Message) -> None:
        if isinstance(message, Hello):
            if self.hello.done():
                raise HelperProtocolError("the helper said hello twice")
            self.hello.set_result(message)
            return
        call = self._calls.pop(message.id, None)
        if call is None:
            raise HelperProtocolError(f"the helper answered unknown id {message.id}")
        self._settle(call, message)

    def _settle(self, call: _Call, outcome: Reply | Failure | HelperError) -> None:
        """Give a call its outcome, unless nobody waits for it any more."""
        call.timer.cancel()
        if call.answer.done():
            return
        if isinstance(outcome, Reply):
            call.answer.set_result(outcome)
        elif isinstance(outcome, Failure):
            call.answer.set_exception(_error(outcome))
        else:
            # A copy each: raising adds to an exception's traceback.
            call.answer.set_exception(copy.copy(outcome))


def _error(failure: Failure) -> TriageError:
    if failure.code == "too-large":
        return TooLarge(failure.message)
    message = f"the Go helper failed ({failure.code}): {failure.message}"
    return HelperFailed(message, stack=failure.stack)
