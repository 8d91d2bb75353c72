"""Measure contexts against a floor, in one run: only the ratios travel.

The floor is a plain Go program that parses the same directory and nothing else, as a
whole process. Floor and context alternate, so that a busy machine slows both, and the
ratio of each pair is taken before the median. The yardstick, a fixed sum of hashing,
says how fast this machine is at all.
"""

import argparse
import asyncio
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path

import triage
from scripts import bench_github, bench_panics, bench_replay, bench_service, bench_tiers
from scripts.bench_packages import Site, commit, write_package
from scripts.bench_rows import Row, table

ROOT = Path(__file__).resolve().parent.parent
SIZES = {"10 KB": 10_000, "50 KB": 50_000, "200 KB": 200_000, "1 MB": 1_000_000}
LARGEST = {"4 MB": 4_000_000}


@dataclass(frozen=True, slots=True)
class Material:
    """A repository of packages: for each size one directory a round, all different."""

    root: Path
    commit: str
    sites: dict[tuple[str, int], Site]

    def directory(self, size: str, turn: int) -> str:
        """Return a package's directory, relative to the repository."""
        return f"{size.replace(' ', '').lower()}/round{turn}"

    def telemetry(self, size: str, turn: int) -> triage.Telemetry:
        """Return what a sender would say of a crash in that package."""
        site = self.sites[size, turn]
        return triage.Telemetry(
            repo=str(self.root),
            commit_sha=self.commit,
            file=f"{self.directory(size, turn)}/{site.file}",
            line=site.line,
        )


@dataclass(frozen=True, slots=True)
class Bench:
    """What every measurement gets."""

    material: Material
    floor: Path
    rounds: int
    settings: triage.Settings
    scratch: Path


def prepare(scratch: Path, rounds: int) -> Material:
    """Write the packages and commit them, packed as a clone would be."""
    root = scratch / "repository"
    material = Material(root, "", {})
    wanted = [(size, turn) for size in SIZES for turn in range(rounds + 1)]
    for size, turn in [*wanted, *((size, 0) for size in LARGEST)]:
        count = (SIZES | LARGEST)[size]
        directory = root / material.directory(size, turn)
        salt = f"Round {turn}."
        site = write_package(directory, size=count, seed=count, salt=salt)
        material.sites[size, turn] = site
    (root / "go.mod").write_text("module example.com/bench\n\ngo 1.27\n", "utf-8")
    return Material(root, commit(root), material.sites)


def build_floor(scratch: Path) -> Path:
    """Compile the floor with the toolchain of .venv."""
    output = scratch / "bench_floor"
    go = Path(sys.executable).with_name("go")
    subprocess.run(
        [go, "build", "-o", output, "."],
        cwd=ROOT / "scripts" / "bench_floor",
        env={**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "", "GOTOOLCHAIN": "local"},
        check=True,
    )
    return output


def spawn(*command: str) -> float:
    """Time a program from start to end, in ms; its output is thrown away.

    With posix_spawn: what subprocess adds would flatter the ratios.
    """
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    _, status = os.waitpid(pid, 0)
    if status:
        sys.exit(f"scripts/bench: {' '.join(command)} failed")
    return (time.perf_counter() - start) * 1000


def floor(bench: Bench, size: str, turn: int) -> float:
    """Time the floor on one package, in ms."""
    directory = bench.material.root / bench.material.directory(size, turn)
    return spawn(str(bench.floor), str(directory))


def yardstick() -> float:
    """Time the fixed piece of work, hashing 16 MB, in ms."""
    start = time.perf_counter()
    hashlib.sha256(bytes(16_000_000)).digest()
    return (time.perf_counter() - start) * 1000


async def cold_contexts(bench: Bench) -> AsyncIterator[Row]:
    """Time contexts of packages never seen before, with the helper warm."""
    async with triage.open_engine(bench.settings) as engine:
        for size in SIZES:
            # The round past the last warms up, and is not measured.
            await engine.context(bench.material.telemetry(size, bench.rounds))
            row = Row(f"cold context, {size}", [])
            for turn in range(bench.rounds):
                row.floor.append(floor(bench, size, turn))
                start = time.perf_counter()
                await engine.context(bench.material.telemetry(size, turn))
                row.samples.append((time.perf_counter() - start) * 1000)
            yield row


