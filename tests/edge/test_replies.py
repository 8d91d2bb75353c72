import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.sources.replies import GitObject, ReplyDecoder

A, B = "a" * 40, "b" * 40
STREAM = (
    f"{A} blob 12\npackage\nwith\n"
    f"{B} missing\n"
    f"{B} tree 0\n\n"
    f"{A} commit 7\n"
    f"{A} blob 50\n{'x' * 50}\n"
    f"{A} ambiguous\n"
    f"{B} blob 1\n\n\n"
).encode()
ASKED = (True, True, True, False, True, False, True)
REPLIES = [
    GitObject(A, "blob", 12, b"package\nwith"),
    None,
    GitObject(B, "tree", 0, b""),
    GitObject(A, "commit", 7),
    GitObject(A, "blob", 50),
    None,
    GitObject(B, "blob", 1, b"\n"),
]


def decoder() -> ReplyDecoder:
    """Make one that waits for the stream's replies, objects over 20 bytes dropped."""
    made = ReplyDecoder(limit=20)
    for contents in ASKED:
        made.expect(contents=contents)
    return made


def test_whole():
    """Contents, sizes, what is missing and what is too large come apart, in order."""
    assert decoder().feed(STREAM) == REPLIES


@given(st.lists(st.integers(0, len(STREAM))))
def test_any_split(cuts):
    """However the bytes arrive, the replies are the same."""
    made, replies, before = decoder(), [], 0
    for cut in [*sorted(cuts), len(STREAM)]:
        replies += made.feed(STREAM[before:cut])
        before = cut
    assert replies == REPLIES


@pytest.mark.parametrize(
    "data",
    [
        b"no answer\n",
        b"a b c d\n",
        f"{A} blob many\n".encode(),
        f"{A} blob -1\n".encode(),
        b"\n",
        b"x" * 5_000,
    ],
)
def test_no_answer(data):
    """What is no answer of git's is refused."""
    made = ReplyDecoder(limit=20)
    made.expect(contents=True)
    with pytest.raises(ValueError, match=r".+"):
        made.feed(data)


def test_unasked():
    """An answer without a question is refused."""
    with pytest.raises(ValueError, match="not asked"):
        ReplyDecoder(limit=20).feed(f"{A} missing\n".encode())
