import asyncio
import hashlib
import os
import shutil
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from triage.core.model import Package, SourceFile
from triage.errors import (
    BadInput,
    CommitMissing,
    FileMissing,
    SourceError,
    SourceTimeout,
    TooLarge,
)
from triage.sources import limits
from triage.sources.git import GitSource

SHOP = {
    "go.mod": "module example.com/shop\n",
    "main.go": "package main\n",
    "README.md": "# Shop\n",
    "cart/cart.go": "package cart\n",
    "cart/cart_test.go": "package cart\n",
    "cart/testdata/in.txt": "1\n",
    "node_modules/x/x.go": "package x\n",
}


@asynccontextmanager
async def opened(path, **options):
    """Open a source and give it back."""
    source = GitSource(Path(path), **options)
    try:
        yield source
    finally:
        await source.close()


class TestResolve:
    """From any name to a commit id."""

    async def test_names(self, repo):
        """Full and short ids, branches, tags of both kinds and HEAD are understood."""
        first = repo.commit({"a.go": "package a\n"})
        repo.git("tag", "light")
        repo.git("tag", "--annotate", "--message", "one", "v1.0.0")
        second = repo.commit({"b.go": "package a\n"})
        repo.git("branch", "fix/ä-1")
        async with opened(repo.path) as source:
            for name in (first, first[:7], first.upper(), "light", "v1.0.0", "HEAD~1"):
                assert await source.resolve(name) == first
            for name in (None, "HEAD", "main", "refs/heads/main", "fix/ä-1"):
                assert await source.resolve(name) == second

    @pytest.mark.parametrize(
        "name",
        [
            "",
            "-h",
            "--all",
            "a b",
            "a\nb",
            "a\0b",
            "HEAD:cart/cart.go",
            ":/change",
            "main..v1",
            "HEAD@{1}",
            "@{upstream}",
            "^main",
            "/refs",
            "*",
            "x" * 300,
        ],
    )
    async def test_odd_names(self, repo, name):
        """What is an option, a range, a path or a search is refused unasked."""
        repo.commit()
        async with opened(repo.path) as source:
            with pytest.raises(BadInput, match="is no commit id, tag or branch"):
                await source.resolve(name)

    async def test_missing(self, repo):
        """A commit that is not there is named, with what to do."""
        repo.commit()
        async with opened(repo.path) as source:
            for name in ("0" * 40, "abcdef1", "gone"):
                with pytest.raises(CommitMissing, match=f"`{name}` .*git fetch --all"):
                    await source.resolve(name)

    async def test_ambiguous(self, repo):
        """A short id of several commits names them."""
        ids = _commits_with_one_prefix(repo, digits=4)
        async with opened(repo.path) as source:
            with pytest.raises(CommitMissing) as caught:
                await source.resolve(ids[0][:4])
        assert all(one in str(caught.value) for one in ids)

    async def test_other_object(self, repo):
        """The id of something else is said to be one."""
        repo.commit({"a.go": "package a\n"})
        async with opened(repo.path) as source:
            with pytest.raises(CommitMissing, match="names a tree, not a commit"):
                await source.resolve(repo.git("rev-parse", "HEAD^{tree}"))
            with pytest.raises(CommitMissing, match="names a blob"):
                await source.resolve(repo.git("rev-parse", "HEAD:a.go"))

    async def test_no_commit_yet(self, repo):
        """An empty repository is said to be empty."""
        async with opened(repo.path) as source:
            with pytest.raises(CommitMissing, match="no commit yet"):
                await source.resolve(None)

    async def test_shallow(self, repo, new_repo):
        """A commit beyond a shallow clone's end is said to be just that."""
        old = repo.commit({"a.go": "package a\n"})
        repo.commit({"b.go": "package a\n"})
        clone = new_repo("clone")
        url = f"file://{repo.path}"
        clone.git("fetch", "--quiet", "--depth=1", url, "main:old")
        async with opened(clone.path) as source:
            with pytest.raises(CommitMissing, match=r"shallow clone.*--unshallow"):
                await source.resolve(old)


