"""What strangers send: each with its status, and the service quick for others."""

import asyncio
import gzip
import json
import time
import zlib
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from aiohttp import web

import triage
from tests.e2e.conftest import FILES, TRACE
from tests.serving import SECRET, TOKEN, Reply, serving, signed
from triage.errors import ConfigError
from triage.service.door import bind, check
from triage.service.limits import Limits

REPO = "acme/shop"
ROTATING = "new, old"
MIB = 1 << 20
SMALL = Limits(context_body=MIB, hook_body=MIB, expanded=MIB, body_seconds=0.3)


@pytest.fixture
def told(repo):
    """Commit the shop and give its crash."""
    return {"repo": REPO, "commit_sha": repo.commit(FILES), "trace": TRACE}


@pytest.fixture
def service(repo, tmp_path):
    """Run services; *changed* are other settings than the usual."""
    usual = triage.Settings(
        data_dir=tmp_path / "data",
        repos=f"{REPO}={repo.path}",
        webhook_secret=SECRET,
    )

    @asynccontextmanager
    async def run(*, limits=SMALL, **changed):
        async with serving(replace(usual, **changed), limits=limits) as caller:
            yield caller

    return run


async def raw(port: int, data: bytes) -> Reply:
    """Send bytes as they are, and read the answer to the end of the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return Reply(int(first.split()[1]), headers, body)


async def is_quick(caller) -> None:
    """Another caller is answered at once."""
    start = time.perf_counter()
    assert (await caller.get("/healthz")).status == 200
    assert time.perf_counter() - start < 1


ROUTES = ("/v1/context", "/webhooks/panic", "/v1/logs")


@pytest.mark.parametrize("route", ROUTES)
async def test_bodies_that_are_too_long(service, route):
    """By their head before they are sent, and else as soon as they are over."""

    async def endless():
        while True:
            yield bytes(MIB // 4)

    headers = {"Content-Type": "application/json"}
    async with service() as caller:
        told = await raw(
            caller.port,
            f"POST {route} HTTP/1.1\r\nHost: localhost\r\n"
            "Content-Type: application/json\r\n"
            f"Content-Length: {100 * MIB}\r\nConnection: close\r\n\r\n".encode(),
        )
        try:
            sent = await caller.ask("POST", route, data=endless(), headers=headers)
        except ConnectionError:  # the answer was there before all was sent
            sent = None
        await is_quick(caller)
    assert (told.status, told.code) == (413, "too-large")
    assert sent is None or (sent.status, sent.code) == (413, "too-large")


async def test_bodies_that_do_not_come(service):
    """Whoever sends nothing more, or a byte at a time, is told, and others wait not."""
    head = b"POST /v1/context HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
    async with service() as caller:
        slow = asyncio.gather(*(raw(caller.port, head + b"{") for _ in range(20)))
        await is_quick(caller)
        replies = await slow
    assert {(r.status, r.code) for r in replies} == {(408, "slow-body")}


async def test_heads_that_do_not_come(service):
    """A connection without a whole head is closed, without an answer."""
    async with service(limits=replace(SMALL, idle_seconds=0.3)) as caller:
        reader, writer = await asyncio.open_connection("127.0.0.1", caller.port)
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: local")
        assert await reader.read() == b""
        writer.close()


async def test_callers_that_go_away(service, caplog):
    """Half a body and no one to answer is nothing to log: anyone could fill the disk."""
    head = b"POST /v1/context HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
    async with service() as caller:
        for _ in range(5):
            _, writer = await asyncio.open_connection("127.0.0.1", caller.port)
            writer.write(head)
            await is_quick(caller)
            writer.close()
            await writer.wait_closed()
        await is_quick(caller)
    assert [r for r in caplog.records if r.levelname == "ERROR"] == []


async def test_bodies_that_break_off(service):
    """Half a body is no body, and leaves nothing behind."""
    async with service() as caller:
        reader, writer = await asyncio.open_connection("127.0.0.1", caller.port)
        writer.write(
            b"POST /webhooks/panic HTTP/1.1\r\nHost: localhost\r\n"
            b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"
        )
        answer = await reader.read()
        writer.close()
        await is_quick(caller)
        events = await caller.get("/v1/events")
    assert answer.split()[1] == b"400"
    assert events.json["events"] == []


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_bombs(service, encoding):
    """A body that grows beyond its bound is given up there."""
    bomb = bytes(300 * MIB)
    small = gzip.compress(bomb) if encoding == "gzip" else zlib.compress(bomb)
    assert len(small) < MIB
    headers = {"Content-Encoding": encoding, "Content-Type": "application/json"}
    async with service() as caller:
        reply = await caller.post("/v1/context", small, headers=headers)
        hook = await caller.post(
            "/webhooks/panic", small, headers={**headers, **signed(small)}
        )
        await is_quick(caller)
    assert (reply.status, reply.code) == (413, "too-large")
    assert (hook.status, hook.code) == (413, "too-large")


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", b"not compressed"),
        ("gzip", gzip.compress(b"{}")[:-4]),
        ("gzip", gzip.compress(b"{}") + b"more"),
        ("br", b"{}"),
        ("gzip, gzip", b"{}"),
    ],
)
async def test_encodings_that_are_wrong(service, encoding, body):
    """What cannot be expanded is refused."""
    async with service() as caller:
        reply = await caller.post(
            "/v1/context", body, headers={"Content-Encoding": encoding}
        )
    assert (reply.status, reply.code) == (400, "bad-request")


async def test_compressed_bodies(service, told):
    """What can be is explained as the plain one."""
    body = json.dumps(told).encode()
    async with service() as caller:
        for encoding, data in (
            ("gzip", gzip.compress(body)),
            ("deflate", zlib.compress(body)),
            ("identity", body),
        ):
            reply = await caller.post(
                "/v1/context", data, headers={"Content-Encoding": encoding}
            )
            assert reply.status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[" * 500_000,
        b'{"x":' * 100_000,
        b'{"repo": {"a": 1}}',
        b'{"repo": "acme/shop", "line": 1e400}',
        b'{"repo": "acme/shop", "line": -1, "file": "a.go"}',
        b'{"repo": "\\ud800/x", "trace": "panic: x"}',
        b'{"repo": "acme/shop\\u0000", "trace": "x"}',
        b"\xff\xfe{",
    ],
)
async def test_bodies_of_wrong_types(service, body):
    """Each is the caller's fault, whatever it is."""
    async with service() as caller:
        reply = await caller.post("/v1/context", body)
        await is_quick(caller)
    assert (reply.status, reply.code) in {
        (400, "bad-request"),
        (403, "repo-not-allowed"),
    }


