"""A go.mod or go.work that is there and cannot be read: told with the reason."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import triage
from tests.github_server import Fault
from tests.githubapi.samples import serving
from tests.gitrepo import GitRepo

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n"
MAIN = "package main\n\nfunc main() {\n\tvar m map[string]int\n\tm[`a`] = 1\n}\n"
FILES = {
    "go.work": "use ./app\n",
    "app/go.mod": "module example.com/app\n",
    "app/main.go": MAIN,
}
BIG = b" " * ((8 << 20) + 1)


def named(path: Path) -> None:
    """Put a pipe that nobody writes to in the place of a file."""
    path.unlink()
    os.mkfifo(path)


def led_out(path: Path) -> None:
    """Put a link that leads out in the place of a file."""
    path.unlink()
    path.symlink_to("/etc/passwd")


def forbidden(path: Path) -> None:
    """Take the right to read a file away."""
    path.chmod(0)


def pointing(path: Path) -> None:
    """Put a pointer of Git LFS in the place of a file."""
    path.write_text(POINTER)


def grown(path: Path) -> None:
    """Make a file larger than any that is read."""
    path.write_bytes(BIG)


REASONS: dict[Callable[[Path], None], str] = {
    named: "is no regular file",
    led_out: "leads out of the repository",
    forbidden: "Permission denied",
    pointing: "Git LFS",
    grown: "is over 8 MiB",
}
causes = pytest.mark.parametrize(("spoil", "reason"), REASONS.items())
modules = pytest.mark.parametrize("module", ["go.work", "app/go.mod"])


async def answered(data: Path, **where: Any) -> triage.Result:
    """Explain the crash."""
    settings = triage.Settings(data_dir=data / "data")
    telemetry = triage.Telemetry(file="app/main.go", line=5, **where)
    async with triage.open_engine(settings) as engine:
        return await engine.context(telemetry)


def told(result: triage.Result, module: str) -> str:
    """Give the one warning about a module file."""
    (warning,) = [text for text in result.warnings if text.startswith(module)]
    assert result.crash.path == "app/main.go"
    return warning


@causes
@modules
@pytest.mark.usefixtures("bound")
async def test_on_disk(tmp_path, module, spoil, reason):
    """The crash is explained; the file is named with what is the matter with it."""
    root = tmp_path / "root"
    root.mkdir()
    GitRepo(root).write(FILES)
    spoil(root / module)
    warning = told(await answered(tmp_path, repo=str(root)), module)
    assert warning.startswith(f"{module} cannot be read: ")
    assert reason in warning


@pytest.mark.parametrize("spoil", [led_out, pointing, grown])
@modules
async def test_in_a_commit(repo, tmp_path, module, spoil):
    """The same from git's objects, and the same answer the second time."""
    repo.write(FILES)
    spoil(repo.path / module)
    commit = repo.commit()
    for _ in range(2):
        result = await answered(tmp_path, repo=str(repo.path), commit_sha=commit)
        assert REASONS[spoil] in told(result, module)


@modules
async def test_a_lost_blob_may_come_back(repo, tmp_path, module):
    """What git lacks is told, with what to run; when it is there it is read."""
    commit = repo.commit(FILES)
    oid = repo.git("rev-parse", f"HEAD:{module}")
    lost = repo.path / ".git/objects" / oid[:2] / oid[2:]
    data = lost.read_bytes()
    lost.unlink()
    where = {"repo": str(repo.path), "commit_sha": commit}
    for _ in range(2):
        assert "git fetch --refetch" in told(await answered(tmp_path, **where), module)
    lost.write_bytes(data)
    assert (await answered(tmp_path, **where)).warnings == ()


@pytest.mark.parametrize("token", ["good-token", None])
@modules
async def test_on_github(repo, tmp_path, module, token):
    """A blob that GitHub does not give ends no call, and is asked for again."""
    # With a byte that is no text GraphQL does not give it either.
    commit = repo.commit({**FILES, module: FILES[module].encode() + b"// \xff\n"})
    oid = repo.git("rev-parse", f"HEAD:{module}")
    async with serving() as server:
        server.hosting.add("acme/shop", repo.path)
        settings = triage.Settings(
            data_dir=tmp_path / "data", github_url=server.url, github_token=token
        )
        telemetry = triage.Telemetry(
            repo="acme/shop", commit_sha=commit, file="app/main.go", line=5
        )
        fault = Fault(f"/git/blobs/{oid}", status=404)
        server.faults.append(fault)
        for found in ([module], []):
            async with triage.open_engine(settings) as engine:
                result = await engine.context(telemetry)
            assert result.crash.path == "app/main.go"
            assert [text.split()[0] for text in result.warnings] == found
            server.faults.clear()
