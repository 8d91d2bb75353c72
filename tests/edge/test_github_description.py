"""The test server against GitHub's own description of its API, where it is at hand.

`npm pack @octokit/openapi` brings it; TRIAGE_OPENAPI names the unpacked package.
"""

import json
import os
from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.github_server import GitHubServer
from tests.githubapi.samples import Workshop, serving

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")

PLACES = (
    os.environ.get("TRIAGE_OPENAPI", ""),
    "build/openapi",  # where CI puts it
    "node_modules/@octokit/openapi",
)
ROUTES = {
    "/repos/acme/shop": "/repos/{owner}/{repo}",
    "/repos/acme/shop/commits/main": "/repos/{owner}/{repo}/commits/{ref}",
    "/repos/acme/shop/contents": "/repos/{owner}/{repo}/contents/{path}",
    "/repos/acme/shop/contents/p/a.go": "/repos/{owner}/{repo}/contents/{path}",
    "/repos/acme/shop/contents/p/big.go": "/repos/{owner}/{repo}/contents/{path}",
    "/repos/acme/shop/contents/p/link.go": "/repos/{owner}/{repo}/contents/{path}",
    "/repos/acme/shop/contents/p/out.go": "/repos/{owner}/{repo}/contents/{path}",
    "/repos/acme/shop/contents/sub": "/repos/{owner}/{repo}/contents/{path}",
    "/repos/acme/shop/contents/none": "/repos/{owner}/{repo}/contents/{path}",
    "/repos/acme/shop/git/trees/main": "/repos/{owner}/{repo}/git/trees/{tree_sha}",
    "/repos/acme/shop/git/trees/main?recursive=1": (
        "/repos/{owner}/{repo}/git/trees/{tree_sha}"
    ),
    "/repos/acme/none/git/trees/main": "/repos/{owner}/{repo}/git/trees/{tree_sha}",
    "/repos/acme/shop/git/blobs/BLOB": "/repos/{owner}/{repo}/git/blobs/{file_sha}",
    "/repos/acme/old": "/repos/{owner}/{repo}",
    "/rate_limit": "/rate_limit",
}


@cache
def description() -> dict[str, Any]:
    """Load the description with OpenAPI's `nullable` put as JSON Schema has it."""
    for place in filter(None, PLACES):
        file = Path(place) / "generated" / "api.github.com.json"
        if file.is_file():
            loaded: dict[str, Any] = json.loads(
                file.read_bytes(), object_hook=_with_null
            )
            return loaded
    pytest.skip("@octokit/openapi is not here; set TRIAGE_OPENAPI to its directory")


def _with_null(schema: dict[str, Any]) -> dict[str, Any]:
    if schema.pop("nullable", None) is True:
        return {"anyOf": [schema, {"type": "null"}]}
    return schema


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[GitHubServer]:
    """Serve one of everything."""
    workshop = Workshop(tmp_path)
    workshop.link("p/link.go", "a.go")
    workshop.link("p/out.go", "/etc/hosts")
    workshop.commit({"p/a.go": "package p\n", "p/big.go": "/" * (2 << 20)})
    workshop.submodule("sub")
    async with serving() as running:
        running.hosting.add("acme/old", workshop.directory)
        running.hosting.rename("acme/old", "acme/shop")
        yield running


@pytest.mark.parametrize("path", ROUTES)
async def test_answers_are_as_github_describes_them(
    server: GitHubServer, path: str
) -> None:
    """Each route's answer is valid under the schema for its status."""
    described = description()
    repo = server.hosting.by_name["acme/shop"].repo
    blob = repo.find("main:p/a.go")
    assert blob is not None
    async with (
        aiohttp.ClientSession() as session,
        session.get(
            server.url + path.replace("BLOB", blob.oid), allow_redirects=False
        ) as answer,
    ):
        body, status = await answer.json(), str(answer.status)
    response = described["paths"][ROUTES[path]]["get"]["responses"][status]
    if "$ref" in response:
        name = response["$ref"].rpartition("/")[2]
        response = described["components"]["responses"][name]
    schema = response["content"]["application/json"]["schema"]
    jsonschema.Draft202012Validator(
        {**schema, "components": described["components"]}
    ).validate(body)
