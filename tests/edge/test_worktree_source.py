import os
import socket
from collections.abc import Mapping
from pathlib import Path

import pytest

from triage.core.model import SourceFile, Unread
from triage.errors import (
    BadInput,
    FileMissing,
    FileUnreadable,
    RepoMissing,
    SourceError,
    TooLarge,
)
from triage.sources import limits
from triage.sources.git import GitSource
from triage.sources.worktree import WorktreeSource, blob_id


@pytest.fixture
def root(tmp_path):
    """Make the directory that is read; beside it lies what may not be."""
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.go").write_text("package secret\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/o.go").write_text("package outside\n")
    return root


@pytest.fixture
def source(root):
    """Open a source on the directory."""
    return WorktreeSource(root)


def fill(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below *root*."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


async def test_resolve(source):
    """A work tree has no commit: none is taken, none is given."""
    assert await source.resolve(None) is None
    for ask in (source.resolve("HEAD"), source.paths("HEAD"), source.read("x", "x.go")):
        with pytest.raises(BadInput, match="have no commit"):
            await ask


async def test_paths(root, source):
    """Go files and module files are listed, sorted; git's and npm's are not."""
    listed = [
        "_x/a.go",
        ".ci/c.go",
        "a b/ü.go",
        "go.mod",
        "go.work",
        "p/testdata/t.go",
        "vendor/y/y.go",
    ]
    passed = [
        ".git/hooks/h.go",
        "node_modules/n.go",
        "p/x.txt",
        "p/go.sum",
        "bad\x07.go",
    ]
    fill(root, dict.fromkeys([*listed, *passed], "package x\n"))
    (root / "dir.go").mkdir()
    (root / os.fsdecode(b"b\xff.go")).write_text("package b\n")
    assert await source.paths(None) == tuple(sorted(listed))


async def test_paths_and_links(root, source):
    """A link to a file is listed, a link to a directory is not gone into."""
    fill(root, {"p/x.go": "package p\n"})
    (root / "p/link.go").symlink_to("x.go")
    (root / "up").symlink_to("..")
    (root / "p/round").symlink_to("../p")
    assert await source.paths(None) == ("p/link.go", "p/x.go")


async def test_paths_of_closed_directory(root, source, monkeypatch):
    """A directory that may not be read has nothing to show; the others do."""
    fill(root, {"p/x.go": "package p\n", "q/y.go": "package q\n"})
    scan = os.scandir

    def closed(path):
        if path.endswith("/p/"):
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", closed)
    assert await source.paths(None) == ("q/y.go",)


async def test_directory_that_went(tmp_path):
    """A root that is not there any more is a missing repository."""
    with pytest.raises(RepoMissing):
        await WorktreeSource(tmp_path / "gone").paths(None)


async def test_read(root, source):
    """A file comes as it is now, byte by byte."""
    data = b"\xef\xbb\xbfpackage a\r\n// \xff\x00\n"
    fill(root, {"a/x.go": data})
    assert await source.read(None, "a/x.go") == data
    fill(root, {"a/x.go": "package changed\n"})
    assert await source.read(None, "a/x.go") == b"package changed\n"


@pytest.mark.parametrize("path", ["b.go", "b/c.go", "a/x.go/y"])
async def test_read_missing(root, source, path):
    """What is not there is None."""
    fill(root, {"a/x.go": "package a\n"})
    assert await source.read(None, path) is None


@pytest.mark.parametrize(
    "path",
    [
        "../secret.go",
        "a/../../secret.go",
        "/etc/passwd",
        "a//x.go",
        "./x.go",
        "a\0.go",
        "a\n",
    ],
)
async def test_refused_paths(source, path):
    """Paths that are no plain ones are refused in one line, before the disk is asked."""
    for ask in (source.read(None, path), source.package(None, path)):
        with pytest.raises(BadInput) as caught:
            await ask
        assert str(caught.value).isprintable()


async def test_links_inside(root, source):
    """Links to files and directories below the root are followed, absolute ones too."""
    fill(root, {"real/x.go": "package x\n"})
    (root / "alias").symlink_to(root / "real")
    (root / "real/y.go").symlink_to("../alias/x.go")
    package = await source.package(None, "alias")
    assert [(file.name, file.data) for file in package.files] == [
        ("x.go", b"package x\n"),
        ("y.go", b"package x\n"),
    ]
    assert await source.read(None, "alias/y.go") == b"package x\n"


async def test_links_outside(root, source, tmp_path):
    """Links that lead out are named and not followed."""
    fill(root, {"p/x.go": "package p\n"})
    (root / "p/a.go").symlink_to("../../secret.go")
    (root / "p/b.go").symlink_to(tmp_path / "secret.go")
    (root / "p/c.go").symlink_to("c.go")
    (root / "p/d.go").symlink_to("nothing.go")
    (root / "out").symlink_to("../outside")
    package = await source.package(None, "p")
    assert [file.name for file in package.files] == ["x.go"]
    assert [problem.split()[0] for problem in package.problems] == [
        "a.go",
        "b.go",
        "c.go",
        "d.go",
    ]
    with pytest.raises(FileMissing, match="leads out"):
        await source.read(None, "p/a.go")
    for ask in (source.read(None, "out/o.go"), source.package(None, "out")):
        with pytest.raises(FileMissing, match="leads out"):
            await ask


async def test_link_put_in_between(root, source, monkeypatch):
    """A link that takes a directory's place after the check is not followed."""
    fill(root, {"p/o.go": "package p\n"})
    real = os.path.realpath

    def swap(path, **options):
        found = real(path, **options)
        if (root / "p").is_dir() and not (root / "p").is_symlink():
            (root / "p/o.go").unlink()
            (root / "p").rmdir()
            (root / "p").symlink_to("../outside")
        return found

    monkeypatch.setattr(os.path, "realpath", swap)
    assert await source.read(None, "p/o.go") is None
    assert (root / "p/o.go").read_text() == "package outside\n"


async def test_what_is_no_file(root, source, monkeypatch):
    """Pipes, sockets and directories with a Go name neither block nor count."""
    fill(root, {"p/x.go": "package p\n"})
    os.mkfifo(root / "p/pipe.go")
    (root / "p/dir.go").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        # A socket's path must be short.
        monkeypatch.chdir(root / "p")
        server.bind("sock.go")
        package = await source.package(None, "p")
    assert [file.name for file in package.files] == ["x.go"]
    assert [problem.split()[0] for problem in package.problems] == [
        "dir.go",
        "pipe.go",
        "sock.go",
    ]
    with pytest.raises(FileMissing, match="is no regular file"):
        await source.read(None, "p/pipe.go")
    with pytest.raises(SourceError, match=r"`p/sock\.go` cannot be read"):
        await source.read(None, "p/sock.go")


async def test_git_directory(root, source):
    """Git's own files are not the repository's."""
    fill(root, {".git/hooks/x.go": "package x\n", "x.go": "package x\n"})
    with pytest.raises(FileMissing, match="is git's own"):
        await source.read(None, ".git/hooks/x.go")


async def test_package_is_as_in_git(repo):
    """The same files, names and ids come as from the commit of the same tree."""
    commit = repo.commit(
        {"p/b.go": "package p\n", "p/a_test.go": b"package p\r\n\xff", "p/x.txt": ""}
    )
    git = GitSource(repo.path)
    committed = await git.package(commit, "p")
    await git.close()
    assert await WorktreeSource(repo.path).package(None, "p") == committed


def test_blob_id():
    """The id of a file without content is git's well-known one."""
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


async def test_root_package(root, source):
    """The empty directory is the root."""
    fill(root, {"main.go": "package main\n"})
    files = (SourceFile("main.go", blob_id(b"package main\n"), b"package main\n"),)
    assert (await source.package(None, "")).files == files


@pytest.mark.parametrize(
    ("directory", "why"),
    [
        ("gone", "cannot be read: No such file"),
        ("p/x.txt", "cannot be read: Not a directory"),
        ("p", "no Go file in `p`"),
    ],
)
async def test_no_package(root, source, directory, why):
    """A directory without Go files is missing, and the message says why."""
    fill(root, {"p/x.txt": ""})
    with pytest.raises(FileMissing, match=why):
        await source.package(None, directory)


async def test_lfs_pointer(root, source):
    """A pointer of Git LFS is no source: it is named."""
    fill(
        root, {"p/big.go": "version https://git-lfs.github.com/spec/v1\noid sha256:0\n"}
    )
    package = await source.package(None, "p")
    assert package.files == ()
    assert package.problems == ("big.go is kept by Git LFS, not by git",)


async def test_limits(root, source, monkeypatch):
    """Over a limit the crash file stays, the first others too, the rest is named."""
    monkeypatch.setattr(limits, "MAX_FILES", 3)
    monkeypatch.setattr(limits, "MAX_FILE", 100)
    fill(root, {f"p/{n}.go": "x" * 40 for n in range(6)} | {"p/big.go": "x" * 101})
    package = await source.package(None, "p", first="5.go")
    assert [file.name for file in package.files] == ["0.go", "1.go", "5.go"]
    assert [problem.split()[0] for problem in package.problems] == ["big.go", "2.go"]


async def test_size_limit_of_a_package(root, source, monkeypatch):
    """Bytes count as files do; a smaller file that still fits is taken."""
    monkeypatch.setattr(limits, "MAX_PACKAGE", 100)
    fill(root, {"p/a.go": "x" * 60, "p/b.go": "x" * 60, "p/c.go": "x" * 30})
    package = await source.package(None, "p")
    assert [file.name for file in package.files] == ["a.go", "c.go"]
    assert package.problems == (
        "b.go left out: a package may have 2000 files and 0 MiB",
    )


async def test_too_large(root, source, monkeypatch):
    """A single file over the limit is refused."""
    monkeypatch.setattr("triage.sources.worktree.MAX_FILE", 10)
    fill(root, {"x.go": "x" * 11})
    with pytest.raises(TooLarge, match=r"`x\.go` is over"):
        await source.read(None, "x.go")


async def test_close(source):
    """Closing does nothing, twice."""
    await source.close()
    await source.close()
    assert await source.resolve(None) is None


async def test_how_much_is_listed(root, source, monkeypatch):
    """Too many directories or too long paths in all are an error, found on the way."""
    fill(root, {f"d{n}/x.go": "package d\n" for n in range(9)})
    monkeypatch.setattr(limits, "MAX_DIRECTORIES", 8)
    with pytest.raises(SourceError, match="over 8 directories"):
        await source.paths(None)
    monkeypatch.setattr(limits, "MAX_DIRECTORIES", 9)
    monkeypatch.setattr(limits, "MAX_PATH_BYTES", 50)
    with pytest.raises(SourceError, match="paths take over"):
        await source.paths(None)


async def test_how_deep_is_listed(root, source):
    """Directories deeper than any path that is taken are passed over."""
    fill(root, {"a/" * 250 + "x.go": "package a\n", "a/" * 300 + "x.go": ""})
    assert await source.paths(None) == ("a/" * 250 + "x.go",)


async def test_a_damaged_repository_is_not_called_plain(root, source):
    """With a `.git` that git does not take, a commit's error says so."""
    fill(root, {".git/HEAD": "garbage"})
    with pytest.raises(SourceError, match="HEAD or its refs are damaged"):
        await source.resolve("HEAD")


async def test_what_may_not_be_read(unprivileged):
    """A file and a directory without the right to read them are there all the same."""
    fill(
        unprivileged,
        {"p/a.go": "package p\n", "p/b.go": "", "q/c.go": "", "go.mod": ""},
    )
    for name in ("p/a.go", "q", "go.mod"):
        (unprivileged / name).chmod(0)
    source = WorktreeSource(unprivileged)
    packages, modules = await source.probe(None, ["p", "q"])
    denied = "cannot be read: Permission denied"
    assert modules == {"go.mod": Unread(denied, passing=True)}
    assert packages["p"].unread == ("a.go",)
    assert packages["p"].problems == (f"a.go {denied}",)
    assert [file.name for file in packages["p"].files] == ["b.go"]
    assert (packages["q"].files, packages["q"].unread) == ((), ())
    assert packages["q"].problems == (f"`q` {denied}",)
    with pytest.raises(FileUnreadable, match=denied):
        await source.read(None, "q/c.go")
    (unprivileged / "q").chmod(0o700)


async def test_links_of_directories_hide_no_modules(root, source):
    """Where a directory leads out nobody asks for its go.mod; one alone is told."""
    fill(root, {"p/a.go": "package p\n"})
    (root / "out").symlink_to("../outside")
    (root / "p/go.mod").symlink_to("../../secret.go")
    (root / "p/go.work").mkdir()
    packages, modules = await source.probe(None, ["p", "out"])
    assert list(packages) == ["p"]
    assert modules == {"p/go.mod": Unread("is a link that leads out of the repository")}