LOCAL = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (LOCAL + b"X-A: b\r\n" * 10_000, 431),
        (LOCAL + b"X-A: " + b"b" * 100_000, 431),
        (LOCAL + b"X" * 100_000 + b": b", 431),
        (b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost", 414),
        (LOCAL + b"X-A : b", 400),
        (LOCAL + b"Host: localhost", 400),
        (LOCAL + b"Content-Length: 1\r\nContent-Length: 2", 400),
        (LOCAL + b"Content-Length: 1\r\nTransfer-Encoding: chunked", 400),
        (LOCAL + b"Transfer-Encoding: gzip, chunked, x", 400),
        (LOCAL + b"Content-Length: -1", 400),
        (LOCAL + b"X-A: b\x00c", 400),
        (b"GET /healthz HTTP/1.1", 400),
        (b"GET /healthz HTTP/9.9\r\nHost: localhost", 400),
        (b"G@T /healthz HTTP/1.1\r\nHost: localhost", 400),
        (b"\x16\x03\x01\x02\x00\x01", 400),
        (LOCAL + b"Expect: wonders", 417),
        (LOCAL.replace(b"healthz", b"none") + b"Expect: wonders", 417),
    ],
)
async def test_heads_that_are_none(service, head, status, caplog):
    """Each is a problem of the caller's, and none of its bytes are in the log."""
    async with service() as caller:
        reply = await raw(caller.port, head + b"\r\nConnection: close\r\n\r\n")
        await is_quick(caller)
        numbers = await caller.get("/metrics")
    wanted = "too-large" if status in {414, 431} else "bad-request"
    assert (reply.status, reply.code) == (status, wanted)
    assert reply.json["request_id"] == reply.headers["X-Request-ID"]
    assert f'{{code="{status}",route="(none)"}} 1.0' in numbers.body.decode()
    assert [r for r in caplog.records if r.exc_info] == []


