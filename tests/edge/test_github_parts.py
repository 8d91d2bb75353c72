"""The pure parts of the GitHub source: entries, links, limits, queries."""

import asyncio
import re
from collections.abc import Mapping

import pytest

from triage.errors import RateLimited
from triage.sources.github.gate import EVERYTHING, RateGate
from triage.sources.github.graphql import Ask, query
from triage.sources.github.links import Walker
from triage.sources.github.objects import (
    Entry,
    Listing,
    is_intact,
    join,
    split,
    upwards,
)
from triage.sources.github.refusal import Forbidden, refusal, resource_of
from triage.sources.github.wire import Answer
from triage.together import together

FILE, LINK, TREE, SUBMODULE = 0o100755, 0o120000, 0o040000, 0o160000


def entry(name: str, mode: int = FILE) -> Entry:
    """Make an entry whose id is its name."""
    return Entry(name, mode, name, 1)


def listing(*entries: Entry) -> Listing:
    """Make a directory."""
    return {one.name: one for one in entries}


def walker(
    directories: Mapping[str, Listing], targets: Mapping[str, str | None]
) -> Walker:
    """Make a walker over directories and link targets."""

    async def list_one(directory: str) -> Listing | None:
        return directories.get(directory)

    async def target(link: Entry) -> str | None:
        return targets.get(link.name)

    return Walker(list_one, target)


@pytest.mark.parametrize(
    ("path", "directory", "name", "problem"),
    [
        ("a/f.go", "a", "f.go", None),
        ("a", "a", None, None),
        ("a/./up", "", "top.go", None),
        ("a/chain", "b", "g.go", None),
        ("a/out", "", None, "leads out of the repository"),
        ("a/absolute", "a", None, "leads out of the repository"),
        ("a/unreadable", "a", None, "leads out of the repository"),
        ("a/circle", "a", None, "leads in a circle"),
        ("a/none", "a", None, "leads to nothing"),
        ("a/f.go/x", "a", None, "leads to nothing"),
        ("no/such", "", None, "leads to nothing"),
        ("sub/x.go", "", None, "leads into the submodule sub, another repository"),
        ("a/todir/g.go", "b", "g.go", None),
        ("a/todir", "b", None, None),
    ],
)
async def test_links_lead_where_a_file_system_would(
    path: str, directory: str, name: str | None, problem: str | None
) -> None:
    """Through parents, chains and directories, and never out."""
    names = ("up", "chain", "out", "absolute", "unreadable", "circle", "todir")
    directories = {
        "": listing(
            entry("a", TREE), entry("b", TREE), entry("sub", SUBMODULE), entry("top.go")
        ),
        "a": listing(entry("f.go"), *(entry(one, LINK) for one in names)),
        "b": listing(entry("g.go"), entry("more", LINK)),
    }
    targets = {
        "up": "../top.go",
        "chain": "../b/more",
        "more": "g.go",
        "out": "../../etc/passwd",
        "absolute": "/etc/passwd",
        "unreadable": None,
        "circle": "./circle",
        "todir": "../b/",
    }
    place = await walker(directories, targets).walk("", path)
    found = place.entry.name if place.entry else None
    assert (place.directory, found, place.problem) == (directory, name, problem)


def test_an_id_tells_whether_a_blob_is_whole() -> None:
    """With SHA-1 and with SHA-256, by the length of the id."""
    sha1 = "ce013625030ba8dba906f756967f9e9ca394464a"
    sha256 = "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4"
    assert is_intact(b"hello\n", sha1)
    assert is_intact(b"hello\n", sha256)
    assert not is_intact(b"hello", sha1)
    assert not is_intact(b"hello\r\n", sha256)


def test_paths_are_joined_and_split_at_the_root_too() -> None:
    """The root is the empty path."""
    assert (join("", "a"), join("a", "b")) == ("a", "a/b")
    assert (split("a"), split("a/b/c")) == (("", "a"), ("a/b", "c"))
    assert upwards("a/b") == ["a/b", "a", ""]
    assert upwards("") == [""]


def test_a_gate_is_closed_for_one_resource_or_for_all() -> None:
    """The latest moment counts, and after it the gate is open."""
    now = [100.0]
    gate = RateGate(lambda: now[0])
    gate.close("graphql", 150)
    gate.close("graphql", 120)
    gate.check("core")
    with pytest.raises(RateLimited) as caught:
        gate.check("graphql")
    assert caught.value.reset_at == 150
    gate.close(EVERYTHING, 200)
    with pytest.raises(RateLimited):
        gate.check("core")
    now[0] = 200
    gate.check("core")
    gate.check("graphql")


@pytest.mark.parametrize(
    ("headers", "resource"),
    [
        ({"x-ratelimit-remaining": "0", "x-ratelimit-resource": "search"}, "search"),
        ({"x-ratelimit-remaining": "0"}, "core"),
        ({"x-ratelimit-remaining": "7"}, EVERYTHING),
        ({"x-ratelimit-remaining": "0", "retry-after": "60"}, EVERYTHING),
        ({}, EVERYTHING),
    ],
)
def test_a_secondary_limit_is_one_over_all_resources(
    headers: dict[str, str], resource: str
) -> None:
    """A primary one is its resource's own."""
    assert resource_of(Answer(403, headers, b""), "core") == resource


def test_a_missing_permission_on_the_last_request_is_no_limit() -> None:
    """The words count before the counter."""
    body = b'{"message": "Resource not accessible by personal access token"}'
    error = refusal(Answer(403, {"x-ratelimit-remaining": "0"}, body), 0.0)
    assert isinstance(error, Forbidden)


def test_githubs_words_are_shown_short_and_on_one_line() -> None:
    """An error message is one line, whatever comes."""
    body = b'{"message": "a\\nb\\u001b[31m' + b"x" * 1_000 + b'"}'
    said = str(refusal(Answer(418, {}, body), 0.0))
    assert re.search(r"a b \[31mx+$", said)
    assert len(said) < 250


def test_values_travel_as_variables() -> None:
    """Nothing in a path can become a part of the query."""
    odd = 'a"){x} b\\'
    request = query(Ask("c" * 40, texts=[odd], files=[odd]), "o/n")
    assert request.body is not None
    assert odd not in str(request.body["query"])
    assert request.body["variables"] == {
        "owner": "o",
        "name": "n",
        "commit": "c" * 40,
        "t0": f"{'c' * 40}:{odd}",
        "f0": f"{'c' * 40}:{odd}",
    }


async def test_the_first_failure_ends_all() -> None:
    """It is raised itself, after the others have been cancelled."""
    ended = list[str]()

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("cancelled")

    async def fail() -> None:
        await asyncio.sleep(0)
        raise KeyError("first")

    with pytest.raises(KeyError, match="first"):
        await together([wait(), fail(), wait()])
    assert ended == ["cancelled", "cancelled"]
