"""The test server itself: what GitHub documents about its answers."""

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.github_server import GitHubServer
from tests.githubapi.samples import ELSEWHERE, Workshop, serving

FIND = "query($o:String!,$n:String!){repository(owner:$o,name:$n){%s}}"
VARIABLES = {"o": "acme", "n": "shop"}
LARGE = b"package p\n" + b"// filler\n" * 200_000


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[GitHubServer]:
    """Serve a repository with something odd of each kind."""
    workshop = Workshop(tmp_path)
    workshop.link("p/link.go", "a.go")
    files: dict[str, bytes] = {f"many/{n}.txt": b"" for n in range(1_003)}
    files |= {"p/a.go": b"package p\n" * 10, "p/large.go": LARGE, "p/nul.go": b"\0"}
    workshop.commit(files)
    workshop.submodule("p/sub")
    async with serving() as running:
        running.hosting.add("acme/shop", workshop.directory)
        yield running


async def get(server: GitHubServer, path: str) -> Any:
    """Get JSON."""
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{server.url}/repos/acme/shop{path}") as answer,
    ):
        return await answer.json()


async def ask(server: GitHubServer, query: str) -> dict[str, Any]:
    """Ask through GraphQL; the status is 200 whatever comes."""
    body = json.dumps({"query": query, "variables": VARIABLES})
    headers = {"Authorization": "bearer good-token"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(f"{server.url}/graphql", data=body) as answer,
    ):
        assert answer.status == 200
        reply: dict[str, Any] = await answer.json()
        return reply


async def test_base64_comes_in_lines_of_sixty(server: GitHubServer) -> None:
    """Each line with its end, the last one too."""
    content = (await get(server, "/contents/p/a.go"))["content"]
    lines = content.split("\n")
    assert [len(line) for line in lines] == [60, 60, 16, 0]
    assert base64.b64decode(content) == b"package p\n" * 10


async def test_over_one_megabyte_the_content_is_left_out(server: GitHubServer) -> None:
    """With encoding `none`; the blob has it."""
    file = await get(server, "/contents/p/large.go")
    assert (file["encoding"], file["content"], file["size"]) == ("none", "", len(LARGE))
    blob = await get(server, f"/git/blobs/{file['sha']}")
    assert base64.b64decode(blob["content"]) == LARGE


async def test_a_directory_is_cut_at_a_thousand(server: GitHubServer) -> None:
    """Silently; the tree is not cut."""
    listed = await get(server, "/contents/many")
    (many,) = [i for i in await get(server, "/contents") if i["name"] == "many"]
    tree = await get(server, f"/git/trees/{many['sha']}")
    assert (len(listed), len(tree["tree"])) == (1_000, 1_003)


async def test_a_listed_submodule_calls_itself_a_file(server: GitHubServer) -> None:
    """Its address is that of a tree, and there is nothing to download."""
    listed = {item["name"]: item for item in await get(server, "/contents/p")}
    sub = listed["sub"]
    assert (sub["type"], sub["size"], sub["download_url"]) == ("file", 0, None)
    assert sub["git_url"].endswith(f"/git/trees/{ELSEWHERE}")
    assert listed["link.go"]["type"] == "symlink"


async def test_graphql_cuts_and_nulls_texts(server: GitHubServer) -> None:
    """At 512,000 bytes, and where there is a NUL."""
    fields = (
        'a:object(expression:"main:p/large.go"){...F}'
        ' b:object(expression:"main:p/nul.go"){...F}'
    )
    query = FIND % fields + " fragment F on Blob{text isTruncated isBinary}"
    found = (await ask(server, query))["data"]["repository"]
    assert len(found["a"]["text"]) == 512_000
    assert (found["a"]["isTruncated"], found["a"]["isBinary"]) == (True, False)
    assert found["b"] == {"text": None, "isTruncated": False, "isBinary": True}


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (FIND % "stars", "Field 'stars' doesn't exist on type 'Repository'"),
        (FIND % "object(expression:$x){oid}", "$x is used but not declared"),
        (FIND % "name" + " fragment F on Blob{oid}", "not used"),
        (FIND % 'name object(expression:"HEAD:p")', "must have selections"),
        (FIND.replace("$o:", "$z:String!,$o:") % "name", "$z is declared but not used"),
        (FIND % "...Nothing", "Nothing was used, but not defined"),
        ("query{repository(", "Parse error"),
        ("query{%}", "Parse error"),
    ],
)
async def test_a_wrong_query_is_refused_under_status_200(
    server: GitHubServer, query: str, said: str
) -> None:
    """As GitHub words it, without data."""
    reply = await ask(server, query)
    assert said in reply["errors"][0]["message"]
    assert "data" not in reply


async def test_a_missing_repository_is_null_and_an_error(server: GitHubServer) -> None:
    """GraphQL says NOT_FOUND beside it."""
    reply = await ask(server, 'query{repository(owner:"acme",name:"x"){name}}')
    assert reply["data"] == {"repository": None}
    assert reply["errors"][0]["type"] == "NOT_FOUND"


async def test_answers_tell_the_rate_limit(server: GitHubServer) -> None:
    """Each takes one from its budget, and `/rate_limit` takes none."""
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{server.url}/repos/acme/shop") as answer,
        session.get(f"{server.url}/rate_limit") as asked,
    ):
        assert answer.headers["X-RateLimit-Remaining"] == "59"
        assert (await asked.json())["resources"]["core"]["remaining"] == 59