class TestPaths:
    """The list of a commit's files."""

    async def test_listed(self, repo):
        """Go files and module files are listed, sorted, whatever directory is odd."""
        odd = (
            "_examples/e.go",
            ".ci/c.go",
            "vendor/x.org/y/y.go",
            "a b/ü.go",
            "go.work",
        )
        commit = repo.commit(SHOP | dict.fromkeys(odd, "package x\n"))
        listed = {name for name in SHOP if name.endswith((".go", "go.mod"))}
        async with opened(repo.path) as source:
            paths = await source.paths(commit)
        assert paths == tuple(sorted({*listed, *odd} - {"node_modules/x/x.go"}))

    async def test_by_commit(self, repo):
        """Each commit has its own list, and a list stays what it was."""
        first = repo.commit({"a/x.go": "package a\n", "b/y.go": "package b\n"})
        repo.git("rm", "--quiet", "a/x.go")
        second = repo.commit({"b/z.go": "package b\n"})
        async with opened(repo.path) as source:
            assert await source.paths(second) == ("b/y.go", "b/z.go")
            assert await source.paths(first) == ("a/x.go", "b/y.go")
            assert await source.paths(None) == ("b/y.go", "b/z.go")

    async def test_tree_that_is_not_kept(self, repo, monkeypatch):
        """A directory too large to be kept is read each time."""
        monkeypatch.setattr("triage.sources.gittrees._KEPT_ENTRIES", 3)
        commit = repo.commit({f"{n}.go": "package x\n" for n in range(5)})
        async with opened(repo.path) as source:
            assert len(await source.paths(commit)) == 5
            assert len((await source.package(commit, "")).files) == 5

    async def test_empty_commit(self, repo):
        """A commit without a file has an empty list."""
        commit = repo.commit()
        async with opened(repo.path) as source:
            assert await source.paths(commit) == ()

    async def test_names_that_cannot_be_shown(self, repo):
        """Names with control characters or broken UTF-8 are passed over."""
        blob = repo.git("hash-object", "-w", "--stdin", data=b"package a\n")
        names = (b"ok.go", b"a\x07.go", b"b\xff.go")
        entries = b"".join(b"100644 blob %s\t%s\0" % (blob.encode(), n) for n in names)
        tree = repo.git("mktree", "-z", data=entries)
        commit = repo.git("commit-tree", "-m", "odd", tree)
        async with opened(repo.path) as source:
            assert await source.paths(commit) == ("ok.go",)
            files = (await source.package(commit, "")).files
        assert [file.name for file in files] == ["ok.go"]

    async def test_hostile_tree(self, repo):
        """A tree with `..`, `.git` or a slash in a name leads nowhere."""
        blob = repo.git("hash-object", "-w", "--stdin", data=b"package a\n")
        raw = bytes.fromhex(blob)
        inner = _raw_tree(repo, b"100644 x.go\0" + raw)
        names = (b"..", b".", b".git", b"a/b", b"ok")
        entries = b"".join(b"40000 %s\0" % n + bytes.fromhex(inner) for n in names)
        commit = repo.git("commit-tree", "-m", "odd", _raw_tree(repo, entries))
        async with opened(repo.path) as source:
            assert await source.paths(commit) == ("ok/x.go",)

    async def test_tree_bomb(self, repo, monkeypatch):
        """A tree that holds itself a million times is given up, not walked."""
        monkeypatch.setattr("triage.sources.gittrees._MAX_TREES", 1_000)
        tree = repo.git("mktree", data=b"")
        for _ in range(8):
            tree = repo.git(
                "mktree",
                data=b"".join(
                    b"040000 tree %s\t%d\n" % (tree.encode(), n) for n in range(9)
                ),
            )
        commit = repo.git("commit-tree", "-m", "bomb", tree)
        async with opened(repo.path) as source:
            with pytest.raises(SourceError, match="over 1000 directories"):
                await source.paths(commit)


