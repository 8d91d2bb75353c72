"""A source asked once: by many, again, after a restart."""

import asyncio
from dataclasses import replace

import apsw
import pytest

from triage.cache.blobs import Blobs
from triage.cache.missing import SECONDS
from triage.cache.source import CachingSource, Recent
from triage.cache.sqlite import SqliteTier
from triage.cache.stack import Stack
from triage.core.keys import commit_key, tree_key
from triage.core.model import Package, SourceFile, Unread
from triage.errors import CommitMissing, FileMissing, RateLimited
from triage.ports import Recalled
from triage.sources.worktree import blob_id

SHA = "0123456789abcdef0123456789abcdef01234567"
NEXT = SHA[::-1]
MOD = b"module x.org/svc\n"


def package(directory: str, *, problems=(), passing=False, **files: bytes) -> Package:
    """Make a package; `user=b"..."` is the file user.go."""
    sources = [SourceFile(f"{n}.go", blob_id(d), d) for n, d in sorted(files.items())]
    return Package(directory, tuple(sources), problems, passing)


async def turn() -> None:
    """Let every task that can run do so."""
    for _ in range(30):
        await asyncio.sleep(0)


class FakeSource:
    """A repository in memory that counts what it is asked."""

    name = "git"

    def __init__(self) -> None:
        self.asked: list[tuple[object, ...]] = []
        self.packages = {
            "svc/h": package("svc/h", user=b"package h", types=b"package h // t"),
            "svc/m": package("svc/m", user=b"package m"),
        }
        self.modules = {"svc/go.mod": MOD}
        self.commits = {"main": SHA, SHA: SHA, NEXT: NEXT}
        self.gate: asyncio.Event | None = None
        self.error: Exception | None = None
        self.closed = False

    async def _answer(self, *asked: object) -> None:
        self.asked.append(asked)
        if self.gate:
            await self.gate.wait()
        if self.error:
            raise self.error

    async def resolve(self, revision):
        """Look a revision up."""
        await self._answer("resolve", revision)
        if revision not in self.commits:
            raise CommitMissing(f"no {revision}")
        return self.commits[revision]

    async def paths(self, commit):
        """List it all."""
        await self._answer("paths", commit)
        files = [f"{d}/{f.name}" for d, p in self.packages.items() for f in p.files]
        return tuple(sorted([*files, *self.modules]))

    async def read_all(self, commit, paths):
        """Read module files."""
        await self._answer("read", commit, *paths)
        return {path: self.modules[path] for path in paths if path in self.modules}

    async def package(self, commit, directory, *, first=None):
        """Read one directory, with the file that the limits had left out."""
        await self._answer("package", commit, directory, first)
        return package(
            directory, problems=("left out",), **{first[:-3]: b"package big"}
        )

    async def probe(self, commit, directories):
        """Look at several."""
        await self._answer("probe", commit, *directories)
        found = {d: self.packages[d] for d in directories if d in self.packages}
        return found, dict(self.modules) if found else {}

    async def close(self):
        """Note it."""
        self.closed = True


@pytest.fixture
def source():
    """Give the source that is asked."""
    return FakeSource()


@pytest.fixture
async def restart(source, clock, tmp_path):
    """Begin anew with what is on disk; the first call begins."""
    tiers = list[Stack]()

    async def begin() -> CachingSource:
        if tiers:
            await tiers[-1].close()
        tiers.append(Stack(SqliteTier(tmp_path / "cache.db")))
        blobs = Blobs(tiers[-1])
        return CachingSource(
            source,
            "git:x",
            tiers=tiers[-1],
            blobs=blobs,
            recent=Recent.of(64 << 20),
            clock=clock,
        )

    yield begin
    await tiers[-1].close()


