"""The service over HTTP: every route, and what it answers."""

import asyncio
import gzip
import json
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from aiohttp import web
from openapi_spec_validator import validate
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)

import triage
from tests.e2e.conftest import ADD, FILES, TOTAL, TRACE
from tests.serving import SECRET, TOKEN, serving, signed
from triage.app import ListedOpener
from triage.core.projects import Match, Project
from triage.engine import Engine
from triage.errors import (
    ConfigError,
    HelperUnavailable,
    RateLimited,
    StoreError,
    TriageError,
    Unauthorized,
)
from triage.service.door import bind
from triage.store import INBOX, Inbox

REPO = "acme/shop"


@pytest.fixture
def sha(repo):
    """Commit the shop and give the id."""
    return repo.commit(FILES)


@pytest.fixture
def settings(repo, tmp_path):
    """Give what the tests' services are set to."""
    return triage.Settings(
        data_dir=tmp_path / "data",
        repos=f"{REPO}={repo.path}, acme/gone={tmp_path / 'gone'}",
        webhook_secret=SECRET,
    )


@pytest.fixture
def service(settings):
    """Run services, by default as set."""

    @asynccontextmanager
    async def run(**options):
        changed = replace(settings, **options.pop("changed", {}))
        async with serving(changed, **options) as caller:
            yield caller

    return run


@pytest.fixture
def told(sha):
    """Give the telemetry object of the shop's crash."""
    return {"repo": REPO, "commit_sha": sha, "trace": TRACE}


async def test_a_crash_is_explained(service, told, sha):
    """The result is the published JSON; the second time it comes out of memory."""
    async with service() as caller:
        first = await caller.post("/v1/context", told)
        again = await caller.post("/v1/context", told)
        third = await caller.post("/v1/context", told)
    result = first.json
    assert (first.status, first.headers["Content-Type"]) == (
        200,
        "application/json; charset=utf-8",
    )
    assert list(result)[:3] == ["schema", "panic", "crash"]
    assert (result["crash"]["repo"], result["crash"]["commit"]) == (REPO, sha)
    assert result["crash"]["function"] == "(*Cart).Add"
    assert first.headers["X-Triage-Served-From"] == "git"
    assert first.headers["X-Triage-Version"] == triage.__version__
    assert first.headers["Server-Timing"].startswith("context;dur=")
    assert again.headers["X-Triage-Served-From"] == "memory"
    assert again.body == third.body
    assert {**again.json, "served_from": "git"} == result


@pytest.mark.parametrize(
    "place",
    [
        {"file": "cart/cart.go", "line": ADD},
        {"file": "/app/cart/cart.go", "line": ADD, "root_dir": ""},
        {"text": TRACE},
        {"message": "it is over", "file": "cart/cart.go", "line": ADD},
        {"trace": "no stack", "message": TRACE},
        {"message": TRACE, "max_tokens": 500, "depth": 1, "frames": 2},
        {"trace": TRACE, "related": False, "goos": "linux", "tags": ["prod"]},
    ],
)
async def test_the_ways_to_tell_a_crash(service, sha, place):
    """File and line, or a text under any of its names, with options."""
    async with service() as caller:
        reply = await caller.post("/v1/context", {"repo": REPO, "commit": sha, **place})
    assert (reply.status, reply.json["crash"]["function"]) == (200, "(*Cart).Add")


@pytest.mark.parametrize(
    ("accept", "media", "begin"),
    [
        ("text/plain", "text/plain", b"// ===="),
        ("text/markdown", "text/markdown", b"### Panic in"),
        ("text/html, text/*;q=0.5, application/json;q=0.1", "text/markdown", b"###"),
        ("application/json;q=0.2, text/plain;q=0.8", "text/plain", b"// ===="),
        ("text/plain;q=0", "application/json", b'{"schema"'),
        ("image/png", "application/json", b'{"schema"'),
        ("text/plain;q=rubbish, */*;q=0.1", "application/json", b'{"schema"'),
    ],
)
async def test_the_form_that_the_caller_likes(service, told, accept, media, begin):
    """By weight and exactness; JSON where nothing fits."""
    async with service() as caller:
        reply = await caller.post("/v1/context", told, headers={"Accept": accept})
    assert reply.headers["Content-Type"] == f"{media}; charset=utf-8"
    assert reply.headers["Vary"] == "Accept"
    assert reply.body.startswith(begin)


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"repo": None}, 400, "bad-request"),
        ({"repo": 3}, 400, "bad-request"),
        ({"trace": None}, 400, "bad-request"),
        ({"max_tokens": 1}, 400, "bad-request"),
        ({"trace": "all is well"}, 422, "no-panic"),
        ({"repo": "acme/other"}, 403, "repo-not-allowed"),
        ({"repo": "/etc"}, 403, "repo-not-allowed"),
        ({"repo": "../shop"}, 403, "repo-not-allowed"),
        ({"repo": "acme/gone"}, 404, "repo-not-found"),
        ({"commit_sha": "f" * 40}, 404, "commit-not-found"),
        ({"trace": None, "file": "cart/none.go", "line": 1}, 404, "file-not-found"),
        ({"trace": None, "file": "cart/cart.go", "line": 999}, 422, "line-outside"),
        ({"trace": None, "file": "../../etc/passwd", "line": 1}, 400, "bad-request"),
    ],
)
async def test_what_cannot_be_explained(service, told, change, status, code):
    """Each has its status and its code, and says what to do."""
    async with service() as caller:
        reply = await caller.post("/v1/context", {**told, **change})
    assert (reply.status, reply.code) == (status, code)
    assert reply.json["detail"]


