"""Calls over a pair of streams whose other end the test holds."""

import asyncio
import contextlib
import socket

import pytest

from triage.core.model import Snippet
from triage.core.wire import (
    Frame,
    FrameDecoder,
    Hello,
    PrintRequest,
    Reply,
    Request,
    SymbolsRequest,
    encode,
)
from triage.errors import (
    HelperDied,
    HelperError,
    HelperFailed,
    HelperProtocolError,
    HelperTimeout,
    HelperUnavailable,
    TooLarge,
)
from triage.helper.client import Client

LIMIT = 30.0
HELLO = {"protocol": 1, "schema": 2, "version": "3", "go": "4"}
BIG = 32 << 20


def symbols(text: bytes = b"package p") -> SymbolsRequest:
    """Ask for the table of a package of one file."""
    return SymbolsRequest("", "", "linux", "amd64", (), None, (("a.go", text),))


Closings = list[tuple[HelperError, tuple[Request, ...]]]


class Peer:
    """The helper's end of the connection, in the test's hands."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._decoder = FrameDecoder()
        self._frames: list[Frame] = []

    async def receive(self) -> Frame:
        """Wait for the next frame."""
        loop = asyncio.get_running_loop()
        while not self._frames:
            data = await loop.sock_recv(self._end, 1 << 20)
            assert data, "the client has closed"
            self._frames.extend(self._decoder.feed(data))
        return self._frames.pop(0)

    async def ended(self) -> bool:
        """Wait for the end of the stream; false where more comes before it."""
        try:
            return not await asyncio.get_running_loop().sock_recv(self._end, 1)
        except ConnectionResetError:
            return True

    async def send(self, header: dict[str, object], body: bytes = b"") -> None:
        """Send a frame."""
        await self.send_raw(b"".join(encode(header, body)))

    async def send_raw(self, data: bytes) -> None:
        """Send bytes that need not be a frame."""
        await asyncio.get_running_loop().sock_sendall(self._end, data)

    def close(self) -> None:
        """End the connection."""
        self._end.close()


class Line:
    """A client with its peer, and what the client told of its end."""

    def __init__(self, client: Client, peer: Peer, closings: Closings) -> None:
        self.client = client
        self.peer = peer
        self.closings = closings

    async def ask(self, request=None) -> tuple[asyncio.Task[Reply], int]:
        """Begin a call, and wait until it has arrived; return it and its id."""
        call = asyncio.create_task(self.client.call(request or symbols()))
        frame = await self.peer.receive()
        return call, frame.header["id"]


@pytest.fixture
async def line(clock):
    """Connect a client that is being read from, as its owner would."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=ours)
    closings: Closings = []
    client = Client(
        reader,
        writer,
        clock=clock,
        limit=LIMIT,
        on_close=lambda reason, suspects: closings.append((reason, suspects)),
    )

    async def own() -> None:
        client.close(await client.run())

    owner = asyncio.create_task(own())
    yield Line(client, Peer(theirs), closings)
    client.close(HelperDied("the test is over"))
    await owner
    theirs.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


async def test_hello(line):
    """The hello is there for whoever waits for it."""
    await line.peer.send({"hello": HELLO})

    assert Hello(1, 2, "3", "4") == await line.client.hello


async def test_replies_find_their_calls(line, clock):
    """Answers may come in any order; each goes to its own call, and its limit ends."""
    first, one = await line.ask()
    second, two = await line.ask()
    third, three = await line.ask(PrintRequest((Snippet("spec", b"x", 0, ()),)))

    await line.peer.send({"id": three, "result": {"texts": ["y"]}})
    await line.peer.send({"id": one, "result": {}}, b"first")
    await line.peer.send({"id": two, "result": {}}, b"second")

    assert Reply(one, {}, b"first") == await first
    assert Reply(two, {}, b"second") == await second
    assert Reply(three, {"texts": ["y"]}, b"") == await third
    assert clock.running == []
    assert repr(line.client) == "<Client open, 0 calls>"


