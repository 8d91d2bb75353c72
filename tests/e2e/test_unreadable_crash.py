"""A crash file that is there and cannot be read: the error says why."""

import os
from pathlib import Path
from typing import Any

import pytest

import triage
from tests.github_server import Fault
from tests.githubapi.samples import serving
from tests.gitrepo import GitRepo
from triage.errors import FileMissing, SourceError

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n"
FILES = {"go.mod": "module example.com/shop\n", "h/user.go": "package h\n"}
OTHER = {"h/other.go": "package h\n"}
TRACE = (
    "panic: boom\n\ngoroutine 1 [running]:\nexample.com/shop/h.F()\n"
    "\t/build/h/user.go:5 +0x1d\n"
)
ASKED = {
    "file": {"file": "h/user.go", "line": 5},
    "trace": {"trace": TRACE},
    "root": {"file": "user.go", "line": 5, "root_dir": "h"},
}
asked = pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
alone = pytest.mark.parametrize("others", [OTHER, {}], ids=["beside others", "alone"])


def spoil(path: Path, cause: str) -> None:
    """Make a file one that cannot be read."""
    if cause in {"fifo", "link"}:
        path.unlink()
    if cause == "fifo":
        os.mkfifo(path)
    elif cause == "link":
        path.symlink_to("/etc/passwd")
    elif cause == "rights":
        path.chmod(0)
    elif cause == "lfs":
        path.write_text(POINTER)
    else:
        path.write_bytes(b" " * ((8 << 20) + 1))


REASONS = {
    "rights": "Permission denied",
    "lfs": "Git LFS",
    "fifo": "no regular file",
    "link": "leads out of the repository",
    "large": "over 8 MiB",
}


async def refused(data: Path, **telemetry: Any) -> str:
    """Give the words of the error that a crash ends with."""
    settings = triage.Settings(data_dir=data / "data")
    async with triage.open_engine(settings) as engine:
        with pytest.raises(FileMissing) as caught:
            await engine.context(triage.Telemetry(**telemetry))
    return str(caught.value)


@asked
@alone
@pytest.mark.usefixtures("bound")
@pytest.mark.parametrize("cause", REASONS)
async def test_on_disk(tmp_path, others, ask, cause):
    """Whatever the cause, and whether the package has another file or none."""
    root = tmp_path / "root"
    root.mkdir()
    GitRepo(root).write({**FILES, **others})
    spoil(root / "h/user.go", cause)
    said = await refused(tmp_path, repo=str(root), **ask)
    assert said.startswith("h/user.go ")
    assert REASONS[cause] in said


@asked
@pytest.mark.usefixtures("bound")
async def test_in_a_directory_that_may_not_be_looked_into(tmp_path, ask):
    """The directory is named; what is in it nobody knows."""
    root = tmp_path / "root"
    root.mkdir()
    GitRepo(root).write(FILES)
    (root / "h").chmod(0)
    said = await refused(tmp_path, repo=str(root), **ask)
    assert "`h` cannot be read: Permission denied" in said
    (root / "h").chmod(0o700)


@asked
@alone
@pytest.mark.parametrize("cause", ["lfs", "link", "large"])
async def test_in_a_commit(repo, tmp_path, others, ask, cause):
    """The same out of git's objects, and the second time out of the cache."""
    repo.write({**FILES, **others})
    spoil(repo.path / "h/user.go", cause)
    commit = repo.commit()
    for _ in range(2):
        where = {"repo": str(repo.path), "commit_sha": commit}
        said = await refused(tmp_path, **where, **ask)
        assert said.startswith("h/user.go ")
        assert REASONS[cause] in said


@asked
@alone
async def test_a_lost_blob(repo, tmp_path, others, ask):
    """What git lacks is told with what to run, and may come back."""
    repo.write({**FILES, **others})
    repo.write({"h/user.go": "package h\n\n// F fails.\nfunc F() {\n\tpanic(1)\n}\n"})
    commit = repo.commit()
    oid = repo.git("rev-parse", "HEAD:h/user.go")
    lost = repo.path / ".git/objects" / oid[:2] / oid[2:]
    data = lost.read_bytes()
    lost.unlink()
    where = {"repo": str(repo.path), "commit_sha": commit}
    for _ in range(2):
        said = await refused(tmp_path, **where, **ask)
        assert said.startswith("h/user.go ")
        assert "git fetch --refetch" in said
    lost.write_bytes(data)
    settings = triage.Settings(data_dir=tmp_path / "data")
    async with triage.open_engine(settings) as engine:
        result = await engine.context(triage.Telemetry(**where, **ask))
    assert result.crash.function == "F"


@asked
@pytest.mark.parametrize("cause", ["lfs", "link", "large"])
@pytest.mark.parametrize("token", ["good-token", None])
async def test_on_github(repo, tmp_path, ask, cause, token):
    """The same from GitHub, with GraphQL and without."""
    repo.write({**FILES, **OTHER})
    spoil(repo.path / "h/user.go", cause)
    commit = repo.commit()
    async with serving() as server:
        server.hosting.add("acme/shop", repo.path)
        settings = triage.Settings(
            data_dir=tmp_path / "data", github_url=server.url, github_token=token
        )
        telemetry = triage.Telemetry(repo="acme/shop", commit_sha=commit, **ask)
        async with triage.open_engine(settings) as engine:
            for _ in range(2):
                with pytest.raises(FileMissing, match=REASONS[cause]) as caught:
                    await engine.context(telemetry)
                assert str(caught.value).startswith("h/user.go ")


@alone
async def test_a_blob_that_github_does_not_give(repo, tmp_path, others):
    """One that is lost there is told for what it is, and is asked for again."""
    code = b"package h\n\n// F \xff.\nfunc F() {\n\tpanic(1)\n}\n"
    commit = repo.commit({**FILES, **others, "h/user.go": code})
    oid = repo.git("rev-parse", "HEAD:h/user.go")
    async with serving() as server:
        server.hosting.add("acme/shop", repo.path)
        settings = triage.Settings(data_dir=tmp_path / "data", github_url=server.url)
        telemetry = triage.Telemetry(repo="acme/shop", commit_sha=commit, trace=TRACE)
        server.faults.append(Fault(f"/git/blobs/{oid}", status=404))
        async with triage.open_engine(settings) as engine:
            for _ in range(2):
                with pytest.raises(SourceError, match="GitHub"):
                    await engine.context(telemetry)
            server.faults.clear()
            assert (await engine.context(telemetry)).crash.function == "F"
