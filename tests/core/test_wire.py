"""The protocol's bytes and messages."""

import pytest

from triage.core.model import Snippet
from triage.core.wire import (
    MAX_BODY,
    MAX_FILE,
    MAX_FILES,
    MAX_FRAME,
    Failure,
    Frame,
    FrameDecoder,
    Hello,
    PrintRequest,
    Reply,
    SymbolsRequest,
    decode_message,
    encode,
    encode_cancel,
    encode_request,
)
from triage.errors import HelperProtocolError, TooLarge


def raw(header: bytes, body: bytes = b"") -> bytes:
    """Build a frame by hand: the decoder's tests must not trust the encoder."""
    return len(header).to_bytes(4, "little") + header + body


def symbols(*files: tuple[str, bytes]) -> SymbolsRequest:
    """Ask for the table of a package with these files."""
    return SymbolsRequest(
        "a/b", "m/a/b", "linux", "amd64", ("x",), tests=True, focus="u.go", files=files
    )


def test_frames_come_out_whole():
    """Frames come in order, each with its header and its own bytes."""
    stream = raw(b'{"id":1,"body_len":3}', b"\x00\xff\n") + raw(b'{"id":2}')
    decoder = FrameDecoder()

    frames = list(decoder.feed(stream))

    assert [
        Frame({"id": 1, "body_len": 3}, b"\x00\xff\n"),
        Frame({"id": 2}, b""),
    ] == frames
    assert not decoder.pending


def test_every_cut_is_survived():
    """Wherever a stream is cut in two, the same frames come out of it."""
    stream = raw(b'{"id":1,"body_len":3}', b"abc") + raw(b'{"id":2,"body_len":0}')
    whole = list(FrameDecoder().feed(stream))

    for cut in range(len(stream) + 1):
        decoder = FrameDecoder()
        frames = [*decoder.feed(stream[:cut]), *decoder.feed(stream[cut:])]

        assert whole == frames


def test_half_a_frame_is_pending():
    """A decoder knows whether its stream may end here."""
    stream = raw(b'{"id":1,"body_len":3}', b"abc")

    for cut in range(1, len(stream)):
        decoder = FrameDecoder()

        assert list(decoder.feed(stream[:cut])) == []
        assert decoder.pending


def test_an_announced_body_of_nothing_is_pending():
    """A header whose body has not begun is half a frame too."""
    decoder = FrameDecoder()

    assert list(decoder.feed(raw(b'{"id":1,"body_len":3}'))) == []
    assert decoder.pending


@pytest.mark.parametrize(
    ("garbage", "says"),
    [
        (b"fatal error: stack overflow", "no frame but b'fatal error"),
        ((MAX_FRAME + 1).to_bytes(4, "little"), "no frame"),
        (raw(b""), "no JSON"),
        (raw(b"{"), "no JSON"),
        (raw(b"\xff\xff"), "no JSON"),
        (raw(b"[1]"), "no JSON object"),
        (raw(b'{"body_len":-1}'), "body of -1"),
        (raw(b'{"body_len":true}'), "body of True"),
        (raw(b'{"body_len":"9"}'), "body of '9'"),
        (raw(f'{{"body_len":{MAX_FRAME + 1}}}'.encode()), "body of 67108865"),
    ],
)
def test_garbage_is_told_from_frames(garbage, says):
    """Bytes that are no frame raise, after the good frames in front of them."""
    frames = FrameDecoder().feed(raw(b'{"id":1}') + garbage)

    assert Frame({"id": 1}) == next(frames)
    with pytest.raises(HelperProtocolError, match=says):
        next(frames)


def test_encoded_frames_decode():
    """What is encoded comes back, the parts of a body joined."""
    chunks = encode({"id": 1, "é": "ü"}, b"one", b"", b"two")

    (frame,) = FrameDecoder().feed(b"".join(chunks))

    assert Frame({"id": 1, "é": "ü", "body_len": 6}, b"onetwo") == frame


def test_undecodable_name_is_sent():
    """A file name that is not UTF-8 is no reason to fail."""
    name = b"caf\xe9.go".decode(errors="surrogateescape")

    chunks = encode_request(1, symbols((name, b"")))

    assert b"caf\\udce9.go" in chunks[0]


