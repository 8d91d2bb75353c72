"""Sentry's hooks: stacks out of events, commits out of releases, issues to fetch."""

import json
from typing import Any

import pytest

from tests.deliveries import PANIC, SHA, SHOP, body, reading
from triage.core.events import Fetch, read_fetched
from triage.core.model import Frame, Telemetry
from triage.core.panics import decipher, primary
from triage.core.projects import Match, Project
from triage.errors import BadInput, NoPanic


def told_by(event: object, *projects: Project) -> Telemetry:
    """Read an event of an alert and return its telemetry."""
    sent = json.dumps({"action": "triggered", "data": {"event": event}}).encode()
    read = reading("sentry", sent, kind="event_alert", projects=projects or (SHOP,))
    (report,) = read.reports
    assert report.telemetry
    return report.telemetry


def event(**parts: object) -> dict[str, Any]:
    """Return the recorded event with other parts."""
    sent: dict[str, Any] = json.loads(body("sentry-event-alert.json"))
    return {**sent["data"]["event"], **parts}


def crash(telemetry: Telemetry):
    """Read the trace as the engine will."""
    assert telemetry.trace is not None
    found = primary(decipher(telemetry.trace).crashes)
    assert found
    assert found.crashed
    return found


@pytest.mark.parametrize(
    ("name", "kind"),
    [("sentry-event-alert.json", "event_alert"), ("sentry-error.json", "error")],
)
def test_event_tells_its_stack_innermost_first(name, kind):
    """Project and commit come from the frames and the release."""
    read = reading("sentry", body(name), kind=kind)
    (report,) = read.reports
    told = report.telemetry
    assert told
    assert (told.repo, told.root_dir, told.commit_sha) == ("acme/shop", "backend", SHA)
    found = crash(told)
    assert found.kind == "nil-deref"
    assert found.crashed.frames[0] == Frame(
        "example.com/shop/handler.(*UserHandler).UpdateUser",
        "/src/backend/handler/user.go",
        27,
    )
    assert report.observed_at == 1767607207.25


def test_issue_that_is_new_is_an_event_to_fetch():
    """The newest one, from the address that Sentry gives."""
    (report,) = reading(
        "sentry", body("sentry-issue-created.json"), kind="issue"
    ).reports
    assert report.fetch == Fetch(
        "sentry-event",
        "acme/shop",
        url="https://sentry.io/api/0/organizations/acme/issues/4410/events/latest/",
        root_dir="backend",
        sentry_project=("go-shop", "77", "Shop"),
        observed_at=1767607207.25,
    )


def test_fetched_event_has_the_form_of_the_api():
    """Entries, names in camel case, a release that is an object."""
    fetch = Fetch("sentry-event", "", url="https://sentry.io/x/")
    (report,) = read_fetched(fetch, body("sentry-api-event.json"), (SHOP,)).reports
    assert report.telemetry
    assert (report.telemetry.repo, report.telemetry.commit_sha) == ("acme/shop", SHA)
    frames = crash(report.telemetry).crashed.frames
    assert frames[0].line == 27
    assert report.observed_at == 1767607207.0


def test_fetched_event_is_known_by_the_project_of_its_issue():
    """The API's answer has the project's number alone."""
    project = Project("x", "acme/x", match=Match(sentry_project=("go-shop",)))
    sent = json.loads(body("sentry-api-event.json"))
    del sent["dateCreated"]
    fetch = Fetch("sentry-event", "", sentry_project=("go-shop",), observed_at=9.0)
    (report,) = read_fetched(fetch, json.dumps(sent).encode(), (project,)).reports
    assert report.telemetry
    assert report.telemetry.repo == "acme/x"
    assert report.observed_at == 9.0


def test_event_without_its_stacks_is_fetched():
    """Where the hook has the address alone."""
    short = {"url": "https://sentry.io/api/0/projects/acme/go-shop/events/6/"}
    sent = json.dumps({"data": {"error": short}}).encode()
    (report,) = reading("sentry", sent, kind="error").reports
    assert report.fetch
    assert report.fetch.url == short["url"]
    assert report.fetch.repo == "acme/shop"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("sentry-issue-resolved.json", "issue"),
        ("sentry-javascript.json", "error"),
        ("sentry-error.json", "installation"),
        ("sentry-error.json", ""),
    ],
)
def test_other_hooks_are_nothing_to_do(name, kind):
    """A reason is given."""
    found = reading("sentry", body(name), kind=kind)
    assert (found.reports, found.rejected) == ((), 0)
    assert found.ignored


def test_issue_of_another_platform_is_nothing_to_do():
    """Its event would hold no frames of Go."""
    sent = json.loads(body("sentry-issue-created.json"))
    sent["data"]["issue"]["platform"] = "python"
    assert reading("sentry", json.dumps(sent).encode(), kind="issue").ignored


