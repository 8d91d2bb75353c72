"""The GitHub source against a server that behaves as documented: what it costs."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.github_server import GitHubServer
from tests.githubapi.gitrepo import git
from tests.githubapi.samples import GOOD, MemoryBlobs, Workshop, reading, serving
from triage.errors import BadInput, CommitMissing, FileMissing, SourceError
from triage.sources.github import GitHubApi, GitHubSource, Token

USER = "package handlers\n\nfunc Update() {}\n"
TYPES = "package handlers\n\ntype User struct{ Name string }\n"
STORE = "package store\n\nfunc Open() {}\n"
MODULE = "module example.com/shop/backend\n\ngo 1.24\n"
WORK = "go 1.24\n\nuse ./backend\n"
FILES = {
    "backend/handlers/user.go": USER,
    "backend/handlers/types.go": TYPES,
    "backend/handlers/README.md": "# handlers\n",
    "backend/handlers/deep/deep.go": "package deep\n",
    "backend/store/store.go": STORE,
    "backend/go.mod": MODULE,
    "go.work": WORK,
}
both = pytest.mark.parametrize("credentials", [GOOD, None], ids=["token", "anonymous"])


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """Make a repository with one module below its root."""
    workshop = Workshop(tmp_path_factory.mktemp("shop"))
    workshop.commit(FILES)
    return workshop


@pytest.fixture
def commit(shop: Workshop) -> str:
    """Give the commit's id."""
    return shop.head


@pytest.fixture
async def server(shop: Workshop) -> AsyncIterator[GitHubServer]:
    """Serve it as acme/shop."""
    async with serving() as running:
        running.hosting.add("acme/shop", shop.directory)
        yield running


async def test_a_cold_package_with_its_modules_is_one_request(
    server: GitHubServer, commit: str
) -> None:
    """With a token, files, go.mod and go.work come in one round trip."""
    async with reading(server) as source:
        packages, modules = await source.probe(commit, ["backend/handlers"])
    files = {file.name: file.data for file in packages["backend/handlers"].files}
    assert files == {"types.go": TYPES.encode(), "user.go": USER.encode()}
    assert modules == {"backend/go.mod": MODULE.encode(), "go.work": WORK.encode()}
    assert [seen.path for seen in server.requests] == ["/graphql"]


async def test_several_directories_are_still_one_request(
    server: GitHubServer, commit: str
) -> None:
    """The directories of several frames travel together; missing ones do no harm."""
    wanted = ["backend/store", "handlers", "backend/handlers", "../up", "/abs", ""]
    async with reading(server) as source:
        packages, modules = await source.probe(commit, wanted)
    assert sorted(packages) == ["backend/handlers", "backend/store"]
    assert sorted(modules) == ["backend/go.mod", "go.work"]
    assert len(server.requests) == 1


async def test_the_user_agent_is_triage(server: GitHubServer, commit: str) -> None:
    """GitHub wants to know who asks."""
    async with reading(server) as source:
        await source.package(commit, "backend/store")
    assert server.requests[0].headers["User-Agent"] == "triage"


async def test_a_package_is_sorted_and_carries_git_ids(
    server: GitHubServer, shop: Workshop
) -> None:
    """Files come by name, each with the id of its blob; other files do not come."""
    async with reading(server) as source:
        package = await source.package(shop.head, "backend/handlers")
    assert [(file.name, file.oid) for file in package.files] == [
        ("types.go", shop.oid("HEAD:backend/handlers/types.go")),
        ("user.go", shop.oid("HEAD:backend/handlers/user.go")),
    ]


async def test_the_next_commit_costs_entries_and_one_query_for_what_changed(
    server: GitHubServer, tmp_path: Path
) -> None:
    """Of 30 files one changed: the names come first, then that one blob."""
    workshop = Workshop(tmp_path)
    names = [f"p/f{number:02}.go" for number in range(30)]
    first = workshop.commit({name: f"package p // {name}\n" for name in names})
    second = workshop.commit({"p/f07.go": "package p // new\n"})
    server.hosting.add("acme/many", workshop.directory)
    async with reading(server, "acme/many", blobs=MemoryBlobs()) as source:
        await source.probe(first, ["p"])
        assert len(server.requests) == 1
        packages, _ = await source.probe(second, ["p"])
    assert len(packages["p"].files) == 30
    assert packages["p"].files[7].data == b"package p // new\n"
    assert len(server.requests) == 3
    assert server.requests[2].body.count(b"GitObjectID!") == 1