def test_symbols_request():
    """A package travels as names and sizes, and its bytes as they are."""
    chunks = encode_request(7, symbols(("a.go", b"\xff\x00"), ("b.go", b"p")))
    (frame,) = FrameDecoder().feed(b"".join(chunks))

    header = {
        "id": 7,
        "method": "symbols",
        "params": {
            "directory": "a/b",
            "import_path": "m/a/b",
            "goos": "linux",
            "goarch": "amd64",
            "tags": ["x"],
            "tests": True,
            "types": True,
            "focus": "u.go",
            "files": [["a.go", 2], ["b.go", 1]],
        },
        "body_len": 3,
    }

    assert Frame(header, b"\xff\x00p") == frame


def test_print_request():
    """Snippets travel as their sizes and what to do with them, and their texts."""
    snippets = (
        Snippet("spec", b"const (a = 1)", 7, ()),
        Snippet("struct", b"type T struct{}", 0, ("A", "B")),
    )
    (frame,) = FrameDecoder().feed(b"".join(encode_request(8, PrintRequest(snippets))))

    assert frame.header["params"] == {
        "snippets": [
            {"mode": "spec", "size": 13, "offset": 7, "keep": []},
            {"mode": "struct", "size": 15, "offset": 0, "keep": ["A", "B"]},
        ]
    }
    assert frame.body == b"const (a = 1)type T struct{}"


def test_cancel_request():
    """A cancel has an id of its own and names the call."""
    (frame,) = FrameDecoder().feed(b"".join(encode_cancel(9, 7)))

    assert (
        frame.header["id"],
        frame.header["method"],
        frame.header["params"],
    ) == (9, "cancel", {"id": 7})


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (symbols(*[("a.go", b"")] * (MAX_FILES + 1)), "a/b has 2001 Go files"),
        (symbols(("big.go", bytes(MAX_FILE + 1))), "big.go in a/b has 8388609 bytes"),
        (symbols(*[("a.go", bytes(MAX_FILE))] * 4, ("b.go", b"x")), "33554433 bytes"),
        (
            PrintRequest((Snippet("spec", bytes(MAX_BODY + 1), 0, ()),)),
            "33554433 bytes",
        ),
    ],
)
def test_over_a_limit(request_, says):
    """What the helper would refuse is refused before it is sent, with its size."""
    with pytest.raises(TooLarge, match=says):
        request_.check()


def test_at_the_limits():
    """The limits themselves are allowed."""
    symbols(*[("a.go", bytes(MAX_FILE))] * 4, *[("b.go", b"")] * 1996).check()
    PrintRequest((Snippet("spec", bytes(MAX_BODY), 0, ()),)).check()


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (
            {"hello": {"protocol": 1, "schema": 2, "version": "3", "go": "4", "x": 5}},
            Hello(1, 2, "3", "4"),
        ),
        ({"id": 1, "result": {"texts": []}}, Reply(1, {"texts": []}, b"body")),
        (
            {"id": 1, "error": {"code": "internal", "message": "m", "stack": "s"}},
            Failure(1, "internal", "m", "s"),
        ),
        (
            {"id": 1, "error": {"code": "too-large", "message": "m"}},
            Failure(1, "too-large", "m", ""),
        ),
    ],
)
def test_messages(header, message):
    """Each kind of message is told by its header."""
    assert message == decode_message(Frame(header, b"body"))


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"id": "1", "result": {}},
        {"id": True, "result": {}},
        {"id": 1},
        {"id": 1, "result": []},
        {"id": 1, "error": "failed"},
        {"id": 1, "error": {"code": "internal"}},
        {"id": 1, "error": {"code": 5, "message": "m"}},
        {"hello": 1},
        {"hello": {"protocol": 1, "schema": 1, "version": "3"}},
        {"hello": {"protocol": True, "schema": 1, "version": "3", "go": "4"}},
    ],
)
def test_malformed_messages(header):
    """Every field is checked when it comes in, not where it is used."""
    with pytest.raises(HelperProtocolError):
        decode_message(Frame(header))


def test_errors_stay_short():
    """What a message complains of is cut, so that the message is a line."""
    with pytest.raises(HelperProtocolError) as caught:
        decode_message(Frame({"id": "9" * 10_000}))

    assert len(str(caught.value)) < 120
