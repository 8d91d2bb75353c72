"""Rows on cold packages through GitHub's API, from a server on loopback.

The server runs in a process of its own and says how long each answer took it; that is
taken off. What is left is Triage's: fetching, parsing, resolving, rendering.
"""

import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import triage
from scripts.bench_packages import commit, write_package
from scripts.bench_rows import Row
from triage.app import openers
from triage.core import answer
from triage.engine import investigation
from triage.helper import Helper
from triage.sources import github
from triage.sources.github import GitHubSource, wire

ROOT = Path(__file__).resolve().parent.parent
SIZES = {"10 KB": 10_000, "50 KB": 50_000, "100 KB": 100_000}
_TOKEN = "good-token"  # noqa: S105 - the one that the server knows


@dataclass
class Parts:
    """How long each part of one context took, in ms."""

    server: float = 0.0
    fetch: float = 0.0
    parse: float = 0.0
    render: float = 0.0
    whole: float = 0.0
    kept: dict[str, list[float]] = field(default_factory=dict)

    def note(self) -> None:
        """Keep what was measured, and begin anew."""
        own = self.whole - self.server
        fetch = self.fetch - self.server
        resolve = own - fetch - self.parse - self.render
        for name, value in (
            ("", own),
            (": fetch", fetch),
            (": parse", self.parse),
            (": resolve", resolve),
            (": render", self.render),
        ):
            self.kept.setdefault(name, []).append(value)
        self.server = self.fetch = self.parse = self.render = self.whole = 0.0


async def rows(scratch: Path, rounds: int) -> AsyncIterator[Row]:
    """Ask for packages never seen before, of three sizes."""
    told = _prepare(scratch / "repository", rounds)
    with _serving(scratch / "repository") as url:
        settings = triage.Settings(
            data_dir=scratch / "data", github_url=url, github_token=_TOKEN
        )
        parts = Parts()
        with _measuring(parts):
            async with triage.open_engine(settings) as engine:
                for size, places in told.items():
                    parts.kept = {}
                    for turn, one in enumerate(places):
                        start = time.perf_counter()
                        await engine.context(one)
                        parts.whole = (time.perf_counter() - start) * 1000
                        if turn:  # the first one warms up
                            parts.note()
                    for name, samples in parts.kept.items():
                        yield Row(f"cold from GitHub, {size}{name}", samples)


def _prepare(root: Path, rounds: int) -> dict[str, list[triage.Telemetry]]:
    places = {
        size: [
            (
                turn,
                write_package(
                    root / f"p{count}n{turn}", size=count, seed=count, salt=f"{turn}."
                ),
            )
            for turn in range(rounds + 1)
        ]
        for size, count in SIZES.items()
    }
    (root / "go.mod").write_text("module example.com/cold\n\ngo 1.27\n", "utf-8")
    sha = commit(root)
    return {
        size: [
            triage.Telemetry(
                "acme/bench", sha, f"p{SIZES[size]}n{turn}/{site.file}", site.line
            )
            for turn, site in found
        ]
        for size, found in places.items()
    }


@contextmanager
def _serving(root: Path) -> Iterator[str]:
    """Serve the repository as acme/bench; gives the API's address."""
    command = [sys.executable, "-m", "tests.github_server", f"acme/bench={root}"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None  # noqa: S101 - a pipe was asked for
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


@contextmanager
def _measuring(parts: Parts) -> Iterator[None]:
    """Time what engines do from now on."""

    class TimedGitHub(GitHubSource):
        """GitHub, each look timed."""

        async def probe(self, *arguments: Any) -> Any:
            start = time.perf_counter()
            found = await super().probe(*arguments)
            parts.fetch += (time.perf_counter() - start) * 1000
            return found

    class TimedHelper(Helper):
        """The helper, each parse and print timed."""

        async def symbols(self, *arguments: Any, **options: Any) -> bytes:
            start = time.perf_counter()
            table = await super().symbols(*arguments, **options)
            parts.parse += (time.perf_counter() - start) * 1000
            return table

    def send(self: wire.Client, *arguments: Any) -> wire.Answer:
        got = sent(self, *arguments)
        _, _, took = got.headers["server-timing"].partition("dur=")
        parts.server += float(took)
        return got

    def assemble(*arguments: Any) -> triage.Result:
        start = time.perf_counter()
        result = assembled(*arguments)
        parts.render += (time.perf_counter() - start) * 1000
        return result

    sent: Callable[..., wire.Answer] = wire.Client.send
    assembled: Callable[..., triage.Result] = answer.assemble
    with (
        mock.patch.object(github, "GitHubSource", TimedGitHub),
        mock.patch.object(openers, "Helper", TimedHelper),
        mock.patch.object(wire.Client, "send", send),
        mock.patch.object(investigation, "assemble", assemble),
    ):
        yield
