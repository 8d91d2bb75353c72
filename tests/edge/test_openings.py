"""Repositories are opened once, forgotten when they fail, and closed in time."""

import asyncio
from pathlib import Path

import pytest

from triage.core.model import Telemetry
from triage.engine import Engine, Means, Repository
from triage.engine.openings import Openings
from triage.errors import BadInput, RepoMissing, TriageError
from triage.helper import Helper
from triage.sources.worktree import WorktreeSource


class Tracked(WorktreeSource):
    """Files on disk that say when they are closed."""

    def __init__(self, root: Path, closed: list[str]) -> None:
        super().__init__(root)
        self._closed = closed

    async def close(self) -> None:
        """Note the name of the directory."""
        self._closed.append(self._root.name)


class Shelf:
    """Opens directories below *root* by name, each when told that it may."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.opened: list[str] = []
        self.closed: list[str] = []
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()

    async def __call__(self, name: str, *, at_commit: bool) -> Repository:
        """Open a directory, with its commits or without."""
        self.opened.append(f"{name}@" if at_commit else name)
        await self.may_go_on.wait()
        if not (self._root / name).is_dir():
            raise RepoMissing(f"no {name}")
        return Repository(Tracked(self._root / name, self.closed))


@pytest.fixture
def shelf(tmp_path):
    """Three directories to open."""
    for name in "abc":
        (tmp_path / name).mkdir()
    return Shelf(tmp_path)


async def borrow(openings: Openings, name: str) -> None:
    """Use a repository for no time."""
    async with openings.lent(name, at_commit=False):
        pass


async def test_opened_once(shelf):
    """All who ask meanwhile and later get the repository that the first one opened."""
    openings = Openings(shelf)
    await asyncio.gather(*(borrow(openings, "a") for _ in range(3)))
    await borrow(openings, "a")
    async with openings.lent("a", at_commit=True):
        pass
    assert shelf.opened == ["a", "a@"]


async def test_one_who_goes_takes_nothing_away(shelf):
    """An opening goes on for the others when the one who began it is cancelled."""
    openings = Openings(shelf)
    shelf.may_go_on.clear()
    first, second = (asyncio.create_task(borrow(openings, "a")) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])
    shelf.may_go_on.set()
    await second
    assert shelf.opened == ["a"]


async def test_failure_is_forgotten_once(shelf, tmp_path):
    """A slow waiter of a failed opening leaves the one begun since alone."""
    openings = Openings(shelf)
    waiting = [asyncio.create_task(borrow(openings, "late")) for _ in range(2)]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    (tmp_path / "late").mkdir()
    async with openings.lent("late", at_commit=False):
        await asyncio.wait(waiting)
        await borrow(openings, "late")
    assert [str(task.exception()) for task in waiting] == ["no late"] * 2
    assert shelf.opened == ["late"] * 2


async def test_failure_that_nobody_waited_for(shelf, tmp_path):
    """What failed behind the back of one who went is tried anew."""
    openings = Openings(shelf)
    shelf.may_go_on.clear()
    gone = asyncio.create_task(borrow(openings, "late"))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.wait([gone])
    shelf.may_go_on.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    (tmp_path / "late").mkdir()
    await borrow(openings, "late")
    assert shelf.opened == ["late"] * 2


async def test_least_used_is_closed(shelf):
    """Over the bound, what was used longest ago is closed and opened anew later."""
    openings = Openings(shelf, kept=2)
    for name in "abac":
        await borrow(openings, name)
    assert shelf.closed == ["b"]
    await borrow(openings, "b")
    assert (shelf.opened, shelf.closed) == (["a", "b", "c", "b"], ["b", "a"])


async def test_used_is_not_closed(shelf):
    """What somebody uses stays open over the bound, and goes when it is given back."""
    openings = Openings(shelf, kept=1)
    async with openings.lent("a", at_commit=False):
        async with openings.lent("b", at_commit=False):
            assert shelf.closed == []
        assert shelf.closed == ["b"]
    assert shelf.closed == ["b"]


async def test_close_closes_all(shelf):
    """In the end all are closed, also one that is only just being opened."""
    openings = Openings(shelf)
    await borrow(openings, "a")
    shelf.may_go_on.clear()
    late = asyncio.create_task(borrow(openings, "b"))
    failing = asyncio.create_task(borrow(openings, "none"))
    await asyncio.sleep(0)
    closing = asyncio.create_task(openings.close())
    await asyncio.sleep(0)
    shelf.may_go_on.set()
    await asyncio.wait([closing, late, failing])
    assert isinstance(failing.exception(), RepoMissing)
    assert shelf.closed == ["a", "b"]


@pytest.mark.parametrize(
    "option",
    [
        {"repo": "h\udce9"},
        {"commit_sha": "\udce9"},
        {"root_dir": "h\udce9"},
        {"file": "h\udce9.go"},
        {"goos": "\udcff"},
        {"goarch": "\udcff"},
        {"tags": ("good", "b\udce9d")},
    ],
)
async def test_bytes_that_are_no_text(shelf, option):
    """An option whose bytes are not UTF-8 is refused before anything is opened."""
    engine = Engine(Means(Helper()), shelf)
    telemetry = Telemetry(**{"repo": "a", "file": "x.go", "line": 1, **option})
    with pytest.raises(TriageError, match="is not UTF-8; give it as UTF-8") as caught:
        await engine.context(telemetry)
    await engine.close()
    assert type(caught.value) is BadInput
    assert str(caught.value).encode().isascii()
    assert shelf.opened == []


async def test_nothing_is_lent_after_the_end(shelf):
    """What nobody would close any more is not opened."""
    openings = Openings(shelf)
    await openings.close()
    with pytest.raises(TriageError, match="closed"):
        await borrow(openings, "a")
    assert shelf.opened == []
