"""Rows on reading panics: one trace, and a dump of a thousand goroutines."""

import time
from collections.abc import AsyncIterator

from scripts.bench_rows import Row
from triage.core.panics import decipher

GOROUTINES = 1_000
_FRAMES = 7
_HEAD = """\
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x49cfd9]
"""


async def rows(rounds: int) -> AsyncIterator[Row]:
    """Read each text *rounds* times, in ms."""
    yield Row("a one-goroutine trace read", _timed(_dump(1), rounds * 10))
    size = len(_dump(GOROUTINES)) / 1e6
    name = f"{GOROUTINES} goroutines read, {size:.1f} MB"
    yield Row(name, _timed(_dump(GOROUTINES), rounds))


def _dump(goroutines: int) -> bytes:
    """Write a dump as the runtime prints it, the crashed goroutine first."""
    return "\n".join([_HEAD, *map(_goroutine, range(1, goroutines + 1))]).encode()


def _goroutine(number: int) -> str:
    state = "running" if number == 1 else f"chan receive, {number % 60 + 1} minutes"
    lines = [f"goroutine {number} [{state}]:"]
    for depth in range(_FRAMES):
        package = f"example.com/shop/internal/service{number % 37}"
        lines += [
            f"{package}.(*Worker).step{depth}(0xc00{number:07x}, {{0x49e060, 0x3}})",
            f"\t/build/src/internal/service{number % 37}/worker.go:{depth + 20} +0x99",
        ]
    lines += [
        f"created by example.com/shop/internal/service{number % 37}.Start in goroutine 1",
        f"\t/build/src/internal/service{number % 37}/start.go:19 +0x3f\n",
    ]
    return "\n".join(lines)


def _timed(text: bytes, rounds: int) -> list[float]:
    samples = []
    for _ in range(rounds):
        start = time.perf_counter()
        report = decipher(text)
        samples.append((time.perf_counter() - start) * 1000)
        if len(report.crashes) != 1:
            raise RuntimeError(f"{len(report.crashes)} crashes read instead of 1")
    return samples
