"""A replay on a Dask cluster: one made for it, and one that is there."""

import importlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.replaying import command, comparable, history, items, run, write
from triage.errors import ConfigError

pytestmark = pytest.mark.timeout(180)

CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as made:
        print(made.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.fixture(scope="module")
def past(tmp_path_factory):
    """Tell of crashes, and of what a replay on this machine alone makes of them."""
    directory = tmp_path_factory.mktemp("past")
    told = write(directory / "in.jsonl", items(*history(directory / "shop", 40)))
    assert run(directory, told, "--out", "whole").returncode == 0
    return told, comparable(directory / "whole")


def workers(pid: int) -> list[int]:
    """Find the workers of a cluster that a process has made."""
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [
        int(child)
        for thread in threads
        for child in thread.read_text("ascii").split()
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def test_a_worker_is_killed_in_the_middle(past, tmp_path):
    """Of two workers one is lost; every line is there once, as without it."""
    told, whole = past
    out = tmp_path / "out"
    process = subprocess.Popen(
        command(tmp_path, told, "--out", out, "--dask", "local", "--jobs", "2"),
        stderr=subprocess.PIPE,
    )
    while not (out.exists() and out.stat().st_size):
        assert process.poll() is None
    first, *_ = workers(process.pid)
    os.kill(first, signal.SIGKILL)
    lines_then = len(out.read_bytes().splitlines())
    _, said = process.communicate()
    assert process.returncode == 0, said.decode()
    assert lines_then < len(whole)
    assert comparable(out) == whole


def test_a_cluster_that_is_there(past, tmp_path):
    """It is used by its address, and goes on with what another run had begun."""
    told, whole = past
    cluster = tmp_path / "cluster.py"
    cluster.write_text(CLUSTER, "utf-8")
    made = subprocess.Popen(
        [sys.executable, cluster],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert made.stdin is not None
    assert made.stdout is not None
    address = made.stdout.readline().strip()
    try:
        assert run(tmp_path, told, "--out", "out", "--limit", "50").returncode == 0
        done = run(tmp_path, told, "--out", "out", "--resume", "--dask", address)
    finally:
        made.communicate()
    assert done.returncode == 0, done.stderr.decode()
    assert b"190 in this run" in done.stderr
    assert comparable(tmp_path / "out") == whole


def test_an_address_where_nobody_is(past, tmp_path):
    """It is said in one line."""
    told, _ = past
    done = run(tmp_path, told, "--out", "out", "--dask", "nosuch:x")
    assert done.returncode == 1
    assert done.stderr.decode().startswith("triage: error: bad-request: no Dask sched")
    assert done.stderr.count(b"\n") == 1


def test_without_the_package(monkeypatch):
    """It is said how to get it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "triage.replay.farm", raising=False)
    with pytest.raises(ConfigError, match=r"pip install 'triage-go\[dask\]'"):
        importlib.import_module("triage.replay.farm")
