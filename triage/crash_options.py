"""The options that say which crash is meant, and how it is explained."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from triage.options import data_dir, depth, frames, max_tokens, no_cache
from triage.streams import is_typed

if TYPE_CHECKING:
    from triage.config import Settings
    from triage.core.model import Telemetry

F = TypeVar("F", bound=Callable[..., object])

_MOST_LINES = (1 << 31) - 1
_OPTIONS = (
    click.argument("trace", required=False),
    click.option("--repo", default=".", help="Path of a repository, or OWNER/NAME."),
    click.option(
        "--commit", help="Commit that crashed; a path without: the files on disk."
    ),
    click.option("--root-dir", help="Directory of the module in the repository."),
    click.option("--file", help="Crash file, when there is no trace."),
    click.option(
        "--line", type=click.IntRange(1, _MOST_LINES), help="Crash line, with --file."
    ),
    depth,
    frames,
    max_tokens,
    click.option(
        "--no-related", is_flag=True, help="Leave out what is only possibly related."
    ),
    click.option(
        "--history",
        is_flag=True,
        help="Tell who changed what is shown, from a local clone.",
    ),
    click.option("--goos", help="Target system, where crash file and trace tell none."),
    click.option("--goarch", help="Target architecture, likewise."),
    click.option("--tags", default="", help="Build tags, comma separated."),
    data_dir,
    no_cache,
)


def crash_options(command: F) -> F:
    """Give *command* the options; `told` takes what they come to."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def told(settings: "Settings", given: dict[str, Any]) -> "tuple[Settings, Telemetry]":
    """Make settings and telemetry of what the options came to; reads the trace."""
    from triage.core.model import Telemetry

    taken = ("repo", "root_dir", "file", "line", "max_tokens", "depth", "frames")
    telemetry = Telemetry(
        **{name: given[name] for name in (*taken, "history", "goos", "goarch")},
        commit_sha=given["commit"],
        trace=_read_trace(given["trace"], file=given["file"], line=given["line"]),
        related=not given["no_related"],
        tags=tuple(tag for tag in given["tags"].split(",") if tag),
    )
    place, no_cache = given["data_dir"], given["no_cache"]
    return replace(settings, data_dir=place, no_cache=no_cache), telemetry


def _read_trace(
    trace: str | None, *, file: str | None, line: int | None
) -> bytes | None:
    """Read the panic's text; None where --file and --line say it all."""
    from triage.parse import read_input

    if (file is None) != (line is None):
        raise click.UsageError("--file and --line go together")
    if trace is None and file is not None:
        return None
    if trace is not None and file is not None:
        raise click.UsageError("give a TRACE or --file and --line, not both")
    name = "-" if trace is None else trace
    if name == "-" and is_typed():
        raise click.UsageError(
            "no panic given: name a TRACE file, pipe one in, or give --file and --line"
        )
    return read_input(name)