class TestRead:
    """Single files."""

    async def test_bytes(self, repo):
        """A file comes as committed, byte by byte, line ends and all."""
        data = b"\xef\xbb\xbfpackage a\r\n// \xff\x00\n"
        commit = repo.commit({"a/x.go": data, "go.mod": "module x\n"})
        repo.write({"a/x.go": "changed since\n"})
        async with opened(repo.path) as source:
            assert await source.read(commit, "a/x.go") == data
            assert await source.read(commit, "go.mod") == b"module x\n"

    @pytest.mark.parametrize(
        "path", ["b.go", "a", "a/x.go/y", "a/b/c.go", "", "A/x.go"]
    )
    async def test_missing(self, repo, path):
        """What is no file of the commit is None, a directory too."""
        commit = repo.commit({"a/x.go": "package a\n"})
        async with opened(repo.path) as source:
            assert await source.read(commit, path) is None

    @pytest.mark.parametrize(
        "path",
        ["../x.go", "a/../x.go", "/etc/passwd", "a//x.go", "./x.go", "a\0", "a\n.go"],
    )
    async def test_refused(self, repo, path):
        """Paths that are no plain ones are refused in one line."""
        commit = repo.commit({"a/x.go": "package a\n"})
        async with opened(repo.path) as source:
            for ask in (source.read, source.package):
                with pytest.raises(BadInput) as caught:
                    await ask(commit, path)
                assert str(caught.value).isprintable()

    async def test_unknown_commit(self, repo):
        """A full id that is no commit's is a missing commit on every way."""
        repo.commit()
        async with opened(repo.path) as source:
            for asked in (
                source.paths("1" * 40),
                source.read("1" * 40, "x.go"),
                source.package("1" * 40, ""),
            ):
                with pytest.raises(CommitMissing):
                    await asked

    async def test_too_large(self, repo, monkeypatch):
        """A file over the limit is refused, and the next answer is still right."""
        monkeypatch.setattr("triage.sources.git.MAX_FILE", 1_000)
        commit = repo.commit({"big.go": b"x" * 300_000, "small.go": b"package a\n"})
        async with opened(repo.path) as source:
            with pytest.raises(TooLarge, match=r"`big\.go` is over"):
                await source.read(commit, "big.go")
            assert await source.read(commit, "small.go") == b"package a\n"


