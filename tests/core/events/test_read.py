"""What each sender's recorded bodies become, and what is said of those of no use."""

import json

import pytest

from tests.deliveries import DUMP, PANIC, SHA, SHOP, body, reading, text
from triage.core.events import Fetch, Reading, read_fetched
from triage.core.events.crashes import MOST
from triage.core.model import Telemetry
from triage.errors import BadInput, NoPanic

RAW = "text/plain"
NAMED = (("repo", "acme/shop"), ("commit_sha", SHA), ("root_dir", "svc"))


def only(read: Reading) -> Telemetry:
    """Return the telemetry of the one report."""
    (report,) = read.reports
    assert read.rejected == 0
    assert report.telemetry
    return report.telemetry


# Our own form.


def test_raw_text_is_handed_on_as_it_came():
    """The query names repository, commit and directory."""
    raw = body("panic.txt")
    told = only(reading("panic", raw, media=RAW, query=NAMED))
    assert told == Telemetry("acme/shop", SHA, trace=raw, root_dir="svc")


def test_raw_text_without_a_name_is_known_by_its_module():
    """The frames' packages tell whose it is."""
    told = only(reading("panic", body("panic.txt"), media=""))
    assert (told.repo, told.root_dir, told.commit_sha) == ("acme/shop", "backend", None)


def test_object_may_hold_a_text():
    """`text` and `commit` are as good as `trace` and `commit_sha`."""
    told = only(reading("panic", body("panic.json"), projects=()))
    assert told == Telemetry("acme/shop", SHA, trace=text("panic.txt"))


def test_object_may_name_a_place_and_how_to_explain_it():
    """File and line, with the options of the API."""
    told = only(reading("panic", body("panic-place.json"), projects=()))
    assert told == Telemetry(
        "acme/shop",
        SHA,
        file="handler/user.go",
        line=27,
        root_dir="backend",
        max_tokens=900,
    )


def test_message_without_a_stack_leaves_the_place():
    """What the program said is no trace; file and line stand beside it."""
    sent = {"repo": "a/b", "message": "boom", "file": "x.go", "line": 3, "depth": 1}
    told = only(reading("panic", json.dumps(sent).encode()))
    assert told == Telemetry("a/b", file="x.go", line=3, depth=1)


@pytest.mark.parametrize("media", ["", RAW, "application/x-www-form-urlencoded"])
def test_object_may_come_without_its_type(media):
    """Command-line clients set another by themselves."""
    told = only(reading("panic", body("panic.json"), media=media, projects=()))
    assert told.trace == text("panic.txt")


@pytest.mark.parametrize(
    "log", ['{"level": "error", ', '{"msg": 1}\n', '{"line": "x"}\n']
)
def test_raw_text_may_begin_like_an_object(log):
    """A log of JSON records is a text."""
    told = only(reading("panic", log.encode() + PANIC.encode(), media=RAW))
    assert told.repo == "acme/shop"


def test_each_crash_of_a_text_is_a_report_of_its_own_lines():
    """What belongs to one does not stand in the other."""
    found = reading("panic", body("panic-two.txt"), media=RAW)
    traces = [
        str(report.telemetry.trace) for report in found.reports if report.telemetry
    ]
    assert len(traces) == 2
    assert sorted("first" in trace for trace in traces) == [False, True]
    assert sorted("save.go" in trace for trace in traces) == [False, True]


@pytest.mark.parametrize("sent", [b"", b" \n"])
def test_empty_text_is_no_text(sent):
    """It is said what to send."""
    with pytest.raises(BadInput, match="empty"):
        reading("panic", sent, media=RAW, query=NAMED)


def test_text_without_a_crash_is_no_panic():
    """A log in which all is well."""
    with pytest.raises(NoPanic):
        reading("panic", b"all is well\n", media=RAW, query=NAMED)


@pytest.mark.parametrize("sent", [{}, {"repo": "a/b"}, {"repo": "a/b", "file": "x.go"}])
def test_object_has_to_tell_something(sent):
    """A repository alone is no crash."""
    with pytest.raises(BadInput, match="`file` and `line`"):
        reading("panic", json.dumps(sent).encode())


def test_crash_of_nobody_is_refused_with_the_cure():
    """Neither named nor registered."""
    with pytest.raises(BadInput, match=r"\[\[project\]\]") as caught:
        reading("panic", PANIC.encode(), media=RAW, projects=())
    assert not isinstance(caught.value, NoPanic)


# GitHub.


def test_failed_job_is_a_log_to_fetch():
    """With the commit and attempt that it ran for."""
    (report,) = reading(
        "github", body("github-failed.json"), kind="workflow_job"
    ).reports
    assert report.telemetry is None
    assert report.fetch == Fetch(
        "github-job-log",
        "acme/shop",
        job=29679449526,
        attempt=2,
        commit_sha=SHA,
        root_dir="backend",
        observed_at=1767607300.0,
    )
    assert report.observed_at == 1767607300.0


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("github-succeeded.json", "workflow_job"),
        ("github-queued.json", "workflow_job"),
        ("github-ping.json", "ping"),
        ("github-failed.json", "check_run"),
        ("github-failed.json", ""),
    ],
)
def test_other_events_of_github_are_nothing_to_do(name, kind):
    """A reason is given, and nothing is read."""
    found = reading("github", body(name), kind=kind)
    assert found.reports == ()
    assert found.ignored