async def test_a_panic_is_taken_and_worked_on(service, told):
    """Acknowledged with its event, which has the context and counts in an incident."""
    async with service() as caller:
        reply = await caller.panic(told, X_Triage_Delivery="d-1")
        assert reply.status == 202
        (name,) = reply.json["events"]
        event = await caller.ended(name)
        again = await caller.panic(told, X_Triage_Delivery="d-1")
        other = await caller.panic(told, X_Triage_Delivery="d-2")
        await caller.ended(other.json["events"][0])
        incident = (await caller.get(f"/v1/incidents/{event['incident']}")).json
        listed = (await caller.get("/v1/incidents?kind=nil-map")).json
        events = (await caller.get("/v1/events?status=done")).json
    assert (again.status, again.json) == (200, {"events": [name]})
    assert (event["status"], event["error"], event["attempts"]) == ("done", None, 1)
    assert event["context"]["crash"]["function"] == "(*Cart).Add"
    assert event["context"]["fingerprint"] == event["incident"] == incident["id"]
    assert (incident["count"], incident["function"]) == (2, "(*Cart).Add")
    assert incident["commits"] == [told["commit_sha"]]
    assert len(incident["contexts"]) == 1
    del incident["contexts"]
    assert listed == {"incidents": [incident], "next": None}
    assert [e["id"] for e in events["events"]] == incident["events"]


async def test_raw_text_with_its_place_in_the_query(service, sha):
    """What curl sends from a crashed job."""
    body = TRACE.encode()
    async with service(changed={"token": TOKEN}) as caller:
        bearer = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "text/plain"}
        query = f"repo={REPO}&commit_sha={sha}"
        reply = await caller.post(f"/webhooks/panic?{query}", body, headers=bearer)
        event = await caller.get(
            f"/v1/events/{reply.json['events'][0]}", headers=bearer
        )
    assert (reply.status, event.status) == (202, 200)


async def test_several_crashes_in_one_text(service, sha):
    """The first is the event's own, each other one an event that names it."""
    other = TRACE.replace("cart.go:24", f"cart.go:{TOTAL}").replace(
        ").Add(", ").Total("
    )
    told = {"repo": REPO, "commit_sha": sha, "trace": f"{TRACE}\nexit 2\n\n{other}"}
    async with service() as caller:
        (name,) = (await caller.panic(told)).json["events"]
        first = await caller.ended(name)
        events = (await caller.get("/v1/events")).json["events"]
        (child,) = [event for event in events if event["parent"] == name]
        second = await caller.ended(child["id"])
    functions = [e["context"]["crash"]["function"] for e in (first, second)]
    assert functions == ["(*Cart).Add", "(*Cart).Total"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"trace": "all is well"}, "no-panic"),
        ({"repo": "acme/other"}, "repo-not-allowed"),
        ({"commit_sha": "f" * 40}, "commit-not-found"),
        ({"repo": None}, "bad-request"),
    ],
)
async def test_what_is_final_ends_with_its_code(service, told, change, code):
    """It is acknowledged all the same: the sender can do nothing about it."""
    async with service() as caller:
        (name,) = (await caller.panic({**told, **change})).json["events"]
        event = await caller.ended(name)
        failed = (await caller.get("/v1/events?status=failed")).json
    assert (event["status"], event["error"]["code"]) == ("failed", code)
    assert (event["incident"], event["context"]) == (None, None)
    assert [e["id"] for e in failed["events"]] == [name]