async def command(bench: Bench) -> AsyncIterator[Row]:
    """Time the command from start to end: interpreter, imports, helper and all."""
    for size in SIZES:
        row = Row(f"whole command, {size}", [])
        for turn in range(bench.rounds):
            what = bench.material.telemetry(size, turn)
            arguments = ["--repo", what.repo, "--commit", bench.material.commit]
            arguments += ["--file", str(what.file), "--line", str(what.line)]
            line = [sys.executable, "-m", "triage", "context", *arguments]
            row.samples.append(spawn(*line))
        yield row


async def helper_memory(bench: Bench) -> AsyncIterator[Row]:
    """Read the helper's peak memory after one context of the largest package."""
    for size in LARGEST:
        async with triage.open_engine(bench.settings) as engine:
            await engine.context(bench.material.telemetry(size, 0))
            peak = helper_peak()
        if peak is not None:
            yield Row(f"helper's peak memory, {size}", [peak], unit="MB")


def helper_peak() -> float | None:
    """Return VmHWM of this process's helper in MB; None where there is no /proc."""
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(
                line.split(":\t", 1) for line in status.read_text().splitlines()
            )
        except (OSError, ValueError):
            continue  # the process has ended meanwhile
        if lines["Name"].startswith("goparse-helper") and lines["PPid"] == str(
            os.getpid()
        ):
            return int(lines["VmHWM"].split()[0]) / 1000
    return None


async def tiers(bench: Bench) -> AsyncIterator[Row]:
    """Time what was answered before, on a store of 100,000 functions."""
    async for row in bench_tiers.rows(bench.scratch / "tiers", bench.rounds):
        yield row


async def github(bench: Bench) -> AsyncIterator[Row]:
    """Time cold packages through GitHub's API, without what its server takes."""
    async for row in bench_github.rows(bench.scratch / "github", bench.rounds):
        yield row


async def service(bench: Bench) -> AsyncIterator[Row]:
    """Count what the service answers and takes, beside a bare handler."""
    async for row in bench_service.rows(bench.scratch / "service", bench.rounds):
        yield row


async def replay(bench: Bench) -> AsyncIterator[Row]:
    """Replay a history, cold and warm."""
    rounds = min(bench.rounds, 3)  # each takes a minute
    async for row in bench_replay.rows(bench.scratch / "replay", rounds, bench.floor):
        yield row


async def panics(bench: Bench) -> AsyncIterator[Row]:
    """Time the reading of panic texts."""
    async for row in bench_panics.rows(bench.rounds):
        yield row


MEASUREMENTS = {
    "panics": panics,
    "context": cold_contexts,
    "command": command,
    "memory": helper_memory,
    "tiers": tiers,
    "github": github,
    "service": service,
    "replay": replay,
}


async def measure(bench: Bench, names: list[str]) -> list[Row]:
    """Run the measurements of these names, the yardstick before and after."""
    rows = [Row("yardstick", [yardstick() for _ in range(5)])]
    for name in names:
        rows += [row async for row in MEASUREMENTS[name](bench)]
    rows[0].samples.extend(yardstick() for _ in range(5))
    return rows


def main() -> int:
    """Measure, print the table, write the samples where they are wanted."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="samples a row (9)")
    parser.add_argument(
        "--only", choices=MEASUREMENTS, action="append", help="measure this alone"
    )
    parser.add_argument("--json", type=Path, help="write every sample to this file")
    options = parser.parse_args()
    names = options.only or list(MEASUREMENTS)
    with tempfile.TemporaryDirectory(prefix="triage-bench-") as directory:
        scratch = Path(directory)
        os.environ["TRIAGE_DATA_DIR"] = str(scratch / "data")
        bench = Bench(
            material=prepare(scratch, options.rounds),
            floor=build_floor(scratch),
            rounds=options.rounds,
            settings=triage.Settings(data_dir=scratch / "data"),
            scratch=scratch,
        )
        rows = asyncio.run(measure(bench, names))
    print(table(rows))
    if options.json:
        report = {
            "machine": platform.platform(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "rows": [asdict(row) for row in rows],
        }
        options.json.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
