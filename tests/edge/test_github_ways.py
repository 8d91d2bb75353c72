"""What the GitHub source does where one GraphQL query is not enough."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.github_server import Fault, GitHubServer
from tests.githubapi.samples import (
    GOOD,
    POINTER,
    MemoryBlobs,
    Workshop,
    reading,
    serving,
)
from triage.core.model import Package, Unread
from triage.errors import FileMissing, NotFound, RateLimited, SourceError, TooLarge
from triage.sources.github import Token

both = pytest.mark.parametrize("credentials", [GOOD, None], ids=["token", "anonymous"])
GRAPHQL_FAILURES = [
    Fault("/graphql", status=502, message="Server Error"),
    Fault("/graphql", status=403, message="Resource not accessible by integration"),
    Fault("/graphql", status=404, message="Not Found"),
    Fault("/graphql", body="<html>not an API</html>"),
    Fault("/graphql", reset=True),
    Fault("/graphql", cut=True),
    Fault(
        "/graphql",
        body={
            "data": {"repository": {"nameWithOwner": "acme/shop", "t0": None}},
            "errors": [{"message": "Something went wrong", "path": ["repository"]}],
        },
    ),
    Fault("/graphql", body={"data": None, "errors": [{"message": "timeout"}]}),
    Fault("/graphql", body={"message": "no data at all"}),
]


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    """Make an empty repository."""
    return Workshop(tmp_path / "shop")


@pytest.fixture
async def server(workshop: Workshop) -> AsyncIterator[GitHubServer]:
    """Serve it as acme/shop."""
    async with serving() as running:
        running.hosting.add("acme/shop", workshop.directory)
        yield running


def contents(package: Package) -> dict[str, bytes]:
    """Map a package's files to their contents."""
    return {file.name: file.data for file in package.files}


async def test_without_a_token_listings_and_blobs_are_fetched(
    server: GitHubServer, workshop: Workshop
) -> None:
    """One listing for each directory up to the root, one blob for each file."""
    commit = workshop.commit(
        {
            "svc/api/a.go": "package api // a\n",
            "svc/api/b.go": "package api // b\n",
            "svc/api/notes.txt": "not fetched",
            "svc/go.mod": "module m\n",
        }
    )
    async with reading(server, credentials=None) as source:
        packages, modules = await source.probe(commit, ["svc/api"])
    assert contents(packages["svc/api"]) == {
        "a.go": b"package api // a\n",
        "b.go": b"package api // b\n",
    }
    assert modules == {"svc/go.mod": b"module m\n"}
    assert server.counted("/contents") == 3
    assert server.counted("/git/blobs/") == 3
    assert len(server.requests) == 6


async def test_at_most_eight_requests_run_at_once(
    server: GitHubServer, workshop: Workshop
) -> None:
    """Thirty blobs never mean thirty connections."""
    commit = workshop.commit({f"p/f{n}.go": f"package p // {n}\n" for n in range(30)})
    server.faults.append(Fault("/git/blobs/", delay=0.1))
    async with reading(server, credentials=None) as source:
        package = await source.package(commit, "p")
    assert len(package.files) == 30
    assert 1 < server.most_at_once <= 8


@pytest.mark.parametrize("fault", GRAPHQL_FAILURES, ids=range(len(GRAPHQL_FAILURES)))
async def test_where_graphql_fails_rest_takes_over(
    server: GitHubServer, workshop: Workshop, fault: Fault
) -> None:
    """The answer is the same, whatever went wrong."""
    commit = workshop.commit({"p/a.go": "package p\n", "go.mod": "module m\n"})
    server.faults.append(fault)
    async with reading(server) as source:
        packages, modules = await source.probe(commit, ["p"])
    assert contents(packages["p"]) == {"a.go": b"package p\n"}
    assert modules == {"go.mod": b"module m\n"}


async def test_a_graphql_endpoint_that_refuses_is_left_alone(
    server: GitHubServer, workshop: Workshop
) -> None:
    """It is asked once, not for every package."""
    commit = workshop.commit({"p/a.go": "package p\n", "q/b.go": "package q\n"})
    server.faults.append(Fault("/graphql", status=403, message="Forbidden"))
    async with reading(server) as source:
        await source.package(commit, "p")
        await source.package(commit, "q")
    assert server.counted("/graphql") == 1


