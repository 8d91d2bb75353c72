"""Rows on what was answered before: out of memory, out of SQLite, resolved anew.

The store holds 100,000 functions, in packages of about 100 KB.
"""

import statistics
import time
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import apsw

import triage
from scripts.bench_packages import commit, write_package
from scripts.bench_rows import Row
from triage.cache.sqlite import CACHE, SqliteTier
from triage.engine import Engine

FUNCTIONS = 100_000
_SIZE = 100_000
_RECENT = 60
"""Packages whose decoded form is surely still in memory."""
_LINES_ABOVE = range(1, 9)
"""Lines of the crash function that are asked for after its crash line."""
_IS_FUNCTION = "SELECT count(*) FROM ast_nodes WHERE kind IN ('func', 'method')"


async def rows(scratch: Path, rounds: int) -> AsyncIterator[Row]:
    """Fill a store and ask it; *rounds* times for what is in memory."""
    settings = triage.Settings(data_dir=scratch / "data")
    told = _prepare(scratch / "repository")
    async with triage.open_engine(settings) as engine:
        await _timed(engine, told)
        anew = [
            replace(one, line=(one.line or 0) - above)
            for one in told[-_RECENT:]
            for above in _LINES_ABOVE
        ]
        yield Row("another line of a function seen", await _timed(engine, anew))
        traces = [_as_trace(one) for one in told[-_RECENT:]]
        await _timed(engine, traces)
        again = traces * rounds
        yield Row("finished context, memory", await _timed(engine, again))
    _complain_if_small(settings.data_dir / CACHE)
    async with triage.open_engine(settings) as engine:
        yield Row("finished context, SQLite, restart", await _timed(engine, told))
    yield Row("one function's slice, SQLite", await _slices(settings.data_dir / CACHE))


def _prepare(root: Path) -> list[triage.Telemetry]:
    """Write packages until they have the functions, and name a crash in each."""
    places = []
    functions, per_package = 0, 0
    for number in count():
        if functions >= FUNCTIONS:
            break
        directory = root / f"service{number:03}"
        site = write_package(directory, size=_SIZE, seed=number, salt=f"No {number}.")
        per_package = per_package or _functions_in(directory)
        functions += per_package
        places.append((f"{directory.name}/{site.file}", site.line))
    (root / "go.mod").write_text("module example.com/store\n\ngo 1.27\n", "utf-8")
    sha = commit(root)
    return [triage.Telemetry(str(root), sha, file, line) for file, line in places]


def _as_trace(told: triage.Telemetry) -> triage.Telemetry:
    """Tell the same as a trace of some 4 KB, as a service's are."""
    package = str(told.file).partition("/")[0]
    frames = "".join(
        f"net/http.frame{n}(0xc000{n:06x})\n\t/usr/local/go/src/net/http/server.go:{n}\n"
        for n in range(50)
    )
    trace = (
        "panic: runtime error: invalid memory address or nil pointer dereference\n\n"
        f"goroutine 1 [running]:\nexample.com/store/{package}.Total(...)\n"
        f"\t/app/{told.file}:{told.line} +0x1d\n{frames}"
    )
    return replace(told, file=None, line=None, trace=trace)


def _functions_in(directory: Path) -> int:
    texts = (path.read_text("utf-8") for path in directory.iterdir())
    return sum(text.count("\nfunc ") for text in texts)


async def _timed(engine: Engine, told: Iterable[triage.Telemetry]) -> list[float]:
    """Answer each, and return how long each took, in ms."""
    samples = []
    for one in told:
        start = time.perf_counter()
        await engine.context(one)
        samples.append((time.perf_counter() - start) * 1000)
    return samples


async def _slices(path: Path) -> list[float]:
    """Open the file anew and read one function with its neighbours, in ms."""
    db = apsw.Connection(str(path))
    places: list[Any] = db.execute(
        "SELECT t.key, n.file, n.line FROM tables t JOIN ast_nodes n ON n.pkg = t.id"
        " WHERE n.kind = 'method' AND n.name = 'Total' GROUP BY t.id"
    ).fetchall()
    db.close()
    samples, sizes = [], []
    for key, file, line in places:
        start = time.perf_counter()
        tier = SqliteTier(path)
        sizes.append(len(tier.slice_at(key, file, line)))
        samples.append((time.perf_counter() - start) * 1000)
        await tier.close()
    if statistics.median(sizes) <= 1:
        raise SystemExit("scripts/bench: the store's functions have no neighbours")
    return samples


def _complain_if_small(path: Path) -> None:
    """End where the store is not what the rows say it is."""
    db = apsw.Connection(str(path))
    functions = db.execute(_IS_FUNCTION).get
    db.close()
    if functions < FUNCTIONS:
        raise SystemExit(f"scripts/bench: the store holds {functions} functions only")
