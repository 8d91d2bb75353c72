"""Repositories for tests, and a blob store that remembers what it was asked."""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.github_server import GitHubServer
from tests.githubapi.gitrepo import git
from triage.sources.github import (
    App,
    BlobStore,
    GitHubApi,
    GitHubSource,
    RateGate,
    Token,
)

ELSEWHERE = "5ab0000000000000000000000000000000000001"
"""A commit of another repository."""
GOOD = Token("good-token")
POINTER = (
    b"version https://git-lfs.github.com/spec/v1\n"
    b"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
    b"size 12345\n"
)


class Workshop:
    """A git repository that a test fills, commit by commit."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        git(directory, "init", "--quiet", "--initial-branch=main")

    def commit(self, files: Mapping[str, bytes | str | None], **links: str) -> str:
        """Write files (None deletes), make symbolic links, commit; gives the id."""
        for path, data in files.items():
            where = self.directory / path
            where.parent.mkdir(parents=True, exist_ok=True)
            if data is None:
                where.unlink()
            else:
                where.write_bytes(data.encode() if isinstance(data, str) else data)
        for path, target in links.items():
            self.link(path, target)
        git(self.directory, "add", "--all")
        return self.save()

    def link(self, path: str, target: str) -> None:
        """Make a symbolic link."""
        where = self.directory / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.symlink_to(target)

    def submodule(self, path: str) -> str:
        """Commit a submodule at *path*."""
        entry = f"160000,{ELSEWHERE},{path}"
        git(self.directory, "update-index", "--add", "--cacheinfo", entry)
        return self.save()

    def save(self) -> str:
        """Commit what is in the index."""
        git(self.directory, "commit", "--quiet", "--allow-empty", "-m", "a change")
        return self.head

    @property
    def head(self) -> str:
        """The newest commit's id."""
        return self.oid("HEAD")

    def oid(self, expression: str) -> str:
        """Resolve a revision expression."""
        return git(self.directory, "rev-parse", expression).decode().strip()


class MemoryBlobs:
    """A blob store in memory."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}
        self.kept: list[bytes] = []

    async def held(self, oids: Collection[str]) -> Mapping[str, bytes]:
        """Give what is there."""
        return {oid: self.blobs[oid] for oid in oids if oid in self.blobs}

    async def keep(self, blobs: Mapping[str, bytes]) -> None:
        """Take all in."""
        self.blobs.update(blobs)
        self.kept += blobs.values()


@asynccontextmanager
async def serving(prefix: str = "") -> AsyncIterator[GitHubServer]:
    """Run a server."""
    server = GitHubServer(prefix)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


@asynccontextmanager
async def reading(
    server: GitHubServer,
    repo: str = "acme/shop",
    *,
    credentials: Token | App | None = GOOD,
    blobs: BlobStore | None = None,
    gate: RateGate | None = None,
    seconds: float = 10.0,
    request_seconds: float = 5.0,
) -> AsyncIterator[GitHubSource]:
    """Open a source on *server*; second tries come at once."""
    api = GitHubApi(
        credentials,
        url=server.url,
        gate=gate,
        request_timeout=request_seconds,
        pause=0.0,
    )
    source = GitHubSource(repo, api, blobs=blobs, timeout=seconds)
    try:
        yield source
    finally:
        await source.close()
        await api.close()
