"""The texts of a replay, wherever and however they lie."""

import gzip
import io
import os
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from triage.errors import BadInput
from triage.replay.inputs import expand
from triage.texts import opened

TEXT = b"panic: x\n" * 1_000


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Stand in an empty directory, as a command does."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def named(*given: str, without: str = "out.jsonl") -> list[str]:
    """Tell which files *given* mean."""
    return list(expand(given, without=Path(without)))


def content(name: str) -> bytes:
    """Read a text to its end."""
    with opened(name) as stream:
        return stream.read()


def put(*names: str) -> None:
    """Write files of these names."""
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(TEXT)


def test_files_in_the_order_given():
    """What is named comes as it is named."""
    put("b.log", "a.log")
    assert named("b.log", "a.log", "-") == ["b.log", "a.log", "-"]


def test_a_directory_is_walked():
    """Its files come sorted, those of its directories too; hidden ones do not."""
    put("logs/b", "logs/a/c", "logs/.d", "logs/.git/e")
    assert named("logs") == ["logs/b", "logs/a/c"]


def test_a_link_to_a_directory_above_is_not_followed(here):
    """A walk comes to an end."""
    put("logs/a")
    (here / "logs" / "up").symlink_to(here)
    assert named("logs") == ["logs/a"]


def test_a_pattern():
    """What fits comes sorted; `**` goes down."""
    put("x/b.log", "x/a.log", "x/y/c.log", "x/a.txt")
    assert named("x/*.log") == ["x/a.log", "x/b.log"]
    assert named("**/*.log") == ["x/a.log", "x/b.log", "x/y/c.log"]


def test_a_file_that_is_named_like_a_pattern():
    """A file that is there is no pattern."""
    put("a[1].log")
    assert named("a[1].log") == ["a[1].log"]


def test_the_output_is_no_input():
    """The lines of a run before are not what is replayed, unless they are named."""
    put("d/out.jsonl", "d/a.jsonl")
    assert named("d", without="d/out.jsonl") == ["d/a.jsonl"]
    assert named("d/*", without="d/out.jsonl") == ["d/a.jsonl"]


@pytest.mark.parametrize("name", ["nosuch", "no/such", "*.nosuch", "", "\0"])
def test_what_is_not_there(name):
    """It is said by its name, before any work begins."""
    with pytest.raises(BadInput, match="name a text file or -"):
        named(name)


@pytest.mark.parametrize(
    "packed",
    [
        TEXT,
        gzip.compress(TEXT),
        gzip.compress(TEXT[:99]) + gzip.compress(TEXT[99:]),
        zstandard.compress(TEXT),
        zstandard.compress(TEXT[:99]) + zstandard.compress(TEXT[99:]),
        TEXT.decode().encode("utf-16"),
        b"\xfe\xff" + TEXT.decode().encode("utf-16-be"),
        gzip.compress(TEXT.decode().encode("utf-16")),
    ],
    ids=["plain", "gzip", "gzips", "zstd", "zstds", "utf16", "utf16be", "gzip-utf16"],
)
def test_a_text_comes_out_plain(here, packed):
    """The first bytes tell how it is packed, whatever its name is."""
    (here / "in").write_bytes(packed)
    assert content("in") == TEXT


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (gzip.compress(TEXT)[:-9], "gzip data is damaged or cut off"),
        (gzip.compress(TEXT)[:30] + b"\xff" * 30, "damaged"),
        (gzip.compress(TEXT) + b"noise", "not a gzipped file"),
        (zstandard.compress(TEXT)[:-3], "zstd data is cut off"),
        (zstandard.compress(TEXT)[:8] + b"\xff" * 30, "zstd data is damaged"),
        (zstandard.compress(TEXT) + b"noise", "zstd data is damaged"),
    ],
)
def test_a_damaged_text(here, packed, said):
    """Half of a text does not pass for all of it."""
    (here / "in").write_bytes(packed)
    with pytest.raises(BadInput, match=f"cannot read `in`: .*{said}"):
        content("in")


def test_what_may_not_be_read(here):
    """The system's reason is told."""
    put("in")
    (here / "in").unlink()
    with pytest.raises(BadInput, match="cannot read `in`: no such file"):
        content("in")


def test_standard_input(monkeypatch):
    """It may be packed as well."""
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(gzip.compress(TEXT))))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert content("-") == TEXT


def test_standard_input_that_is_closed(monkeypatch):
    """There is nothing to read, which is said."""
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(BadInput, match="standard input is closed"):
        content("-")


def test_a_pipe_is_a_text(here):
    """A named pipe is read like a file."""
    os.mkfifo("pipe")
    writer = threading.Thread(target=(here / "pipe").write_bytes, args=(TEXT,))
    writer.start()
    assert named("pipe") == ["pipe"]
    assert content("pipe") == TEXT
    writer.join()


def test_a_bomb_is_expanded_step_by_step(here):
    """A gigabyte of nothing never lies in memory at once."""
    packer = zstandard.ZstdCompressor().compressobj()
    zeros = bytes(1 << 20)
    packed = b"".join(packer.compress(zeros) for _ in range(1 << 10)) + packer.flush()
    (here / "in").write_bytes(packed)
    tracemalloc.start()
    try:
        with opened("in") as stream:
            size = sum(map(len, iter(lambda: stream.read(1 << 16), b"")))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size == 1 << 30
    assert peak < 100 << 20