@both
async def test_bytes_arrive_as_they_are(
    server: GitHubServer, workshop: Workshop, credentials: Token | None
) -> None:
    """CRLF, BOM, Latin-1, NUL, an empty file, and more than GraphQL or 1 MB allow."""
    files = {
        "p/crlf.go": b"package p\r\n\r\nvar A = 1\r\n",
        "p/bom.go": b"\xef\xbb\xbfpackage p\n",
        "p/latin.go": b"package p // \xe9t\xe9\n",
        "p/binary.go": b"package p\x00\n",
        "p/empty.go": b"",
        "p/half.go": b"package p\n" + b"// filler\n" * 60_000,
        "p/large.go": b"package p\n" + b"// filler\n" * 200_000,
    }
    commit = workshop.commit(files)
    async with reading(server, credentials=credentials) as source:
        large = await source.read(commit, "p/large.go")
        latin = await source.read(commit, "p/latin.go")
        package = await source.package(commit, "p")
    assert contents(package) == {k.removeprefix("p/"): v for k, v in files.items()}
    assert large == files["p/large.go"]
    assert latin == files["p/latin.go"]


async def test_only_what_graphql_cannot_give_is_fetched_as_a_blob(
    server: GitHubServer, workshop: Workshop
) -> None:
    """One query, and one request for the file that is not UTF-8."""
    commit = workshop.commit(
        {"p/a.go": "package p\n", "p/latin.go": b"package p // \xe9t\xe9\n"}
    )
    async with reading(server) as source:
        await source.package(commit, "p")
    assert server.counted("/git/blobs/") == 1
    assert server.counted("/contents") == 0


@both
async def test_links_are_followed_inside_the_repository(
    server: GitHubServer, workshop: Workshop, credentials: Token | None
) -> None:
    """To a file beside it, elsewhere, through another link, and through a directory."""
    workshop.link("p/beside.go", "a.go")
    workshop.link("p/elsewhere.go", "../common/deep/b.go")
    workshop.link("p/twice.go", "elsewhere.go")
    workshop.link("p/through.go", "../linked/b.go")
    workshop.link("linked", "common/deep")
    commit = workshop.commit(
        {"p/a.go": "package a\n", "common/deep/b.go": "package b\n"}
    )
    async with reading(server, credentials=credentials) as source:
        read = await source.read(commit, "p/through.go")
        package = await source.package(commit, "p")
    assert contents(package) == {
        "a.go": b"package a\n",
        "beside.go": b"package a\n",
        "elsewhere.go": b"package b\n",
        "through.go": b"package b\n",
        "twice.go": b"package b\n",
    }
    assert package.problems == ()
    assert read == b"package b\n"


@both
async def test_a_directory_behind_a_link_is_read(
    server: GitHubServer, workshop: Workshop, credentials: Token | None
) -> None:
    """Under the name that was asked for, with its modules."""
    workshop.link("vendored/lib", "../lib/v2")
    commit = workshop.commit({"lib/v2/x/x.go": "package x\n", "go.mod": "module m\n"})
    async with reading(server, credentials=credentials) as source:
        packages, modules = await source.probe(commit, ["vendored/lib/x"])
    assert contents(packages["vendored/lib/x"]) == {"x.go": b"package x\n"}
    assert modules["go.mod"] == b"module m\n"


async def test_a_linked_module_file_is_its_target(
    server: GitHubServer, workshop: Workshop
) -> None:
    """A query shows the link's own text; the listing tells what it is."""
    workshop.link("svc/go.mod", "../build/go.mod.main")
    commit = workshop.commit(
        {"svc/p/a.go": "package p\n", "build/go.mod.main": "module m\n"}
    )
    async with reading(server) as source:
        _, modules = await source.probe(commit, ["svc/p"])
    assert modules == {"svc/go.mod": b"module m\n"}


@both
async def test_what_cannot_be_read_is_named(
    server: GitHubServer, workshop: Workshop, credentials: Token | None
) -> None:
    """Links out, into nothing and in circles, submodules, LFS, files over 8 MiB."""
    workshop.link("p/out.go", "../../etc/passwd")
    workshop.link("p/absolute.go", "/etc/passwd")
    workshop.link("p/dangling.go", "nothing.go")
    workshop.link("p/circle.go", "circle.go")
    workshop.link("p/sub.go", "../other/x.go")
    workshop.commit(
        {
            "p/a.go": "package p\n",
            "p/lfs.go": POINTER,
            "p/big.go": b"/" * ((8 << 20) + 1),
            "p/dir.go/x.txt": "a directory",
        }
    )
    workshop.submodule("other")
    commit = workshop.submodule("p/module.go")
    async with reading(server, credentials=credentials) as source:
        with pytest.raises(TooLarge, match=r"big\.go"):
            await source.read(commit, "p/big.go")
        package = await source.package(commit, "p")
        with pytest.raises(FileMissing, match="LFS"):
            await source.read(commit, "p/lfs.go")
        assert await source.read(commit, "p/module.go") is None
        assert await source.read(commit, "p/out.go") is None
        with pytest.raises(FileMissing, match="submodule other"):
            await source.package(commit, "other/x")
    assert contents(package) == {"a.go": b"package p\n"}
    assert sorted(package.problems) == [
        "absolute.go is a link that leads out of the repository",
        "big.go is left out: it is over 8 MiB",
        "circle.go is a link that leads in a circle",
        "dangling.go is a link that leads to nothing",
        "lfs.go is kept by Git LFS, not by git",
        "module.go is a submodule, another repository",
        "out.go is a link that leads out of the repository",
        "sub.go is a link that leads into the submodule other, another repository",
    ]


