"""The lines of a replay's output, written and read again."""

import orjson
import pytest

from tests.core.answers import RESULT
from triage.core.replay import explained, failed, read_line


def test_a_context():
    """The line holds the published form of the context."""
    raw = explained("a", RESULT, 1.23456).raw
    assert raw.endswith(b"}\n")
    assert orjson.loads(raw) == {
        "id": "a",
        "status": "ok",
        "error": None,
        "context": orjson.loads(RESULT.to_json()),
        "ms": 1.235,
    }


def test_an_error():
    """The line holds a stable code and a message."""
    assert orjson.loads(failed("a\n", "no-panic", "say it").raw) == {
        "id": "a\n",
        "status": "error",
        "error": {"code": "no-panic", "message": "say it"},
        "context": None,
        "ms": 0.0,
    }


def test_a_context_is_read_again():
    """Of a context comes back what a summary tells, as it was when written."""
    answer = explained("a", RESULT, 2.0)
    line = answer.line
    assert read_line(answer.raw) == line
    assert (line.id, line.status, line.ms, line.error) == ("a", "ok", 2.0, None)
    assert line.context is not None
    assert line.context.fingerprint == RESULT.fingerprint
    assert line.context.crash.function == RESULT.crash.function
    assert line.context.stats.context_tokens == RESULT.stats.context_tokens


def test_an_error_is_read_again():
    """The code comes back."""
    answer = failed("a", "no-panic", "say it", 3.0)
    assert read_line(answer.raw) == answer.line
    assert answer.line.error is not None
    assert (answer.line.status, answer.line.error.code) == ("error", "no-panic")


@pytest.mark.parametrize("cut", [1, 10, 100, -2])
def test_a_torn_line_is_none(cut):
    """The beginning of a line does not pass for one."""
    assert read_line(explained("a", RESULT, 2.0).raw[:cut]) is None


@pytest.mark.parametrize("raw", [b"", b"{}", b"\xff\n", b"null\n", b"[" * 100_000])
def test_what_is_no_line(raw):
    """What no replay writes is told apart."""
    assert read_line(raw) is None
