"""What GitHub refuses, and what happens on the way to it: errors that say what to do."""

import asyncio
import ssl
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.github_server import PERMISSION, PRIMARY, SECONDARY, Fault, GitHubServer
from tests.githubapi.samples import GOOD, Workshop, reading, serving
from triage.errors import (
    CommitMissing,
    NotFound,
    RateLimited,
    RepoBlocked,
    RepoEmpty,
    RepoMissing,
    SourceError,
    SourceTimeout,
    Unauthorized,
)
from triage.sources.github import GitHubApi, GitHubSource, RateGate, Token
from triage.sources.github.wire import Request

ABSENT = "0123456789abcdef0123456789abcdef01234567"
Call = Callable[[GitHubSource, str], Awaitable[object]]
CALLS: dict[str, Call] = {
    "probe": lambda source, commit: source.probe(commit, ["p"]),
    "package": lambda source, commit: source.package(commit, "p"),
    "read": lambda source, commit: source.read(commit, "p/a.go"),
    "paths": lambda source, commit: source.paths(commit),
    "resolve": lambda source, commit: source.resolve(commit[:12]),
}
calls = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
both = pytest.mark.parametrize("credentials", [GOOD, None], ids=["token", "anonymous"])


async def settled(source: GitHubSource) -> None:
    """Wait until all threads are idle: what was given up is sent all the same."""
    threads, loop = source._repository.api._threads, asyncio.get_running_loop()
    # None of these ends before each has a thread of its own.
    together = threading.Barrier(threads._max_workers)
    turns = range(together.parties)
    await asyncio.gather(*(loop.run_in_executor(threads, together.wait) for _ in turns))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """Make a repository of two packages."""
    workshop = Workshop(tmp_path_factory.mktemp("shop"))
    files = {f"p/{name}.go": f"package p // {name}\n" for name in "abcdefghij"}
    workshop.commit({**files, "go.mod": "module m\n"})
    return workshop


@pytest.fixture
async def server(shop: Workshop) -> AsyncIterator[GitHubServer]:
    """Serve it as acme/shop."""
    async with serving() as running:
        running.hosting.add("acme/shop", shop.directory)
        yield running


@calls
@both
async def test_a_commit_that_is_not_there(
    server: GitHubServer, call: Call, credentials: Token | None
) -> None:
    """It is told from a missing file, for every call."""
    async with reading(server, credentials=credentials) as source:
        with pytest.raises(CommitMissing, match=ABSENT[:12]):
            await call(source, ABSENT)


@calls
@both
async def test_a_repository_that_is_not_there(
    server: GitHubServer, shop: Workshop, call: Call, credentials: Token | None
) -> None:
    """The error names it and what to check."""
    async with reading(server, "acme/ship", credentials=credentials) as source:
        with pytest.raises(RepoMissing, match="acme/ship"):
            await call(source, shop.head)


@calls
async def test_a_private_repository_looks_missing(
    server: GitHubServer, shop: Workshop, call: Call
) -> None:
    """To nobody and to a token without access; the error says that it may be private."""
    server.hosting.add("acme/secret", shop.directory, private=True)
    server.hosting.tokens.add("other-token")
    async with reading(server, "acme/secret", credentials=None) as source:
        with pytest.raises(RepoMissing, match="GITHUB_TOKEN"):
            await call(source, shop.head)
    other = Token("other-token")
    async with reading(server, "acme/secret", credentials=other) as source:
        with pytest.raises(RepoMissing, match="may read it"):
            await call(source, shop.head)
    async with reading(server, "acme/secret") as source:
        await call(source, shop.head)


async def test_a_missing_file_asks_for_the_commit_once(
    server: GitHubServer, shop: Workshop
) -> None:
    """A 404 does not tell what is missing; one more request does, the first time."""
    async with reading(server, credentials=None) as source:
        await source.probe(shop.head, ["nothing"])
        assert server.counted("/commits/") == 0
    async with reading(server, credentials=None) as source:
        assert await source.read(shop.head, "p/none.go") is None
        assert await source.read(shop.head, "q/none.go") is None
    assert server.counted("/commits/") == 1


@calls
@both
async def test_an_empty_repository(
    server: GitHubServer, tmp_path: Path, call: Call, credentials: Token | None
) -> None:
    """There is no commit to be found in it."""
    server.hosting.add("acme/empty", Workshop(tmp_path).directory)
    async with reading(server, "acme/empty", credentials=credentials) as source:
        with pytest.raises(RepoEmpty, match="empty"):
            await call(source, ABSENT)


@calls
async def test_a_repository_blocked_for_legal_reasons(
    server: GitHubServer, shop: Workshop, call: Call
) -> None:
    """It is said so."""
    server.hosting.by_name["acme/shop"].blocked = True
    async with reading(server, credentials=None) as source:
        with pytest.raises(RepoBlocked, match="legal"):
            await call(source, shop.head)