@both
async def test_a_directory_of_more_than_a_thousand_entries_is_whole(
    server: GitHubServer, workshop: Workshop, credentials: Token | None
) -> None:
    """The Contents API cuts it; the tree does not."""
    names = [f"f{n:04}.go" for n in range(1_005)]
    commit = workshop.commit({f"p/{name}": "package p\n" for name in names})
    async with reading(server, credentials=credentials) as source:
        package = await source.package(commit, "p")
    assert [file.name for file in package.files] == names


async def test_a_package_has_two_thousand_files_and_the_first_is_among_them(
    server: GitHubServer, workshop: Workshop
) -> None:
    """What is over the limit is said."""
    names = [f"f{n:04}.go" for n in range(2_001)]
    commit = workshop.commit({f"p/{name}": "package p\n" for name in names})
    async with reading(server) as source:
        package = await source.package(commit, "p", first="f2000.go")
    assert len(package.files) == 2_000
    assert package.files[-1].name == "f2000.go"
    assert len(package.problems) == 1
    assert "f1999.go" in package.problems[0]


async def test_a_truncated_tree_is_walked(
    server: GitHubServer, workshop: Workshop
) -> None:
    """Part by part, as deep as needed; the whole comes out."""
    paths = [f"{top}/{sub}/f{n}.go" for top in "abc" for sub in "xy" for n in range(5)]
    commit = workshop.commit(
        dict.fromkeys(paths, "package p\n") | {"go.mod": "module m"}
    )
    server.rest.tree_limit = 9
    async with reading(server) as source:
        assert await source.paths(commit) == tuple(sorted([*paths, "go.mod"]))
    assert server.counted("/git/trees/") == 1 + 1 + 3 + 3 + 6


async def test_a_tree_that_cannot_be_listed_is_told(
    server: GitHubServer, workshop: Workshop
) -> None:
    """A directory that is cut even alone gives no half answer."""
    commit = workshop.commit({f"p/f{n}.go": "package p\n" for n in range(5)})
    server.rest.tree_limit = 3
    async with reading(server) as source:
        with pytest.raises(SourceError, match="cannot list p: it is too large"):
            await source.paths(commit)


async def test_paths_leaves_out_what_is_no_source(
    server: GitHubServer, workshop: Workshop
) -> None:
    """node_modules and submodules are not gone into; links are listed."""
    workshop.link("p/link.go", "a.go")
    workshop.commit(
        {
            "p/a.go": "package p\n",
            "web/node_modules/x/x.go": "package x\n",
            "p/go.mod.txt": "no module",
            "go.work": "go 1.24\n",
        }
    )
    commit = workshop.submodule("p/sub.go")
    async with reading(server) as source:
        assert await source.paths(commit) == ("go.work", "p/a.go", "p/link.go")


async def test_what_a_limit_interrupted_goes_on_later(
    server: GitHubServer, workshop: Workshop
) -> None:
    """Blobs that came before the limit are kept, so that every try gets further."""
    commit = workshop.commit({f"p/f{n}.go": f"package p // {n}\n" for n in range(20)})
    server.anonymous.left = 11
    blobs = MemoryBlobs()
    async with reading(server, credentials=None, blobs=blobs) as source:
        with pytest.raises(RateLimited):
            await source.package(commit, "p")
    held = set(blobs.blobs)
    assert len(held) >= 5
    server.anonymous.left = 60
    server.requests.clear()
    async with reading(server, credentials=None, blobs=blobs) as source:
        assert len((await source.package(commit, "p")).files) == 20
    fetched = {seen.path.rpartition("/")[2] for seen in server.requests}
    assert fetched.isdisjoint(held)


async def test_many_blobs_travel_in_few_queries(
    server: GitHubServer, workshop: Workshop
) -> None:
    """A hundred a query, and never more than a few megabytes."""
    every = {f"p/f{n:03}.go": f"package p // {n}\n" for n in range(150)}
    first = workshop.commit({"p/f000.go": "package p\n"})
    second = workshop.commit(every)
    async with reading(server, blobs=MemoryBlobs()) as source:
        await source.package(first, "p")
        server.requests.clear()
        package = await source.package(second, "p")
    assert len(package.files) == 150
    assert [seen.path for seen in server.requests] == ["/graphql"] * 3