async def test_events_that_tell_of_nothing(service):
    """A sender's other events are taken and leave nothing behind."""
    async with service(changed={"github_webhook_secret": SECRET}) as caller:
        reply = await caller.post("/webhooks/github", b"{}", headers=_github(b"{}"))
        events = await caller.get("/v1/events")
    assert (reply.status, reply.json) == (202, {"events": []})
    assert events.json["events"] == []


async def test_an_event_that_sentry_keeps(service, sha):
    """A hook with the address alone fails with what to set, then it is explained."""

    async def answer(_):
        event = {"platform": "go", "release": sha, "message": TRACE}
        return web.json_response(event)

    app = web.Application()
    app.router.add_get("/api/0/events/1/", answer)
    runner = web.AppRunner(app, access_log=None)
    hooks = {"sentry_secret": SECRET, "projects": (Project("shop", REPO, match=MATCH),)}
    await runner.setup()
    with bind("127.0.0.1", 0) as place:
        await web.SockSite(runner, place).start()
        root = f"http://127.0.0.1:{place.getsockname()[1]}"
        short = {"project": 7, "url": f"{root}/api/0/events/1/"}
        body = json.dumps({"data": {"error": short}}).encode()
        (signature,) = signed(body).values()
        headers = {
            "Sentry-Hook-Resource": "error",
            "Sentry-Hook-Signature": signature.removeprefix("sha256="),
        }
        async with service(changed={**hooks, "sentry_url": root}) as caller:
            taken = await caller.post("/webhooks/sentry", body, headers=headers)
            (name,) = taken.json["events"]
            failed = await caller.ended(name)
        token = {"sentry_token": "good", "sentry_url": root}
        async with service(changed={**hooks, **token}) as caller:
            taken = await caller.post("/webhooks/sentry", body, headers=headers)
            done = await caller.ended(taken.json["events"][0])
        await runner.cleanup()
    assert (failed["status"], failed["error"]["code"]) == ("failed", "unauthorized")
    assert "TRIAGE_SENTRY_TOKEN" in failed["error"]["message"]
    assert done["context"]["crash"]["function"] == "(*Cart).Add"


def _github(body, kind="push"):
    (signature,) = signed(body).values()
    return {
        "X-Hub-Signature-256": signature,
        "X-GitHub-Event": kind,
        "X-GitHub-Delivery": "g-1",
        "Content-Type": "application/json",
    }


async def test_bodies_that_say_to_be_json(service):
    """What is none is refused at once, and not kept."""
    async with service() as caller:
        replies = [
            await caller.panic(body)
            for body in (b"{", b"[]", b"3", b"\xff", b'{"x":' * 100_000)
        ]
        events = await caller.get("/v1/events")
    assert [(r.status, r.code) for r in replies] == [(400, "bad-request")] * 5
    assert events.json["events"] == []


MATCH = Match(sentry_project=("7",))
RESOURCE = {
    "attributes": [
        {"key": "service.name", "value": {"stringValue": "shop"}},
        {
            "key": "vcs.repository.url.full",
            "value": {"stringValue": f"https://github.com/{REPO}"},
        },
    ]
}


def batch(sha, *records, resource=RESOURCE):
    """Make an OTLP batch of records with these attributes."""
    revision = {"key": "vcs.ref.head.revision", "value": {"stringValue": sha}}
    attributes = [*resource["attributes"], revision]
    return {
        "resourceLogs": [
            {
                "resource": {"attributes": attributes},
                "scopeLogs": [{"logRecords": list(records)}],
            }
        ]
    }


CRASHED = {
    "timeUnixNano": "1700000000000000000",
    "severityText": "ERROR",
    "body": {"stringValue": "it is over"},
    "attributes": [
        {"key": "exception.type", "value": {"stringValue": "runtime.Error"}},
        {"key": "exception.stacktrace", "value": {"stringValue": TRACE}},
    ],
}
QUIET = {"body": {"stringValue": "all is well"}}


async def test_logs_as_json(service, sha):
    """What carries a crash is worked on, seen when its sender says; the rest is not."""
    async with service() as caller:
        reply = await caller.post(
            "/v1/logs",
            gzip.compress(json.dumps(batch(sha, QUIET, CRASHED)).encode()),
            headers={"Content-Type": "application/json", "Content-Encoding": "gzip"},
        )
        (event,) = (await caller.get("/v1/events")).json["events"]
        event = await caller.ended(event["id"])
        incident = (await caller.get(f"/v1/incidents/{event['incident']}")).json
    assert (reply.status, reply.json) == (200, {"partialSuccess": {}})
    assert event["context"]["crash"]["commit"] == sha
    assert incident["first_seen"] == "2023-11-14T22:13:20Z"


