"""Logs of GitHub's jobs: fetched from where GitHub says, without its token."""

from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from triage.app import open_works
from triage.config import Settings
from triage.core.events import Fetch
from triage.errors import (
    BadInput,
    FileMissing,
    RepoNotAllowed,
    SourceError,
    SourceTimeout,
    TooLarge,
)
from triage.service.door import bind
from triage.sources.github import GitHubApi, Token
from triage.sources.github.joblog import JobLogs

LOG = b"2026-01-01T00:00:00Z panic: boom\n"
JOB = Fetch("github-job-log", "acme/shop", job=7)


class Hosts:
    """GitHub's API and the host of the logs, and what they were asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None]] = []
        self.where = "/log"
        """Where the API sends callers; a path is the log host's."""
        self.status = 302
        self.api = ""
        self.blobs = ""

    async def answer_api(self, request: web.Request) -> web.Response:
        """Send callers on, as GitHub does."""
        self.asked.append((request.path, request.headers.get("Authorization")))
        if request.path == "/rate_limit":
            return web.json_response({}, status=self.status)
        if self.status != 302:
            return web.Response(status=self.status, body=LOG)
        place = self.where if "://" in self.where else self.blobs + self.where
        return web.Response(status=302, headers={"Location": place})

    async def answer_blobs(self, request: web.Request) -> web.StreamResponse:
        """Give a log, as each path has it."""
        self.asked.append((request.path, request.headers.get("Authorization")))
        match request.path:
            case "/log":
                return web.Response(body=LOG)
            case "/moved":
                return web.Response(status=301, headers={"Location": "log"})
            case "/astray":
                return web.Response(status=301, headers={"Location": "https://["})
            case "/circle":
                return web.Response(status=301, headers={"Location": "/circle"})
            case "/broken":
                broken = web.StreamResponse(headers={"Content-Length": "100"})
                await broken.prepare(request)
                await broken.write(b"x")
                assert request.transport is not None
                request.transport.abort()
                return broken
            case _:
                return web.Response(status=500)


@asynccontextmanager
async def _served(handler):
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    with bind("127.0.0.1", 0) as place:
        await web.SockSite(runner, place).start()
        yield f"http://127.0.0.1:{place.getsockname()[1]}"
        await runner.cleanup()


@pytest.fixture
async def hosts():
    """Run both hosts."""
    both = Hosts()
    async with _served(both.answer_api) as api, _served(both.answer_blobs) as blobs:
        both.api, both.blobs = api, blobs
        yield both


@pytest.fixture
def logs(hosts):
    """Fetch with a token, over as few tries as there can be."""

    @asynccontextmanager
    async def opened(**options):
        api = GitHubApi(Token("good-token"), url=hosts.api, tries=1, pause=0.0)
        try:
            yield JobLogs(api, **options)
        finally:
            await api.close()

    return opened


@pytest.mark.parametrize("where", ["/log", "/moved"])
async def test_the_token_stays_at_github(hosts, logs, where, tmp_path, monkeypatch):
    """The other host gets none, not even one of a netrc file."""
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    hosts.where = where
    async with logs() as job_logs:
        assert await job_logs.fetch(JOB) == LOG
    (first, token), *others = hosts.asked
    assert first == "/repos/acme/shop/actions/jobs/7/logs"
    assert str(token).split() == ["token", "good-token"]
    assert [path for path, _ in others][-1] == "/log"
    assert {given for _, given in others} == {None}


async def test_a_log_that_github_itself_gives(hosts, logs):
    """Enterprise servers may answer at once."""
    hosts.status = 200
    async with logs() as job_logs:
        assert await job_logs.fetch(JOB) == LOG


@pytest.mark.parametrize(
    ("where", "options", "error"),
    [
        ("/circle", {}, SourceError),
        ("/none", {}, SourceError),
        ("/broken", {}, SourceError),
        ("/log", {"largest": 10}, TooLarge),
        ("/log", {"seconds": 0.0}, SourceTimeout),
        ("file:///etc/passwd", {}, SourceError),
        ("https://[", {}, SourceError),
        ("/astray", {}, SourceError),
        ("http://127.0.0.1:x/", {}, SourceError),
        ("http://127.0.0.1:1/", {}, SourceError),
    ],
)
async def test_logs_that_cannot_be_had(hosts, logs, where, options, error):
    """Each says why, as an error of the source."""
    hosts.where = where
    async with logs(**options) as job_logs:
        with pytest.raises(error):
            await job_logs.fetch(JOB)


async def test_a_log_that_is_gone(hosts, logs):
    """GitHub drops logs after a while; that is final."""
    hosts.status = 404
    async with logs() as job_logs:
        with pytest.raises(FileMissing, match="any more"):
            await job_logs.fetch(JOB)


@pytest.mark.parametrize(
    "fetch", [Fetch("sentry-event", "acme/shop"), Fetch("github-job-log", "acme/shop")]
)
async def test_what_is_not_fetched(logs, fetch):
    """Nothing is asked for what cannot be had."""
    async with logs() as job_logs:
        with pytest.raises(BadInput):
            await job_logs.fetch(fetch)


@pytest.mark.parametrize(
    ("status", "fine"), [(200, True), (401, False), (429, True), (500, False)]
)
async def test_whether_the_token_is_good(hosts, tmp_path, status, fine):
    """GitHub is asked; a limit that is used up is no fault of the token's."""
    hosts.status = status
    settings = Settings(
        data_dir=tmp_path,
        repos="acme/*",
        github_token="good-token",  # noqa: S106 - the test server's
        github_url=hosts.api,
    )
    async with open_works(settings) as works:
        helper, github = await works.check()
        assert works.figures().helper_deaths == 0
    assert (helper.fine, github.name, github.fine) == (True, "github", fine)


async def test_logs_of_listed_repositories_alone(hosts, tmp_path):
    """What is not on the list is not asked for; what is comes with the token."""
    settings = Settings(data_dir=tmp_path, repos="acme/*", github_url=hosts.api)
    async with open_works(settings) as works:
        assert await works.logs.fetch(JOB) == LOG
        with pytest.raises(RepoNotAllowed):
            await works.logs.fetch(Fetch("github-job-log", "other/shop", job=7))
    assert len(hosts.asked) == 2
