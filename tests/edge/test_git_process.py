import asyncio
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from triage.core.model import Package
from triage.errors import (
    BadInput,
    CommitMissing,
    FileMissing,
    NotFound,
    SourceError,
    SourceTimeout,
)
from triage.sources.git import GitSource
from triage.sources.gitprocess import run_git
from triage.sources.probing import probe

SHOP = {
    "go.mod": "module example.com/shop\n",
    "main.go": "package main\n",
    "README.md": "# Shop\n",
    "cart/cart.go": "package cart\n",
    "cart/cart_test.go": "package cart\n",
    "cart/testdata/in.txt": "1\n",
    "node_modules/x/x.go": "package x\n",
}


class TestProcess:
    """The git process behind it all."""

    async def test_many_at_once(self, repo, opened):
        """Questions asked at the same time all get their own answers."""
        files = {f"p{n}/x.go": f"package p{n}\n" for n in range(60)}
        commit = repo.commit(files)
        async with opened(repo.path) as source:
            packages = await asyncio.gather(
                *(source.package(commit, f"p{n}") for n in range(60))
            )
        assert [package.files[0].data.decode() for package in packages] == [
            *files.values()
        ]

    @pytest.mark.parametrize("turns", range(20))
    def test_ended_while_it_starts(self, repo, turns):
        """At whatever moment an interrupt ends everything, it does end."""

        async def interrupted():
            call = asyncio.create_task(run_git(repo.path, "version"))
            for _ in range(turns):
                await asyncio.sleep(0)
            return call

        with asyncio.Runner() as runner:
            call = runner.run(interrupted())
        assert call.done()

    async def test_a_look_that_fails(self):
        """What was asked for beside the failure is given up, not left running."""
        ended = asyncio.Event()

        class Reader:
            """A source whose first failure comes before its first answer."""

            async def read(self, *_: object, **__: object) -> bytes | None:
                try:
                    await asyncio.Event().wait()
                    return None
                finally:
                    ended.set()

            async def package(self, *_: object, **__: object) -> Package:
                await asyncio.sleep(0)
                raise SourceError("the disk is gone")

        with pytest.raises(SourceError, match="disk is gone"):
            await probe(Reader(), None, ["a"])
        assert ended.is_set()

    async def test_killed_between(self, repo, opened):
        """A git that was killed is replaced without anyone noticing."""
        commit = repo.commit(SHOP)
        async with opened(repo.path) as source:
            assert await source.read(commit, "go.mod")
            os.kill(_pid(source), signal.SIGKILL)
            assert await source.read(commit, "main.go") == b"package main\n"

    async def test_damaged_file_of_a_package(self, repo, opened):
        """One damaged file is named, the package's others are read."""
        commit = repo.commit(SHOP | {"cart/cart.go": "package cart // damaged\n"})
        _damage(repo, "cart/cart.go")
        async with opened(repo.path) as source:
            package = await source.package(commit, "cart")
        assert [file.name for file in package.files] == ["cart_test.go"]
        assert [problem.split()[0] for problem in package.problems] == ["cart.go"]

    async def test_damaged_object(self, repo, opened):
        """An object that git dies on fails its own question; others are answered."""
        commit = repo.commit(SHOP)
        _damage(repo, "main.go")
        async with opened(repo.path) as source:
            bad = asyncio.create_task(source.read(commit, "main.go"))
            assert len((await source.package(commit, "cart")).files) == 2
            with pytest.raises(FileMissing, match=r"`main\.go` .* damaged"):
                await bad

    async def test_file_damaged_at_its_end(self, repo, opened):
        """A file whose size can be told but whose bytes cannot is named as well."""
        noise = "".join(str(n * n) for n in range(90_000))
        commit = repo.commit(SHOP | {"cart/noise.go": noise})
        oid = repo.git("rev-parse", "HEAD:cart/noise.go")
        damaged = repo.path / ".git/objects" / oid[:2] / oid[2:]
        damaged.chmod(0o600)
        damaged.write_bytes(damaged.read_bytes()[:-50_000])
        async with opened(repo.path) as source:
            package = await source.package(commit, "cart")
        assert [file.name for file in package.files] == ["cart.go", "cart_test.go"]
        assert [problem.split()[0] for problem in package.problems] == ["noise.go"]

    async def test_cancelled_call(self, repo, opened):
        """Who gives up waiting takes no answer away from the next."""
        commit = repo.commit(SHOP)
        async with opened(repo.path) as source:
            await source.paths(commit)
            call = asyncio.create_task(source.read(commit, "cart/cart.go"))
            await asyncio.sleep(0)
            call.cancel()
            assert await source.read(commit, "main.go") == b"package main\n"
            with pytest.raises(asyncio.CancelledError):
                await call

    async def test_git_that_hangs(self, repo, fake_git, opened):
        """A git that does not answer is given up in time, and so is closing it."""
        commit = repo.commit(SHOP)
        fake_git("import sys; sys.stdin.buffer.read(1); sys.stdin.buffer.read()")
        async with opened(repo.path, timeout=0.3) as source:
            with pytest.raises(SourceTimeout, match=r"within 0\.3 s"):
                await source.read(commit, "main.go")

    @pytest.mark.parametrize(
        "answer", ["no answer at all\n", "x" * 5_000, "0 blob -1\n0 blob 0\n\n\n"]
    )
    async def test_git_that_talks_nonsense(self, repo, fake_git, answer, opened):
        """An answer that is none is an error, not a wait."""
        commit = repo.commit(SHOP)
        fake_git(
            f"import sys; sys.stdin.buffer.read(1); print({answer!r}, end='', flush=True);"
            " sys.stdin.buffer.read()"
        )
        async with opened(repo.path) as source:
            with pytest.raises(SourceError):
                await source.read(commit, "main.go")

    async def test_git_too_old(self, repo, fake_git, opened):
        """An old git is named, with the version that will do."""
        fake_git(
            "import sys\n"
            "if 'version' in sys.argv: print('git version 2.30.2'); sys.exit()\n"
            "print('error: unknown option `batch-command`', file=sys.stderr)\n"
            "sys.exit(129)"
        )
        async with opened(repo.path) as source:
            with pytest.raises(SourceError, match=r"git 2\.30 is too old; .* 2\.38"):
                await source.resolve("HEAD")

    async def test_no_git(self, repo, monkeypatch, tmp_path, opened):
        """Without git the error says what to install."""
        monkeypatch.setenv("PATH", str(tmp_path))
        async with opened(repo.path) as source:
            with pytest.raises(SourceError, match="install git"):
                await source.resolve("HEAD")

    async def test_git_that_cannot_start(self, repo, monkeypatch, tmp_path, opened):
        """A git that is no program is an error in one line."""
        program = tmp_path / "git"
        program.write_bytes(b"\x7fELF is no program")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        async with opened(repo.path) as source:
            with pytest.raises(SourceError, match="git does not start"):
                await source.resolve("HEAD")

    async def test_directory_that_went(self, repo, opened):
        """A repository that is deleted meanwhile is an error with git's words."""
        shutil.rmtree(repo.path)
        async with opened(repo.path) as source:
            with pytest.raises(SourceError, match="git stopped: fatal"):
                await source.resolve("HEAD")

    async def test_closed(self, repo):
        """A closed source refuses; closing again does nothing."""
        repo.commit()
        source = GitSource(repo.path)
        await source.resolve(None)
        await source.close()
        await source.close()
        with pytest.raises(SourceError, match="closed"):
            await source.resolve(None)

    async def test_never_used(self, repo):
        """A source that nobody asked anything has nothing to close."""
        source = GitSource(repo.path)
        await source.close()
        with pytest.raises(SourceError, match="closed"):
            await source.resolve(None)

    async def test_closed_under_way(self, repo):
        """Closing ends the calls that wait, with an answer or an error."""
        commit = repo.commit(SHOP)
        source = GitSource(repo.path)
        calls = [asyncio.create_task(source.package(commit, "cart")) for _ in range(5)]
        await asyncio.sleep(0)
        await source.close()
        for answer in await asyncio.gather(*calls, return_exceptions=True):
            assert isinstance(answer, Package | SourceError)


