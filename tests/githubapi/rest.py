"""The REST routes about one repository.

https://docs.github.com/en/rest/repos/contents and /en/rest/git
"""

from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any

from aiohttp import web

from tests.githubapi import shapes
from tests.githubapi.gitrepo import GitRepo, Item
from tests.githubapi.hosting import Hosted, Hosting, Refused

LISTED = 1_000
"""Entries after which the Contents API cuts a directory."""


class RestRoutes:
    """Handlers; *url* is the API's root, known once the server listens."""

    def __init__(self, hosting: Hosting) -> None:
        self.url = ""
        self.tree_limit = 100_000
        self._hosting = hosting

    def add_to(self, router: web.UrlDispatcher, prefix: str) -> None:
        """Add the routes below *prefix*."""
        repository = f"{prefix}/repos/{{owner}}/{{name}}"
        router.add_get(repository, self._repository)
        router.add_get(f"{prefix}/repositories/{{number}}", self._repository)
        router.add_get(f"{repository}/commits/{{ref:.+}}", self._commit)
        router.add_get(f"{repository}/contents{{path:.*}}", self._contents)
        router.add_get(f"{repository}/git/trees/{{oid}}", self._tree)
        router.add_get(f"{repository}/git/blobs/{{oid}}", self._blob)

    def _asked(self, request: web.Request) -> tuple[Hosted, shapes.Shapes]:
        """Find the repository; an old name redirects to its number."""
        asked = request.match_info
        name = f"{asked['owner']}/{asked['name']}"
        hosted = self._hosting.find(name, request.headers.get("Authorization"))
        if hosted is None:
            raise Refused(404, "Not Found")
        if hosted.blocked:
            raise Refused(451, "Repository access blocked")
        if hosted.name.lower() != name.lower():
            rest = request.rel_url.raw_path.partition(f"/repos/{name}")[2]
            query = f"?{request.rel_url.raw_query_string}".rstrip("?")
            location = f"{self.url}/repositories/{hosted.number}{rest}{query}"
            raise Refused(301, "Moved Permanently", Location=location)
        return hosted, self._shapes(hosted)

    def _shapes(self, hosted: Hosted) -> shapes.Shapes:
        return shapes.Shapes(self.url, hosted.name, hosted.number, hosted.private)

    async def _repository(self, request: web.Request) -> web.Response:
        if number := request.match_info.get("number"):
            given = request.headers.get("Authorization")
            hosted = self._hosting.find(number, given)
            if hosted is None:
                raise Refused(404, "Not Found")
            shape = self._shapes(hosted)
        else:
            hosted, shape = self._asked(request)
        return web.json_response(shape.repository(hosted.repo))

    async def _commit(self, request: web.Request) -> web.Response:
        hosted, shape = self._asked(request)
        ref = request.match_info["ref"]
        if hosted.repo.empty:
            raise Refused(409, "Git Repository is empty.")
        found = hosted.repo.commit(ref)
        if found is None:
            raise Refused(422, f"No commit found for SHA: {ref}")
        if "sha" in request.headers.get("Accept", ""):
            return web.Response(
                text=found.oid, content_type="application/vnd.github.sha"
            )
        return web.json_response(shape.commit(found))

    async def _tree(self, request: web.Request) -> web.Response:
        hosted, shape = self._asked(request)
        if hosted.repo.empty:
            raise Refused(409, "Git Repository is empty.")
        found = hosted.repo.find(request.match_info["oid"] + "^{tree}")
        if found is None:
            raise Refused(404, "Not Found")
        # Whatever its value, the mere parameter makes it recursive.
        recursive = "recursive" in request.query
        items = hosted.repo.tree(found.oid, recursive=recursive)
        return web.json_response(shape.tree(found.oid, items, limit=self.tree_limit))

    async def _blob(self, request: web.Request) -> web.Response:
        hosted, shape = self._asked(request)
        found = hosted.repo.find(request.match_info["oid"])
        if found is None or found.kind != "blob":
            raise Refused(404, "Not Found")
        return web.json_response(shape.blob(found))

    async def _contents(self, request: web.Request) -> web.Response:
        hosted, shape = self._asked(request)
        repo, ref = hosted.repo, request.query.get("ref", "HEAD")
        path = request.match_info["path"].strip("/")
        if repo.empty:
            raise Refused(404, "This repository is empty.")
        commit = repo.commit(ref)
        if commit is None:
            raise Refused(404, f"No commit found for the ref {ref}")
        found = repo.find(f"{commit.oid}:{path}")
        if found is not None and found.kind == "tree":
            items = [_below(path, item) for item in repo.tree(found.oid)]
            return web.json_response([shape.listed(i, ref) for i in items[:LISTED]])
        item = _item(repo, commit.oid, path)
        if item is None:
            raise Refused(404, "Not Found")
        return web.json_response(_content(shape, repo, commit.oid, item, ref))


def _below(directory: str, item: Item) -> Item:
    path = f"{directory}/{item.path}" if directory else item.path
    return Item(path, item.mode, item.type, item.oid, item.size)


def _item(repo: GitRepo, commit: str, path: str) -> Item | None:
    """Find one path's line in its directory's tree."""
    directory, _, name = path.rpartition("/")
    tree = repo.find(f"{commit}:{directory}")
    if tree is None or tree.kind != "tree":
        return None
    lines = (item for item in repo.tree(tree.oid) if item.path == name)
    return next((_below(directory, item) for item in lines), None)


def _content(
    shape: shapes.Shapes, repo: GitRepo, commit: str, item: Item, ref: str
) -> dict[str, Any]:
    """Show one path; a link whose target is a file is shown as that file."""
    if item.type == "commit":
        return shape.submodule(item, ref)
    found = repo.find(item.oid)
    assert found is not None
    if item.mode != "120000":
        return shape.file(item, found.data, ref)
    target = found.data.decode()
    real = normpath(str(PurePosixPath(item.path).parent / target))
    behind = None if real.startswith(("..", "/")) else _item(repo, commit, real)
    if behind is None or behind.type != "blob" or behind.mode == "120000":
        return shape.link(item, target, ref)
    data = repo.find(behind.oid)
    assert data is not None
    shown = Item(item.path, behind.mode, "blob", behind.oid, behind.size)
    return shape.file(shown, data.data, ref)
