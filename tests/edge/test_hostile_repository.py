"""A stranger's repository runs nothing.

Each case plants a command where git would run it in some circumstance; the command
makes a file, and no file may come. `test_the_trap_works` shows that one would.
"""

import os
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from triage.errors import SourceError, SourceTimeout
from triage.sources.git import GitSource
from triage.sources.gitprocess import git_env, run_git
from triage.sources.repository import find_repository
from triage.sources.worktree import WorktreeSource


class Trap(NamedTuple):
    """What may not be run, and what would be there if it was."""

    program: str
    mark: Path


@pytest.fixture
def trap(tmp_path):
    """Make a program that leaves a file behind when it is run."""
    program, mark = tmp_path / "trap", tmp_path / "sprung"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    return Trap(str(program), mark)


CONFIGURED = [
    "core.fsmonitor",
    "core.pager",
    "pager.cat-file",
    "pager.rev-parse",
    "core.sshCommand",
    "core.gitProxy",
    "core.askPass",
    "core.editor",
    "core.alternateRefsCommand",
    "credential.helper",
    "diff.external",
    "diff.go.textconv",
    "diff.go.command",
    "filter.go.smudge",
    "filter.go.clean",
    "filter.go.process",
    "gpg.program",
    "sequence.editor",
    "uploadpack.packObjectsHook",
    "remote.origin.uploadpack",
]


async def read_everything(path: Path, commit: str) -> None:
    """Use every way into the repository, errors and all."""
    await find_repository(path)
    source = GitSource(path)
    try:
        for revision in ("HEAD", "main", "abcd", "0" * 40, commit[:8], None):
            with suppress(SourceError):
                await source.resolve(revision)
        for asked in (
            source.paths(commit),
            source.package(commit, ""),
            source.package(commit, "cart"),
            source.read(commit, "cart/cart.go"),
        ):
            with suppress(SourceError):
                await asked
    finally:
        await source.close()
    await WorktreeSource(path).paths(None)
    await WorktreeSource(path).package(None, "cart")


@pytest.fixture
def planted(repo, trap):
    """Plant commands in a repository's configuration, hooks and attributes."""
    commit = repo.commit(
        {
            "main.go": "package main\n",
            "cart/cart.go": "package cart\n",
            ".gitattributes": "*.go filter=go diff=go\n",
        }
    )
    for key in CONFIGURED:
        repo.git("config", key, trap.program)
    repo.git("config", "filter.go.required", "true")
    repo.git("config", "remote.origin.url", f"ext::{trap.program}")
    for name in ("cat-file", "rev-parse", "version"):
        repo.git("config", f"alias.{name}", f"!{trap.program}")
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        path = repo.path / ".git/hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{trap.program}\n")
        path.chmod(0o755)
    return commit


async def test_configuration_hooks_attributes(repo, planted, trap):
    """No configured program, filter, alias or hook is run."""
    await read_everything(repo.path, planted)
    assert not trap.mark.exists()


async def test_included_configuration(repo, trap, tmp_path):
    """What a configuration includes is as harmless."""
    commit = repo.commit({"cart/cart.go": "package cart\n"})
    included = tmp_path / "more"
    included.write_text(
        f"[core]\n\tfsmonitor = {trap.program}\n\tpager = {trap.program}\n"
    )
    repo.git("config", "include.path", str(included))
    repo.git("config", "includeIf.gitdir:/.path", str(included))
    await read_everything(repo.path, commit)
    assert not trap.mark.exists()


@pytest.fixture
def promised(repo, trap):
    """Make a partial clone; the remote that promises its missing file is a command."""
    commit = repo.commit(
        {"main.go": "package main\n", "cart/cart.go": "package cart\n"}
    )
    repo.git("repack", "-adq")
    (pack,) = (repo.path / ".git/objects/pack").glob("*.pack")
    pack.with_suffix(".promisor").touch()
    # The tree is in a promisor's pack, the blob is taken away: git would fetch it.
    listed = repo.git("ls-tree", "-r", "HEAD", "cart").split()[2]
    others = repo.git("rev-list", "--objects", "--no-object-names", "--all").split()
    kept = "\n".join(one for one in others if one != listed) + "\n"
    repo.git("pack-objects", "-q", ".git/objects/pack/pack", data=kept.encode())
    for path in pack.parent.glob(f"{pack.stem}.*"):
        path.unlink()
    for path in pack.parent.glob("*.pack"):
        path.with_suffix(".promisor").touch()
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.partialClone", "origin")
    repo.git("config", "remote.origin.url", f"ext::{trap.program} %S")
    repo.git("config", "remote.origin.promisor", "true")
    repo.git("config", "remote.origin.uploadpack", trap.program)
    repo.git("config", "protocol.ext.allow", "always")
    return commit, listed