@pytest.fixture
def fake_git(tmp_path, monkeypatch):
    """Put a git on the PATH that does what a piece of Python says."""

    def make(code):
        directory = tmp_path / "bin"
        directory.mkdir()
        program = directory / "git"
        program.write_text(f"#!{sys.executable}\n{code}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")

    return make


def _pid(source: GitSource) -> int:
    assert source._objects._child is not None
    return source._objects._child._process.process.pid


def _damage(repo, path: str) -> None:
    """Overwrite the object of a committed file."""
    oid = repo.git("rev-parse", f"HEAD:{path}")
    damaged = repo.path / ".git/objects" / oid[:2] / oid[2:]
    damaged.chmod(0o600)
    damaged.write_bytes(b"no zlib stream")


async def test_a_name_that_cannot_be_sent(repo, opened):
    """It is refused, and the questions after it get their own answers."""
    commit = repo.commit(SHOP)
    async with opened(repo.path) as source:
        with pytest.raises(BadInput, match="no commit id"):
            await source.resolve("\udcff")
        assert await source.resolve("HEAD") == commit


def _put_before(monkeypatch, directory, script):
    """Put a program called git before the real one."""
    program = directory / "bin/git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


async def test_always_killed(repo, opened, monkeypatch, tmp_path):
    """A git that others kill each time says nothing of the objects."""
    commit = repo.commit(SHOP)
    real = shutil.which("git")
    script = f'case "$*" in *cat-file*) kill -9 $$;; esac\nexec {real} "$@"'
    _put_before(monkeypatch, tmp_path, script)
    async with opened(repo.path) as source:
        with pytest.raises(SourceError, match="git stopped") as caught:
            await source.package(commit, "cart")
    assert not isinstance(caught.value, CommitMissing)