async def test_other_forms_of_an_answer_are_read(
    server: GitHubServer, workshop: Workshop
) -> None:
    """A blob as plain text, and a commit as JSON where only its id was wanted."""
    commit = workshop.commit({"p/a.go": "package p\n"})
    body = {"content": "package p\n", "encoding": "utf-8"}
    server.faults.append(Fault("/git/blobs/", body=body))
    server.faults.append(Fault("/commits/", body={"sha": commit}))
    async with reading(server, credentials=None) as source:
        assert await source.resolve("main") == commit
        assert contents(await source.package(commit, "p")) == {"a.go": b"package p\n"}


@both
async def test_names_that_nobody_could_type_are_left_out(
    server: GitHubServer, workshop: Workshop, credentials: Token | None
) -> None:
    """Control characters in a name, and links whose target is not UTF-8."""
    workshop.link("p/link.go", os.fsdecode(b"\xe9t\xe9.go"))
    commit = workshop.commit({"p/a.go": "package p\n", "p/bell\x07.go": "package p\n"})
    async with reading(server, credentials=credentials) as source:
        package = await source.package(commit, "p")
    assert contents(package) == {"a.go": b"package p\n"}
    assert package.problems == ("link.go is a link that leads out of the repository",)


async def test_a_walk_through_a_tree_is_bounded(
    server: GitHubServer, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository of any size costs a limited number of requests."""
    monkeypatch.setattr("triage.sources.github.rest._MOST_TREES", 5)
    commit = workshop.commit({f"d{n}/f.go": "package p\n" for n in range(9)})
    server.rest.tree_limit = 9
    async with reading(server) as source:
        with pytest.raises(SourceError, match="too large"):
            await source.paths(commit)
    assert server.counted("/git/trees/") <= 5


@both
async def test_some_blobs_that_are_lost(
    server: GitHubServer, workshop: Workshop, credentials: Token | None
) -> None:
    """They are named, links among them, and the rest is read."""
    workshop.link("p/link.go", "a.go")
    workshop.link("p/go.mod", os.fsdecode(b"\xff"))
    workshop.link("go.work", "big.work")
    commit = workshop.commit(
        {
            "p/a.go": "package p\n",
            "p/b.go": b"package p // \xff\n",
            "big.work": b" " * ((8 << 20) + 1),
        }
    )
    for path in ("p/b.go", "p/link.go", "p/go.mod"):
        oid = workshop.oid(f"HEAD:{path}")
        server.faults.append(Fault(f"/git/blobs/{oid}", status=404))
    # What GraphQL would give is lost to it as well.
    server.faults.append(Fault("/graphql", status=502))
    async with reading(server, credentials=credentials) as source:
        packages, modules = await source.probe(commit, ["p"])
        with pytest.raises(SourceError, match=r"`p/b\.go` cannot be read: GitHub"):
            await source.read(commit, "p/b.go")
    found = packages["p"]
    assert contents(found) == {"a.go": b"package p\n"}
    assert sorted(found.unread) == ["b.go", "link.go"]
    assert found.passing
    assert modules["go.work"] == Unread("is over 8 MiB")
    assert isinstance(modules["p/go.mod"], Unread)
    assert modules["p/go.mod"].passing


async def test_many_blobs_that_are_lost_are_github_trouble(
    server: GitHubServer, workshop: Workshop
) -> None:
    """After a few of them the call is given up, and the commit is not at fault."""
    files = {f"p/{n}.go": f"package p // {n}\n" for n in range(20)}
    commit = workshop.commit(files)
    server.faults.append(Fault("/git/blobs/", status=404))
    async with reading(server, credentials=None) as source:
        with pytest.raises(SourceError, match="over 4 files cannot be read") as caught:
            await source.package(commit, "p")
    assert not isinstance(caught.value, NotFound)


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("triage.sources.limits.MAX_PATHS", "over 5 files"),
        ("triage.sources.github.rest._LARGEST_TREE", "name the file by its path"),
    ],
)
async def test_a_tree_is_bounded(
    server: GitHubServer,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    said: str,
) -> None:
    """A list that is too long, or an answer too large for one, is an error."""
    monkeypatch.setattr(limit, 5)
    commit = workshop.commit({f"d{n}/f.go": "package p\n" for n in range(9)})
    async with reading(server) as source:
        with pytest.raises(SourceError, match=said):
            await source.paths(commit)
