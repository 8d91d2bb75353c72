"""The JSON that GitHub's REST API answers with.

Held against GitHub's own description by `test_github_description.py`.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.githubapi.gitrepo import GitObject, GitRepo, Item

LINE = 60
"""Characters of base64 on a line."""
INLINE = 1 << 20
"""Bytes after which the Contents API leaves the content out."""

_DATE = "2026-01-02T03:04:05Z"
_LINKS = {
    "archive": "/{archive_format}{/ref}",
    "assignees": "/assignees{/user}",
    "blobs": "/git/blobs{/sha}",
    "branches": "/branches{/branch}",
    "collaborators": "/collaborators{/collaborator}",
    "comments": "/comments{/number}",
    "commits": "/commits{/sha}",
    "compare": "/compare/{base}...{head}",
    "contents": "/contents/{+path}",
    "contributors": "/contributors",
    "deployments": "/deployments",
    "downloads": "/downloads",
    "events": "/events",
    "forks": "/forks",
    "git_commits": "/git/commits{/sha}",
    "git_refs": "/git/refs{/sha}",
    "git_tags": "/git/tags{/sha}",
    "hooks": "/hooks",
    "issue_comment": "/issues/comments{/number}",
    "issue_events": "/issues/events{/number}",
    "issues": "/issues{/number}",
    "keys": "/keys{/key_id}",
    "labels": "/labels{/name}",
    "languages": "/languages",
    "merges": "/merges",
    "milestones": "/milestones{/number}",
    "notifications": "/notifications{?since,all,participating}",
    "pulls": "/pulls{/number}",
    "releases": "/releases{/id}",
    "stargazers": "/stargazers",
    "statuses": "/statuses/{sha}",
    "subscribers": "/subscribers",
    "subscription": "/subscription",
    "tags": "/tags",
    "teams": "/teams",
    "trees": "/git/trees{/sha}",
}
_USER_LINKS = (
    *("followers", "following", "gists", "starred", "subscriptions"),
    *("organizations", "repos", "events", "received_events"),
)
_NO = ("fork", "archived", "disabled", "has_pages", "has_discussions", "has_wiki")
_ZERO = (
    *("forks", "forks_count", "open_issues", "open_issues_count", "size", "watchers"),
    *("stargazers_count", "watchers_count", "network_count", "subscribers_count"),
)


@dataclass(frozen=True, slots=True)
class Shapes:
    """The answers about one repository, with addresses below the API's *root*."""

    root: str
    full_name: str
    number: int
    private: bool

    @property
    def _api(self) -> str:
        return f"{self.root}/repos/{self.full_name}"

    @property
    def _web(self) -> str:
        return f"https://github.com/{self.full_name}"

    def repository(self, repo: GitRepo) -> dict[str, Any]:
        """`GET /repos/{owner}/{repo}`."""
        owner, _, name = self.full_name.partition("/")
        return {
            "id": self.number,
            "node_id": _node(f"R{self.number}"),
            "name": name,
            "full_name": self.full_name,
            "owner": self._user(owner),
            "private": self.private,
            "html_url": self._web,
            "url": self._api,
            "description": None,
            "homepage": None,
            "language": "Go",
            "license": None,
            "mirror_url": None,
            "default_branch": repo.default_branch,
            "has_issues": True,
            "has_projects": True,
            "git_url": f"git://github.com/{self.full_name}.git",
            "ssh_url": f"git@github.com:{self.full_name}.git",
            "clone_url": f"{self._web}.git",
            "svn_url": self._web,
            "created_at": _DATE,
            "updated_at": _DATE,
            "pushed_at": _DATE,
            **{f"{word}_url": self._api + rest for word, rest in _LINKS.items()},
            **dict.fromkeys(_NO, False),
            **dict.fromkeys(_ZERO, 0),
        }

    def commit(self, found: GitObject) -> dict[str, Any]:
        """`GET /repos/{owner}/{repo}/commits/{ref}`."""
        head, _, message = found.data.decode().partition("\n\n")
        lines = [line.split(" ", 1) for line in head.splitlines()]
        tree = next(rest for word, rest in lines if word == "tree")
        person = {"name": "A U Thor", "email": "author@example.com", "date": _DATE}
        url = f"{self._api}/commits/{found.oid}"
        return {
            "sha": found.oid,
            "node_id": _node(found.oid),
            "url": url,
            "html_url": f"{self._web}/commit/{found.oid}",
            "comments_url": f"{url}/comments",
            "author": None,
            "committer": None,
            "parents": [
                {
                    "sha": parent,
                    "url": f"{self._api}/commits/{parent}",
                    "html_url": f"{self._web}/commit/{parent}",
                }
                for word, parent in lines
                if word == "parent"
            ],
            "commit": {
                "url": f"{self._api}/git/commits/{found.oid}",
                "author": person,
                "committer": person,
                "message": message.strip(),
                "comment_count": 0,
                "tree": {"sha": tree, "url": f"{self._api}/git/trees/{tree}"},
            },
        }

    def tree(self, oid: str, items: tuple[Item, ...], *, limit: int) -> dict[str, Any]:
        """`GET /repos/{owner}/{repo}/git/trees/{tree_sha}`, cut at *limit* entries."""
        return {
            "sha": oid,
            "url": f"{self._api}/git/trees/{oid}",
            "tree": [self._tree_item(item) for item in items[:limit]],
            "truncated": len(items) > limit,
        }

    def blob(self, found: GitObject) -> dict[str, Any]:
        """`GET /repos/{owner}/{repo}/git/blobs/{file_sha}`."""
        return {
            "sha": found.oid,
            "node_id": _node(found.oid),
            "size": len(found.data),
            "url": f"{self._api}/git/blobs/{found.oid}",
            "content": base64_lines(found.data),
            "encoding": "base64",
        }

    def listed(self, item: Item, ref: str) -> dict[str, Any]:
        """One entry of a directory; a submodule calls itself a file there."""
        submodule = item.type == "commit"
        word = {"tree": "dir", "commit": "file"}.get(item.type, "file")
        word = "symlink" if item.mode == "120000" else word
        git = "trees" if item.type in {"tree", "commit"} else "blobs"
        where = self._api.rsplit("/", 1)[0] + "/elsewhere" if submodule else self._api
        url = f"{self._api}/contents/{item.path}?ref={ref}"
        git_url = f"{where}/git/{git}/{item.oid}"
        html = f"{self._web}/{'tree' if git == 'trees' else 'blob'}/{ref}/{item.path}"
        raw = f"https://raw.githubusercontent.com/{self.full_name}/{ref}/{item.path}"
        return {
            "type": word,
            "name": item.name,
            "path": item.path,
            "sha": item.oid,
            "size": item.size or 0,
            "url": url,
            "git_url": git_url,
            "html_url": html,
            "download_url": None if git == "trees" else raw,
            "_links": {"self": url, "git": git_url, "html": html},
        }

    def file(self, item: Item, data: bytes, ref: str) -> dict[str, Any]:
        """`GET /repos/{owner}/{repo}/contents/{path}` for a file."""
        inline = len(data) <= INLINE
        return {
            **self.listed(item, ref),
            "type": "file",
            "size": len(data),
            "content": base64_lines(data) if inline else "",
            "encoding": "base64" if inline else "none",
        }

    def link(self, item: Item, target: str, ref: str) -> dict[str, Any]:
        """Show a path: a link that leads to no file."""
        return {**self.listed(item, ref), "type": "symlink", "target": target}

    def submodule(self, item: Item, ref: str) -> dict[str, Any]:
        """Show a path: a submodule."""
        return {
            **self.listed(item, ref),
            "type": "submodule",
            "submodule_git_url": "https://example.com/elsewhere.git",
        }

    def _tree_item(self, item: Item) -> dict[str, Any]:
        out: dict[str, Any] = {
            "path": item.path,
            "mode": item.mode,
            "type": item.type,
            "sha": item.oid,
        }
        if item.size is not None:
            out["size"] = item.size
        if item.type != "commit":
            out["url"] = f"{self._api}/git/{item.type}s/{item.oid}"
        return out

    def _user(self, login: str) -> dict[str, Any]:
        url = f"{self.root}/users/{login}"
        return {
            "login": login,
            "id": 1,
            "node_id": _node(login),
            "avatar_url": f"https://avatars.githubusercontent.com/{login}",
            "gravatar_id": "",
            "url": url,
            "html_url": f"https://github.com/{login}",
            "type": "Organization",
            "site_admin": False,
            **{f"{word}_url": f"{url}/{word}" for word in _USER_LINKS},
        }


def base64_lines(data: bytes) -> str:
    """Encode as GitHub does: lines of 60 characters, each with its end."""
    text = base64.b64encode(data).decode()
    lines = (text[at : at + LINE] for at in range(0, len(text), LINE))
    return "".join(f"{line}\n" for line in lines)


def error(status: int, message: str) -> dict[str, Any]:
    """Make the body of a refusal."""
    return {
        "message": message,
        "documentation_url": "https://docs.github.com/rest",
        "status": str(status),
    }


def rate_limit(budgets: Mapping[str, tuple[int, int, int]]) -> dict[str, Any]:
    """`GET /rate_limit`; *budgets* gives limit, remaining and reset by resource."""
    resources = {
        name: {
            "limit": limit,
            "remaining": left,
            "used": limit - left,
            "reset": reset,
        }
        for name, (limit, left, reset) in budgets.items()
    }
    return {"resources": resources, "rate": resources["core"]}


def _node(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
