"""Records of loggers and shippers in JSON."""

import json
from typing import Any

import pytest

from triage.core.panics import decipher
from triage.core.panics.document import Document, Hint
from triage.core.panics.records import unpack

STACK = "goroutine 7 [running]:\nmain.main()\n\t/srv/shop/main.go:7 +0x1d\n"
BOUNDS = "runtime error: index out of range [1] with length 0"


@pytest.mark.parametrize(
    ("fields", "kind", "message"),
    [
        ({"panic": BOUNDS}, "index-range", BOUNDS),
        ({"panic": "no till"}, "custom-panic", "no till"),
        ({"msg": "slow request"}, "logged-stack", "slow request"),
        ({"error": BOUNDS, "msg": "x"}, "index-range", BOUNDS),
        ({"msg": "Observed a panic", "panic": "no till"}, "custom-panic", "no till"),
        ({"msg": 7}, "logged-stack", ""),
        ({}, "logged-stack", ""),
    ],
)
def test_what_a_record_says_of_its_stack(read, fields, kind, message):
    """The fields beside a stack stand in for the head that it lacks."""
    panic = read(json.dumps({"level": "error", **fields, "stack": STACK}))
    assert (kind, message) == (panic.kind, panic.message)


def test_the_nearest_fields_count(read):
    """A record in a record has its own words."""
    inner = {"fields": {"panic": "inner", "stack": STACK}}
    panic = read(json.dumps({"panic": "outer", "embed": [{"code": 1, **inner}]}))
    assert panic.message == "inner"
    panic = read(json.dumps({"panic": "outer", "embed": [{"stack": STACK}]}))
    assert panic.message == "outer"


def test_attributes_of_opentelemetry(read):
    """There, fields are objects with a key and a value."""
    attributes: list[dict[str, Any]] = [
        {"key": "other", "value": {"intValue": 1}},
        {"key": "exception.message", "value": {"stringValue": BOUNDS}},
        {"key": "exception.stacktrace", "value": {"stringValue": STACK}},
    ]
    assert read(json.dumps({"attributes": attributes})).kind == "index-range"
    attributes[1]["value"] = 7
    assert read(json.dumps({"attributes": attributes})).kind == "logged-stack"
    attributes[1]["value"] = BOUNDS
    assert read(json.dumps({"attributes": attributes})).kind == "index-range"


def test_a_stack_as_an_array_of_lines(read, frames):
    """Some shippers split what they send."""
    text = json.dumps({"msg": "x", "stack": STACK.splitlines()})
    assert frames(read(text)) == ["main.main /srv/shop/main.go:7"]


def test_a_record_keeps_the_number_of_its_line(read):
    """All lines of a stack stand where the record stands."""
    text = "up\nup\n" + json.dumps({"stack": STACK}) + "\ndown\n"
    assert read(text).lines == (3, 3)


def test_what_follows_a_record_on_its_line(read):
    """The record ends where it ends."""
    assert len(read(json.dumps({"stack": STACK}) + " trailing").crashed.frames) == 1


def test_records_between_the_lines_of_a_dump(sample, read, frames):
    """A logger of records goes on while another goroutine dies."""
    lines = sample("nil").splitlines()
    record = json.dumps({"level": "info", "caller": "a.go:7", "msg": "panic is near"})
    mixed = "".join(f"{line}\n{record}\n" if line else "\n" for line in lines)
    assert frames(read(sample("nil"))) == frames(read(mixed))


def test_lines_that_were_split_over_records(read, frames):
    """Docker cuts long lines: a piece without an end goes on in the next record."""
    pieces = [
        "goroutine 7 [running]:\n",
        "main.",
        "main()\n",
        "\t/srv/shop/main.go:7 +0x1d\n",
    ]
    text = "\n".join(json.dumps({"log": piece, "stream": "stderr"}) for piece in pieces)
    assert frames(read(text)) == ["main.main /srv/shop/main.go:7"]


def test_streams_are_told_apart():
    """Standard output in between belongs to another stream."""
    records = []
    for line in STACK.splitlines():
        records.append({"log": f"{line}\n", "stream": "stderr"})
        records.append({"log": "half", "stream": "stdout"})
    text = "\n".join(json.dumps(record) for record in records)
    (panic,) = decipher(text).crashes
    assert panic.lines == (1, 5)


def test_pods_are_told_apart():
    """Whose line it is may stand in an object of its own."""
    records = [
        json.dumps({"log": f"{line}\n", "kubernetes": {"pod_name": pod}})
        for line in STACK.splitlines()
        for pod in ("a", "b")
    ]
    assert len(decipher("\n".join(records)).crashes) == 2


def test_messages_in_an_inner_object(read):
    """Exports of search engines put the line one level down."""
    text = "\n".join(
        json.dumps({"_id": "1", "_source": {"message": line}})
        for line in STACK.splitlines()
    )
    assert len(read(text).crashed.frames) == 1