@pytest.mark.parametrize(
    "path",
    ["../../../etc/passwd", "/etc/passwd", "cart/../../x.go", "cart\x00.go", "a\nb.go"],
)
async def test_paths_that_lead_out(service, told, path):
    """In frames and in telemetry they find nothing outside of the repository."""
    trace = TRACE.replace("/app/cart/cart.go", path)
    place = {**told, "file": path, "line": 1}
    del place["trace"]
    async with service() as caller:
        by_trace = await caller.post("/v1/context", {**told, "trace": trace})
        by_file = await caller.post("/v1/context", place)
    for reply in (by_trace, by_file):
        assert reply.status in {200, 400, 404, 422}
        assert b"root:" not in reply.body
    assert by_file.status in {400, 404}


async def test_escapes_in_what_is_told(service, capfd, told, caplog):
    """Neither the log nor an error carries what a terminal would obey."""
    caplog.set_level("INFO")
    evil = "acme/\x1b]0;owned\x07\n\u202eshop"
    async with service() as caller:
        reply = await caller.post("/v1/context", {**told, "repo": evil})
        (name,) = (await caller.panic({**told, "repo": evil})).json["events"]
        event = await caller.ended(name)
        await caller.get("/v1/events?status=%1b[31m%0a")
    written = caplog.text + "".join(capfd.readouterr())
    shown = reply.json["detail"] + event["error"]["message"]
    assert reply.code == event["error"]["code"] == "repo-not-allowed"
    for sign in ("\x1b", "\x07", "\u202e", "owned"):
        assert sign not in written
    assert not {"\x1b", "\x07", "\n", "\u202e"} & set(shown)
    assert "/v1/events" in written


async def test_secrets_and_bodies_are_not_logged(service, told, caplog, capfd):
    """Requests are logged without what they carry."""
    caplog.set_level("DEBUG")
    async with service(token=TOKEN) as caller:
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        body = {**told, "trace": f"hush-hush\n{TRACE}"}
        reply = await caller.post("/v1/context?q=hush-hush", body, headers=bearer)
        await caller.panic(body)
    assert reply.status == 200
    written = caplog.text + "".join(capfd.readouterr())
    for secret in (TOKEN, SECRET, "hush-hush"):
        assert secret not in written


async def test_signatures(service, told):
    """Right ones pass, with the older of two keys too; all else is refused."""
    body = json.dumps(told).encode()
    good = signed(body, "new")["X-Triage-Signature-256"]
    forged = [
        {},
        {"X-Triage-Signature-256": ""},
        {"X-Triage-Signature-256": "sha256="},
        {"X-Triage-Signature-256": good.removeprefix("sha256=")},
        {"X-Triage-Signature-256": good.upper()},
        {"X-Triage-Signature-256": good[:-1] + "g"},
        {"X-Triage-Signature-256": "sha256=\xe9"},
        signed(body, "wrong"),
        signed(body + b" ", "new"),
        {"X-Triage-Signature-256": good, "X-Triage-Timestamp": "1"},
        {"X-Triage-Signature-256": good, "X-Triage-Timestamp": "now"},
        {"X-Triage-Signature-256": good, "X-Triage-Timestamp": f"{time.time():.0f}"},
        {"Authorization": "Bearer new", "X-Triage-Signature-256": "sha256=0"},
    ]
    async with service(webhook_secret=ROTATING) as caller:
        bad = [
            await caller.post("/webhooks/panic", body, headers=headers)
            for headers in forged
        ]
        events = await caller.get("/v1/events")
        right = [
            await caller.post("/webhooks/panic", body, headers=signed(body, key))
            for key in ("new", "old")
        ]
    assert [(r.status, r.code) for r in bad] == [(401, "bad-signature")] * len(forged)
    assert events.json["events"] == []
    assert [r.status for r in right] == [202, 202]