@calls
async def test_a_bad_token(server: GitHubServer, shop: Workshop, call: Call) -> None:
    """It is told after one request, and never shown."""
    async with reading(server, credentials=Token("hush-hush")) as source:
        with pytest.raises(Unauthorized, match="GITHUB_TOKEN") as caught:
            await call(source, shop.head)
    assert len(server.requests) == 1
    assert "hush-hush" not in f"{caught.value!r}{caught.value.__cause__!r}"


@calls
async def test_a_missing_permission_is_never_tried_again(
    server: GitHubServer, shop: Workshop, call: Call
) -> None:
    """The error names the permission as GitHub does."""
    header = {"X-Accepted-GitHub-Permissions": "contents=read"}
    server.faults.append(Fault("", status=403, message=PERMISSION, headers=header))
    async with reading(server) as source:
        with pytest.raises(Unauthorized, match="contents=read"):
            await call(source, shop.head)
    sent = [seen.path for seen in server.requests]
    assert sorted(sent) == sorted(set(sent))


@calls
@both
async def test_a_primary_limit(
    server: GitHubServer, shop: Workshop, call: Call, credentials: Token | None
) -> None:
    """The error says until when, and later calls are refused unsent."""
    for budget in (server.anonymous, *server.budgets.values()):
        budget.left = 0
    async with reading(server, credentials=credentials) as source:
        with pytest.raises(RateLimited) as caught:
            await call(source, shop.head)
        await settled(source)
        sent = len(server.requests)
        with pytest.raises(RateLimited):
            await call(source, shop.head)
        await settled(source)
    assert caught.value.reset_at == server.anonymous.reset
    assert len(server.requests) == sent


LIMITS: dict[str, tuple[int, str, str | None, float]] = {
    "seconds": (403, SECONDARY, "90", 90),
    "429": (429, SECONDARY, "90", 90),
    "without the words": (403, "slow down", "90", 90),
    "date": (429, "slow down", "DATE", 500),
    "nothing said": (429, "slow down", None, 60),
    "a sentence": (403, SECONDARY, None, 60),
    "nonsense": (429, "", "soon", 60),
}


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
@both
async def test_a_secondary_limit_is_on_everything(
    server: GitHubServer,
    shop: Workshop,
    credentials: Token | None,
    limit: tuple[int, str, str | None, float],
) -> None:
    """403 or 429, with or without Retry-After: nothing more is sent until then."""
    status, message, after, seconds = limit
    start = time.time()
    date = formatdate(start + seconds, usegmt=True)
    headers = {"Retry-After": after.replace("DATE", date)} if after else {}
    server.faults.append(Fault(status=status, message=message, headers=headers))
    async with reading(server, credentials=credentials) as source:
        with pytest.raises(RateLimited) as caught:
            await source.resolve("main")
        for call in CALLS.values():
            with pytest.raises(RateLimited):
                await call(source, shop.head)
    assert caught.value.reset_at == pytest.approx(start + seconds, abs=10)
    assert len(server.requests) == 1


async def test_graphql_tells_a_limit_under_status_200(
    server: GitHubServer, shop: Workshop
) -> None:
    """It closes GraphQL's gate; REST has a budget of its own."""
    body = {"errors": [{"type": "RATE_LIMITED", "message": PRIMARY}]}
    server.faults.append(Fault("/graphql", body=body))
    async with reading(server) as source:
        with pytest.raises(RateLimited) as caught:
            await source.package(shop.head, "p")
        with pytest.raises(RateLimited):
            await source.package(shop.head, "p")
        assert len(await source.paths(shop.head)) == 11
    assert caught.value.reset_at == pytest.approx(time.time() + 60, abs=10)
    assert server.counted("/graphql") == 1


async def test_a_limit_met_by_one_request_stops_the_others(
    server: GitHubServer, shop: Workshop
) -> None:
    """Of ten blobs those that are not sent yet stay unsent."""
    server.faults.append(Fault("/git/blobs/", status=429, times=1))
    server.faults.append(Fault("/git/blobs/", delay=0.1))
    async with reading(server, credentials=None) as source:
        with pytest.raises(RateLimited):
            await source.package(shop.head, "p")
    assert server.counted("/git/blobs/") <= 8


async def test_the_last_answer_of_a_budget_closes_the_gate(
    server: GitHubServer, shop: Workshop
) -> None:
    """No request is sent only to be refused."""
    server.budgets["core"].left = 1
    async with reading(server) as source:
        await source.paths(shop.head)
        with pytest.raises(RateLimited):
            await source.resolve("main")
    assert server.counted("/repos/") == 1


