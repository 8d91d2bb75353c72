"""Options that several commands share."""

from pathlib import Path

import click

data_dir = click.option(
    "--data-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Directory of the cache and of the inbox.",
)
no_cache = click.option(
    "--no-cache", is_flag=True, help="Neither read nor keep what was found."
)
depth = click.option(
    "--depth",
    type=click.IntRange(0, 10),
    default=2,
    show_default=True,
    help="How far types are followed through fields.",
)
frames = click.option(
    "--frames",
    type=click.IntRange(1, 50),
    default=5,
    show_default=True,
    help="How many own functions of a trace are shown.",
)
max_tokens = click.option(
    "--max-tokens",
    type=click.IntRange(100, 1_000_000),
    default=3000,
    show_default=True,
    help="Budget of a context, a token counted as 3.5 characters.",
)
