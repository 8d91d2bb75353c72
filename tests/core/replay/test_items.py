"""Items of a replay, read out of lines of JSON and made of texts."""

import orjson
import pytest

from triage.core.model import Telemetry
from triage.core.replay import Failure, Given, Item, is_item, read_item, text_item

PLACE = {
    "id": "a",
    "repo": "acme/shop",
    "commit_sha": "93c1f92",
    "file": "a.go",
    "line": 3,
}


def read(told: object, given: Given | None = None) -> Item:
    """Read one object as the first line of `in.jsonl`."""
    return read_item(orjson.dumps(told), "in.jsonl:1", given or Given())


def test_a_line_is_telemetry_with_an_id():
    """What the line tells is what is asked, with the command's options."""
    assert read(PLACE | {"root_dir": "backend"}) == Item(
        "a",
        Telemetry(
            repo="acme/shop",
            commit_sha="93c1f92",
            file="a.go",
            line=3,
            root_dir="backend",
        ),
    )


def test_a_trace_goes_before_a_place():
    """The text of a crash says more than one line of it."""
    trace = "panic: x\n\ngoroutine 1 [running]:\nmain.f()\n\t/a.go:1 +0x1\n"
    item = read({"trace": trace, "file": "a.go", "line": 3})
    assert item.telemetry == Telemetry(repo=".", trace=trace)


def test_what_is_missing_comes_from_the_command():
    """Repository, commit, directory and options stand in where a line is silent."""
    given = Given("acme/x", "1234567", "srv", max_tokens=500, depth=1, frames=2)
    assert read({"file": "a.go", "line": 3}, given) == Item(
        "in.jsonl:1",
        Telemetry(
            repo="acme/x",
            commit_sha="1234567",
            file="a.go",
            line=3,
            root_dir="srv",
            max_tokens=500,
            depth=1,
            frames=2,
        ),
    )


def test_what_a_line_tells_goes_first():
    """The command stands in for nothing that is told, not even for nothing at all."""
    given = Given("acme/x", "1234567", "srv", max_tokens=500, depth=1, frames=2)
    told = PLACE | {"root_dir": "", "max_tokens": 900, "depth": 0, "frames": 3}
    assert read(told, given).telemetry == Telemetry(
        repo="acme/shop",
        commit_sha="93c1f92",
        file="a.go",
        line=3,
        root_dir="",
        max_tokens=900,
        depth=0,
        frames=3,
    )


@pytest.mark.parametrize(
    ("told", "id_"), [(7, "7"), ("x\ny", "x\ny"), (None, "in.jsonl:1")]
)
def test_ids(told, id_):
    """A number is an id too; without one the place in the input is."""
    assert read(PLACE | {"id": told}).id == id_


@pytest.mark.parametrize("name", ["at", "time", "timestamp", "date", "observed_at"])
@pytest.mark.parametrize("moment", ["2026-01-02T03:04:05Z", 1767323045])
def test_when_it_crashed(name, moment):
    """The usual names of a moment are read, as text and as seconds."""
    assert read(PLACE | {name: moment}).at == 1767323045.0


@pytest.mark.parametrize("moment", ["yesterday", -1, True, [1], 1e30])
def test_a_moment_that_is_none(moment):
    """What is no moment is left out: the crash is explained all the same."""
    item = read(PLACE | {"at": moment})
    assert (item.at, item.failure) == (None, None)


@pytest.mark.parametrize(
    ("line", "id_", "said"),
    [
        (b'{"id": "a"}', "a", "give a `trace`, or `file` and `line`"),
        (b'{"id": "a", "file": "x.go"}', "a", "give a `trace`, or `file` and `line`"),
        (b'{"id": "a", "file": 1, "line": 2}', "a", "Expected `str | null`"),
        (b'{"id": 8, "file": "x.go", "line": 0}', "8", "Expected `int` >= 1"),
        (b'{"id": "a", "trace"', "in.jsonl:1", "the line is no JSON"),
        (b"[1]", "in.jsonl:1", "Expected `object`"),
        (b"\xff", "in.jsonl:1", "the line is no JSON"),
        (b'{"id": "%s"}' % (b"x" * 1001), "in.jsonl:1", "length <= 1000"),
        (b'{"x": ' + b"[" * 100_000, "in.jsonl:1", "too deep"),
    ],
)
def test_a_line_that_cannot_be_used(line, id_, said):
    """It is an item all the same, one that has failed, and says why."""
    item = read_item(line, "in.jsonl:1", Given())
    assert (item.id, item.telemetry) == (id_, None)
    assert item.failure is not None
    assert item.failure.code == "bad-request"
    assert said in item.failure.message


def test_a_whole_number_with_a_point_is_one():
    """Senders that know one kind of number write 3.0."""
    telemetry = read({"file": "a.go", "line": 3.0}).telemetry
    assert telemetry is not None
    assert telemetry.line == 3


@pytest.mark.parametrize(
    ("line", "yes"),
    [
        (b'{"trace": "x"}', True),
        (b'{"commit_sha": "x"}', True),
        (b'{"file": "a.go", "line": 1}', True),
        (b'{"level": "error", "msg": "panic: x"}', False),
        (b'{"level": "error", "file": "a.go:12"}', False),
        (b'{"source": {"file": "a.go", "line": 1}}', False),
        (b"panic: x", False),
        (b'["trace"]', False),
        (b'{"trace": ', False),
        (b"\xff", False),
        (b"[" * 100_000, False),
        (b"", False),
    ],
)
def test_items_are_told_from_logs(line, yes):
    """Logs are JSON too; an item tells a trace, a commit or a place."""
    assert is_item(line) is yes


def test_a_crash_out_of_a_log():
    """A text takes all that the command says."""
    given = Given("acme/x", "1234567", "srv", max_tokens=500, depth=1, frames=2)
    assert text_item("panic: x\n", "app.log#1", given) == Item(
        "app.log#1",
        Telemetry(
            repo="acme/x",
            commit_sha="1234567",
            trace="panic: x\n",
            root_dir="srv",
            max_tokens=500,
            depth=1,
            frames=2,
        ),
    )


def test_a_failure_is_no_telemetry():
    """An item either asks or has failed."""
    assert Item("a", failure=Failure("bad-request", "x")).telemetry is None
