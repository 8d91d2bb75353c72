"""`triage replay` as people run it."""

import gzip
import json
import os
import random
import resource
import signal
import subprocess
from pathlib import Path

import pytest

from tests.e2e.conftest import ADD, TRACE
from tests.killed_replay import rounds
from tests.replaying import command, comparable, history, items, run, write


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Make a repository of three commits, once."""
    return history(tmp_path_factory.mktemp("past") / "shop", 3)


def test_every_crash_has_its_line(shop, tmp_path):
    """Those that cannot be explained too; standard output stays empty."""
    told = write(tmp_path / "in.jsonl", items(*shop))
    done = run(tmp_path, told, "--out", "out.jsonl")
    assert (done.returncode, done.stdout) == (0, b"")
    lines = comparable(tmp_path / "out.jsonl")
    assert [line["id"] for line in lines] == sorted(one["id"] for one in items(*shop))
    codes = [line["error"]["code"] for line in lines if line["error"]]
    assert sorted(codes) == ["file-not-found"] * 3 + ["line-outside"] * 3
    functions = {
        line["context"]["crash"]["function"] for line in lines if line["context"]
    }
    assert functions == {"(*Cart).Add", "(*Cart).Total", "main"}


def test_a_context_is_the_same_as_alone(shop, tmp_path):
    """A replay answers as `triage context` does."""
    repo, ids = shop
    where = ["--repo", str(repo.path), "--commit", ids[0]]
    written = write(tmp_path / "in.jsonl", [{"file": "cart/cart.go", "line": ADD}])
    run(tmp_path, written, "--out", "out.jsonl", *where)
    (line,) = comparable(tmp_path / "out.jsonl")
    alone = command(tmp_path, *where, "--format", "json", "--file", "cart/cart.go")
    alone[alone.index("replay")] = "context"
    answer = subprocess.check_output([*alone, "--line", str(ADD)], cwd=tmp_path)
    context = json.loads(answer)
    del context["served_from"]
    assert line["context"] == context


def test_inputs_of_all_kinds(shop, tmp_path):
    """Logs, packed logs, directories and standard input; each crash has a name."""
    repo, ids = shop
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.log").write_text(f"up\n{TRACE}again\n{TRACE}", "utf-8")
    (logs / "b.log.gz").write_bytes(gzip.compress(TRACE.encode()))
    (logs / "quiet.log").write_text("all is well\n", "utf-8")
    where = ("--repo", str(repo.path), "--commit", ids[0])
    done = run(tmp_path, "logs", "-", "--out", "o", *where, input=TRACE.encode())
    assert done.returncode == 0
    assert [line["id"] for line in comparable(tmp_path / "o")] == [
        "-#1",
        "logs/a.log#1",
        "logs/a.log#2",
        "logs/b.log.gz#1",
    ]
    assert "`logs/quiet.log` holds no crash" in done.stderr.decode()


def test_a_work_tree_is_replayed_as_it_lies(shop, tmp_path):
    """Without a commit the files on disk are read."""
    repo, _ = shop
    told = write(tmp_path / "in.jsonl", [{"file": "cart/cart.go", "line": ADD}])
    assert run(tmp_path, told, "--out", "o", "--repo", str(repo.path)).returncode == 0
    (line,) = comparable(tmp_path / "o")
    assert line["context"]["crash"]["commit"] is None


def test_the_summary(shop, tmp_path):
    """In the end it says what came of it all."""
    told = write(tmp_path / "in.jsonl", items(*shop))
    said = run(tmp_path, told, "--out", "o").stderr.decode()
    assert "18 crashes: 12 explained, 6 not; 18 in this run in " in said
    assert "not explained: file-not-found 3, line-outside 3" in said
    assert "kinds: no trace 9, nil-map 3" in said
    assert f"6 x cart/cart.go:{ADD} (*Cart).Add" in said


def test_an_output_is_gone_on_with(shop, tmp_path):
    """With --resume nothing is done twice; without it nothing is overwritten."""
    told = write(tmp_path / "in.jsonl", items(*shop))
    assert run(tmp_path, told, "--out", "o", "--limit", "7").returncode == 0
    before = (tmp_path / "o").read_bytes()
    again = run(tmp_path, told, "--out", "o")
    assert (again.returncode, (tmp_path / "o").read_bytes()) == (1, before)
    assert b"--resume" in again.stderr
    done = run(tmp_path, told, "--out", "o", "--resume")
    assert b"18 crashes: 12 explained, 6 not; 11 in this run" in done.stderr
    after = (tmp_path / "o").read_bytes()
    assert after.startswith(before)
    assert len(after.splitlines()) == 18


def test_ids_that_repeat_are_refused_before_any_work(shop, tmp_path):
    """No line is written."""
    one = items(*shop)[0]
    told = write(tmp_path / "in.jsonl", [one, one])
    done = run(tmp_path, told, "--out", "o")
    assert done.returncode == 1
    assert done.stderr.decode().startswith("triage: error: bad-request: the id `0-0`")
    assert (tmp_path / "o").read_bytes() == b""


def test_the_first_failure_ends_it(shop, tmp_path):
    """With --fail-fast its line is the last, and the command fails."""
    repo, ids = shop
    bad = {"repo": str(repo.path), "commit_sha": ids[0], "file": "no.go", "line": 1}
    told = write(tmp_path / "in.jsonl", [bad])
    done = run(tmp_path, told, "--out", "o", "--fail-fast")
    assert done.returncode == 1
    assert "triage: error: file-not-found: item " in done.stderr.decode()
    assert len(comparable(tmp_path / "o")) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "Missing argument 'INPUT...'"),
        (("in.jsonl",), 2, "Missing option '--out'"),
        (("nosuch", "--out", "o"), 1, "cannot read `nosuch`: no such file"),
        (("quiet.log", "--out", "o"), 1, "there is nothing to replay"),
        (("in.jsonl", "--out", "o", "--report", "./o"), 2, "name the same file"),
        (("in.jsonl", "--out", "o", "--report", "no/r.html"), 2, "no directory no"),
        (("in.jsonl", "--out", "no/such/o"), 1, "cannot write to"),
    ],
)
def test_bad_calls(tmp_path, arguments, code, said):
    """One line says what to do."""
    (tmp_path / "quiet.log").write_text("all is well\n", "utf-8")
    write(tmp_path / "in.jsonl", [{"file": "a.go", "line": 1}])
    done = run(tmp_path, *arguments)
    assert done.returncode == code
    assert said in done.stderr.decode()


def test_an_interrupt_leaves_whole_lines(shop, tmp_path):
    """Ctrl-C ends it with 130, and no process stays."""
    told = write(tmp_path / "in.jsonl", items(*shop))
    process = subprocess.Popen(
        command(tmp_path, told, "-", "--out", "o"),
        cwd=tmp_path,
        stdin=subprocess.PIPE,  # never closed: it waits for more
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    children = _children(process.pid)
    while len(children) < 2:
        children = _children(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert said == b""
    while _is_there(process.pid):
        pass  # the last of them ends when it sees that the first has


def _is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()


def test_a_full_disk_loses_nothing(shop, tmp_path):
    """What could not be written is said; room again, it goes on."""
    told = write(tmp_path / "in.jsonl", items(*shop))

    def little_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    where = ("--out", "o", "--no-cache", "--resume")
    full = run(tmp_path, told, *where, preexec_fn=little_room)
    assert full.returncode == 1
    assert "cannot write to `o`: file too large" in full.stderr.decode()
    assert run(tmp_path, told, *where).returncode == 0
    assert run(tmp_path, told, "--out", "whole", "--no-cache").returncode == 0
    assert comparable(tmp_path / "o") == comparable(tmp_path / "whole")


@pytest.mark.timeout(120)
def test_killed_and_resumed(tmp_path):
    """Killed at random moments, the output is that of one unbroken run."""
    assert rounds(tmp_path, 3, random.Random(6)) >= 1  # noqa: S311 - no secret hangs on it


def test_a_killed_parent_takes_its_processes_along(shop, tmp_path):
    """Workers end when nobody hands them work."""
    told = write(tmp_path / "in.jsonl", items(*shop))
    process = subprocess.Popen(
        command(tmp_path, told, "-", "--out", "o"),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    children: list[str] = []
    while len(children) < 2:
        children = _children(process.pid)
    process.kill()
    process.communicate()  # its end is that of the last who can write there
