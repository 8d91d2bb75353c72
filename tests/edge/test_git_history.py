"""Who changed lines, asked of real repositories."""

import pytest

from triage.core.history import Look
from triage.errors import SourceError
from triage.sources.githistory import GitHistory

OLD, LATE, NOW = (f"2026-{day}T00:00:00Z" for day in ("01-01", "05-20", "06-01"))
CART = "package cart\n\nfunc Add() {\n\t{add}\n}\n\nfunc Total() {\n\t{total}\n}\n"


def cart(add: str, total: str) -> dict[str, str]:
    """Write a file of two functions."""
    return {"cart.go": CART.replace("{add}", add).replace("{total}", total)}


def last(line: int) -> Look:
    """Ask who changed a line last."""
    return Look("cart.go", line, line, f"line {line}", last=True)


def recent(start: int, end: int) -> Look:
    """Ask who changed lines of late."""
    return Look("cart.go", start, end, f"{start}-{end}", last=False)


@pytest.fixture
def told(repo):
    """Make three commits and give their ids: the first is months before the last."""
    return (
        repo.commit(cart("one()", "one()"), "begin: all of it", OLD),
        repo.commit(cart("one()", "two()"), "total: count twice", LATE),
        repo.commit(cart("three()", "two()"), "add: thrice", NOW),
    )


async def test_who_changed_a_line_last(repo, told):
    """However long ago it was, with day, author and subject."""
    looks = (last(1), last(4), last(8))
    answers = await GitHistory(repo.path).changes(told[2], looks)
    first, add, total = (changes[0] for _, changes in answers)
    assert [look for look, _ in answers] == list(looks)
    assert (first.commit, add.commit, total.commit) == (told[0], told[2], told[1])
    assert (total.date, total.author, total.subject) == (
        "2026-05-20",
        "Tess",
        "total: count twice",
    )


async def test_changes_of_late(repo, told):
    """The commits that touched the lines in the last weeks, those before left out."""
    answers = await GitHistory(repo.path).changes(told[2], (recent(3, 5), recent(7, 9)))
    found = [[change.commit for change in changes] for _, changes in answers]
    assert found == [[told[2]], [told[1]]]


async def test_as_of_the_crash(repo, told):
    """What came after the commit that crashed is not told."""
    look = recent(3, 5)
    answers = await GitHistory(repo.path).changes(told[1], (look, last(4)))
    assert answers[0] == (look, [])
    assert answers[1][1][0].commit == told[0]


@pytest.mark.parametrize("look", [last(99), recent(90, 99)])
async def test_lines_that_are_not_there(repo, told, look):
    """Nothing is told of them."""
    assert await GitHistory(repo.path).changes(told[2], (look,)) == [(look, [])]


async def test_no_such_commit(repo, told):
    """Without its date nothing can be said."""
    with pytest.raises(SourceError, match="no date"):
        await GitHistory(repo.path).changes("0" * 40, (last(1),))
    assert told


async def test_a_configuration_that_runs_commands(repo, told, tmp_path):
    """A repository's own settings run nothing and break nothing."""
    ran = tmp_path / "ran"
    for name in ("diff.x.textconv", "diff.x.command", "diff.external", "gpg.program"):
        repo.git("config", name, f"touch {ran}; cat")
    repo.git("config", "log.showSignature", "true")
    repo.write({".gitattributes": "*.go diff=x\n"})
    answers = await GitHistory(repo.path).changes(told[2], (last(4), recent(3, 5)))
    assert [changes[0].commit for _, changes in answers] == [told[2], told[2]]
    assert not ran.exists()


async def test_odd_names(repo):
    """A path with a colon and a subject with control characters are no trouble."""
    repo.commit({"a:b,c.go": "package a\n"}, "tab\there", NOW)
    commit = repo.git("rev-parse", "HEAD")
    looks = (
        Look("a:b,c.go", 1, 1, "line", last=True),
        Look("a:b,c.go", 1, 1, "span", last=False),
    )
    answers = await GitHistory(repo.path).changes(commit, looks)
    assert [changes[0].subject for _, changes in answers] == ["tab\there"] * 2
