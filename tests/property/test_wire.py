"""Frames, whatever the bytes and however they are split."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from triage.core.wire import Frame, FrameDecoder, encode
from triage.errors import HelperProtocolError

HEADERS = st.dictionaries(
    st.text(max_size=5).filter(lambda key: key != "body_len"),
    st.integers(-(2**31), 2**31) | st.text(max_size=9) | st.booleans() | st.none(),
    max_size=3,
)
FRAMES = st.lists(st.tuples(HEADERS, st.binary(max_size=50)), max_size=4)


def split(stream: bytes, cuts: list[int]) -> list[bytes]:
    """Cut *stream* at *cuts*, wherever they point."""
    edges = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    return [stream[a:b] for a, b in itertools.pairwise(edges)]


def decode(parts: list[bytes]) -> tuple[list[Frame], bool, bool]:
    """Return the frames, whether a fault ended them, and whether one had begun."""
    decoder = FrameDecoder()
    frames: list[Frame] = []
    for part in parts:
        try:
            for frame in decoder.feed(part):
                frames.append(frame)  # noqa: PERF402 - those before a fault count
        except HelperProtocolError:
            return frames, True, True
    return frames, False, decoder.pending


@given(FRAMES, st.lists(st.integers(0), max_size=8))
def test_any_split_gives_the_same_frames(frames, cuts):
    """A stream means the same however it is cut into pieces."""
    stream = b"".join(b"".join(encode(header, body)) for header, body in frames)
    expected = [
        Frame({**header, "body_len": len(body)}, body) for header, body in frames
    ]

    assert (expected, False, False) == decode(split(stream, cuts))


@given(FRAMES, st.binary(max_size=80), st.lists(st.integers(0), max_size=8))
def test_any_bytes_give_frames_or_a_fault(frames, garbage, cuts):
    """Any bytes give frames and then one known error, however they are cut."""
    stream = b"".join(b"".join(encode(header, body)) for header, body in frames)
    stream += garbage

    assert decode([stream]) == decode(split(stream, cuts))