async def test_an_unchanged_directory_at_another_commit_is_one_request(
    server: GitHubServer, tmp_path: Path
) -> None:
    """Where all blobs are held, their names are all that is fetched."""
    workshop = Workshop(tmp_path)
    first = workshop.commit({"p/a.go": "package p\n", "q/b.go": "package q\n"})
    second = workshop.commit({"q/b.go": "package q // new\n"})
    server.hosting.add("acme/same", workshop.directory)
    async with reading(server, "acme/same", blobs=MemoryBlobs()) as source:
        before = await source.package(first, "p")
        server.requests.clear()
        after = await source.package(second, "p")
    assert before == after
    assert len(server.requests) == 1


async def test_blobs_are_kept_for_others(server: GitHubServer, commit: str) -> None:
    """What a probe brought is in the store: Go files and modules alone, once."""
    blobs = MemoryBlobs()
    async with reading(server, blobs=blobs) as source:
        await source.probe(commit, ["backend/handlers"])
    kept = [text.encode() for text in (USER, TYPES, MODULE, WORK)]
    assert sorted(blobs.kept) == sorted(kept)


@both
async def test_held_blobs_are_not_fetched(
    server: GitHubServer, commit: str, credentials: Token | None
) -> None:
    """A source that is new, as after a restart, takes what the store has."""
    blobs = MemoryBlobs()
    async with reading(server, blobs=blobs, credentials=credentials) as source:
        await source.package(commit, "backend/store")
    async with reading(server, blobs=blobs, credentials=None) as source:
        server.requests.clear()
        package = await source.package(commit, "backend/store")
    assert [file.data for file in package.files] == [STORE.encode()]
    assert server.counted("/git/blobs/") == 0


@both
async def test_read_gives_a_file_or_none(
    server: GitHubServer, commit: str, credentials: Token | None
) -> None:
    """One request for a file, with or without a token; None where there is none."""
    async with reading(server, credentials=credentials) as source:
        assert await source.read(commit, "backend/go.mod") == MODULE.encode()
        assert len(server.requests) == 1
        assert await source.read(commit, "backend/nothing.go") is None
        assert await source.read(commit, "no/such/file.go") is None
        assert await source.read(commit, "backend/store") is None


@both
async def test_paths_lists_go_and_module_files_with_one_request(
    server: GitHubServer, commit: str, credentials: Token | None
) -> None:
    """The tree of a commit is fetched once and kept."""
    async with reading(server, credentials=credentials) as source:
        paths = await source.paths(commit)
        assert await source.paths(commit) == paths
    assert paths == tuple(sorted(FILES.keys() - {"backend/handlers/README.md"}))
    assert len(server.requests) == 1


async def test_after_the_tree_only_contents_are_fetched(
    server: GitHubServer, commit: str
) -> None:
    """A listing that is known is not asked for again: one query for the rest."""
    async with reading(server) as source:
        await source.paths(commit)
        packages, modules = await source.probe(commit, ["backend/store"])
    assert [file.data for file in packages["backend/store"].files] == [STORE.encode()]
    assert sorted(modules) == ["backend/go.mod", "go.work"]
    assert len(server.requests) == 3


async def test_a_full_id_is_resolved_without_a_request(
    server: GitHubServer, commit: str
) -> None:
    """It is fixed already; capitals are git's small letters."""
    async with reading(server) as source:
        assert await source.resolve(commit.upper()) == commit
    assert server.requests == []


@both
@pytest.mark.parametrize("revision", ["short", "feature/x", "v1.0.0", "main", None])
async def test_names_are_resolved_with_one_request(
    server: GitHubServer,
    shop: Workshop,
    credentials: Token | None,
    revision: str | None,
) -> None:
    """Short ids, branches with a slash, annotated tags and the default head."""
    git(shop.directory, "branch", "--force", "feature/x")
    git(shop.directory, "tag", "--force", "-a", "v1.0.0", "-m", "one")
    asked = shop.head[:9] if revision == "short" else revision
    async with reading(server, credentials=credentials) as source:
        assert await source.resolve(asked) == shop.head
    assert len(server.requests) == 1