class TestPackage:
    """The Go files of one directory."""

    async def test_files(self, repo):
        """All Go files come sorted, with git's ids, and nothing else."""
        commit = repo.commit(
            SHOP | {"cart/a.go": "package cart // a\n", "cart/a.s": ""}
        )
        async with opened(repo.path) as source:
            package = await source.package(commit, "cart")
        oid = repo.git("rev-parse", "HEAD:cart/a.go")
        assert package.files[0] == SourceFile("a.go", oid, b"package cart // a\n")
        assert [file.name for file in package.files] == [
            "a.go",
            "cart.go",
            "cart_test.go",
        ]
        assert (package.directory, package.problems) == ("cart", ())

    async def test_root(self, repo):
        """The empty directory is the root."""
        commit = repo.commit(SHOP)
        async with opened(repo.path) as source:
            package = await source.package(commit, "")
        assert [file.name for file in package.files] == ["main.go"]

    @pytest.mark.parametrize(
        ("directory", "why"),
        [
            ("gone", "is no directory"),
            ("cart/cart.go", "is no directory"),
            ("cart/testdata", "no Go file in `cart/testdata`"),
        ],
    )
    async def test_no_package(self, repo, directory, why):
        """A directory without Go files is missing, and the message says why."""
        commit = repo.commit(SHOP)
        async with opened(repo.path) as source:
            with pytest.raises(FileMissing, match=why):
                await source.package(commit, directory)

    async def test_links_inside(self, repo):
        """Links to files and directories of the commit are followed."""
        repo.write({"real/x.go": "package x\n", "real/deep/y.go": "package y\n"})
        for link, target in (
            ("linked.go", "real/x.go"),
            ("real/up.go", "../real/./deep/y.go"),
            ("alias", "real"),
            ("real/twice.go", "../linked.go"),
        ):
            (repo.path / link).symlink_to(target)
        commit = repo.commit()
        async with opened(repo.path) as source:
            package = await source.package(commit, "alias")
            assert await source.read(commit, "alias/deep/y.go") == b"package y\n"
            assert await source.read(commit, "linked.go") == b"package x\n"
            assert "linked.go" in await source.paths(commit)
        by_name = {file.name: file for file in package.files}
        assert by_name["up.go"].data == b"package y\n"
        assert by_name["twice.go"].oid == by_name["x.go"].oid
        assert package.problems == ()

    async def test_links_outside(self, repo):
        """Links that lead out, in a circle or into nothing are named, not followed."""
        repo.write({"a/x.go": "package a\n"})
        for link, target in (
            ("a/abs.go", "/etc/passwd"),
            ("a/out.go", "../../x.go"),
            ("a/loop.go", "loop.go"),
            ("a/gone.go", "nothing.go"),
            ("a/dir.go", "../a"),
        ):
            (repo.path / link).symlink_to(target)
        commit = repo.commit()
        async with opened(repo.path) as source:
            package = await source.package(commit, "a")
            with pytest.raises(FileMissing, match="leads out"):
                await source.read(commit, "a/out.go")
            with pytest.raises(FileMissing, match="circle"):
                await source.package(commit, "a/loop.go")
        assert [file.name for file in package.files] == ["x.go"]
        assert sorted(problem.split()[0] for problem in package.problems) == [
            "abs.go",
            "gone.go",
            "loop.go",
            "out.go",
        ]

    async def test_submodule(self, repo):
        """A directory in a submodule is said to be there."""
        inner = repo.commit({"x.go": "package x\n"})
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{inner},third/lib")
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{inner},odd.go")
        repo.git("commit", "--quiet", "--message", "submodules")
        commit = repo.git("rev-parse", "HEAD")
        async with opened(repo.path) as source:
            with pytest.raises(FileMissing, match="lies in a submodule"):
                await source.package(commit, "third/lib/sub")
            root = await source.package(commit, "")
            assert await source.paths(commit) == ("x.go",)
        assert [problem.split()[0] for problem in root.problems] == ["odd.go"]

    async def test_lfs_pointer(self, repo):
        """A pointer of Git LFS is no source: it is named."""
        pointer = (
            "version https://git-lfs.github.com/spec/v1\n"
            f"oid sha256:{'0' * 64}\nsize 12345\n"
        )
        commit = repo.commit({"a/x.go": "package a\n", "a/big.go": pointer})
        async with opened(repo.path) as source:
            package = await source.package(commit, "a")
            with pytest.raises(FileMissing, match="Git LFS"):
                await source.read(commit, "a/big.go")
        assert [file.name for file in package.files] == ["x.go"]
        assert package.problems == ("big.go is kept by Git LFS, not by git",)

    async def test_limits(self, repo, monkeypatch):
        """Over a limit the crash file stays, the first others too, the rest is named."""
        monkeypatch.setattr(limits, "MAX_FILES", 3)
        monkeypatch.setattr(limits, "MAX_FILE", 100)
        monkeypatch.setattr(limits, "MAX_PACKAGE", 150)
        files = {f"p/{n}.go": "x" * 40 for n in range(6)} | {"p/big.go": "x" * 101}
        commit = repo.commit(files)
        async with opened(repo.path) as source:
            package = await source.package(commit, "p", first="5.go")
            plain = await source.package(commit, "p")
        assert [file.name for file in package.files] == ["0.go", "1.go", "5.go"]
        assert [file.name for file in plain.files] == ["0.go", "1.go", "2.go"]
        assert [problem.split()[0] for problem in package.problems] == [
            "big.go",
            "2.go",
        ]
        assert "and 2 more files" in package.problems[1]