@pytest.mark.parametrize(
    "address",
    [
        "",
        "file:///etc/passwd",
        "ftp://sentry.io/",
        "https://user@sentry.io/",
        "https://sentry.io /x",
        "https://sentry.io/\n",
        "https://[",
        "https:///x",
        "https://sentry.io/" + "x" * 2000,
        7,
        None,
    ],
)
def test_address_of_an_event_is_a_plain_web_address(address):
    """It is going to be fetched."""
    sent = json.loads(body("sentry-issue-created.json"))
    sent["data"]["issue"]["url"] = address
    with pytest.raises(BadInput, match="url"):
        reading("sentry", json.dumps(sent).encode(), kind="issue")


@pytest.mark.parametrize("kind", ["event_alert", "error", "issue"])
@pytest.mark.parametrize("data", [None, [], {"event": 1, "error": [], "issue": "x"}])
def test_hook_without_its_part_is_refused(kind, data):
    """Whatever stands in its place."""
    with pytest.raises(BadInput, match="as Sentry does"):
        reading("sentry", json.dumps({"data": data}).encode(), kind=kind)


@pytest.mark.parametrize(
    ("parts", "commit"),
    [
        ({"release": SHA}, SHA),
        ({"release": f"shop@1.4.2+{SHA[:12]}"}, SHA[:12]),
        ({"release": "1.4.2"}, None),
        ({"release": None}, None),
        ({"release": "1.4.2", "tags": [["commit", SHA]]}, SHA),
        ({"release": None, "tags": [["release", f"shop@{SHA[:9]}"]]}, SHA[:9]),
        ({"release": "x", "tags": {"vcs.revision": SHA}}, SHA),
        ({"release": "x", "tags": [["commit", "main"], [1], "x", [None, None]]}, None),
        ({"release": [1], "tags": "commit"}, None),
    ],
)
def test_commit_is_the_releases_or_a_tags(parts, commit):
    """A branch's name is none, nor is a plain version."""
    assert told_by(event(**parts)).commit_sha == commit


def test_project_knows_its_own_releases():
    """The expression of the project goes first."""
    project = Project(
        "x", "acme/x", match=Match(service=("shop",)), release=r"build-(?P<sha>\w+)-"
    )
    told = told_by(event(release="build-93c1f92-7"), project)
    assert (told.repo, told.commit_sha) == ("acme/x", "93c1f92")


def test_frames_of_others_are_left_out():
    """What is no file of Go, has no line, or is no frame at all; `in_app` says nothing."""
    good = {"function": "F", "module": "m", "filename": "a.go", "lineno": 3}
    frames = [
        good,
        {**good, "lineno": True},
        {**good, "lineno": 0},
        {**good, "lineno": 10**12},
        {**good, "lineno": "3"},
        {**good, "filename": "a.c"},
        {**good, "abs_path": "unknown", "function": None, "in_app": False},
        "x",
        None,
    ]
    exception = [{"type": "E", "value": "boom", "stacktrace": {"frames": frames}}]
    told = told_by(event(exception=exception))
    assert crash(told).crashed.frames == (
        Frame("m.", "a.go", 3),
        Frame("m.F", "a.go", 3),
    )


def test_threads_count_where_no_exception_has_a_stack():
    """Crashes of several goroutines come as threads."""
    frames = [{"function": "F", "module": "m", "abs_path": "/a.go", "lineno": 3}]
    parts = {
        "exception": None,
        "threads": {"values": [{"stacktrace": {"frames": frames}}]},
    }
    assert crash(told_by(event(**parts))).crashed.frames == (Frame("m.F", "/a.go", 3),)
    alone = {"exception": None, "stacktrace": {"frames": frames}}
    assert crash(told_by(event(**alone))).crashed.frames == (Frame("m.F", "/a.go", 3),)


@pytest.mark.parametrize(
    "parts",
    [
        {"logentry": {"formatted": PANIC}},
        {"message": PANIC},
        {"extra": {"log": [PANIC]}},
        {"exception": {"values": [{"type": "E", "value": PANIC}]}},
        {"entries": [{"type": "message", "data": {"formatted": PANIC}}]},
    ],
)
def test_words_may_hold_the_panic(parts):
    """Where a logger sent the dump as a message."""
    assert told_by({**event(exception=None), **parts}).trace == PANIC


def test_event_without_a_stack_is_no_panic():
    """An error with its message alone."""
    bare = event(exception={"values": [{"type": "E", "value": "boom"}]})
    with pytest.raises(NoPanic):
        told_by(bare)
