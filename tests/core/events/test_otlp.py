"""OpenTelemetry's logs: which records tell of a crash, in both encodings."""

import json

import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
)

from tests.deliveries import DUMP, PANIC, SHA, body, reading
from triage.core.events.otlp_json import read as read_json
from triage.core.events.otlp_protobuf import read as read_protobuf
from triage.core.panics import decipher, primary
from triage.core.projects import Match, Project
from triage.errors import BadInput, NoPanic

PROTOBUF = "application/x-protobuf"


def attributes(**values: object) -> list[dict[str, object]]:
    """Write attributes; two underscores stand for a dot."""
    kinds = {str: "stringValue", int: "intValue"}
    return [
        {"key": name.replace("__", "."), "value": {kinds[type(value)]: value}}
        for name, value in values.items()
    ]


def record(
    text: object = "", severity: int = 17, **values: object
) -> dict[str, object]:
    """Write a log record."""
    said = {"stringValue": text} if isinstance(text, str) else text
    return {
        "severityNumber": severity,
        "body": said,
        "attributes": attributes(**values),
    }


def batch(*records: object, **values: object) -> bytes:
    """Write an export of one resource's records."""
    values = values or {"vcs__repository__url__full": "https://github.com/acme/shop"}
    resource = {"attributes": attributes(**values)}
    scopes = [{"logRecords": list(records)}]
    return json.dumps(
        {"resourceLogs": [{"resource": resource, "scopeLogs": scopes}]}
    ).encode()


def traces(sent: bytes) -> list[str]:
    """Return the traces that are found."""
    found = reading("logs", sent, projects=()).reports
    return [str(report.telemetry and report.telemetry.trace) for report in found]


def test_exception_tells_repository_commit_and_moment():
    """The message that stands beside the stack is the panic's."""
    (report,) = reading("logs", body("otlp-exception.json"), projects=()).reports
    told = report.telemetry
    assert told
    assert (told.repo, told.commit_sha) == ("acme/shop", SHA)
    assert report.observed_at == 1767607207.25
    assert told.trace
    found = primary(decipher(told.trace).crashes)
    assert found
    assert found.kind == "nil-deref"


def test_repository_on_an_enterprise_server():
    """Its address is one where the host is known; else nobody knows whose crash it is."""
    url = "https://git.acme.example/acme/shop"
    sent = batch(record(PANIC), vcs__repository__url__full=url)
    assert reading("logs", sent, projects=()).rejected == 1
    found = reading("logs", sent, projects=(), hosts=["git.acme.example"]).reports
    assert [r.telemetry and r.telemetry.repo for r in found] == ["acme/shop"]


def test_both_encodings_tell_the_same():
    """Recorded bodies of one export."""
    same = reading("logs", body("otlp-exception.json"))
    assert reading("logs", body("otlp-exception.pb"), media=PROTOBUF) == same


@pytest.mark.parametrize(
    "value",
    [
        {"stringValue": "x"},
        {"intValue": "7"},
        {"boolValue": True},
        {"doubleValue": 1.5},
        {"bytesValue": "AAE="},
        {"arrayValue": {"values": [{"intValue": "7"}, {"stringValue": "x"}, {}]}},
        {"arrayValue": {}},
        {"kvlistValue": {"values": [{"key": "a", "value": {"boolValue": False}}, {}]}},
        {},
    ],
)
def test_values_read_the_same_in_both_encodings(value):
    """Every kind that a body or an attribute can have."""
    sent = {
        "resourceLogs": [
            {
                "resource": {"attributes": [{"key": "r", "value": value}]},
                "scopeLogs": [
                    {
                        "scope": {"attributes": [{"key": "s", "value": value}]},
                        "logRecords": [
                            {"body": value, "observedTimeUnixNano": "5000000000"}
                        ],
                    }
                ],
            },
            {},
        ]
    }
    packed = json_format.ParseDict(sent, ExportLogsServiceRequest()).SerializeToString()
    (found,) = read_protobuf(packed)
    assert [found] == list(read_json(json.dumps(sent).encode()))
    assert found.records[0].observed_at == 5.0


def test_lines_of_a_dump_are_put_together():
    """Shippers make a record of each line."""
    (trace,) = traces(body("otlp-lines.json"))
    assert trace.startswith("panic: runtime error")
    assert "user.go:27" in trace
    assert "served" not in trace


def test_structured_body_holds_a_stack():
    """A logger's fields come as a list of keys and values."""
    (trace,) = traces(body("otlp-structured.json"))
    assert "UpdateUser" in trace


def test_fatal_record_names_its_place():
    """By the older names of the attributes too."""
    (report,) = reading("logs", body("otlp-place.json"), projects=()).reports
    assert report.telemetry
    assert (report.telemetry.file, report.telemetry.line) == ("handler/user.go", 27)


@pytest.mark.parametrize(
    ("severity", "more", "counts"),
    [
        (9, {}, False),
        (17, {}, False),
        (21, {}, True),
        (9, {"exception__type": "*errors.errorString"}, True),
    ],
)
def test_place_counts_only_with_a_crash(severity, more, counts):
    """Loggers note where each record was written."""
    place = {"code__file__path": "a.go", "code__line__number": 3}
    sent = batch(record("x", severity, **place, **more))
    if counts:
        assert len(traces(sent)) == 1
    else:
        with pytest.raises(NoPanic):
            traces(sent)


