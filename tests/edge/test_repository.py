import os
import re
import shlex
import shutil

import pytest

from triage.errors import RepoMissing, SourceError
from triage.sources.repository import RepositoryPlace, find_repository


async def test_top_and_below(repo, monkeypatch):
    """The work tree's top is found from any directory in it, relative ones too."""
    repo.commit({"services/api/main.go": "package main\n"})
    place = await find_repository(repo.path)
    assert place == RepositoryPlace(repo.path, "", has_commits=True, has_files=True)
    below = await find_repository(repo.path / "services/api")
    assert (below.top, below.subdirectory) == (repo.path, "services/api")
    monkeypatch.chdir(repo.path / "services")
    assert await find_repository(".") == RepositoryPlace(
        repo.path, "services", has_commits=True, has_files=True
    )


async def test_home(repo, monkeypatch):
    """`~` is the user's home."""
    monkeypatch.setenv("HOME", str(repo.path.parent))
    assert (await find_repository("~/repo")).top == repo.path


async def test_through_a_link(repo, tmp_path):
    """A link to a directory of the repository counts as that directory."""
    repo.commit({"a/x.go": "package a\n"})
    (tmp_path / "link").symlink_to(repo.path / "a")
    place = await find_repository(tmp_path / "link")
    assert (place.top, place.subdirectory) == (repo.path, "a")


@pytest.mark.parametrize("name", ["a b", "ü", "x\ny"])
async def test_odd_directory_names(repo, name):
    """A directory's name may hold anything that the system allows."""
    repo.commit({f"{name}/x.go": "package a\n"})
    place = await find_repository(repo.path / name)
    assert (place.top, place.subdirectory) == (repo.path, name)


async def test_bare(new_repo):
    """A bare repository has commits and no files."""
    bare = new_repo("bare.git", "--bare")
    assert await find_repository(bare.path) == RepositoryPlace(
        bare.path, "", has_commits=True, has_files=False
    )


async def test_git_directory(repo):
    """The `.git` directory itself is read for its commits."""
    place = await find_repository(repo.path / ".git")
    assert (place.has_commits, place.has_files) == (True, False)


async def test_linked_worktree_and_submodule(repo, tmp_path):
    """Where `.git` is a file the work tree is as good as any other."""
    repo.commit({"a/x.go": "package a\n"})
    repo.git("worktree", "add", "--quiet", str(tmp_path / "tree"))
    repo.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        f"file://{repo.path}",
        "sub",
    )
    tree = await find_repository(tmp_path / "tree" / "a")
    assert (tree.top, tree.subdirectory) == (tmp_path / "tree", "a")
    sub = await find_repository(repo.path / "sub/a")
    assert (sub.top, sub.subdirectory) == (repo.path / "sub", "a")


async def test_plain_directory(tmp_path):
    """Without git the files alone are read."""
    (tmp_path / "x.go").write_text("package x\n")
    assert await find_repository(tmp_path) == RepositoryPlace(
        tmp_path, "", has_commits=False, has_files=True
    )


async def test_plain_module(tmp_path):
    """Without git the module's or the workspace's directory is the top."""
    below = tmp_path / "work/shop/cart"
    below.mkdir(parents=True)
    (tmp_path / "work/shop/go.mod").write_text("module x\n")
    place = await find_repository(below)
    assert (place.top, place.subdirectory) == (tmp_path / "work/shop", "cart")
    (tmp_path / "work/go.work").write_text("use ./shop\n")
    place = await find_repository(below)
    assert (place.top, place.subdirectory) == (tmp_path / "work", "shop/cart")


@pytest.mark.parametrize(
    "name", ["gone", "a.txt", "nul\0", "~nobody-of-that-name", "x" * 5_000]
)
async def test_no_directory(tmp_path, name):
    """What is no directory is said to be none, in one line."""
    (tmp_path / "a.txt").write_text("")
    named = name if name.startswith("~") else f"{tmp_path}/{name}"
    with pytest.raises(RepoMissing, match="is no directory") as caught:
        await find_repository(named)
    assert str(caught.value).isprintable()