def test_a_document_over_many_lines(read):
    """Pretty-printed JSON is one record, or an array of them."""
    assert len(read(json.dumps({"stack": STACK}, indent=2)).crashed.frames) == 1
    both = [{"stack": STACK}, "no record", {"msg": "fine"}]
    assert len(read(json.dumps(both, indent=2)).crashed.frames) == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"a":',
        '{"level":"panic","msg":"goroutine',
        '{"stack": 7}',
        '{"msg": "panic", "n": 1e999}',
        '["goroutine 1 [running]:"]\n',
        '{\n"level": "info"\n}',
        '{\n"level": "info"\n',
        '[\n{"level": "info"}\n]',
        "[\n1,\n2\n]",
        '"a {" panic',
        '{"msg": "panic", "huge": ' + "9" * 5000 + "}",
        '{"panic": ' + "[" * 2000,
        '{"panic": "\\ud800"}',
    ],
)
def test_what_is_no_record_or_holds_nothing(text):
    """Half, foreign or empty JSON gives nothing."""
    assert decipher(text).crashes == ()


def test_deep_nesting_is_not_followed_for_ever():
    """Where a record nests deeper than loggers do, nothing is looked for."""
    held = json.dumps({"panic": STACK})
    depths = {depth: '{"a":' * depth + held + "}" * depth for depth in (20, 60)}
    assert {
        depth: len(unpack(Document(text)).inner) for depth, text in depths.items()
    } == {20: 1, 60: 0}


def test_halves_of_characters_in_a_record_are_replaced(read):
    """JSON can escape what no text may hold."""
    panic = read('{"msg": "caf\\u00e9 \\ud83d", "stack": ' + json.dumps(STACK) + "}")
    panic.message.encode()


def test_records_are_opened_so_many_times():
    """A record in a record in a record is a game, in the end."""
    text, found = STACK, []
    for _ in range(8):
        text = json.dumps({"stack": text})
        found.append(len(decipher(text).crashes))
    assert found == [1, 1, 1, 1, 1, 0, 0, 0]


def test_what_is_left_keeps_its_numbers():
    """Lines without records stay what they are, where they are."""
    text = "up\n" + json.dumps({"stack": STACK}) + "\ndown\n"
    unpacked = unpack(Document(text))
    assert unpacked.rest.lines == ["up", "down", ""]
    assert [unpacked.rest.number(i) for i in range(3)] == [1, 3, 4]
    (inner,) = unpacked.inner
    assert (inner.text, inner.whole) == (STACK, True)


def test_records_of_no_interest_are_not_opened():
    """A log of a million lines is not parsed for the sake of one."""
    document = Document('{"level": "info", "msg": "served\\n"}\n' * 3)
    assert unpack(document).rest is document


def test_hints_go_to_the_inner_text():
    """What a record says travels with the text that it holds."""
    (inner,) = unpack(Document(json.dumps({"panic": "x", "stack": STACK}))).inner
    assert Hint("x", crash=True) == inner.hint


@pytest.mark.parametrize("name", ["result", "jsonPayload", "fields"])
def test_records_in_records_without_end(name):
    """However deep a line lies, nothing is raised."""
    for depth in (30, 500, 1000, 5000):
        decipher(f'{{"{name}":' * depth + '{"log":"panic: x"}' + "}" * depth)
        decipher('{"log":"panic: x","host":' + "[" * depth + "]" * depth + "}")


def joined(*records: dict[str, str]) -> list[tuple[int, str]]:
    """Return the lines of the stream that records make up, with their numbers."""
    text = "\n".join(json.dumps(record) for record in records)
    (inner,) = unpack(Document(text)).inner
    return [(inner.number(index), line) for index, line in enumerate(inner.lines)]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (
            [{"log": "panic: "}, {"log": "x"}, {"log": "\ny\n"}],
            [(1, "panic: x"), (3, "y")],
        ),
        (
            [{"log": "panic: a\n"}, {"log": ""}, {"log": "b"}],
            [(1, "panic: a"), (3, "b")],
        ),
        (
            [{"log": "a\n\nb\n"}, {"log": "panic: c"}],
            [(1, "a"), (1, ""), (1, "b"), (2, "panic: c")],
        ),
        (
            [{"msg": "panic: a"}, {"msg": ""}, {"msg": "b\n"}],
            [(1, "panic: a"), (2, ""), (3, "b")],
        ),
        (
            [{"log": "panic: "}, {"msg": "a\nb"}, {"msg": "c"}],
            [(1, "panic: a"), (2, "b"), (3, "c")],
        ),
    ],
)
def test_pieces_of_lines(records, expected):
    """A line has the number of the record in which it begins."""
    assert joined(*records) == expected


def test_a_stream_of_nothing():
    """Records that carry no character make no text."""
    assert unpack(Document('{"log":""}\n{"log":"","x":"panic"}')).inner == []
