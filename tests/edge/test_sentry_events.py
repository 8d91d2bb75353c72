"""Events at Sentry: fetched with the token, which no other host is shown."""

import time
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from aiohttp import web

from triage.app import open_works
from triage.config import Settings
from triage.core.events import Fetch
from triage.errors import (
    BadInput,
    ConfigError,
    FileMissing,
    RateLimited,
    SourceError,
    SourceTimeout,
    TooLarge,
    Unauthorized,
)
from triage.service.door import bind
from triage.sources.sentry import SentryEvents

EVENT = b'{"platform": "go"}'
TOKEN = "good-token"  # noqa: S105 - the test server's
PATH = "/api/0/issues/1/events/latest/"


class Host:
    """A host that answers as it is told, and what it was asked."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[tuple[str, str | None]] = []
        self.status = 200
        self.headers: dict[str, str] = {}
        self.body = EVENT

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer; a `Location` is for the first path alone."""
        self.asked.append((request.path, request.headers.get("Authorization")))
        if request.path != PATH:
            return web.Response(body=EVENT)
        if self.status == 0:
            broken = web.StreamResponse(headers={"Content-Length": "100"})
            await broken.prepare(request)
            await broken.write(b"x")
            assert request.transport is not None
            request.transport.abort()
            return broken
        return web.Response(status=self.status, headers=self.headers, body=self.body)


@asynccontextmanager
async def _host(address: str):
    async with AsyncExitStack() as stack:
        place = stack.enter_context(bind(address, 0))
        host = Host(f"http://{address}:{place.getsockname()[1]}")
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", host.answer)
        runner = web.AppRunner(app, access_log=None)
        stack.push_async_callback(runner.cleanup)
        await runner.setup()
        await web.SockSite(runner, place).start()
        yield host


@pytest.fixture
async def sentry():
    """Run Sentry."""
    async with _host("127.0.0.1") as host:
        yield host


@pytest.fixture
async def elsewhere():
    """Run a host that is not Sentry's."""
    async with _host("127.0.0.2") as host:
        yield host


def at(url: str) -> Fetch:
    """Point at an event."""
    return Fetch("sentry-event", "", url=url)


def events(host: Host, token: str | None = TOKEN, **options) -> SentryEvents:
    """Read events of a host."""
    return SentryEvents(token, url=host.url, **options)


async def test_an_event(sentry):
    """It comes as Sentry has it, and Sentry is shown the token."""
    assert await events(sentry).fetch(at(f"{sentry.url}{PATH}")) == EVENT
    assert sentry.asked == [(PATH, f"Bearer {TOKEN}")]


@pytest.mark.parametrize("moved", ["/moved/", "{own}/moved/"])
async def test_an_event_that_has_moved(sentry, moved):
    """On the same host the token goes along."""
    sentry.status = 302
    sentry.headers = {"Location": moved.format(own=sentry.url)}
    assert await events(sentry).fetch(at(f"{sentry.url}{PATH}")) == EVENT
    assert sentry.asked[1] == ("/moved/", f"Bearer {TOKEN}")