async def test_nothing_there(tmp_path):
    """A directory with neither git nor Go is no repository."""
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/x.go").write_text("package x\n")
    with pytest.raises(RepoMissing, match="no git repository and holds no Go file"):
        await find_repository(tmp_path)


async def test_nothing_in_much(tmp_path, monkeypatch):
    """The search for a Go file ends, however large the directory is."""
    monkeypatch.setattr("triage.sources.repository._LOOKED_AT", 10)
    for n in range(20):
        (tmp_path / f"{n}/a").mkdir(parents=True)
        (tmp_path / f"{n}/a/b.txt").write_text("")
    (tmp_path / "19/a/b").mkdir()
    (tmp_path / "19/a/b/c.go").write_text("")
    with pytest.raises(RepoMissing):
        await find_repository(tmp_path)


async def test_dubious_ownership(repo, tmp_path, monkeypatch):
    """Where git mistrusts the owner, the error is the cure."""
    real = shutil.which("git")
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    # Git's own tests make it believe so; the repository is this user's in truth.
    program.write_text(
        f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {real} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    with pytest.raises(SourceError) as caught:
        await find_repository(repo.path)
    cure = f"git config --global --add safe.directory {repo.path}"
    assert cure in str(caught.value)
    odd = repo.path.rename(tmp_path / "d'; touch x; '")
    with pytest.raises(SourceError) as caught:
        await find_repository(odd)
    assert shlex.split(str(caught.value).partition("run: ")[2])[-1] == str(odd)
    odd.rename(repo.path)
    repo.git("config", "--global", "--add", "safe.directory", str(repo.path))
    assert (await find_repository(repo.path)).top == repo.path


async def test_bare_only_when_asked(new_repo):
    """A user who forbids bare repositories is told how to allow them."""
    bare = new_repo("bare.git", "--bare")
    bare.git("config", "--global", "safe.bareRepository", "explicit")
    with pytest.raises(SourceError, match=r"safe\.bareRepository all"):
        await find_repository(bare.path)


async def test_broken_configuration(repo):
    """A configuration that git cannot read is an error with git's words."""
    (repo.path / ".git/config").write_text("[core\n")
    with pytest.raises(SourceError, match=r"git cannot read .* bad config"):
        await find_repository(repo.path)


async def test_worktree_elsewhere(repo, tmp_path):
    """A configured work tree above or beside the repository is not gone into."""
    repo.commit({"x.go": "package x\n"})
    (tmp_path / "other").mkdir()
    for elsewhere in (tmp_path, tmp_path / "other"):
        repo.git("config", "core.worktree", str(elsewhere))
        place = await find_repository(repo.path)
        assert (place.top, place.has_files) == (repo.path, False)


@pytest.mark.parametrize("mode", [0o000, 0o300, 0o600])
async def test_directory_that_may_not_be_read(unprivileged, mode):
    """A directory that may not be looked into is not said to be empty."""
    directory = unprivileged / "shop"
    directory.mkdir()
    directory.chmod(mode)
    with pytest.raises(SourceError) as caught:
        await find_repository(directory)
    directory.chmod(0o700)
    assert type(caught.value) is SourceError
    assert re.search("may not be read; ask|Permission denied", str(caught.value))


async def test_directory_below_one_that_may_not_be_entered(unprivileged):
    """Nor is one missing that lies where nobody may look."""
    (unprivileged / "shut" / "shop").mkdir(parents=True)
    (unprivileged / "shut").chmod(0)
    with pytest.raises(SourceError, match="may not be read; ask for the right"):
        await find_repository(unprivileged / "shut" / "shop")
    (unprivileged / "shut").chmod(0o700)


async def test_hidden_directory_of_a_plain_module(tmp_path):
    """The dot of a directory's name is a part of it."""
    (tmp_path / "go.mod").write_text("module x\n")
    (tmp_path / ".hid").mkdir()
    place = await find_repository(tmp_path / ".hid")
    assert (place.top, place.subdirectory) == (tmp_path, ".hid")
    assert (await find_repository(tmp_path)).subdirectory == ""


async def test_a_git_that_says_nothing(tmp_path, monkeypatch):
    """A program called git that ends well and silently is no git."""
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    with pytest.raises(SourceError, match="did not answer as git does"):
        await find_repository(tmp_path)
