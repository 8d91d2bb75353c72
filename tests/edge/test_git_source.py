import asyncio
import hashlib
import tracemalloc

import pytest

from triage.core.model import Package
from triage.errors import (
    BadInput,
    CommitMissing,
    SourceError,
    TooLarge,
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


class TestResolve:
    """From any name to a commit id."""

    async def test_names(self, repo, opened):
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
    async def test_odd_names(self, repo, name, opened):
        """What is an option, a range, a path or a search is refused unasked."""
        repo.commit()
        async with opened(repo.path) as source:
            with pytest.raises(BadInput, match="is no commit id, tag or branch"):
                await source.resolve(name)

    async def test_missing(self, repo, opened):
        """A commit that is not there is named, with what to do."""
        repo.commit()
        async with opened(repo.path) as source:
            for name in ("0" * 40, "abcdef1", "gone"):
                with pytest.raises(CommitMissing, match=f"`{name}` .*git fetch --all"):
                    await source.resolve(name)

    async def test_ambiguous(self, repo, opened):
        """A short id of several commits names them."""
        ids = _commits_with_one_prefix(repo, digits=4)
        async with opened(repo.path) as source:
            with pytest.raises(CommitMissing) as caught:
                await source.resolve(ids[0][:4])
        assert all(one in str(caught.value) for one in ids)

    async def test_other_object(self, repo, opened):
        """The id of something else is said to be one."""
        repo.commit({"a.go": "package a\n"})
        async with opened(repo.path) as source:
            with pytest.raises(CommitMissing, match="names a tree, not a commit"):
                await source.resolve(repo.git("rev-parse", "HEAD^{tree}"))
            with pytest.raises(CommitMissing, match="names a blob"):
                await source.resolve(repo.git("rev-parse", "HEAD:a.go"))

    @pytest.mark.parametrize(
        ("lost", "said"),
        [
            ("HEAD", r"is [0-9a-f]{40}, which cannot be read.*git fsck"),
            ("HEAD^{tree}", r"has lost its root tree.*git fsck"),
        ],
    )
    async def test_lost_object(self, repo, opened, lost, said):
        """A repository that lost its commit or its root tree is said to be damaged."""
        commit = repo.commit({"a.go": "package a\n"})
        oid = repo.git("rev-parse", lost)
        (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
        async with opened(repo.path) as source:
            with pytest.raises(CommitMissing, match=said):
                await source.resolve("HEAD") and await source.paths(commit)

    async def test_no_commit_yet(self, repo, opened):
        """An empty repository is said to be empty."""
        async with opened(repo.path) as source:
            with pytest.raises(CommitMissing, match="no commit yet"):
                await source.resolve(None)

    @pytest.mark.parametrize("packed", [False, True])
    @pytest.mark.parametrize("refs", ["lost", "garbage"])
    async def test_lost_refs(self, repo, opened, refs, packed):
        """With commits and without a ref the repository is damaged, not empty."""
        commit = repo.commit({"a.go": "package a\n"})
        if packed:
            repo.git("gc", "--quiet")
            (repo.path / ".git/packed-refs").unlink()
        main = repo.path / ".git/refs/heads/main"
        main.parent.mkdir(exist_ok=True)
        main.write_text("garbage")
        if refs == "lost":
            main.unlink()
        async with opened(repo.path) as source:
            with pytest.raises(CommitMissing, match="git fsck --lost-found"):
                await source.resolve(None)
            assert await source.resolve(commit) == commit

    async def test_nothing_but_files_yet(self, repo, opened):
        """What is added and not committed makes no commit."""
        repo.write({"a.go": "package a\n"})
        repo.git("add", "a.go")
        async with opened(repo.path) as source:
            with pytest.raises(CommitMissing, match="no commit yet"):
                await source.resolve("HEAD")

    @pytest.mark.parametrize("name", ["HEAD", "main"])
    async def test_a_name_that_names_nothing(self, repo, opened, name):
        """A HEAD or a branch that leads nowhere is told from an empty repository."""
        repo.commit({"a.go": "package a\n"})
        repo.git("branch", "other")
        repo.git("symbolic-ref", "HEAD", "refs/heads/nosuch")
        repo.git("branch", "-D", "main")
        said = "HEAD names no commit" if name == "HEAD" else "`main` is not in the"
        async with opened(repo.path) as source:
            with pytest.raises(CommitMissing, match=said):
                await source.resolve(name)

    @pytest.mark.parametrize("damage", ["header", "middle", "short", "index"])
    async def test_corrupt_pack(self, repo, opened, damage):
        """Whatever of a pack is damaged, it is told with what to run."""
        files = {f"a/{n}.go": f"package a // {n}\n" for n in range(20)}
        commit = repo.commit({**files, "go.mod": "module a\n"})
        repo.git("gc", "--quiet")
        (pack,) = (repo.path / ".git/objects/pack").glob("*.pack")
        if damage == "index":
            pack = pack.with_suffix(".idx")
        pack.chmod(0o600)
        data = bytearray(pack.read_bytes())
        start = {"header": 0, "middle": 12, "index": 0}.get(damage, 30)
        data[start : start + 200] = b"garbage!" * 25
        pack.write_bytes(data[:40] if damage == "short" else data)
        async with opened(repo.path) as source:
            answers = await asyncio.gather(
                source.resolve("HEAD"),
                source.resolve(commit),
                source.paths(commit),
                source.probe(commit, ["a", "b", "c", "d", "e", "f"]),
                return_exceptions=True,
            )
        errors = [one for one in answers if isinstance(one, BaseException)]
        # What is damaged in the middle may be only what comes after the commit.
        assert len(errors) >= (2 if damage == "middle" else 4)
        for error in errors:
            assert isinstance(error, SourceError)
            assert "git f" in str(error)
            assert str(error).isprintable()

    @pytest.mark.parametrize("path", ["", "a"])
    @pytest.mark.parametrize("content", [None, b"garbage", b""])
    async def test_damaged_tree(self, repo, opened, path, content):
        """Many calls at once meet a lost or damaged tree, and each is told so."""
        commit = repo.commit({"a/a.go": "package a\n", "b/b.go": "package b\n"})
        oid = repo.git("rev-parse", f"HEAD:{path}")
        tree = repo.path / ".git/objects" / oid[:2] / oid[2:]
        tree.chmod(0o600)
        tree.unlink() if content is None else tree.write_bytes(content)
        async with opened(repo.path) as source:
            asked = [source.package(commit, "a") for _ in range(12)]
            asked += [source.package(commit, "b") for _ in range(12)]
            answers = await asyncio.gather(*asked, return_exceptions=True)
        whole = [one for one in answers if isinstance(one, Package)]
        errors = [str(one) for one in answers if isinstance(one, SourceError)]
        assert len(whole) == (12 if path else 0)
        assert len(errors) == 24 - len(whole)
        assert all("git f" in said for said in errors)

    async def test_shallow(self, repo, new_repo, opened):
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

    async def test_listed(self, repo, opened):
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

    async def test_by_commit(self, repo, opened):
        """Each commit has its own list, and a list stays what it was."""
        first = repo.commit({"a/x.go": "package a\n", "b/y.go": "package b\n"})
        repo.git("rm", "--quiet", "a/x.go")
        second = repo.commit({"b/z.go": "package b\n"})
        async with opened(repo.path) as source:
            assert await source.paths(second) == ("b/y.go", "b/z.go")
            assert await source.paths(first) == ("a/x.go", "b/y.go")
            assert await source.paths(None) == ("b/y.go", "b/z.go")

    async def test_tree_that_is_not_kept(self, repo, monkeypatch, opened):
        """A directory too large to be kept is read each time."""
        monkeypatch.setattr("triage.sources.gittrees._KEPT_ENTRIES", 3)
        commit = repo.commit({f"{n}.go": "package x\n" for n in range(5)})
        async with opened(repo.path) as source:
            assert len(await source.paths(commit)) == 5
            assert len((await source.package(commit, "")).files) == 5

    async def test_empty_commit(self, repo, opened):
        """A commit without a file has an empty list."""
        commit = repo.commit()
        async with opened(repo.path) as source:
            assert await source.paths(commit) == ()

    async def test_names_that_cannot_be_shown(self, repo, opened):
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

    async def test_hostile_tree(self, repo, opened):
        """A tree with `..`, `.git` or a slash in a name leads nowhere."""
        blob = repo.git("hash-object", "-w", "--stdin", data=b"package a\n")
        raw = bytes.fromhex(blob)
        inner = _raw_tree(repo, b"100644 x.go\0" + raw)
        names = (b"..", b".", b".git", b"a/b", b"ok")
        entries = b"".join(b"40000 %s\0" % n + bytes.fromhex(inner) for n in names)
        commit = repo.git("commit-tree", "-m", "odd", _raw_tree(repo, entries))
        async with opened(repo.path) as source:
            assert await source.paths(commit) == ("ok/x.go",)

    async def test_tree_bomb(self, repo, monkeypatch, opened):
        """A tree that holds itself a million times is given up, not walked."""
        monkeypatch.setattr("triage.sources.limits.MAX_DIRECTORIES", 1_000)
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

    @pytest.mark.parametrize("leaf", ["100644 blob", "040000 tree"])
    async def test_a_real_bomb(self, repo, opened, leaf):
        """Ten thousand directories of ten thousand names each are no list, at once."""
        kind = leaf.split()[1]
        what = ("hash-object", "-w", "--stdin") if kind == "blob" else ("mktree",)
        oid = repo.git(*what, data=b"")
        for mode in (leaf, "040000 tree", "040000 tree"):
            rows = "".join(f"{mode} {oid}\t{n}.go\n" for n in range(10_000))
            oid = repo.git("mktree", data=rows.encode())
        commit = repo.git("commit-tree", "-m", "bomb", oid)
        async with opened(repo.path) as source:
            tracemalloc.start()
            with pytest.raises(SourceError, match="too many to list"):
                await source.paths(commit)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        assert peak < 300 << 20

    @pytest.mark.parametrize(
        ("name", "there"), [("MAX_PATHS", 30), ("MAX_ENTRIES", 70)]
    )
    async def test_how_much_is_listed(self, repo, monkeypatch, opened, name, there):
        """Files and the entries of trees are counted, the next one is an error."""
        files = {f"d{n}/{m}.go": f"{n}" for n in range(10) for m in range(3)}
        texts = {f"d{n}/{m}.txt": f"{n}" for n in range(10) for m in range(3)}
        commit = repo.commit(files | texts)
        async with opened(repo.path) as source:
            monkeypatch.setattr(limits, name, there)
            assert len(await source.paths(commit)) == 30
        async with opened(repo.path) as source:
            monkeypatch.setattr(limits, name, there - 1)
            with pytest.raises(SourceError, match=f"over {there - 1} .* to list"):
                await source.paths(commit)


class TestRead:
    """Single files."""

    async def test_bytes(self, repo, opened):
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
    async def test_missing(self, repo, path, opened):
        """What is no file of the commit is None, a directory too."""
        commit = repo.commit({"a/x.go": "package a\n"})
        async with opened(repo.path) as source:
            assert await source.read(commit, path) is None

    @pytest.mark.parametrize(
        "path",
        ["../x.go", "a/../x.go", "/etc/passwd", "a//x.go", "./x.go", "a\0", "a\n.go"],
    )
    async def test_refused(self, repo, path, opened):
        """Paths that are no plain ones are refused in one line."""
        commit = repo.commit({"a/x.go": "package a\n"})
        async with opened(repo.path) as source:
            for ask in (source.read, source.package):
                with pytest.raises(BadInput) as caught:
                    await ask(commit, path)
                assert str(caught.value).isprintable()

    async def test_unknown_commit(self, repo, opened):
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

    async def test_too_large(self, repo, monkeypatch, opened):
        """A file over the limit is refused, and the next answer is still right."""
        monkeypatch.setattr("triage.sources.git.MAX_FILE", 1_000)
        commit = repo.commit({"big.go": b"x" * 300_000, "small.go": b"package a\n"})
        async with opened(repo.path) as source:
            with pytest.raises(TooLarge, match=r"`big\.go` is over"):
                await source.read(commit, "big.go")
            assert await source.read(commit, "small.go") == b"package a\n"


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


async def test_files_are_read_together(repo, opened):
    """Those that are not there are left out."""
    commit = repo.commit({"a/go.mod": "module a\n", "go.work": "use ./a\n"})
    async with opened(repo.path) as source:
        files = await source.read_all(commit, ["a/go.mod", "b/go.mod", "go.work"])
    assert files == {"a/go.mod": b"module a\n", "go.work": b"use ./a\n"}
