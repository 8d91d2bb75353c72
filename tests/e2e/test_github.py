"""The whole against GitHub: what each request costs, and what is said."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

import triage
from tests.e2e.conftest import ADD, CART, FILES, TOTAL, TRACE
from tests.github_server import GitHubServer
from tests.githubapi.samples import serving
from triage.errors import CommitMissing, ConfigError, RepoMissing, Unauthorized

TOKEN = "good-token"  # noqa: S105 - made up
ROOT = Path(__file__).parents[2]


@pytest.fixture
async def server(repo) -> AsyncIterator[GitHubServer]:
    """Serve the shop as acme/shop."""
    repo.commit(FILES)
    async with serving() as running:
        running.hosting.add("acme/shop", repo.path)
        yield running


@pytest.fixture
def open_github(server, open_cached):
    """Open engines that ask the server."""

    def opened(**options):
        settings = {"github_url": server.url, "github_token": TOKEN, **options}
        return open_cached(**settings)

    return opened


@pytest.fixture
def told(repo, server):
    """Make telemetry of the shop's commit; that there is a server comes first."""
    del server
    commit = repo.git("rev-parse", "HEAD")
    return triage.Telemetry("acme/shop", commit, "money/money.go", 4)


async def test_a_cold_package_is_one_request(server, open_github, told):
    """With a token: the commit, the directory, its files and its modules."""
    async with open_github() as engine:
        result = await engine.context(told)
    assert [seen.path for seen in server.requests] == ["/graphql"]
    assert (result.served_from, result.crash.commit) == ("github", told.commit_sha)


async def test_what_was_fetched_is_not_fetched_again(server, open_github, told):
    """Same function, other function, after a restart, by either form: no request."""
    cart = replace(told, file="cart/cart.go", line=ADD)
    async with open_github() as engine:
        await engine.context(cart)
        assert server.counted() == 2  # cart, then money, which it names
        await engine.context(replace(cart, line=ADD + 1))
        await engine.context(replace(cart, line=TOTAL))
        await engine.context(told)
    async with open_github() as engine:
        again = await engine.context(cart)
        other = await engine.context(replace(cart, line=ADD + 1))
    assert server.counted() == 2
    assert {again.served_from, other.served_from} == {"sqlite"}


async def test_all_frames_of_a_trace_are_one_request(server, open_github, told):
    """Their directories travel together; what the crash imports comes after."""
    traced = replace(told, file=None, line=None, trace=TRACE)
    async with open_github() as engine:
        result = await engine.context(traced)
    assert [frame.path for frame in result.panic.frames] == ["cart/cart.go", "main.go"]
    assert server.counted() == 2


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_project_below_the_root(server, open_github, repo, restarted):
    """`root_dir` names it: both forms of a path are one entry, without a request."""
    two = {f"{name}/{path}": text for name in "ab" for path, text in FILES.items()}
    commit = repo.commit(two)
    whole = triage.Telemetry("acme/shop", commit, "b/cart/cart.go", ADD)
    below = replace(whole, file="cart/cart.go", root_dir="b")
    async with open_github() as engine:
        first = await engine.context(whole)
        asked = server.counted()
        second = None if restarted else await engine.context(below)
    if restarted:
        async with open_github() as engine:
            second = await engine.context(below)
    assert second is not None
    assert (server.counted(), second.crash) == (asked, first.crash)


async def test_the_next_commit_costs_its_names_and_one_blob(server, open_github, repo):
    """Of 30 files one changed: that one alone is fetched."""
    many = {f"cart/more{n:02}.go": f"package cart\n\nvar v{n} int\n" for n in range(29)}
    plain = {
        **FILES,
        "cart/cart.go": "package cart\n\nfunc F(m []int) int { return m[7] }\n",
    }
    first = repo.commit(plain | many)
    second = repo.commit({"cart/more07.go": "package cart\n\nvar v7 string\n"})
    place = triage.Telemetry("acme/shop", first, "cart/cart.go", 3)
    async with open_github() as engine:
        await engine.context(place)
        assert server.counted() == 1
        result = await engine.context(replace(place, commit_sha=second))
    names, blob = server.requests[1:]
    assert [b.body.count(b"GitObjectID!") for b in (names, blob)] == [0, 1]
    assert result.crash.commit == second


async def test_many_crashes_at_once_are_one_request(server, open_github, told):
    """A storm on a cold package asks once."""
    async with open_github() as engine:
        await asyncio.gather(*(engine.context(told) for _ in range(20)))
    assert server.counted() == 1


