"""From a text to items."""

import io

import orjson
import pytest

from triage.core.replay import Given
from triage.replay import reading
from triage.replay.reading import Read, read

CRASH = "panic: x\n\ngoroutine 1 [running]:\nmain.f()\n\t/app/a.go:%d +0x1\n"


def items(text: bytes, name: str = "in") -> list[Read]:
    """Read all of a text."""
    return list(read(io.BytesIO(text), name, Given()))


def lines(*objects: object) -> bytes:
    """Write JSON lines."""
    return b"".join(orjson.dumps(one) + b"\n" for one in objects)


def test_lines_of_json_are_items():
    """Each line that is not blank is one, called by its number."""
    text = b"\n" + lines({"file": "a.go", "line": 1}) + b" \n" + lines({"trace": "x"})
    assert [one.item.id for one in items(text)] == ["in:2", "in:4"]


def test_a_byte_order_mark_is_no_text():
    """Windows writes one before UTF-8 too."""
    (one,) = items(b"\xef\xbb\xbf" + lines({"file": "a.go", "line": 1}))
    assert one.item.failure is None


def test_a_last_line_without_an_end():
    """It is a line."""
    text = lines({"file": "a.go", "line": 1}) + b'{"file": "b.go", "line": 2}'
    assert [one.item.id for one in items(text)] == ["in:1", "in:2"]


def test_a_line_that_cannot_be_used_stands_for_itself():
    """It hides no other."""
    text = lines({"file": "a.go", "line": 1}) + b"{\n" + lines({"trace": "x"})
    assert [one.item.failure is None for one in items(text)] == [True, False, True]


def test_a_line_that_is_too_long(monkeypatch):
    """It fails, and what comes after it is read."""
    monkeypatch.setattr(reading, "_LONGEST", 100)
    text = lines(
        {"id": "a", "file": "a.go", "line": 1},
        {"id": "b", "trace": "x" * 1_000},
        {"id": "c", "file": "c.go", "line": 3},
    )
    first, long, last = (one.item for one in items(text))
    assert (first.id, last.id) == ("a", "c")
    assert long.id == "in:2"
    assert long.failure is not None
    assert long.failure.code == "too-large"


def test_crashes_of_a_log_are_items():
    """They are numbered in the order of the text."""
    text = "booting\n" + CRASH % 1 + "again\n" + CRASH % 2
    found = items(text.encode())
    assert [one.item.id for one in found] == ["in#1", "in#2"]
    traces = [one.item.telemetry and one.item.telemetry.trace for one in found]
    assert traces == [CRASH % 1, CRASH % 2]


def test_a_log_of_json_is_a_log():
    """Its lines are no items; the stack in one of them is."""
    text = lines({"level": "info", "msg": "up"}, {"level": "error", "msg": CRASH % 1})
    assert [one.item.id for one in items(text)] == ["in#1"]


@pytest.mark.parametrize("text", [b"", b"\n\n", b"all is well\n"])
def test_nothing(text):
    """A text without a crash has no item."""
    assert items(text) == []