async def test_a_long_delivery(service, told):
    """It is hashed beside the others, with the same outcome."""
    body = json.dumps({**told, "note": "x" * (2 * MIB)}).encode()
    async with service(limits=replace(SMALL, hook_body=4 * MIB)) as caller:
        good = await caller.post("/webhooks/panic", body, headers=signed(body))
        bad = await caller.post("/webhooks/panic", body, headers=signed(body, "wrong"))
    assert (good.status, bad.status) == (202, 401)


async def test_a_delivery_whose_name_is_no_text(service, told):
    """What cannot be kept is refused."""
    body = json.dumps(told).encode()
    (signature,) = signed(body).values()
    head = (
        "POST /webhooks/panic HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"X-Triage-Signature-256: {signature}\r\nContent-Length: {len(body)}\r\n"
        "X-Triage-Delivery: "
    )
    async with service() as caller:
        reply = await raw(caller.port, head.encode() + b"\xff\r\n\r\n" + body)
    assert (reply.status, reply.code) == (400, "bad-request")


async def test_a_signature_with_its_moment(service, told):
    """It is over the moment and the body; an old one is not believed."""
    body = json.dumps(told).encode()

    def at(moment):
        text = f"{moment:.0f}"
        dated = signed(f"{text}.".encode() + body)
        return {**dated, "X-Triage-Timestamp": text}

    async with service() as caller:
        fresh = await caller.post("/webhooks/panic", body, headers=at(time.time()))
        stale = await caller.post(
            "/webhooks/panic", body, headers=at(time.time() - 301)
        )
    assert (fresh.status, stale.status) == (202, 401)


@pytest.mark.parametrize("sender", ["panic", "github", "sentry"])
async def test_routes_whose_secret_is_not_set(service, sender):
    """Nobody can sign for them, so nobody may deliver."""
    async with service(webhook_secret=None) as caller:
        reply = await caller.post(f"/webhooks/{sender}", b"{}")
    assert (reply.status, reply.code) == (401, "bad-signature")


PRIVATE = [
    ("POST", "/v1/context"),
    ("POST", "/v1/logs"),
    ("POST", "/webhooks/alertmanager"),
    ("POST", "/webhooks/datadog"),
    ("GET", "/v1/events"),
    ("GET", "/v1/events/0"),
    ("GET", "/v1/incidents"),
    ("GET", "/v1/incidents/0"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
]


@pytest.mark.parametrize(("method", "path"), PRIVATE)
async def test_the_token(service, method, path):
    """Without it nothing is told, with either of two it is."""
    async with service(token=f"{TOKEN}, other") as caller:
        for header in (
            "",
            "Bearer",
            f"Basic {TOKEN}",
            "Bearer wrong",
            f"Bearer {TOKEN}x",
        ):
            reply = await caller.ask(method, path, headers={"Authorization": header})
            assert (reply.status, reply.code) == (401, "unauthorized")
            assert reply.headers["WWW-Authenticate"].startswith("Bearer")
        for token in (TOKEN, "other"):
            reply = await caller.ask(
                method, path, headers={"Authorization": f"bearer {token}"}
            )
            assert reply.status != 401


async def test_what_is_open(service):
    """Being alive is told to all; why something is not ready to the token's bearers."""
    async with service(token=TOKEN) as caller:
        alive, ready = await caller.get("/healthz"), await caller.get("/readyz")
        more = await caller.get("/readyz", headers={"Authorization": f"Bearer {TOKEN}"})
    assert (alive.status, ready.status) == (200, 200)
    assert {check["text"] for check in ready.json["checks"]} == {""}
    assert "" not in {check["text"] for check in more.json["checks"]}


@pytest.mark.parametrize(("method", "path"), PRIVATE)
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example:80"},
        {"Host": "[::1"},
        {"Host": "10.0.0.1"},
        {"Host": "evil.example@localhost"},
        {"Host": "localhost:80:80"},
        {"Host": "localhost:x"},
        {"Host": "[::1]x"},
        {"Host": ""},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
    ],
)
async def test_pages_of_elsewhere(service, method, path, headers):
    """Without a token a name bent to this machine or a foreign page gets nothing."""
    async with service() as caller:
        reply = await caller.ask(method, path, headers=headers)
    assert (reply.status, reply.code) == (401, "unauthorized")