async def test_a_gate_is_shared_and_opens_again(
    server: GitHubServer, shop: Workshop
) -> None:
    """Two sources with one token keep one gate, by the clock that it is given."""
    now = [1_000.0]
    gate = RateGate(lambda: now[0])
    server.faults.append(Fault(status=429, times=1, headers={"Retry-After": "30"}))
    async with (
        reading(server, gate=gate) as first,
        reading(server, gate=gate) as second,
    ):
        with pytest.raises(RateLimited) as caught:
            await first.resolve("main")
        with pytest.raises(RateLimited):
            await second.resolve("main")
        now[0] += 31
        assert await second.resolve("main") == shop.head
    assert caught.value.reset_at == 1_030
    assert len(server.requests) == 2


@both
async def test_a_renamed_repository_is_followed_and_told(
    server: GitHubServer, shop: Workshop, credentials: Token | None
) -> None:
    """The commit that was asked for is read, and each package says the new name."""
    old = shop.head
    server.hosting.rename("acme/shop", "acme/store")
    async with reading(server, credentials=credentials) as source:
        before = source.renamed_to
        packages, modules = await source.probe(old, ["p"])
        assert (before, source.renamed_to) == (None, "acme/store")
        sent = len(server.requests)
        again = await source.package(old, "p")
    assert packages["p"].problems == (
        "the repository acme/shop is now acme/store; use that name",
    )
    assert again == packages["p"]
    assert modules == {"go.mod": b"module m\n"}
    assert len(server.requests) - sent == (1 if credentials else 10)


async def test_a_redirect_keeps_the_question(
    server: GitHubServer, tmp_path: Path
) -> None:
    """An old commit is not answered with the default branch's files."""
    workshop = Workshop(tmp_path)
    old = workshop.commit({"p/a.go": "package p // old\n"})
    workshop.commit({"p/a.go": "package p // new\n", "p/b.go": "package p\n"})
    server.hosting.add("acme/moved", workshop.directory)
    server.hosting.rename("acme/moved", "acme/here")
    async with reading(server, "acme/moved", credentials=None) as source:
        package = await source.package(old, "p")
        paths = await source.paths(old)
    assert [file.data for file in package.files] == [b"package p // old\n"]
    assert paths == ("p/a.go",)


@pytest.mark.parametrize(
    "location",
    ["", "https://evil.example/repositories/x", "/repos/acme/shop/contents/p"],
)
async def test_a_redirect_to_nowhere_is_an_error(
    server: GitHubServer, shop: Workshop, location: str
) -> None:
    """Only a repository's number is taken out of a redirect, never a host."""
    server.faults.append(Fault("/repos/", status=301, headers={"Location": location}))
    async with reading(server, credentials=None) as source:
        with pytest.raises(SourceError, match="redirects"):
            await source.package(shop.head, "p")


TROUBLES = {
    "500": Fault("/repos/", status=500, message="Server Error"),
    "502": Fault("/repos/", status=502, body="<html>Bad Gateway</html>"),
    "503": Fault("/repos/", status=503, headers={"Retry-After": "3600"}),
    "reset": Fault("/repos/", reset=True),
    "cut": Fault("/repos/", cut=True),
}


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
async def test_server_trouble_is_tried_again(
    server: GitHubServer, shop: Workshop, trouble: Fault
) -> None:
    """Twice at most; the third answer counts."""
    server.faults.append(Fault(**{**vars(trouble), "times": 2}))
    async with reading(server, credentials=None) as source:
        assert await source.resolve("main") == shop.head
    assert len(server.requests) == 3


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
async def test_lasting_trouble_ends_in_an_error(
    server: GitHubServer, shop: Workshop, trouble: Fault
) -> None:
    """After three tries, with what to do."""
    server.faults.append(trouble)
    async with reading(server, credentials=None) as source:
        with pytest.raises(SourceError, match=r"try again|check the network"):
            await source.package(shop.head, "p")
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "body", ["<html>sign in</html>", "[1, 2", '{"sha": 3}', '"no blob"']
)
async def test_what_is_no_github_is_told(
    server: GitHubServer, shop: Workshop, body: str
) -> None:
    """A proxy's page or another API names the setting to check."""
    server.faults.append(Fault(body=body))
    async with reading(server, credentials=None) as source:
        for call in CALLS.values():
            with pytest.raises(SourceError, match="TRIAGE_GITHUB_URL"):
                await call(source, shop.head)


async def test_a_blob_that_is_another_is_refused(
    server: GitHubServer, shop: Workshop
) -> None:
    """Its own id tells."""
    body = {"content": "d3Jvbmc=", "encoding": "base64"}
    server.faults.append(Fault("/git/blobs/", body=body))
    async with reading(server, credentials=None) as source:
        with pytest.raises(SourceError):
            await source.package(shop.head, "p")


