"""`triage parse`: files in, lines out."""

import io
import json
import sys
from types import SimpleNamespace

import pytest

from triage.errors import BadInput
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