async def test_a_package_is_fetched_once(source, restart):
    """Again and after a restart it comes from what is kept, said to be from there."""
    caching = await restart()
    first = await caching.package(SHA, "svc/h")
    again = await caching.package(SHA, "svc/h")
    caching = await restart()
    later = await caching.package(SHA, "svc/h")
    assert source.asked == [("probe", SHA, "svc/h")]
    assert [one.files for one in (first, again, later)] == [first.files] * 3
    assert [p.served_from for p in (first, again, later)] == ["", "memory", "sqlite"]


async def test_what_is_not_there_is_known_too(source, restart):
    """An absent directory is asked for once, then it is missing at once."""
    caching = await restart()
    packages, modules = await caching.probe(SHA, ["svc/h", "h"])
    assert (list(packages), modules) == (["svc/h"], {"svc/go.mod": MOD})
    caching = await restart()
    again, same = await caching.probe(SHA, ["svc/h", "h"])
    assert (again["svc/h"].files, same) == (packages["svc/h"].files, modules)
    with pytest.raises(FileMissing, match="no Go file in `h`"):
        await caching.package(SHA, "h")
    assert len(source.asked) == 1


async def test_only_what_is_unknown_is_asked_for(source, restart):
    """A look at several directories asks for those that nobody looked at."""
    caching = await restart()
    await caching.probe(SHA, ["svc/h"])
    await caching.probe(SHA, ["svc/h", "svc/m"])
    assert source.asked == [("probe", SHA, "svc/h"), ("probe", SHA, "svc/m")]


async def test_another_commit_is_another_tree(source, restart):
    """What is known of one commit says nothing of the next."""
    caching = await restart()
    await caching.package(SHA, "svc/h")
    await caching.package(NEXT, "svc/h")
    assert [asked[1] for asked in source.asked] == [SHA, NEXT]


async def test_many_who_want_a_package_share_one_fetch(source, restart):
    """Also where each looks at other directories besides."""
    caching = await restart()
    source.gate = asyncio.Event()
    looks = [["svc/h", "h"], ["svc/h", "svc/m"], ["svc/m", "h"], ["svc/h"]]
    tasks = [asyncio.create_task(caching.probe(SHA, look)) for look in looks]
    await turn()
    tasks[0].cancel()
    await turn()
    source.gate.set()
    found = await asyncio.gather(*tasks[1:])
    assert [sorted(packages) for packages, _ in found] == [
        ["svc/h", "svc/m"],
        ["svc/m"],
        ["svc/h"],
    ]
    assert source.asked == [("probe", SHA, "svc/h", "h"), ("probe", SHA, "svc/m")]


async def test_a_fetch_that_nobody_wants_any_more_ends(source, restart):
    """All who wanted it have gone: the next one asks anew."""
    caching = await restart()
    source.gate = asyncio.Event()
    task = asyncio.create_task(caching.package(SHA, "svc/h"))
    await turn()
    task.cancel()
    await turn()
    source.gate.set()
    await caching.package(SHA, "svc/h")
    assert len(source.asked) == 2


async def test_a_full_id_is_resolved_once(source, restart):
    """A branch is asked for each time: it moves."""
    caching = await restart()
    assert [await caching.resolve(SHA) for _ in range(2)] == [SHA, SHA]
    assert [await caching.resolve("main") for _ in range(2)] == [SHA, SHA]
    caching = await restart()
    assert await caching.resolve(SHA) == SHA
    assert source.asked == [("resolve", name) for name in (SHA, "main", "main")]


async def test_what_is_missing_is_remembered_briefly(source, restart, clock):
    """A commit that is not there is asked for again only after a while."""
    caching = await restart()
    for _ in range(3):
        with pytest.raises(CommitMissing, match="no f00"):
            await caching.resolve("f00")
    assert len(source.asked) == 1
    source.commits["f00"] = SHA
    clock.move(clock.now + SECONDS + 1)
    assert await caching.resolve("f00") == SHA