class TestRepositories:
    """Every form that a repository has on disk."""

    async def test_bare_and_packed(self, repo, new_repo, tmp_path):
        """A bare clone with packed refs and objects reads like any other."""
        commit = repo.commit(SHOP)
        repo.git(
            "clone", "--quiet", "--bare", str(repo.path), str(tmp_path / "bare.git")
        )
        bare = new_repo("other")
        bare.path = tmp_path / "bare.git"
        bare.git("gc", "--quiet")
        bare.git("pack-refs", "--all")
        async with opened(bare.path) as source:
            assert await source.resolve("main") == commit
            assert await source.read(commit, "cart/cart.go") == b"package cart\n"

    async def test_worktree_and_alternates(self, repo, tmp_path):
        """A linked work tree and a clone that borrows objects read their commits."""
        commit = repo.commit(SHOP)
        repo.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "tree"))
        shared = (
            "clone",
            "--quiet",
            "--shared",
            str(repo.path),
            str(tmp_path / "shared"),
        )
        repo.git(*shared)
        for name in ("tree", "shared"):
            async with opened(tmp_path / name) as source:
                assert await source.resolve(None) == commit
                assert len((await source.package(commit, "cart")).files) == 2

    async def test_sha256(self, new_repo):
        """Repositories of longer ids are read the same."""
        repo = new_repo("long", "--object-format=sha256")
        commit = repo.commit(SHOP)
        async with opened(repo.path) as source:
            assert len(await source.resolve("HEAD")) == 64
            assert "cart/cart.go" in await source.paths(commit)
            assert len((await source.package(commit, "cart")).files) == 2

    async def test_commits_made_later(self, repo):
        """A commit that came after the source was opened is seen."""
        repo.commit({"a.go": "package a\n"})
        async with opened(repo.path) as source:
            first = await source.resolve(None)
            later = repo.commit({"b.go": "package a\n"})
            repo.git("gc", "--quiet", "--prune=now")
            assert await source.resolve(None) == later != first
            assert await source.paths(later) == ("a.go", "b.go")

    async def test_partial_clone(self, repo):
        """Objects that a partial clone lacks are named, never fetched."""
        commit = repo.commit(SHOP)
        async with opened(_clone_without_blobs(repo)) as source:
            package = await source.package(commit, "cart")
            with pytest.raises(FileMissing, match="git fetch --refetch"):
                await source.read(commit, "main.go")
        assert package.files == ()
        assert len(package.problems) == 2
        assert all("partial or damaged" in problem for problem in package.problems)

    async def test_partial_clone_of_much(self, repo):
        """Git dies on each missing object; after some the whole call is given up."""
        commit = repo.commit({f"p/{n}.go": f"package p // {n}\n" for n in range(20)})
        async with opened(_clone_without_blobs(repo)) as source:
            with pytest.raises(SourceError, match=r"over 16 objects .* --refetch"):
                await source.package(commit, "p")

    async def test_missing_tree(self, repo):
        """A tree that is gone is an error that names it."""
        commit = repo.commit(SHOP)
        tree = repo.git("rev-parse", "HEAD:cart")
        (repo.path / ".git/objects" / tree[:2] / tree[2:]).unlink()
        async with opened(repo.path) as source:
            with pytest.raises(SourceError, match=f"tree {tree} is not among"):
                await source.package(commit, "cart")


