"""`triage parse`: files in, lines out."""

import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from triage.core import limits
from triage.errors import BadInput, TooLarge
from triage.parse import parse_files

PANIC = "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:7 +0x1d\n"


@pytest.fixture
def crash(tmp_path):
    """Return the path of a file with a crash in it."""
    path = tmp_path / "crash.txt"
    path.write_text(PANIC)
    return str(path)


def parsed(files: list[str], fmt: str) -> str:
    """Return what is printed."""
    out = io.BytesIO()
    parse_files(files, fmt, out.write)
    return out.getvalue().decode()


def test_one_line_a_file(crash, tmp_path):
    """JSON comes in the order of the files, crash or none."""
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b"")
    lines = [
        json.loads(line) for line in parsed([crash, str(empty)], "json").splitlines()
    ]
    assert [(crash, "custom-panic"), (str(empty), None)] == [
        (line["file"], line["kind"]) for line in lines
    ]


def test_text(crash):
    """Text shows the crash at a glance."""
    assert parsed([crash], "text").startswith(f"{crash}: custom-panic: boom\n")


def test_standard_input(monkeypatch):
    """A minus names it."""
    stdin = SimpleNamespace(buffer=io.BytesIO(PANIC.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert json.loads(parsed(["-"], "json"))["file"] == "-"


@pytest.mark.parametrize("fmt", ["json", "text"])
def test_a_name_that_is_not_utf8(tmp_path, fmt):
    """The file is read, and shown with replacement characters in its name."""
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xfftr\xe9\xe9ce.log")
    Path(path).write_text(PANIC)
    title = f"{tmp_path}/\N{REPLACEMENT CHARACTER}tr\N{REPLACEMENT CHARACTER}"
    printed = parsed([path, path], fmt)
    assert printed.count(f"{title}\N{REPLACEMENT CHARACTER}ce.log") == 2
    assert printed.count("custom-panic") >= 2


def test_files_that_cannot_be_read(tmp_path):
    """The error names the file and what to do; it is the caller's."""
    missing = str(tmp_path / "missing.txt")
    with pytest.raises(BadInput) as raised:
        parsed([missing], "json")
    assert (
        f"cannot read `{missing}`: no such file or directory; name a text file or -"
        == str(raised.value)
    )
    with pytest.raises(BadInput):
        parsed([str(tmp_path)], "text")


class Endless(io.RawIOBase):
    """A stream that never ends and counts what was taken from it."""

    taken = 0

    def readable(self):
        """Be there for reading."""
        return True

    def readinto(self, buffer):
        """Give as much as is asked for."""
        self.taken += len(buffer)
        return len(buffer)


def test_a_text_without_end(monkeypatch):
    """It is refused in one line, and no more is read than shows that it is too long."""
    monkeypatch.setattr(limits, "MOST", 3 << 20)
    endless = Endless()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=endless))
    with pytest.raises(TooLarge) as raised:
        parsed(["-"], "json")
    assert str(raised.value) == "standard input is over 3 MiB; cut the crash out of it"
    assert endless.taken == (3 << 20) + 1


def test_a_file_of_the_greatest_length(monkeypatch, tmp_path):
    """It is read; one byte more is too much, and the error names the file."""
    path = tmp_path / "long.txt"
    path.write_bytes(b"x" * 1_500_000)
    monkeypatch.setattr(limits, "MOST", 1_500_000)
    assert parsed([str(path)], "text") == f"{path}: no crash found\n"
    monkeypatch.setattr(limits, "MOST", 1_499_999)
    with pytest.raises(TooLarge, match=r"long\.txt` is over 1 MiB"):
        parsed([str(path)], "text")


def test_a_short_read_is_not_the_end(monkeypatch):
    """A pipe gives what it has, and is read on."""
    pieces = iter([*PANIC.encode().partition(b"boom"), b""])
    stdin = SimpleNamespace(buffer=SimpleNamespace(read=lambda _: next(pieces)))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert json.loads(parsed(["-"], "json"))["message"] == "boom"


def test_the_bound_lets_long_logs_through():
    """Fifty megabytes are a log; what has no end is refused long before the machine ends."""
    assert 50_000_000 < limits.MOST <= 512 << 20