async def test_a_rate_limit_is_not_remembered(source, restart):
    """It says nothing of what exists; the source itself knows how long it holds."""
    caching = await restart()
    source.error = RateLimited("later")
    for _ in range(2):
        with pytest.raises(RateLimited):
            await caching.probe(SHA, ["svc/h"])
    source.error = None
    assert "svc/h" in (await caching.probe(SHA, ["svc/h"]))[0]
    assert len(source.asked) == 3


async def test_lists_and_module_files_are_kept(source, restart):
    """They come from what is kept, again and after a restart."""
    caching = await restart()
    paths = await caching.paths(SHA)
    wanted = ["svc/go.mod", "go.mod"]
    assert await caching.read_all(SHA, wanted) == {"svc/go.mod": MOD}
    caching = await restart()
    for _ in range(2):
        assert await caching.paths(SHA) == paths
        assert await caching.read_all(SHA, wanted) == {"svc/go.mod": MOD}
    assert len(source.asked) == 2


async def test_the_file_that_the_limits_left_out_is_asked_for(source, restart):
    """Only the source can put a file before all others."""
    source.packages["svc/h"] = package("svc/h", problems=("left out",), a=b"package h")
    caching = await restart()
    assert [f.name for f in (await caching.package(SHA, "svc/h")).files] == ["a.go"]
    found = await caching.package(SHA, "svc/h", first="a.go")
    assert [file.name for file in found.files] == ["a.go"]
    found = await caching.package(SHA, "svc/h", first="z.go")
    assert [file.name for file in found.files] == ["z.go"]
    assert [asked[0] for asked in source.asked] == ["probe", "package"]


async def test_problems_that_may_pass_are_not_kept(source, restart):
    """A partial clone may be completed: the next one looks again."""
    source.packages["svc/h"] = package("svc/h", problems=("gone",), passing=True)
    caching = await restart()
    for _ in range(2):
        await caching.package(SHA, "svc/h")
    assert len(source.asked) == 2


def drop_first_blob(db: apsw.Connection, _: int) -> None:
    """Lose a blob, as pruning does."""
    db.execute("DELETE FROM blobs WHERE id = 1")


async def test_a_package_without_its_blobs_is_fetched_again(source, restart, tmp_path):
    """Names alone, with a content pruned away, are no package."""
    caching = await restart()
    await caching.package(SHA, "svc/h")
    await restart()
    tier = SqliteTier(tmp_path / "cache.db")
    tier._writer.add(drop_first_blob, 0)
    await tier.close()
    caching = await restart()
    found = await caching.package(SHA, "svc/h")
    assert found.files == source.packages["svc/h"].files
    assert len(source.asked) == 2


async def test_unknown_records_are_looked_up_again(source, restart, tmp_path):
    """What does not read as a record is none."""
    caching = await restart()
    await caching.package(SHA, "svc/h")
    await restart()
    tier = SqliteTier(tmp_path / "cache.db")
    tier.put("trees", {caching._directory_key(SHA, "svc/h"): b"\xc1"})
    await tier.close()
    caching = await restart()
    assert (await caching.recall_directories(SHA, ["svc/h"])).looked == frozenset()
    assert (await caching.package(SHA, "svc/h")).directory == "svc/h"
    assert len(source.asked) == 2


async def test_the_chart_tells_what_is_known(source, restart):
    """Names, modules and what was looked at, without asking anyone."""
    caching = await restart()
    await caching.probe(SHA, ["svc/h", "h"])
    for _ in range(2):
        known = await caching.recall_directories(SHA, ["svc/h", "h", "svc/m"])
        assert known == Recalled(
            {"svc/h": ["types.go", "user.go"]},
            {"svc/go.mod": MOD},
            frozenset({"svc/h", "h"}),
        )
        caching = await restart()
    assert len(source.asked) == 1


