"""What a child is started with, and what is kept of its last words."""

import pytest

from triage.errors import HelperStartFailed
from triage.helper import binary_path, launch
from triage.helper.tail import HEAD, LINES, WIDTH, Tail


def test_binary_path(monkeypatch, tmp_path):
    """The binary lies in the package; without it the error says what to run."""
    monkeypatch.setattr(launch, "__file__", str(tmp_path / "launch.py"))

    with pytest.raises(HelperStartFailed, match=r"`pip install \.`"):
        binary_path()
    binary = tmp_path / "bin" / "goparse-helper"
    binary.parent.mkdir()
    binary.touch()

    assert str(binary) == binary_path()


@pytest.mark.parametrize("size", [1, 2, 3, 1_000])
def test_tail_of_pieces(size):
    """However the text is cut, its lines come out, an unfinished one too."""
    text = "one\ntwö\r\n\nthree".encode()
    tail = Tail()

    for start in range(0, len(text), size):
        tail.feed(text[start : start + size])

    assert tail.lines() == ("one", "twö", "", "three")


def test_tail_is_bounded():
    """Of many lines the first and the last are kept, of a long line the beginning."""
    tail = Tail()

    tail.feed(b"".join(b"%d\n" % number for number in range(1_000)))
    tail.feed(b"x" * 5_000 + b"\n" + b"y" * 5_000)
    tail.feed(b"y" * 5_000)

    lines = tail.lines()
    assert len(lines) == LINES
    assert [str(number) for number in range(HEAD)] == list(lines[:HEAD])
    assert list(lines[-3:]) == ["999", "x" * WIDTH, "y" * WIDTH]


@pytest.mark.parametrize(
    ("text", "headline"),
    [
        (b"", ""),
        (b"goparse-helper: mismatch: this\n", "goparse-helper: mismatch: this"),
        (b"stray\nfatal error: stack overflow\n\ngoroutine 1:\n" * 40, "fatal error: "),
        (b"panic: boom [recovered]\n\tpanic: again\nexit status 2\n", "panic: boom"),
        (b"SIGQUIT: quit\nPC=0x47\n" + b"rax 0\n" * 99, "SIGQUIT: quit"),
    ],
)
def test_headline(text, headline):
    """A crash is told by its first line, however long its dump is."""
    tail = Tail()

    tail.feed(text)

    assert tail.headline().startswith(headline)
    assert bool(headline) == bool(tail.headline())


def test_tail_of_nothing():
    """A child that said nothing has no last words."""
    assert Tail().lines() == ()


def test_tail_of_bytes_that_are_no_text():
    """Bytes that are not UTF-8 are replaced."""
    tail = Tail()

    tail.feed(b"\xff!\n")

    assert tail.lines() == ("\ufffd!",)