async def test_failures_are_raised(line):
    """An error in place of a result becomes an exception with its fields."""
    large, one = await line.ask()
    panicked, two = await line.ask()
    error = {"code": "internal", "message": "boom", "stack": "goroutine 1"}

    await line.peer.send({"id": one, "error": {"code": "too-large", "message": "9"}})
    await line.peer.send({"id": two, "error": error})

    with pytest.raises(TooLarge, match="9"):
        await large
    with pytest.raises(HelperFailed, match=r"failed \(internal\): boom") as caught:
        await panicked
    assert caught.value.stack == "goroutine 1"


async def test_end_fails_all_calls_at_once(line, clock):
    """When the helper goes, every call fails with an exception of its own."""
    first, _ = await line.ask(symbols(b"1"))
    second, _ = await line.ask(symbols(b"2"))

    line.peer.close()
    outcomes = await asyncio.gather(first, second, return_exceptions=True)

    assert [str(error) for error in outcomes] == ["the helper ended"] * 2
    assert outcomes[0] is not outcomes[1]
    assert [HelperDied] * 2 == [type(error) for error in outcomes]
    assert [(symbols(b"1"), symbols(b"2"))] == [who for _, who in line.closings]
    assert clock.running == []
    with pytest.raises(HelperDied):
        await line.client.call(symbols())
    with pytest.raises(HelperDied):
        await line.client.hello


async def test_end_in_the_middle_of_a_message(line):
    """Half an answer is an end like any other, and is named."""
    call, number = await line.ask()

    frame = b"".join(encode({"id": number, "result": {}}, b"body"))
    await line.peer.send_raw(frame[:-1])
    line.peer.close()

    with pytest.raises(HelperDied, match="in the middle of a message"):
        await call


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (b"panic: boom, and more", "no frame"),
        (b"".join(encode({"id": 99, "result": {}})), "unknown id 99"),
        (b"".join(encode({"id": "x"})), "sent 'x' as id"),
        (b"".join(encode({"hello": HELLO}) * 2), "hello twice"),
    ],
)
async def test_protocol_faults_end_the_client(line, message, says):
    """What the protocol does not allow ends the client: its place is lost."""
    call, _ = await line.ask()

    await line.peer.send_raw(message)

    with pytest.raises(HelperProtocolError, match=says):
        await call
    assert line.client.closed
    assert await line.peer.ended()


async def test_answers_before_a_fault_count(line):
    """An answer that came before the garbage is an answer, if in the same read."""
    call, number = await line.ask()
    other, _ = await line.ask()

    answer = b"".join(encode({"id": number, "result": {}}, b"good"))
    await line.peer.send_raw(answer + b"garbage!")

    assert Reply(number, {}, b"good") == await call
    with pytest.raises(HelperProtocolError):
        await other


async def test_limit(line, clock):
    """A call over its limit is told so, is to blame, and ends the client for all."""
    late, _ = await line.ask(symbols(b"late"))
    clock.move(clock.now + 10)
    other, _ = await line.ask(symbols(b"other"))

    clock.move(clock.now + LIMIT - 10)

    with pytest.raises(HelperTimeout, match="longer than 30 s"):
        await late
    with pytest.raises(HelperDied, match="another call took longer than 30 s"):
        await other
    assert [(symbols(b"late"),)] == [suspects for _, suspects in line.closings]


async def test_cancelled_call(line, clock):
    """An abandoned call is cancelled at the helper; its late answer is dropped."""
    call, number = await line.ask()

    call.cancel()
    frame = await line.peer.receive()
    await line.peer.send({"id": number, "result": {}}, b"late")
    other, two = await line.ask()
    await line.peer.send({"id": two, "result": {}}, b"in time")

    assert ("cancel", {"id": number}) == (
        frame.header["method"],
        frame.header["params"],
    )
    assert Reply(two, {}, b"in time") == await other
    assert call.cancelled()
    assert clock.running == []
    assert not line.client.closed


async def test_abandoned_call_keeps_its_limit(line, clock):
    """A helper that never ends an abandoned call is found out all the same."""
    call, _ = await line.ask(symbols(b"endless"))
    call.cancel()
    await line.peer.receive()

    await clock.expire(LIMIT)

    assert [(symbols(b"endless"),)] == [suspects for _, suspects in line.closings]
    assert line.client.closed