@pytest.mark.parametrize(
    ("part", "value"),
    [("head_sha", "main"), ("id", 0), ("id", "x"), ("id", 1 << 80), ("head_sha", None)],
)
def test_job_without_its_number_or_commit_is_refused(part, value):
    """They become parts of an address."""
    event = json.loads(body("github-failed.json"))
    event["workflow_job"][part] = value
    with pytest.raises(BadInput):
        reading("github", json.dumps(event).encode(), kind="workflow_job")


@pytest.mark.parametrize("name", ["../..", "acme", "acme/shop/../x", "https://[/a", ""])
def test_repository_of_a_job_is_a_name(name):
    """It becomes a part of an address too."""
    event = json.loads(body("github-failed.json"))
    event["repository"]["full_name"] = name
    with pytest.raises(BadInput):
        reading("github", json.dumps(event).encode(), kind="workflow_job")


def test_directory_is_left_to_the_log_where_a_repository_has_several():
    """The first project is not the one that is meant."""
    other = type(SHOP)("pay", "Acme/Shop", root_dir="pay")
    found = reading(
        "github",
        body("github-failed.json"),
        kind="workflow_job",
        projects=(other, SHOP),
    )
    fetch = found.reports[0].fetch
    assert fetch
    assert fetch.root_dir is None
    read = read_fetched(fetch, body("github-job.log"), (other, SHOP))
    assert only(read).root_dir == "backend"


def test_log_of_a_job_tells_its_crash():
    """Behind the moments and marks that GitHub writes."""
    fetch = Fetch("github-job-log", "acme/shop", job=1, commit_sha=SHA, observed_at=5.0)
    read = read_fetched(fetch, body("github-job.log"))
    told = only(read)
    assert (told.repo, told.commit_sha, told.root_dir) == ("acme/shop", SHA, None)
    assert read.reports[0].observed_at == 5.0


def test_log_of_a_job_that_only_logs_stacks_is_no_panic():
    """Tests print errors on purpose."""
    fetch = Fetch("github-job-log", "acme/shop", job=1)
    with pytest.raises(NoPanic):
        read_fetched(fetch, f"expected error: no\n{DUMP}".encode())


# Datadog and Alertmanager.


def test_alerts_that_fire_tell_a_text_or_a_place():
    """What is resolved counts no more; the commit is the version's."""
    read = reading("alertmanager", body("alertmanager-firing.json"))
    text_, place = (report.telemetry for report in read.reports)
    assert text_
    assert place
    assert text_.trace == text("panic.txt")
    assert (place.file, place.line, place.trace) == ("handler/user.go", 27, None)
    assert {text_.commit_sha, place.commit_sha} == {SHA}
    assert {text_.repo, place.repo} == {"acme/shop"}
    assert read.reports[0].observed_at == pytest.approx(1767607207.250123)


def test_alerts_that_are_over_are_no_panic():
    """Nothing fires any more."""
    with pytest.raises(NoPanic):
        reading("alertmanager", body("alertmanager-resolved.json"))


def test_template_of_datadog_tells_by_its_tags():
    """Repository and commit out of `name:value`."""
    told = only(reading("datadog", body("datadog-template.json"), projects=()))
    assert (told.repo, told.commit_sha) == ("acme/shop", SHA)
    assert "UpdateUser" in str(told.trace)


def test_default_body_of_datadog_is_known_by_its_module():
    """It has no tags; its moment counts milliseconds."""
    read = reading("datadog", body("datadog-default.json"))
    assert only(read).root_dir == "backend"
    assert read.reports[0].observed_at == 1767607207.25


def test_datadog_may_name_a_place():
    """As fields of the user's own template."""
    sent = {
        "text": "x",
        "tags": ["service:shop"],
        "file": "a.go",
        "line": 3,
        "date": True,
    }
    told = only(reading("datadog", json.dumps(sent).encode()))
    assert (told.file, told.line) == ("a.go", 3)


def test_recovery_is_no_panic():
    """Datadog tells of the end too."""
    with pytest.raises(NoPanic):
        reading("datadog", body("datadog-recovered.json"))


# All.


def test_one_body_has_at_most_so_many_reports():
    """The rest is counted and told."""
    dump = "panic: boom {0}\n\ngoroutine 1 [running]:\nexample.com/shop.F()\n\t/a.go:{0} +0x1\n\n"
    sent = "".join(dump.format(number) for number in range(1, MOST + 31))
    found = reading("panic", sent.encode(), media=RAW)
    assert (len(found.reports), found.rejected) == (MOST, 30)
    assert found.ignored == f"30 are left out: one body may tell of {MOST} crashes"


def test_crashes_of_nobody_are_not_looked_for_for_ever():
    """After a thousand the rest is counted alone."""
    alert = {"labels": {"file": "a.go", "line": "3"}}
    sent = json.dumps(
        {"alerts": [alert] * 1_200 + [{"labels": {"repo": "a/b"} | alert["labels"]}]}
    )
    with pytest.raises(BadInput, match="no repository"):
        reading("alertmanager", sent.encode())


def test_unknown_sender_is_refused():
    """What was kept by another version may name one."""
    with pytest.raises(BadInput, match="sender"):
        reading("pager", b"{}")


def test_reading_twice_gives_the_same():
    """What the edge has counted is what a worker finds."""
    sent = body("otlp-exception.json")
    assert reading("logs", sent) == reading("logs", sent)