async def test_logs_that_are_sent_again(service, sha):
    """An exporter that got no answer sends the same bytes: that is no other crash."""
    later = {**CRASHED, "timeUnixNano": "1700000001000000000"}
    long = {"body": {"stringValue": "all is well " * 100_000}}
    headers = {"Content-Type": "application/json"}
    async with service() as caller:
        for records in ([CRASHED], [CRASHED], [later], [later, long], [later, long]):
            message = batch(sha, *records)
            reply = await caller.post("/v1/logs", message, headers=headers)
            assert (reply.status, reply.json) == (200, {"partialSuccess": {}})
        events = (await caller.get("/v1/events")).json["events"]
        ended = [await caller.ended(event["id"]) for event in events]
        incident = (await caller.get(f"/v1/incidents/{ended[0]['incident']}")).json
    assert (len(events), incident["count"]) == (3, 3)


async def test_alerts_that_are_sent_again(service, told):
    """A notification names no delivery either; its moments tell it from another."""
    alert = {
        "status": "firing",
        "labels": {"repo": REPO, "commit": told["commit_sha"]},
        "annotations": {"trace": TRACE},
        "startsAt": "2023-11-14T22:13:20Z",
    }
    async with service() as caller:
        first = await caller.post("/webhooks/alertmanager", {"alerts": [alert]})
        again = await caller.post("/webhooks/alertmanager", {"alerts": [alert]})
        alert["startsAt"] = "2023-11-14T23:13:20Z"
        other = await caller.post("/webhooks/alertmanager", {"alerts": [alert]})
    assert (first.status, again.status, other.status) == (202, 200, 202)
    assert first.json == again.json != other.json


async def test_logs_as_protobuf(service, sha):
    """The answer is in the request's own encoding."""
    message = ExportLogsServiceRequest()
    logs = message.resource_logs.add()
    for name, value in (
        ("vcs.repository.url.full", f"https://github.com/{REPO}"),
        ("vcs.ref.head.revision", sha),
    ):
        attribute = logs.resource.attributes.add(key=name)
        attribute.value.string_value = value
    scope = logs.scope_logs.add()
    scope.log_records.add().body.string_value = TRACE
    place = scope.log_records.add()
    for name, text in (("exception.type", "E"), ("code.file.path", "cart/cart.go")):
        place.attributes.add(key=name).value.string_value = text
    place.attributes.add(key="code.line.number").value.int_value = TOTAL
    protobuf = {"Content-Type": "application/x-protobuf"}
    async with service() as caller:
        reply = await caller.post(
            "/v1/logs", message.SerializeToString(), headers=protobuf
        )
        wrong = await caller.post("/v1/logs", b"\xff\xff", headers=protobuf)
        *_, first = (await caller.get("/v1/events")).json["events"]
        await caller.ended(first["id"])
        events = (await caller.get("/v1/events")).json["events"]
        ended = [await caller.ended(event["id"]) for event in events]
    assert reply.headers["Content-Type"] == "application/x-protobuf"
    assert ExportLogsServiceResponse.FromString(reply.body) == (
        ExportLogsServiceResponse()
    )
    assert (wrong.status, wrong.code) == (400, "bad-request")
    assert sorted(e["context"]["crash"]["function"] for e in ended) == [
        "(*Cart).Add",
        "(*Cart).Total",
    ]


async def test_logs_of_unknown_programs(service, sha):
    """They are rejected by number with what to do, unless a project is meant."""
    nameless = {"attributes": RESOURCE["attributes"][:1]}
    message = batch(sha, CRASHED, resource=nameless)
    project = Project("shop", REPO, match=Match(service=("shop",)))
    async with service() as caller:
        rejected = await caller.post(
            "/v1/logs", message, headers={"Content-Type": "application/json"}
        )
        none = (await caller.get("/v1/events")).json["events"]
    async with service(changed={"projects": (project,)}) as caller:
        taken = await caller.post(
            "/v1/logs", message, headers={"Content-Type": "application/json"}
        )
        (event,) = (await caller.get("/v1/events")).json["events"]
        event = await caller.ended(event["id"])
    assert rejected.json["partialSuccess"]["rejectedLogRecords"] == "1"
    assert "triage.toml" in rejected.json["partialSuccess"]["errorMessage"]
    assert (none, taken.json) == ([], {"partialSuccess": {}})
    assert event["context"]["crash"]["repo"] == REPO


