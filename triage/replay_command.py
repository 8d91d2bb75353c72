"""The command that replays panics of the past."""

import os
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from triage.options import data_dir, depth, frames, max_tokens, no_cache

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from triage.config import Settings
    from triage.core.replay import Line
    from triage.core.replay.tally import Tally
    from triage.replay.progress import Show
    from triage.replay.run import Crew


def _processors() -> int:
    """Count the processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # macOS has none
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="File that gets one line of JSON for each crash.",
)
@click.option("--repo", default=".", help="Repository of what names none.")
@click.option("--commit", help="Commit of what names none.")
@click.option("--root-dir", help="Directory of the module, of what names none.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=_processors(),
    show_default="one a processor",
    help="Processes that work.",
)
@click.option("--resume", is_flag=True, help="Go on with FILE where it ends.")
@max_tokens
@depth
@frames
@click.option(
    "--limit", type=click.IntRange(1), help="Replay the first N crashes alone."
)
@click.option(
    "--fail-fast",
    is_flag=True,
    help="End with the first crash that cannot be explained.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Page that shows what came of it.",
)
@click.option(
    "--dask",
    metavar="ADDRESS|local",
    help="Work on the Dask cluster there, or on one made here.",
)
@data_dir
@no_cache
@click.pass_obj
def replay(  # noqa: PLR0917 - click hands every option over by name
    settings: "Settings",
    inputs: tuple[str, ...],
    out: Path,
    repo: str,
    commit: str | None,
    root_dir: str | None,
    jobs: int,
    resume: bool,
    max_tokens: int,
    depth: int,
    frames: int,
    limit: int | None,
    fail_fast: bool,
    report: Path | None,
    dask: str | None,
    data_dir: Path,
    no_cache: bool,
) -> None:
    """Explain many crashes of the past; each gets one line in FILE.

    INPUT is a file of JSON lines, a log, a directory, a pattern, or - for standard
    input; gzip and zstd are read as they are.
    """
    from triage.core.replay import Given
    from triage.replay import Wish
    from triage.replay import replay as run
    from triage.replay.watch import Watch

    _check_report(report, out)
    given = Given(repo, commit, root_dir, max_tokens, depth, frames)
    wish = Wish(inputs, out, given, resume=resume, limit=limit, fail_fast=fail_fast)
    settings = replace(settings, data_dir=data_dir, no_cache=no_cache)
    with Watch(_show(), _warn) as watch:
        outcome = run(wish, partial(_crew, settings, jobs, dask), watch)
    click.echo(watch.summary(), err=True, nl=False)
    if report is not None:
        _write_report(report, out, watch.tally)
    if outcome.failed is not None:
        _give_up(outcome.failed)


def _check_report(report: Path | None, out: Path) -> None:
    """Refuse a report that would be in the way, or have no place when all is done."""
    if report is None:
        return
    if report.resolve() == out.resolve():
        raise click.UsageError("--report and --out name the same file; name two")
    if not report.parent.is_dir():
        raise click.UsageError(f"--report: there is no directory {report.parent}")


def _crew(
    settings: "Settings", jobs: int, dask: str | None
) -> "AbstractContextManager[Crew]":
    """Choose who works."""
    if dask is None:
        from triage.replay.crew import Crew

        return Crew(settings, jobs)
    from triage.replay.farm import Farm

    return Farm(settings, dask, jobs)


def _show() -> "Show":
    """Choose how progress is shown."""
    from triage.replay.progress import Bar, Lines

    show = Bar if sys.stderr.isatty() else Lines
    return show(sys.stderr, time.monotonic)


def _warn(text: str) -> None:
    click.echo(f"triage: warning: {text}", err=True)


def _write_report(report: Path, out: Path, tally: "Tally") -> None:
    from triage.replay.report import write_report

    moment = datetime.now(UTC)
    with out.open("rb") as lines:
        write_report(report, tally, lines, title=f"Replay: {out.stem}", moment=moment)


def _give_up(line: "Line") -> NoReturn:
    """End a run that was to fail fast; what is written stays."""
    from triage.core.visible import printable

    said = f"item {line.id}: {line.error.message}" if line.error else "an item failed"
    code = line.error.code if line.error else "internal"
    click.echo(f"triage: error: {code}: {printable(said)}", err=True)
    sys.exit(1)
