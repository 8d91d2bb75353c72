"""What the test server knows of a git repository, asked from git itself."""

import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A U Thor",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_NAME": "A U Thor",
    "GIT_COMMITTER_EMAIL": "author@example.com",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
}


def git(directory: Path, *arguments: str, data: bytes = b"") -> bytes:
    """Run git with fixed names and dates and nobody's configuration."""
    return subprocess.run(
        ["git", *arguments],
        cwd=directory,
        env=_ENVIRONMENT,
        input=data,
        capture_output=True,
        check=True,
    ).stdout


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a tree."""

    path: str
    mode: str
    type: str
    oid: str
    size: int | None
    """None for what is no blob."""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class GitObject:
    """One object, whole."""

    oid: str
    kind: str
    data: bytes


class GitRepo:
    """A repository on disk; its objects are remembered, its refs are not."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.tree = lru_cache(maxsize=None)(self._tree)
        self._cat = subprocess.Popen(
            ["git", "cat-file", "--batch"],
            cwd=directory,
            env=_ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._objects: dict[str, GitObject] = {}

    @property
    def empty(self) -> bool:
        """Tell whether there is no commit."""
        return self.find("HEAD") is None

    @property
    def default_branch(self) -> str:
        """The branch that HEAD names."""
        head = git(self.directory, "symbolic-ref", "--short", "HEAD")
        return head.decode().strip()

    def find(self, expression: str) -> GitObject | None:
        """Resolve an id or any revision expression."""
        if expression in self._objects:
            return self._objects[expression]
        if not expression or "\n" in expression:
            return None
        assert self._cat.stdin is not None
        assert self._cat.stdout is not None
        self._cat.stdin.write(expression.encode() + b"\n")
        self._cat.stdin.flush()
        words = self._cat.stdout.readline().decode().split()
        if words[-1] in {"missing", "ambiguous"}:
            return None
        data = self._cat.stdout.read(int(words[2]) + 1)[:-1]
        found = GitObject(words[0], words[1], data)
        return self._objects.setdefault(found.oid, found)

    def commit(self, expression: str) -> GitObject | None:
        """Resolve what is a commit or a tag of one."""
        return self.find(expression + "^{commit}")

    def close(self) -> None:
        """End git."""
        with self._cat:
            self._cat.terminate()

    def _tree(self, oid: str, *, recursive: bool = False) -> tuple[Item, ...]:
        flags = ("-r", "-t") if recursive else ()
        lines = git(self.directory, "ls-tree", "-l", "-z", *flags, oid)
        items = []
        for line in filter(None, lines.decode("utf-8", "replace").split("\0")):
            about, path = line.split("\t", 1)
            mode, kind, child, size = about.split()
            number = None if size == "-" else int(size)
            items.append(Item(path, mode, kind, child, number))
        return tuple(items)