@pytest.mark.parametrize("revision", ["", "..", "a b", "a\nb", "\x00"])
async def test_what_is_no_revision_is_refused_unsent(
    server: GitHubServer, revision: str
) -> None:
    """Such a name would lead elsewhere in the API."""
    async with reading(server) as source:
        with pytest.raises(BadInput):
            await source.resolve(revision)
    assert server.requests == []


async def test_a_revision_that_is_not_there_is_told(server: GitHubServer) -> None:
    """The error names it."""
    async with reading(server) as source:
        with pytest.raises(CommitMissing, match="no-such-branch"):
            await source.resolve("no-such-branch")


@both
@pytest.mark.parametrize(
    ("directory", "said"),
    [
        ("backend/handler", "`backend/handler` leads to nothing"),
        ("backend/go.mod", "`backend/go.mod` is a file"),
        ("backend", "`backend` holds no Go file"),
        ("", "`.` holds no Go file"),
    ],
)
async def test_a_missing_package_is_told(
    server: GitHubServer,
    commit: str,
    credentials: Token | None,
    directory: str,
    said: str,
) -> None:
    """As no directory, as a file, or as a directory without Go files."""
    async with reading(server, credentials=credentials) as source:
        with pytest.raises(FileMissing, match=said):
            await source.package(commit, directory)


@pytest.mark.parametrize("path", ["../etc", "/etc", "a//b", "a/./b", "a\x00b"])
async def test_paths_that_lead_out_are_refused(
    server: GitHubServer, commit: str, path: str
) -> None:
    """They are never sent."""
    async with reading(server) as source:
        with pytest.raises(BadInput):
            await source.package(commit, path)
        with pytest.raises(BadInput):
            await source.read(commit, path)
    assert server.requests == []


@pytest.mark.parametrize("commit", [None, "main", "abc123"])
async def test_a_branch_is_never_taken_for_a_commit(
    server: GitHubServer, commit: str | None
) -> None:
    """What moves must be resolved first: all else is kept for ever."""
    async with reading(server) as source:
        with pytest.raises(CommitMissing):
            await source.package(commit, "backend/store")
    assert server.requests == []


async def test_enterprise_has_its_own_addresses(shop: Workshop) -> None:
    """REST lies below /api/v3 there, GraphQL at /api/graphql."""
    async with serving("/api/v3") as server:
        server.hosting.add("acme/shop", shop.directory)
        async with reading(server) as source:
            await source.package(shop.head, "backend/store")
            await source.paths(shop.head)
    assert [seen.path for seen in server.requests] == [
        "/api/graphql",
        f"/api/v3/repos/acme/shop/git/trees/{shop.head}",
    ]


@pytest.mark.parametrize("name", ["shop", "a/b/c", "../x", "a/..", "a/b?c", "", "a/"])
async def test_what_is_no_repository_name_is_refused(name: str) -> None:
    """It would become part of an address."""
    api = GitHubApi(url="http://127.0.0.1:1")
    with pytest.raises(BadInput, match="OWNER/NAME"):
        GitHubSource(name, api)
    await api.close()


async def test_a_closed_source_can_be_closed_again(
    server: GitHubServer, commit: str
) -> None:
    """A second close does nothing."""
    async with reading(server) as source:
        await source.package(commit, "backend/store")
        await source.close()
        await source.close()


async def test_module_files_come_together(server: GitHubServer, commit: str) -> None:
    """Many small files are one request; what is not there is left out."""
    wanted = ["backend/go.mod", "go.work", "none/go.mod", "../up/go.mod"]
    async with reading(server) as source:
        files = await source.read_all(commit, wanted)
    assert files == {"backend/go.mod": MODULE.encode(), "go.work": WORK.encode()}
    assert len(server.requests) == 1


async def test_how_much_is_listed(
    server: GitHubServer, commit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tree whose paths take too much is an error, found while it is read."""
    monkeypatch.setattr("triage.sources.limits.MAX_PATH_BYTES", 20)
    async with reading(server) as source:
        with pytest.raises(SourceError, match="paths take over"):
            await source.paths(commit)
