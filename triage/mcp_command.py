"""The command that serves coding agents."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from triage.options import data_dir
from triage.running import run

if TYPE_CHECKING:
    from triage.config import Settings


@click.command()
@click.option(
    "--repo",
    help="The one repository that may be read; else those of TRIAGE_REPOS, else `.`.",
)
@click.option(
    "--http",
    metavar="PORT",
    type=click.IntRange(1, 65535),
    help="Serve on this port of 127.0.0.1, at /mcp, in place of standard input.",
)
@data_dir
@click.pass_obj
def mcp(
    settings: "Settings", repo: str | None, http: int | None, data_dir: Path
) -> None:
    """Serve coding agents by the Model Context Protocol.

    The tools are `panic_context` and `declaration`; both only read.
    """
    run(_serve(replace(settings, data_dir=data_dir), repo, http))


async def _serve(settings: "Settings", repo: str | None, http: int | None) -> None:
    from triage.mcp import make_server, serve_http
    from triage.mcp.reach import open_reach

    async with open_reach(settings, repo) as reach:
        server = make_server(reach)
        if http is None:
            await server.run_stdio_async()
        else:
            await serve_http(server, "127.0.0.1", http, settings.token)
