from pathlib import Path

import pytest

from triage.core.model import SourceFile, Unread
from triage.errors import (
    FileMissing,
    SourceError,
)
from triage.sources import limits

SHOP = {
    "go.mod": "module example.com/shop\n",
    "main.go": "package main\n",
    "README.md": "# Shop\n",
    "cart/cart.go": "package cart\n",
    "cart/cart_test.go": "package cart\n",
    "cart/testdata/in.txt": "1\n",
    "node_modules/x/x.go": "package x\n",
}


class TestPackage:
    """The Go files of one directory."""

    async def test_files(self, repo, opened):
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

    async def test_root(self, repo, opened):
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
    async def test_no_package(self, repo, directory, why, opened):
        """A directory without Go files is missing, and the message says why."""
        commit = repo.commit(SHOP)
        async with opened(repo.path) as source:
            with pytest.raises(FileMissing, match=why):
                await source.package(commit, directory)

    async def test_links_inside(self, repo, opened):
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

    async def test_links_outside(self, repo, opened):
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

    async def test_submodule(self, repo, opened):
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

    async def test_lfs_pointer(self, repo, opened):
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

    async def test_limits(self, repo, monkeypatch, opened):
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

    async def test_bare_and_packed(self, repo, new_repo, tmp_path, opened):
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

    async def test_worktree_and_alternates(self, repo, tmp_path, opened):
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

    async def test_sha256(self, new_repo, opened):
        """Repositories of longer ids are read the same."""
        repo = new_repo("long", "--object-format=sha256")
        commit = repo.commit(SHOP)
        async with opened(repo.path) as source:
            assert len(await source.resolve("HEAD")) == 64
            assert "cart/cart.go" in await source.paths(commit)
            assert len((await source.package(commit, "cart")).files) == 2

    async def test_commits_made_later(self, repo, opened):
        """A commit that came after the source was opened is seen."""
        repo.commit({"a.go": "package a\n"})
        async with opened(repo.path) as source:
            first = await source.resolve(None)
            later = repo.commit({"b.go": "package a\n"})
            repo.git("gc", "--quiet", "--prune=now")
            assert await source.resolve(None) == later != first
            assert await source.paths(later) == ("a.go", "b.go")

    async def test_partial_clone(self, repo, opened):
        """Objects that a partial clone lacks are named, never fetched."""
        commit = repo.commit(SHOP)
        async with opened(_clone_without_blobs(repo)) as source:
            package = await source.package(commit, "cart")
            with pytest.raises(FileMissing, match="git fetch --refetch"):
                await source.read(commit, "main.go")
        assert package.files == ()
        assert len(package.problems) == 2
        assert all("partial or damaged" in problem for problem in package.problems)

    async def test_partial_clone_of_much(self, repo, opened):
        """Git dies on each missing object; after some the whole call is given up."""
        commit = repo.commit({f"p/{n}.go": f"package p // {n}\n" for n in range(20)})
        async with opened(_clone_without_blobs(repo)) as source:
            with pytest.raises(SourceError, match=r"over 16 objects .* --refetch"):
                await source.package(commit, "p")

    async def test_missing_tree(self, repo, opened):
        """A tree that is gone is an error that names it."""
        commit = repo.commit(SHOP)
        tree = repo.git("rev-parse", "HEAD:cart")
        (repo.path / ".git/objects" / tree[:2] / tree[2:]).unlink()
        async with opened(repo.path) as source:
            with pytest.raises(SourceError, match=f"tree {tree} is not among"):
                await source.package(commit, "cart")


def _clone_without_blobs(repo) -> Path:
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = Path(f"{repo.path}-partial")
    url = f"file://{repo.path}"
    repo.git("clone", "--quiet", "--bare", "--filter=blob:none", url, str(clone))
    return clone


async def test_links_and_modules(repo, opened):
    """Below what leads out there is no module; a link of its own is told, lost or out."""
    repo.write({"p/x.go": "package p\n", "real.mod": "module real\n"})
    for link, target in (
        ("out", "../elsewhere"),
        ("p/go.mod", "../../go.mod"),
        ("go.work", "lost"),
        ("q/go.mod", "../real.mod"),
        ("p/lost.go", "lost"),
    ):
        (repo.path / link).parent.mkdir(exist_ok=True)
        (repo.path / link).symlink_to(target)
    commit = repo.commit()
    oid = repo.git("rev-parse", "HEAD:go.work")
    (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    async with opened(repo.path) as source:
        packages, modules = await source.probe(commit, ["p", "q", "out"])
        with pytest.raises(FileMissing, match="leads out"):
            await source.package(commit, "out")
    assert list(packages) == ["p"]
    assert (packages["p"].unread, packages["p"].passing) == (("lost.go",), True)
    lost = modules.pop("go.work")
    assert isinstance(lost, Unread)
    assert lost.passing
    assert "git fetch --refetch" in lost.reason
    assert modules == {
        "p/go.mod": Unread("is a link that leads out of the repository"),
        "q/go.mod": b"module real\n",
    }
