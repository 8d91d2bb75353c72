"""The commands that run the service, and look after what it has taken in."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from triage.options import data_dir

if TYPE_CHECKING:
    from triage.config import Settings
    from triage.store import State


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="Port; 0 takes one that is free.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes that share the port and the inbox.",
)
@data_dir
def serve(host: str, port: int, workers: int, data_dir: Path) -> None:
    """Take panics over HTTP and answer with their contexts.

    Settings also come from triage.toml in the working directory.
    """
    from triage.config import Settings
    from triage.service.door import bind, check, locked
    from triage.service.handles import raise_limit

    settings = replace(Settings.from_env(Path.cwd()), data_dir=data_dir)
    check(settings, host)
    raise_limit()
    with locked(data_dir), bind(host, port) as place:
        if workers == 1:
            from triage.service.run import run_one

            run_one(settings, place)
            return
        from triage.service.cluster import run_cluster

        sys.exit(run_cluster(settings, place, workers))


@click.group()
@data_dir
@click.pass_context
def inbox(context: click.Context, data_dir: Path) -> None:
    """Look after the events that the service has taken in."""
    context.obj = replace(context.obj, data_dir=data_dir)


@inbox.command("list")
@click.option(
    "--status",
    type=click.Choice(["received", "working", "waiting", "done", "failed"]),
    help="Only these.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=50,
    show_default=True,
    help="How many, the newest first.",
)
@click.pass_obj
def list_events(settings: "Settings", status: "State | None", limit: int) -> None:
    """Show events: id, status, attempts, when received, and what was wrong."""
    from triage.core.visible import printable
    from triage.service.inbox import listed

    for line in asyncio.run(listed(settings, status, limit)):
        click.echo(printable(line))


@inbox.command()
@click.argument("incident")
@click.pass_obj
def preview(settings: "Settings", incident: str) -> None:
    """Print the issue and the webhook of INCIDENT, and send nothing."""
    from triage.core.visible import escaped
    from triage.service.inbox import previewed

    text = asyncio.run(previewed(settings, incident))
    click.echo(escaped(text, lines=True), nl=False)


@inbox.command()
@click.argument("ids", nargs=-1)
@click.pass_obj
def retry(settings: "Settings", ids: tuple[str, ...]) -> None:
    """Try failed events again: those of IDS, or all."""
    from triage.service.inbox import retried

    click.echo(f"{asyncio.run(retried(settings, ids))} events will be tried again")