async def test_cancelled_before_it_is_written(line, clock):
    """A call cancelled on its way to the stream leaves nothing that waits for it."""
    big = asyncio.create_task(line.client.call(symbols(bytes(BIG))))
    waiting = asyncio.create_task(line.client.call(symbols(b"never sent")))
    await asyncio.sleep(0)  # the first has the lock, the second waits for it

    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    first = await line.peer.receive()
    await line.peer.send({"id": first.header["id"], "result": {}}, b"big")
    last, number = await line.ask(symbols(b"last"))
    await line.peer.send({"id": number, "result": {}}, b"last")

    assert [(await big).body, (await last).body] == [b"big", b"last"]
    assert clock.running == []
    assert repr(line.client) == "<Client open, 0 calls>"


async def test_cancelled_while_it_is_written(line):
    """A frame that has begun goes out whole: the next one is not mixed into it."""
    big = asyncio.create_task(line.client.call(symbols(bytes(BIG))))
    await asyncio.sleep(0)

    big.cancel()
    frames = [await line.peer.receive(), await line.peer.receive()]
    call, number = await line.ask()
    await line.peer.send({"id": number, "result": {}}, b"next")

    assert [len(frame.body) for frame in frames] == [BIG, 0]
    assert [frame.header["method"] for frame in frames] == ["symbols", "cancel"]
    assert (await call).body == b"next"


async def test_end_while_writing(line):
    """Calls that wait to be written fail with the rest, and are no suspects."""
    big = asyncio.create_task(line.client.call(symbols(bytes(BIG))))
    waiting = asyncio.create_task(line.client.call(symbols(b"never sent")))
    await asyncio.sleep(0)

    line.peer.close()
    outcomes = await asyncio.gather(big, waiting, return_exceptions=True)

    assert [HelperDied] * 2 == [type(error) for error in outcomes]
    assert [
        [len(request.files[0][1]) for request in suspects]
        for _, suspects in line.closings
    ] == [[BIG]]


async def test_cancelled_after_the_end(line):
    """A call that is cancelled when it has already failed is cancelled, no more."""
    call, _ = await line.ask()

    line.client.close(HelperDied("gone"))
    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call


async def test_large_bodies_both_ways(line):
    """Large requests and answers at the same time do not wait for each other."""
    calls = [asyncio.create_task(line.client.call(symbols(bytes(BIG)))) for _ in "ab"]
    first = await line.peer.receive()

    # The helper writes a large answer while the second request is still coming in.
    answer = line.peer.send({"id": first.header["id"], "result": {}}, bytes(BIG))
    _, second = await asyncio.gather(answer, line.peer.receive())
    await line.peer.send({"id": second.header["id"], "result": {}}, bytes(BIG))

    assert [len((await call).body) for call in calls] == [BIG, BIG]


async def test_finish(line):
    """After a polite end answers still come, and nothing more is sent."""
    call, number = await line.ask()
    dropped, _ = await line.ask()

    line.client.finish()
    line.client.finish()
    dropped.cancel()
    ended = await line.peer.ended()
    await line.peer.send({"id": number, "result": {}}, b"last")

    assert ended
    assert (await call).body == b"last"
    with pytest.raises(HelperUnavailable):
        await line.client.call(symbols())
    assert repr(line.client) == "<Client sealed, 1 calls>"


async def test_finish_before_it_is_written(line):
    """A call that has not been written when the end is announced fails at once."""
    big = asyncio.create_task(line.client.call(symbols(bytes(BIG))))
    waiting = asyncio.create_task(line.client.call(symbols(b"never sent")))
    await asyncio.sleep(0)

    line.client.finish()
    first = await line.peer.receive()
    await line.peer.send({"id": first.header["id"], "result": {}}, b"big")

    assert (await big).body == b"big"
    with pytest.raises(HelperUnavailable):
        await waiting


async def test_first_reason_counts(line):
    """A client closes once, whatever else goes wrong afterwards."""
    call, _ = await line.ask()

    line.client.close(HelperDied("first"))
    line.client.close(HelperDied("second"))

    with pytest.raises(HelperDied, match="first"):
        await call
    assert len(line.closings) == 1
    assert repr(line.client) == "<Client closed, 0 calls>"