def test_the_trap_works(repo, promised, trap):
    """Plain git springs the trap on a mere look-up, so the next tests prove something."""
    _, missing = promised
    subprocess.run(
        ["git", "cat-file", "-e", missing],
        cwd=repo.path,
        capture_output=True,
        check=False,
    )
    assert trap.mark.exists()


@pytest.mark.usefixtures("planted")
def test_the_planted_commands_work(repo, trap):
    """Plain git runs what was planted, too."""
    subprocess.run(["git", "status"], cwd=repo.path, capture_output=True, check=False)
    assert trap.mark.exists()


@pytest.mark.parametrize(
    "url", ["ext::{trap} %S", "{trap}", "ssh://host/x", "file://{trap}"]
)
async def test_promisor_remote(repo, promised, trap, url):
    """A missing object is named and nothing is run or asked to fetch it."""
    commit, _ = promised
    repo.git("config", "remote.origin.url", url.format(trap=trap.program))
    repo.git("config", "core.sshCommand", trap.program)
    await read_promised(repo.path, commit)
    assert not trap.mark.exists()


async def read_promised(path: Path, commit: str) -> None:
    """Look for the promised file in every way."""
    source = GitSource(path)
    try:
        package = await source.package(commit, "cart")
        assert [problem.split()[0] for problem in package.problems] == ["cart.go"]
        with pytest.raises(SourceError):
            await source.read(commit, "cart/cart.go")
        assert (await source.package(commit, "")).files
    finally:
        await source.close()


async def test_inherited_variables(repo, planted, trap, new_repo, monkeypatch):
    """Variables of the caller's lead git neither elsewhere nor to a command."""
    other = new_repo("other")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.path))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", trap.program)
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trap.mark))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", trap.program)
    monkeypatch.setenv("GIT_PAGER", trap.program)
    assert (await find_repository(repo.path)).top == repo.path
    await read_everything(repo.path, planted)
    assert not trap.mark.exists()


async def test_configuration_that_blocks(repo, tmp_path):
    """A configuration that includes a pipe nobody writes to is given up in time."""
    commit = repo.commit({"x.go": "package x\n"})
    os.mkfifo(tmp_path / "pipe")
    repo.git("config", "include.path", str(tmp_path / "pipe"))
    source = GitSource(repo.path, timeout=0.3)
    with pytest.raises(SourceTimeout):
        await source.paths(commit)
    await source.close()
    with pytest.raises(SourceTimeout, match=r"rev-parse took over 0\.3 s"):
        await run_git(repo.path, "rev-parse", "HEAD", seconds=0.3)


def test_environment(monkeypatch):
    """Git gets three variables of the caller's and six of ours."""
    monkeypatch.setenv("GIT_SSH_COMMAND", "x")
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/config")
    assert set(git_env()) == {
        "PATH",
        "HOME",
        "XDG_CONFIG_HOME",
        "GIT_ALLOW_PROTOCOL",
        "GIT_NO_LAZY_FETCH",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_TERMINAL_PROMPT",
        "GIT_OPTIONAL_LOCKS",
        "LC_ALL",
    }
    assert git_env()["GIT_ALLOW_PROTOCOL"] == ""


async def test_replaced_objects(repo):
    """A replacement does not stand in for the commit that crashed."""
    real = repo.commit({"x.go": "package x // real\n"})
    false = repo.commit({"x.go": "package x // false\n"})
    repo.git("replace", real, false)
    source = GitSource(repo.path)
    assert await source.read(real, "x.go") == b"package x // real\n"
    await source.close()