def test_quiet_logs_are_no_panic():
    """Words alone are no crash."""
    with pytest.raises(NoPanic):
        reading("logs", body("otlp-quiet.json"))


@pytest.mark.parametrize(
    ("kind", "message", "begins"),
    [
        ("runtime.boundsError", "index out of range", "panic: index out of range\n\n"),
        ("", "runtime error: index out of range [3]", "panic: runtime error: index"),
        ("", "panic: assignment to entry in nil map", "panic: assignment"),
        ("*errors.errorString", "no such user", '{"message":"no such user","stack":'),
        ("", "", "goroutine 7"),
    ],
)
def test_message_is_put_above_its_stack(kind, message, begins):
    """As a panic where it was one, else as what was logged."""
    values = {"exception__type": kind, "exception__message": message}
    (trace,) = traces(batch(record("x", exception__stacktrace=DUMP, **values)))
    assert trace.startswith(begins)


def test_stack_that_says_it_all_stays_as_it_is():
    """Its own head is better than the message."""
    (trace,) = traces(
        batch(record("x", exception__stacktrace=PANIC, exception__message="other"))
    )
    assert trace == PANIC


def test_stack_beside_a_panic_frame_is_a_panic():
    """Recorded while the program was panicking, whatever the message is."""
    raised = DUMP.replace(
        "]:\n", "]:\npanic({0x1, 0x2})\n\t/go/src/runtime/panic.go:9 +0x1\n", 1
    )
    (trace,) = traces(
        batch(record("x", exception__stacktrace=raised, exception__message="mine"))
    )
    assert trace.startswith("panic: mine\n\n")


def test_logged_stack_counts_from_errors_up():
    """Below, a program prints stacks for its own sake."""
    assert len(traces(batch(record(f"x\n{DUMP}", 17)))) == 1
    with pytest.raises(NoPanic):
        traces(batch(record(f"x\n{DUMP}", 9)))


def test_crash_of_nobody_is_counted():
    """The sender is told how many, and why."""
    sent = batch(record(PANIC), record(PANIC.replace("11", "12")), service__name="x")
    found = reading("logs", sent, projects=())
    assert (found.reports, found.rejected) == ((), 2)
    assert found.ignored
    assert "[[project]]" in found.ignored


def test_what_has_a_repository_is_taken_beside_what_has_none():
    """One bad record spoils no batch."""
    project = Project("x", "acme/x", match=Match(labels={"tier": "one"}))
    sent = batch(record(PANIC, tier="one"), record(PANIC), service__name="x")
    found = reading("logs", sent, projects=(project,))
    assert (len(found.reports), found.rejected) == (1, 1)


@pytest.mark.parametrize(
    ("values", "repo", "commit"),
    [
        ({"vcs__repository__url__full": "git@github.com:a/b.git"}, "a/b", None),
        ({"vcs__owner__name": "a", "vcs__repository__name": "b"}, "a/b", None),
        ({"repo": "a/b", "vcs__ref__head__revision": "main"}, "a/b", None),
        ({"repo": "a/b", "vcs__ref__head__revision": "HEAD"}, "a/b", None),
        ({"repo": "a/b", "vcs__repository__ref__revision": SHA}, "a/b", SHA),
        ({"repo": "a/b", "service__version": f"v1-3-g{SHA[:8]}"}, "a/b", SHA[:8]),
    ],
)
def test_attributes_tell_repository_and_commit(values, repo, commit):
    """A branch is no commit."""
    (report,) = reading("logs", batch(record(PANIC), **values), projects=()).reports
    assert report.telemetry
    assert (report.telemetry.repo, report.telemetry.commit_sha) == (repo, commit)


@pytest.mark.parametrize("moment", ["x", "-2", -1, 1 << 70, "9" * 30, 0, None])
def test_moment_that_is_none_is_not_told(moment):
    """The arrival's counts then."""
    sent = batch({**record(PANIC), "timeUnixNano": moment})
    (report,) = reading("logs", sent).reports
    assert report.observed_at is None


@pytest.mark.parametrize(
    ("media", "sent"),
    [
        ("application/json", b"[]"),
        ("application/json", b'{"resourceLogs": 1}'),
        ("application/json", b"\xff"),
        (PROTOBUF, b"\xff\xff"),
        (PROTOBUF, b"\x0a\x05abc"),
        ("text/plain", b"{}"),
        ("", b"{}"),
    ],
)
def test_what_is_no_export_is_refused(media, sent):
    """In either encoding, and in none."""
    with pytest.raises(BadInput):
        reading("logs", sent, media=media)


@pytest.mark.parametrize("sent", [b"{}", b'{"resourceLogs": null, "else": {}}'])
def test_empty_export_is_no_panic(sent):
    """Unknown names are no fault."""
    with pytest.raises(NoPanic):
        reading("logs", sent)


def test_single_line_that_returns_is_a_dump():
    """Carriage returns alone end lines too."""
    (trace,) = traces(batch(record(PANIC.replace("\n", "\r"))))
    assert "load.go:11" in trace