async def test_addresses_on_an_enterprise_server(service, sha):
    """They name repositories where TRIAGE_GITHUB_URL names their host."""
    url = {"stringValue": f"git@git.acme.example:{REPO}.git"}
    resource = {"attributes": [{"key": "vcs.repository.url.full", "value": url}]}
    labels = {"repo": f"https://git.acme.example/{REPO}", "commit": sha}
    alert = {"labels": labels, "annotations": {"trace": TRACE}}
    changed = {"github_url": "https://git.acme.example/api/v3"}
    async with service(changed=changed) as caller:
        logs = await caller.post(
            "/v1/logs",
            batch(sha, CRASHED, resource=resource),
            headers={"Content-Type": "application/json"},
        )
        await caller.post("/webhooks/alertmanager", {"alerts": [alert]})
        events = (await caller.get("/v1/events")).json["events"]
        ended = [await caller.ended(event["id"]) for event in events]
    assert logs.json == {"partialSuccess": {}}
    assert [event["context"]["crash"]["repo"] for event in ended] == [REPO, REPO]


async def test_protobuf_logs_of_unknown_programs(service):
    """The number and the words are in the answer's own fields."""
    message = ExportLogsServiceRequest()
    record = message.resource_logs.add().scope_logs.add().log_records.add()
    record.body.string_value = TRACE
    async with service() as caller:
        reply = await caller.post(
            "/v1/logs",
            message.SerializeToString(),
            headers={"Content-Type": "application/x-protobuf"},
        )
    answer = ExportLogsServiceResponse.FromString(reply.body).partial_success
    assert answer.rejected_log_records == 1
    assert "triage.toml" in answer.error_message


async def test_logs_in_another_form(service):
    """Only OTLP's two forms are logs."""
    async with service() as caller:
        reply = await caller.post(
            "/v1/logs", b"x", headers={"Content-Type": "text/plain"}
        )
    assert (reply.status, reply.code) == (400, "bad-request")


@pytest.mark.parametrize("path", ["/v1/events", "/v1/incidents"])
@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=x", "limit=1&limit=2", "cursor=x", "unknown=1", "status=odd"],
)
async def test_queries_that_are_wrong(service, path, query):
    """They are told, not passed over."""
    async with service() as caller:
        reply = await caller.get(f"{path}?{query}")
    assert (reply.status, reply.code) == (400, "bad-request")


@pytest.mark.parametrize(
    ("moment", "status"),
    [
        ("2026-12-01T00:00:00Z", 200),
        ("2026-12-01T00:00:00", 400),
        ("2026-12-01T00:00:00.5%2B01:00", 200),
        ("2028-02-29T00:00:00Z", 200),
        ("2026-02-29T00:00:00Z", 400),
        ("1796095087", 400),
        ("", 400),
        ("yesterday", 400),
    ],
)
async def test_moments_in_queries(service, moment, status):
    """They have an offset, or are refused."""
    async with service() as caller:
        reply = await caller.get(f"/v1/incidents?since={moment}")
    assert reply.status == status


@pytest.mark.parametrize("kind", ["events", "incidents"])
@pytest.mark.parametrize("name", ["0" * 32, "%2e%2e", "a%00b", "x" * 500, "%C3%A9"])
async def test_ids_that_nothing_has(service, kind, name):
    """There is nothing of the kind."""
    async with service() as caller:
        reply = await caller.get(f"/v1/{kind}/{name}")
    assert (reply.status, reply.code) == (404, "not-found")


async def test_routes_that_are_not_there(service):
    """A wrong route or method is a problem like others."""
    async with service() as caller:
        nowhere = await caller.get("/v2/context")
        wrong = await caller.get("/v1/context")
    assert (nowhere.status, nowhere.code) == (404, "not-found")
    assert (wrong.status, wrong.code) == (405, "bad-request")
    assert wrong.headers["Allow"] == "POST"