async def test_what_git_started_ends_with_it(monkeypatch, tmp_path):
    """A git that hangs in a program of its own is ended together with that."""
    script = f"sleep 60 &\necho $! >{tmp_path}/pid\nwait"
    _put_before(monkeypatch, tmp_path, script)
    with pytest.raises(SourceTimeout):
        await run_git(tmp_path, "version", seconds=0.3)
    assert _state((tmp_path / "pid").read_text().strip()) in {"Z", "X", "gone"}


def _state(pid: str) -> str:
    """Tell how a process is, by its letter."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.read_text().split()[2] if stat.exists() else "gone"


async def test_killed_in_the_middle_of_an_answer(repo, opened):
    """However often others kill it, git's objects are not said to be missing."""
    big = "".join(str(n * n) for n in range(300_000))
    commit = repo.commit({**SHOP, "cart/big.go": big})
    async with opened(repo.path) as source:
        for _ in range(60):
            call = asyncio.create_task(source.package(commit, "cart"))
            while not (call.done() or _is_midway(source)):  # noqa: ASYNC110 - only turns of the loop tell
                await asyncio.sleep(0)
            if not call.done():
                os.kill(_pid(source), signal.SIGKILL)
            package = await call
            assert package.problems == ()
            assert len(package.files) == 3


def _is_midway(source: GitSource) -> bool:
    """Tell whether a part of an object has come."""
    child = source._objects._child
    return bool(child and child.alive and child._decoder._open)


@pytest.mark.parametrize(
    "code", ["kill -KILL $$", "kill -HUP $$", "exit 137", "exit 255"]
)
async def test_ended_from_outside(repo, opened, monkeypatch, tmp_path, code):
    """By any signal, also as a shell reports it: nothing is said of any object."""
    commit = repo.commit(SHOP)
    real = shutil.which("git")
    script = f'case "$*" in *cat-file*) {code};; esac\nexec {real} "$@"'
    _put_before(monkeypatch, tmp_path, script)
    async with opened(repo.path) as source:
        with pytest.raises(SourceError, match="git stopped") as caught:
            await source.package(commit, "cart")
    assert not isinstance(caught.value, NotFound)


HELD = "sleep 60 &\necho $! >{}/pid\nexit 0"
"""A git that ends, and leaves one behind that holds its output open."""


async def test_what_holds_the_output_open_is_ended(monkeypatch, tmp_path):
    """A git that has ended leaves nobody behind; the wait is bounded."""
    _put_before(monkeypatch, tmp_path, HELD.format(tmp_path))
    with pytest.raises(SourceTimeout):
        await run_git(tmp_path, "version", seconds=0.3)
    assert _ends((tmp_path / "pid").read_text().strip())


@pytest.mark.parametrize("script", [HELD, "sleep 60 &\necho $! >{}/pid\nwait"])
@pytest.mark.parametrize(
    "what", ["run_git(Path('/'), 'version', seconds=0.3)", "ask()"]
)
def test_nothing_is_said_at_the_end(monkeypatch, tmp_path, script, what):
    """A git that hangs in one of its own makes no noise when the program ends."""
    _put_before(monkeypatch, tmp_path, script.format(tmp_path))
    code = f"""
import asyncio
from contextlib import suppress
from pathlib import Path
from triage.errors import SourceError
from triage.sources.git import GitSource
from triage.sources.gitprocess import run_git

async def ask():
    source = GitSource(Path("/"), timeout=0.3)
    with suppress(SourceError):
        await source.resolve("HEAD")
    await source.close()

async def main():
    with suppress(SourceError):
        await {what}

asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", code],
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert _ends((tmp_path / "pid").read_text().strip())


def _ends(pid: str) -> bool:
    """Tell whether a process that was killed ends: that takes the kernel a moment."""
    return any(_state(pid) in {"Z", "X", "gone"} for _ in range(100_000))