class TestProcess:
    """The git process behind it all."""

    async def test_many_at_once(self, repo):
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

    async def test_killed_between(self, repo):
        """A git that was killed is replaced without anyone noticing."""
        commit = repo.commit(SHOP)
        async with opened(repo.path) as source:
            assert await source.read(commit, "go.mod")
            os.kill(_pid(source), signal.SIGKILL)
            assert await source.read(commit, "main.go") == b"package main\n"

    async def test_damaged_file_of_a_package(self, repo):
        """One damaged file is named, the package's others are read."""
        commit = repo.commit(SHOP | {"cart/cart.go": "package cart // damaged\n"})
        _damage(repo, "cart/cart.go")
        async with opened(repo.path) as source:
            package = await source.package(commit, "cart")
        assert [file.name for file in package.files] == ["cart_test.go"]
        assert [problem.split()[0] for problem in package.problems] == ["cart.go"]

    async def test_damaged_object(self, repo):
        """An object that git dies on fails its own question; others are answered."""
        commit = repo.commit(SHOP)
        _damage(repo, "main.go")
        async with opened(repo.path) as source:
            bad = asyncio.create_task(source.read(commit, "main.go"))
            assert len((await source.package(commit, "cart")).files) == 2
            with pytest.raises(FileMissing, match=r"`main\.go` .* damaged"):
                await bad

    async def test_file_damaged_at_its_end(self, repo):
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

    async def test_cancelled_call(self, repo):
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

    async def test_git_that_hangs(self, repo, fake_git):
        """A git that does not answer is given up in time, and so is closing it."""
        commit = repo.commit(SHOP)
        fake_git("import sys; sys.stdin.buffer.read(1); sys.stdin.buffer.read()")
        async with opened(repo.path, timeout=0.3) as source:
            with pytest.raises(SourceTimeout, match=r"within 0\.3 s"):
                await source.read(commit, "main.go")

    @pytest.mark.parametrize(
        "answer", ["no answer at all\n", "x" * 5_000, "0 blob -1\n0 blob 0\n\n\n"]
    )
    async def test_git_that_talks_nonsense(self, repo, fake_git, answer):
        """An answer that is none is an error, not a wait."""
        commit = repo.commit(SHOP)
        fake_git(
            f"import sys; sys.stdin.buffer.read(1); print({answer!r}, end='', flush=True);"
            " sys.stdin.buffer.read()"
        )
        async with opened(repo.path) as source:
            with pytest.raises(SourceError):
                await source.read(commit, "main.go")

    async def test_git_too_old(self, repo, fake_git):
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

    async def test_no_git(self, repo, monkeypatch, tmp_path):
        """Without git the error says what to install."""
        monkeypatch.setenv("PATH", str(tmp_path))
        async with opened(repo.path) as source:
            with pytest.raises(SourceError, match="install git"):
                await source.resolve("HEAD")

    async def test_git_that_cannot_start(self, repo, monkeypatch, tmp_path):
        """A git that is no program is an error in one line."""
        program = tmp_path / "git"
        program.write_bytes(b"\x7fELF is no program")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        async with opened(repo.path) as source:
            with pytest.raises(SourceError, match="git does not start"):
                await source.resolve("HEAD")

    async def test_directory_that_went(self, repo):
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


def _clone_without_blobs(repo) -> Path:
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = Path(f"{repo.path}-partial")
    url = f"file://{repo.path}"
    repo.git("clone", "--quiet", "--bare", "--filter=blob:none", url, str(clone))
    return clone


def _damage(repo, path: str) -> None:
    """Overwrite the object of a committed file."""
    oid = repo.git("rev-parse", f"HEAD:{path}")
    damaged = repo.path / ".git/objects" / oid[:2] / oid[2:]
    damaged.chmod(0o600)
    damaged.write_bytes(b"no zlib stream")


def _raw_tree(repo, data: bytes) -> str:
    """Write a tree object that git itself would not make."""
    write = ("hash-object", "-t", "tree", "-w", "--literally", "--stdin")
    return str(repo.git(*write, data=data))


def _commits_with_one_prefix(repo, *, digits: int) -> list[str]:
    """Make commits until two ids begin alike."""
    tree = repo.git("mktree", data=b"")
    seen: dict[str, str] = {}
    for number in range(5_000):
        body = (
            f"tree {tree}\nauthor T <t> 0 +0000\ncommitter T <t> 0 +0000\n\n{number}\n"
        )
        header = f"commit {len(body)}\0"
        oid = hashlib.sha1(
            f"{header}{body}".encode(), usedforsecurity=False
        ).hexdigest()
        if other := seen.get(oid[:digits]):
            return [_write_commit(repo, one) for one in (other, body)]
        seen[oid[:digits]] = body
    raise AssertionError("no two ids begin alike")


def _write_commit(repo, body: str) -> str:
    write = ("hash-object", "-t", "commit", "-w", "--stdin")
    return str(repo.git(*write, data=body.encode()))