async def test_an_event_elsewhere(sentry, elsewhere, tmp_path, monkeypatch):
    """Another host is shown no token, not even one of a netrc file."""
    (tmp_path / "netrc").write_text("machine 127.0.0.2 login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    sentry.status, sentry.headers = 307, {"Location": f"{elsewhere.url}/blob"}
    assert await events(sentry).fetch(at(f"{sentry.url}{PATH}")) == EVENT
    assert elsewhere.asked == [("/blob", None)]


@pytest.mark.parametrize(
    "place",
    [
        "http://evil.example/",
        "file:///etc/passwd",
        "https://[",
        "ftp://sentry.io/",
        "http://me:pw@127.0.0.1/",
    ],
)
async def test_redirects_that_lead_out(sentry, place):
    """Nothing but https is followed, on loopback http too."""
    sentry.status, sentry.headers = 302, {"Location": place}
    with pytest.raises(SourceError):
        await events(sentry).fetch(at(f"{sentry.url}{PATH}"))


@pytest.mark.parametrize("headers", [{"Location": PATH}, {}])
async def test_redirects_in_a_circle(sentry, headers):
    """They are followed a few times."""
    sentry.status, sentry.headers = 302, headers
    with pytest.raises(SourceError, match="circle"):
        await events(sentry).fetch(at(f"{sentry.url}{PATH}"))
    assert len(sentry.asked) < 10


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/x",
        "http://127.0.0.2/x",
        "http://127.0.0.1:1/x",
        "https://127.0.0.1/x",
        "https://[",
        "http://127.0.0.1:x/",
    ],
)
async def test_events_that_are_not_at_sentry(sentry, url):
    """Nobody is asked; the error names the setting and the host."""
    with pytest.raises(Unauthorized, match="TRIAGE_SENTRY_URL"):
        await events(sentry).fetch(at(url))
    assert sentry.asked == []


async def test_events_without_a_token(sentry):
    """Nobody is asked; the error says what to set, and how to go on."""
    with pytest.raises(Unauthorized, match=r"TRIAGE_SENTRY_TOKEN.*inbox retry"):
        await events(sentry, None).fetch(at(f"{sentry.url}{PATH}"))
    assert sentry.asked == []


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, Unauthorized),
        (403, Unauthorized),
        (404, FileMissing),
        (429, RateLimited),
        (500, SourceError),
        (0, SourceError),
    ],
)
async def test_events_that_cannot_be_had(sentry, status, error):
    """Each says why, as an error of the source."""
    sentry.status = status
    with pytest.raises(error):
        await events(sentry).fetch(at(f"{sentry.url}{PATH}"))


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"Retry-After": "30"}, 29, 31),
        ({"X-Sentry-Rate-Limit-Reset": "{soon}"}, 89, 91),
        ({"Retry-After": "soon"}, None, None),
        ({}, None, None),
    ],
)
async def test_limits_tell_when_they_end(sentry, headers, least, most):
    """By either header; None where there is none."""
    now = time.time()
    sentry.status = 429
    sentry.headers = {n: v.format(soon=int(now) + 90) for n, v in headers.items()}
    with pytest.raises(RateLimited) as caught:
        await events(sentry).fetch(at(f"{sentry.url}{PATH}"))
    until = caught.value.reset_at
    assert (until is None) == (least is None)
    assert until is None or least <= until - now <= most


@pytest.mark.parametrize(
    ("options", "error"), [({"largest": 5}, TooLarge), ({"seconds": 0}, SourceTimeout)]
)
async def test_events_beyond_the_bounds(sentry, options, error):
    """Of size and of time."""
    with pytest.raises(error):
        await events(sentry, **options).fetch(at(f"{sentry.url}{PATH}"))


@pytest.mark.parametrize("fetch", [Fetch("github-job-log", "a/b"), at("")])
async def test_what_is_no_event(sentry, fetch):
    """It is no address of Sentry's."""
    with pytest.raises((BadInput, Unauthorized)):
        await events(sentry).fetch(fetch)


@pytest.mark.parametrize(
    "url", ["sentry.io", "http://sentry.io", "https://a:b@sentry.io", "https://["]
)
def test_roots_that_cannot_be(url):
    """A token would go over the wire for all to read."""
    with pytest.raises(ConfigError, match="TRIAGE_SENTRY_URL"):
        SentryEvents(None, url=url)


async def test_works_fetch_events_too(sentry, tmp_path):
    """What the service works with asks Sentry, whatever the repository."""
    settings = Settings(
        data_dir=tmp_path, sentry_token=TOKEN, sentry_url=sentry.url, repos="acme/*"
    )
    async with open_works(settings) as works:
        assert await works.logs.fetch(at(f"{sentry.url}{PATH}")) == EVENT