async def test_without_a_token(server, open_github, told):
    """GitHub answers anybody, a file at a time; the context is the same."""
    async with open_github() as engine:
        with_token = await engine.context(told)
    async with open_github(github_token=None, no_cache=True) as engine:
        without = await engine.context(told)
    assert without == with_token
    assert server.counted("graphql") == 1


async def test_without_a_commit_the_default_branch_is_read(open_github, told):
    """And that is said, in the answer and in its text."""
    async with open_github() as engine:
        found = await engine.context(replace(told, commit_sha=None))
        given = await engine.context(told)
    assert found.crash == given.crash
    (warning,) = found.warnings
    assert warning == (
        f"no commit was named: the default branch was read, at {told.commit_sha}"
    )
    assert warning in found.context
    assert given.warnings == ()


async def test_a_text_names_its_commit(open_github, repo, told):
    """Build information in it says which commit crashed; nothing is guessed."""
    crashed = str(told.commit_sha)
    repo.commit({"cart/cart.go": CART.replace("name := item.Name\n", "")})
    trace = f"{TRACE}\nbuild\tvcs.revision={crashed}\n"
    traced = triage.Telemetry("acme/shop", trace=trace)
    async with open_github() as engine:
        result = await engine.context(traced)
    assert (result.crash.commit, result.warnings) == (crashed, ())


async def test_a_renamed_repository_is_told(server, open_github, told):
    """The old name leads on, and the answer says the new one."""
    server.hosting.rename("acme/shop", "acme/store")
    async with open_github(github_token=None) as engine:
        result = await engine.context(told)
        again = await engine.context(replace(told, file="cart/cart.go", line=ADD))
    note = "the repository acme/shop is now acme/store; use that name"
    assert (result.warnings, again.warnings) == ((note,), (note,))


@pytest.mark.parametrize(
    ("change", "error"),
    [({"repo": "acme/none"}, RepoMissing), ({"commit_sha": "f" * 40}, CommitMissing)],
)
async def test_what_is_missing_is_asked_for_once(
    server, open_github, told, change, error
):
    """And again only when it may have come."""
    async with open_github() as engine:
        counts = []
        for _ in range(3):
            with pytest.raises(error):
                await engine.context(replace(told, **change))
            counts.append(server.counted())
    assert counts[0] > 0
    assert counts == counts[:1] * 3


@pytest.mark.parametrize(
    "part",
    [
        {"github_app_id": "17"},
        {"github_app_key": "-----BEGIN"},
        {"github_app_installation": 42},
    ],
)
async def test_an_app_is_set_whole_or_not_at_all(open_github, told, part):
    """A missing part is named, not passed over in silence."""
    async with open_github(**part) as engine:
        with pytest.raises(ConfigError, match="set all three or none"):
            await engine.context(told)


async def test_an_app_asks_for_itself(server, open_github, told):
    """With all three parts its key is used, though there is a token as well."""
    part = {"github_app_id": "17", "github_app_key": "-----BEGIN"}
    async with open_github(**part, github_app_installation=42) as engine:
        with pytest.raises(Unauthorized, match="key cannot be read"):
            await engine.context(told)
    assert server.counted() == 0


async def test_the_command_reads_github(server, told, tmp_path):
    """`--repo OWNER/NAME` is enough; the settings come from the environment."""
    place = ["--file", str(told.file), "--line", str(told.line)]
    command = ["context", "--repo", "acme/shop", "--commit", str(told.commit_sha)]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "triage", *command, *place),
        cwd=ROOT,
        env={
            **os.environ,
            "GITHUB_TOKEN": TOKEN,
            "TRIAGE_GITHUB_URL": server.url,
            "TRIAGE_DATA_DIR": str(tmp_path / "data"),
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert b"type Cents int" in out
    assert server.counted() == 1


async def test_where_nothing_fits_the_tree_is_listed_once(server, open_github, repo):
    """What the path says, whether it is a link, the tree, all its modules, the package."""
    modules = {f"lib{n}/go.mod": f"module example.com/lib{n}\n" for n in range(9)}
    deep = {f"deep/{path}": text for path, text in FILES.items()}
    repo.git("rm", "--quiet", "-r", ".")
    commit = repo.commit({**modules, **deep})
    told = triage.Telemetry("acme/shop", commit, "money/money.go", 4)
    async with open_github() as engine:
        result = await engine.context(told)
        asked = server.counted()
        await engine.context(replace(told, file="cart/cart.go", line=ADD))
    assert result.crash.path == "deep/money/money.go"
    assert asked == 5
    assert server.counted("/git/trees/") == 1
