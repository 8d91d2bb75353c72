"""Whatever happens to the cache, the answers are right."""

import asyncio
import os
import resource
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

import triage
from tests.e2e.conftest import ADD, CART, FILES, TOTAL
from triage.cache.schema import FIND_NODE
from triage.cache.sqlite import SqliteTier

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shop(repo):
    """Commit the shop's files and give the repository."""
    repo.commit(FILES)
    return repo


@pytest.fixture
def data(tmp_path):
    """Where the cache lies."""
    return tmp_path / "data"


@pytest.fixture
def run(shop, data):
    """Start `triage context` on a line of the shop's commit."""

    def start(line=ADD, *options, **more):
        place = ["--repo", str(shop.path), "--commit", "HEAD", "--file", "cart/cart.go"]
        command = [sys.executable, "-m", "triage", "context", *place]
        return subprocess.Popen(
            [*command, "--line", str(line), "--data-dir", str(data), *options],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        )

    return start


def said(process: subprocess.Popen[str]) -> tuple[str, list[str]]:
    """Return a command's output and its warnings; it has to succeed."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out, [line for line in err.splitlines() if "cache.db" in line]


@pytest.fixture
def right(run):
    """Give the answer that is made without a cache."""
    return said(run(ADD, "--no-cache"))[0]


def test_a_cache_that_is_well_says_nothing(run, right, data):
    """The first answer and the one from disk are the same, without a warning."""
    assert said(run()) == (right, [])
    assert said(run()) == (right, [])
    assert (data / "cache.db").exists()


def test_a_full_disk(run, right):
    """Files that cannot grow cost the cache, with one warning."""

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    for _ in range(2):
        out, warnings = said(run(preexec_fn=no_room))
        assert out == right
        assert len(warnings) == 1
    assert said(run()) == (right, [])
    assert said(run()) == (right, [])


def test_noise_in_place_of_the_file(run, right, data):
    """It is set aside, and the next answer comes from a new file."""
    data.mkdir()
    (data / "cache.db").write_bytes(os.urandom(100_000))
    out, warnings = said(run())
    assert (out, len(warnings)) == (right, 1)
    assert said(run()) == (right, [])
    assert (data / "cache.db.damaged").stat().st_size == 100_000


def test_a_file_that_another_holds(run, right, data):
    """A lock that nobody gives back is told and gone round."""
    said(run())
    db = apsw.Connection(str(data / "cache.db"))
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
    db.execute("BEGIN IMMEDIATE; DELETE FROM contexts; COMMIT")
    out, warnings = said(run())
    db.close()
    assert (out, len(warnings)) == (right, 1)


def test_a_directory_that_nobody_can_write(run, right, data):
    """What cannot be written is told, and needed for nothing."""
    data.symlink_to(data / "nowhere")
    out, warnings = said(run())
    assert (out, len(warnings)) == (right, 1)


def test_processes_share_one_file(run, right):
    """Four at once, on two lines, each right; what they left serves the next."""
    other = said(run(TOTAL, "--no-cache"))[0]
    started = [run(line) for line in (ADD, TOTAL, ADD, TOTAL)]
    assert [said(process) for process in started] == [(right, []), (other, [])] * 2
    assert said(run()) == (right, [])


def test_killed_in_the_middle_of_writing(data):
    """A hundred times: the file opens, and every value in it is whole."""
    data.mkdir()
    script = ROOT / "tests" / "killed_writers.py"
    done = subprocess.run(
        [sys.executable, script, data / "cache.db", "100"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 0


async def test_answers_out_of_a_cache_that_was_killed(shop, open_cached, run):
    """A process killed while it wrote leaves a cache that answers rightly."""
    commit = shop.git("rev-parse", "HEAD")
    lines = range(ADD - 1, ADD + 2)
    told = [
        triage.Telemetry(str(shop.path), commit, "cart/cart.go", line) for line in lines
    ]
    async with open_cached(no_cache=True) as engine:
        plain = [(await engine.context(one)).context for one in told]
    for pause in (0.0, 0.05, 0.1):
        process = run()
        assert process.stdout is not None
        await asyncio.to_thread(process.stdout.readline)
        await asyncio.sleep(pause)
        process.kill()
        process.communicate()
        async with open_cached() as engine:
            found = [(await engine.context(one)).context for one in told]
        assert found == plain


def test_people_look_after_the_cache(run, data):
    """What is in it is shown, and it can be shrunk and emptied."""
    said(run())

    def cache(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "triage", "cache", "--data-dir", str(data), *words],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        return done.stdout

    rows = {line.split()[0]: line.split()[1] for line in cache("stats").splitlines()}
    assert (rows["tables"], rows["contexts"]) == ("2", "1")
    assert int(rows["ast_nodes"]) > 5
    assert cache("prune") == "dropped 0 rows\n"
    assert cache("clear") == ""
    assert cache("stats").splitlines()[3].split()[:2] == ["contexts", "0"]


def test_a_function_and_its_neighbours_are_rows(run, data):
    """One look-up finds the declaration on a line, another what it is tied to."""
    said(run())
    db = apsw.Connection(str(data / "cache.db"))
    keys = [key for (key,) in db.execute("SELECT key FROM tables")]
    plan = list(
        db.execute(f"EXPLAIN QUERY PLAN {FIND_NODE}", (keys[0], "cart.go", ADD, ADD))
    )
    db.close()
    assert [row[3] for row in plan if "SCAN" in row[3]] == []
    tier = SqliteTier(data / "cache.db")
    found = [nodes for key in keys if (nodes := tier.slice_at(key, "cart.go", ADD))]
    ((crash, *near),) = found
    assert (crash.kind, crash.receiver, crash.name) == ("method", "Cart", "Add")
    assert (crash.line, crash.end_line) == (23, 27)
    start, end = crash.start, crash.end
    assert CART.encode()[start:end].startswith(b"func (c *Cart) Add(item *Item) {")
    names = {node.name for node in near}
    assert {"Cart", "Item"} <= names
    uses = {target for target, _, _ in crash.edges}
    assert uses <= set(crash.neighbours) == {node.id for node in near}