async def test_how_the_service_is(service, told):
    """It is alive, ready, and tells its numbers."""
    async with service() as caller:
        alive, ready = await caller.get("/healthz"), await caller.get("/readyz")
        await caller.post("/v1/context", told)
        await caller.post("/v1/context", told)
        (name,) = (await caller.panic(told)).json["events"]
        await caller.ended(name)
        numbers = (await caller.get("/metrics")).body.decode().splitlines()
    assert alive.json == {"status": "ok", "version": triage.__version__}
    assert (ready.status, ready.json["ready"]) == (200, True)
    assert [check["name"] for check in ready.json["checks"]] == ["inbox", "helper"]
    assert 'triage_requests_total{code="200",route="/v1/context"} 2.0' in numbers
    assert 'triage_cache_requests_total{result="hit",tier="memory"} 1.0' in numbers
    assert 'triage_cache_requests_total{result="miss",tier="memory"} 1.0' in numbers
    assert 'triage_events_total{result="done"} 1.0' in numbers
    assert 'triage_inbox_depth{state="received"} 0.0' in numbers
    assert "triage_helper_restarts_total 0.0" in numbers
    assert f'triage_build_info{{version="{triage.__version__}"}} 1.0' in numbers


async def test_the_description(service):
    """It is OpenAPI, and names every route that there is."""
    async with service() as caller:
        document = (await caller.get("/openapi.json")).json
    validate(document)
    assert set(document["paths"]) == {
        "/v1/context",
        "/v1/logs",
        "/v1/events",
        "/v1/events/{id}",
        "/v1/incidents",
        "/v1/incidents/{id}",
        "/webhooks/panic",
        "/webhooks/github",
        "/webhooks/sentry",
        "/webhooks/alertmanager",
        "/webhooks/datadog",
        "/healthz",
        "/readyz",
        "/metrics",
    }


async def test_many_at_once(service, told):
    """Fifty callers of each kind, none in the other's way."""
    async with service() as caller:
        replies = await asyncio.gather(
            *(caller.post("/v1/context", told) for _ in range(50)),
            *(caller.panic(told) for _ in range(50)),
        )
        names = [reply.json["events"][0] for reply in replies[50:]]
        events = [await caller.ended(name) for name in names]
        incidents = (await caller.get("/v1/incidents")).json["incidents"]
    assert {reply.status for reply in replies[:50]} == {200}
    assert {event["status"] for event in events} == {"done"}
    assert [incident["count"] for incident in incidents] == [50]


async def test_faults_of_ours(service, told, monkeypatch, caplog):
    """A bug, a setting that is wrong, a file that is damaged: told as ours, no more."""
    faults = [KeyError("secret"), ConfigError("secret"), TriageError("secret")]

    async def fail(*_):
        raise faults.pop()

    async with service() as caller:
        monkeypatch.setattr(Engine, "context", fail)
        replies = [await caller.post("/v1/context", told) for _ in range(3)]
    assert [(r.status, r.code) for r in replies] == [(500, "internal")] * 3
    assert not [reply for reply in replies if b"secret" in reply.body]
    assert caplog.text.count("secret") >= 3


async def test_what_github_refuses_us(service, told, monkeypatch):
    """A limit says when to come again; credentials of ours are not the caller's."""
    faults = [
        Unauthorized("no"),
        RateLimited("later"),
        RateLimited("later", reset_at=1.0),
        HelperUnavailable("later"),
    ]

    async def fail(*_):
        raise faults.pop(0)

    async with service() as caller:
        monkeypatch.setattr(Engine, "context", fail)
        replies = [await caller.post("/v1/context", told) for _ in range(4)]
    assert [(r.status, r.code, r.headers.get("Retry-After")) for r in replies] == [
        (502, "unauthorized", None),
        (429, "rate-limited", "60"),
        (429, "rate-limited", "1"),
        (503, "busy", "5"),
    ]


async def test_what_makes_it_unready(service, monkeypatch):
    """An inbox that cannot be read or means that do not answer: 503, and which."""

    async def broken(_):
        raise StoreError("gone")

    async def slow(_):
        raise TimeoutError

    monkeypatch.setattr(ListedOpener, "check", slow)
    async with service() as caller:
        monkeypatch.setattr(Inbox, "depth", broken)
        reply = await caller.get("/readyz")
        again = await caller.get("/readyz")
    assert (reply.status, reply.json["ready"]) == (503, False)
    assert [c["name"] for c in reply.json["checks"]] == ["inbox", "means"]
    assert again.json == reply.json


async def test_an_inbox_that_takes_nothing_makes_it_unready(service, settings):
    """A full disk, or a file that is gone, is told before the next delivery."""
    async with service() as caller:
        (settings.data_dir / INBOX).unlink()
        reply = await caller.get("/readyz")
    assert reply.status == 503
    assert INBOX in reply.json["checks"][0]["text"]