@pytest.mark.parametrize("form", ["svc/h/user.go", "h/user.go"])
async def test_a_file_is_recalled_by_either_path(restart, form):
    """Relative to the repository and to its module, from disk."""
    caching = await restart()
    await caching.probe(SHA, ["svc/h"])
    caching = await restart()
    found = await caching.recall_paths(SHA, [form])
    assert found.found == {"svc/h": ["types.go", "user.go"]}
    assert found.modules == {"svc/go.mod": MOD}
    assert found.looked == {"svc/h"}
    assert await caching.recall_paths(NEXT, [form]) == Recalled()


async def test_a_doubtful_path_is_not_recalled(source, restart):
    """Below a module that is inside another one, a path may mean the outer one's."""
    source.modules["go.mod"] = b"module x.org\n"
    caching = await restart()
    await caching.probe(SHA, ["svc/h"])
    caching = await restart()
    assert await caching.recall_paths(SHA, ["h/user.go"]) == Recalled()
    assert (await caching.recall_paths(SHA, ["svc/h/user.go"])).found


async def test_files_outside_of_modules_are_recalled(source, restart):
    """A repository without go.mod knows its files by one path."""
    source.modules.clear()
    source.packages[""] = package("", main=b"package main")
    caching = await restart()
    await caching.probe(SHA, ["svc/h", ""])
    caching = await restart()
    found = await caching.recall_paths(SHA, ["svc/h/user.go", "main.go"])
    assert found.found == {"svc/h": ["types.go", "user.go"], "": ["main.go"]}


async def test_a_commit_is_asked_for_by_its_full_id(restart):
    """There is no tree without a commit."""
    caching = await restart()
    with pytest.raises(CommitMissing, match="full id"):
        await caching.paths(None)


async def test_closing_closes_the_source(source, restart):
    """The tiers stay open: other repositories use them."""
    await (await restart()).close()
    assert source.closed


@pytest.mark.parametrize("passing", [True, False])
async def test_modules_that_could_not_be_read(source, restart, passing):
    """Why is kept with them, unless they may be read the next time."""
    hidden = Unread("is lost", passing=passing)
    source.modules = {"svc/go.mod": hidden, "go.work": b"use ./svc\n"}
    for asked in range(1, 4):
        caching = await restart()
        for _ in range(2):
            _, modules = await caching.probe(SHA, ["svc/h"])
            read = await caching.read_all(SHA, ["svc/go.mod", "go.work"])
            assert modules == read == source.modules
        assert len(source.asked) == (4 * asked if passing else 2)


@pytest.mark.parametrize("passing", [True, False])
async def test_files_that_could_not_be_read(source, restart, passing):
    """That they are there is kept, unless they may be read the next time."""
    source.packages["svc/h"] = replace(
        source.packages["svc/h"],
        problems=("big.go is over",),
        unread=("big.go",),
        passing=passing,
    )
    for asked in range(1, 3):
        caching = await restart()
        assert (await caching.package(SHA, "svc/h")).unread == ("big.go",)
        known = await caching.recall_directories(SHA, ["svc/h"])
        names = {} if passing else {"svc/h": ["types.go", "user.go", "big.go"]}
        assert known.found == names
        assert len(source.asked) == (asked if passing else 1)


async def test_unknown_files_are_read_again(restart, tmp_path):
    """What does not read as files that were kept is none."""
    await restart()
    tier = SqliteTier(tmp_path / "cache.db")
    key = tree_key(commit_key("git:x", SHA), "files", "svc/go.mod")
    tier.put("trees", {key: b"\xc1"})
    await tier.close()
    caching = await restart()
    assert await caching.read_all(SHA, ["svc/go.mod"]) == {"svc/go.mod": MOD}


async def test_a_workspace_that_cannot_be_read_makes_paths_doubtful(source, restart):
    """It may name more modules: a path relative to one may be another's."""
    source.modules["go.work"] = Unread("is over 8 MiB")
    caching = await restart()
    await caching.probe(SHA, ["svc/h"])
    assert await caching.recall_paths(SHA, ["h/user.go"]) == Recalled()
    assert (await caching.recall_paths(SHA, ["svc/h/user.go"])).looked == {"svc/h"}