@pytest.mark.parametrize(
    "fault", [Fault(delay=30), Fault(drip=0.2)], ids=["silent", "dripping"]
)
async def test_a_slow_answer_is_a_timeout(
    server: GitHubServer, shop: Workshop, fault: Fault
) -> None:
    """Silence and single bytes alike end at the deadline."""
    server.faults.append(fault)
    start = time.monotonic()
    async with reading(server, credentials=None, seconds=0.5) as source:
        with pytest.raises(SourceTimeout):
            await source.package(shop.head, "p")
    assert time.monotonic() - start < 3


async def test_a_slow_request_leaves_time_for_another_way(
    server: GitHubServer, shop: Workshop
) -> None:
    """GraphQL that hangs ends at the request's own limit, and REST answers."""
    server.faults.append(Fault("/graphql", delay=30))
    async with reading(server, request_seconds=0.3) as source:
        assert len((await source.package(shop.head, "p")).files) == 10


async def test_the_event_loop_never_waits(server: GitHubServer, shop: Workshop) -> None:
    """While GitHub is slow, other tasks go on."""
    server.faults.append(Fault(delay=0.3))
    turns = 0
    async with reading(server) as source:
        task = asyncio.create_task(source.probe(shop.head, ["p"]))
        while not task.done():
            await asyncio.sleep(0.005)
            turns += 1
    assert turns > 10


async def test_a_cancelled_call_harms_no_other(
    server: GitHubServer, shop: Workshop
) -> None:
    """Its connection and its thread serve the next one."""
    server.faults.append(Fault(delay=0.2, times=1))
    async with reading(server) as source:
        task = asyncio.create_task(source.package(shop.head, "p"))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len((await source.package(shop.head, "p")).files) == 10


async def test_a_new_name_that_is_none_is_not_taken(
    server: GitHubServer, shop: Workshop
) -> None:
    """It would become part of an address."""
    server.hosting.rename("acme/shop", "acme/store")
    server.faults.append(Fault("/repositories/", body={"full_name": "../../user"}))
    async with reading(server, credentials=None) as source:
        with pytest.raises(SourceError, match="redirects"):
            await source.package(shop.head, "p")


async def test_a_tree_that_is_missing_while_its_commit_is_there(
    server: GitHubServer, shop: Workshop
) -> None:
    """The commit is looked for once; what is left is an error all the same."""
    server.faults.append(Fault("/git/trees/", status=404, message="Not Found"))
    async with reading(server) as source:
        with pytest.raises(NotFound, match="no such thing"):
            await source.paths(shop.head)
    assert server.counted("/commits/") == 1


async def test_an_answer_without_end_is_cut_off(
    server: GitHubServer, shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing fills the memory."""
    monkeypatch.setattr("triage.sources.github.wire._LARGEST", 1_000)
    async with reading(server, credentials=None) as source:
        with pytest.raises(SourceError, match="smaller package"):
            await source.paths(shop.head)


async def test_a_call_after_its_deadline_is_not_sent(server: GitHubServer) -> None:
    """It waited for a thread too long."""
    api = GitHubApi(url=server.url)
    with pytest.raises(SourceTimeout):
        await api.call(Request("/rate_limit"), bool, deadline=time.monotonic())
    await api.close()
    assert server.requests == []


async def test_a_certificate_that_is_not_trusted(tmp_path: Path) -> None:
    """The error names the way to trust it, and nothing is tried again."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed(tmp_path))
    visits = list[object]()
    listening = await asyncio.start_server(
        lambda _, writer: visits.append(writer), "127.0.0.1", 0, ssl=context
    )
    port = listening.sockets[0].getsockname()[1]
    api = GitHubApi(url=f"https://127.0.0.1:{port}", pause=0.0)
    with pytest.raises(SourceError, match="REQUESTS_CA_BUNDLE"):
        await GitHubSource("acme/shop", api).resolve("main")
    await api.close()
    listening.close()
    await listening.wait_closed()
    assert visits == []


def self_signed(directory: Path) -> Path:
    """Make a certificate that nobody trusts, with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
    )
    file = directory / "server.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    )
    return file


async def test_nobody_at_the_address() -> None:
    """The error names the network and the setting."""
    api = GitHubApi(url="http://127.0.0.1:9", pause=0.0)
    source = GitHubSource("acme/shop", api)
    with pytest.raises(SourceError, match=r"127\.0\.0\.1.*TRIAGE_GITHUB_URL"):
        await source.resolve("main")
    await api.close()


async def test_after_closing_calls_are_refused(
    server: GitHubServer, shop: Workshop
) -> None:
    """With an error, not with a crash of the thread pool."""
    api = GitHubApi(url=server.url)
    source = GitHubSource("acme/shop", api)
    await api.close()
    await api.close()
    with pytest.raises(SourceError, match="closed"):
        await source.package(shop.head, "p")
