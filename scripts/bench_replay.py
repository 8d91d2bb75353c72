"""Rows on the replay of a history: cold and warm, beside a plain parse of the same.

The repository has twenty packages of 50 KB and thirty commits, each of which changes
two of them; 10,000 crashes lie all over it. The floor parses each state of each package
once, one process a state, as many at a time as there are processors.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path

from scripts.bench_packages import Site, commit, write_package
from scripts.bench_rows import Row

_PACKAGES, _COMMITS, _CHANGED = 20, 30, 2
_ITEMS = 10_000
_SIZE = 50_000
_LINES_ABOVE = 9
"""Lines of the crash function that crash too."""
_POLL = 0.2


async def rows(scratch: Path, rounds: int, floor: Path) -> AsyncIterator[Row]:
    """Replay all of it, cold and warm, *rounds* times; then once more for its memory."""
    states = scratch / "states"
    items = _prepare(scratch / "repository", states)
    cold, warm = Row("replay, cold", []), Row("replay, warm", [])
    for turn in range(rounds):
        least = _parsed(states, floor)
        for row in (cold, warm):
            row.floor.append(least)
            row.samples.append(_replayed(scratch, items, f"data{turn}"))
    yield cold
    yield warm
    for row in (cold, warm):
        rates = [_ITEMS / (ms / 1000) for ms in row.samples]
        yield Row(f"{row.name}: crashes", rates, unit="/s")
    peak = max(_watched(scratch, items, "watched"), default=0.0)
    yield Row("replay, cold: peak memory", [peak], unit="MB")


def _prepare(root: Path, states: Path) -> Path:
    """Write the history, and a line for each crash; keep each state of a package."""
    sites, places, count = dict[int, Site](), list[tuple[str, int]](), 0
    for turn in range(_COMMITS):
        first = turn * _CHANGED
        changed = range(first, first + _CHANGED) if turn else range(_PACKAGES)
        for package in (number % _PACKAGES for number in changed):
            directory = root / _directory(package)
            shutil.rmtree(directory, ignore_errors=True)
            salt = f"Edition {turn}."
            sites[package] = write_package(
                directory, size=_SIZE, seed=package, salt=salt
            )
            shutil.copytree(directory, states / f"{count:03}")
            count += 1
        (root / "go.mod").write_text("module example.com/past\n\ngo 1.27\n", "utf-8")
        sha = commit(root)
        places += [(sha, package) for package in range(_PACKAGES)]
    return _written(root, places, sites)


def _directory(package: int) -> str:
    return f"service{package:02}"


def _written(root: Path, places: list[tuple[str, int]], sites: dict[int, Site]) -> Path:
    """Spread the crashes over all commits and packages."""
    path = root.parent / "in.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, (sha, package) in enumerate(islice(cycle(places), _ITEMS)):
            site = sites[package]
            told = {
                "repo": str(root),
                "commit_sha": sha,
                "file": f"{_directory(package)}/{site.file}",
                "line": site.line - number // len(places) % _LINES_ABOVE,
            }
            file.write(json.dumps(told) + "\n")
    return path


def _parsed(states: Path, floor: Path) -> float:
    """Parse each state once, in ms."""
    directories = sorted(states.iterdir())
    start = time.perf_counter()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = pool.map(lambda one: _run([str(floor), str(one)]), directories)
        for _ in runs:
            pass
    return (time.perf_counter() - start) * 1000


def _replayed(scratch: Path, items: Path, data: str) -> float:
    """Replay all items, in ms."""
    start = time.perf_counter()
    _run(_command(scratch, items, data))
    return (time.perf_counter() - start) * 1000


def _command(scratch: Path, items: Path, data: str) -> list[str]:
    out = scratch / "out.jsonl"
    out.unlink(missing_ok=True)
    line = [sys.executable, "-m", "triage", "replay", str(items), "--out", str(out)]
    return [*line, "--data-dir", str(scratch / data)]


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)


def _watched(scratch: Path, items: Path, data: str) -> Iterator[float]:
    """Yield what all of a replay's processes take together, now and then, in MB."""
    process = subprocess.Popen(
        _command(scratch, items, data), stderr=subprocess.DEVNULL
    )
    while process.poll() is None:
        yield sum(map(_proportional, _family(process.pid))) / 1000
        time.sleep(_POLL)


def _family(pid: int) -> Iterator[int]:
    """Yield a process and all that come from it."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found = children.read_text("ascii").split()
        except OSError:
            continue  # it has ended meanwhile
        for child in found:
            yield from _family(int(child))


def _proportional(pid: int) -> int:
    """Return a process's memory in kB, what it shares counted in part."""
    try:
        told = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
    except OSError:
        return 0  # likewise
    lines = (line.split() for line in told.splitlines())
    return next((int(words[1]) for words in lines if words[0] == "Pss:"), 0)