async def test_callers_that_name_no_host(service):
    """The old protocol lets them; nothing is told, and no name is looked up."""
    async with service() as caller:
        refused = await raw(caller.port, b"GET /v1/events HTTP/1.0\r\n\r\n")
        named = b"GET /v1/events HTTP/1.0\r\nHost: localhost\r\n\r\n"
        told = await raw(caller.port, named)
    assert (refused.status, refused.code) == (401, "unauthorized")
    assert told.status == 200


async def test_connections_that_are_held(service):
    """Who has been idle longest makes room; who is being answered does not."""
    async with service(limits=replace(SMALL, connections=3)) as caller:
        head = b"POST /v1/context HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
        busy = await asyncio.open_connection("127.0.0.1", caller.port)
        busy[1].write(head + b"Connection: close\r\n\r\n")
        held = [
            await asyncio.open_connection("127.0.0.1", caller.port) for _ in range(20)
        ]
        await is_quick(caller)
        gone = await asyncio.gather(*(reader.read() for reader, _ in held[:18]))
        busy[1].write(b"{}")
        answer = await busy[0].read()
        for _, writer in (*held, busy):
            writer.close()
    assert set(gone) == {b""}
    assert answer.startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])
async def test_programs_of_this_machine(service, host):
    """Names of this machine, and its own pages, are answered."""
    async with service() as caller:
        name = f"{host}:{caller.port}"
        headers = {"Host": name, "Origin": f"http://{name}"}
        assert (await caller.get("/v1/events", headers=headers)).status == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com", ""])  # noqa: S104 - refused
def test_an_open_door(tmp_path, host):
    """Without a token nothing but this machine is listened to."""
    settings = triage.Settings(data_dir=tmp_path)
    with pytest.raises(ConfigError, match="TRIAGE_TOKEN"):
        check(settings, host)
    check(replace(settings, token=TOKEN), host)
    check(settings, "localhost")


async def test_too_much_at_once(service, told):
    """Over the bounds callers are told when to come again, and then it goes on."""
    tight = replace(SMALL, bodies=1_000, contexts=0)
    async with service(limits=tight) as caller:
        body = await caller.post("/v1/context", {**told, "file": "x" * 2_000})
        context = await caller.post("/v1/context", {"repo": REPO, "trace": "x"})
        await is_quick(caller)
    for reply in (body, context):
        assert (reply.status, reply.code) == (503, "busy")
        assert int(reply.headers["Retry-After"]) > 0


async def test_a_source_that_does_not_answer(service, told, repo):
    """It leaves room for the repositories that others read."""
    asked, gate = asyncio.Event(), asyncio.Event()

    async def wait(_):
        asked.set()
        await gate.wait()
        return web.Response(status=404)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", wait)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    with bind("127.0.0.1", 0) as place:
        await web.SockSite(runner, place).start()
        url = f"http://127.0.0.1:{place.getsockname()[1]}"
        tight = replace(SMALL, contexts=2, remote_contexts=1)
        listed = f"acme/*, {REPO}={repo.path}"
        async with service(limits=tight, repos=listed, github_url=url) as caller:
            there = {**told, "repo": "acme/other"}
            slow = asyncio.ensure_future(caller.post("/v1/context", there))
            await asked.wait()
            more = await caller.post("/v1/context", {**there, "depth": 1})
            here = await caller.post("/v1/context", told)
            gate.set()
            await slow
        await runner.cleanup()
    assert (more.status, more.code, here.status) == (503, "busy", 200)


async def test_a_context_that_takes_too_long(service, told):
    """It ends in time, and says so."""
    async with service(limits=replace(SMALL, context_seconds=0.0)) as caller:
        reply = await caller.post("/v1/context", told)
    assert (reply.status, reply.code) == (504, "timeout")


async def test_a_long_text_leaves_others_alone(service, told):
    """While megabytes are read others are answered."""
    text = (TRACE + "all is well\n" * 50) * 600
    limits = replace(SMALL, context_body=10 * MIB, hook_body=10 * MIB)
    async with service(limits=limits) as caller:
        long = asyncio.ensure_future(
            caller.post("/v1/context", {**told, "trace": text})
        )
        await asyncio.sleep(0.05)
        await is_quick(caller)
        assert (await long).status == 200
