"""The command that asks a model."""

import sys
from typing import TYPE_CHECKING, Any, Self

import click

from triage.crash_options import crash_options, told
from triage.running import run

if TYPE_CHECKING:
    from triage.config import Settings
    from triage.core.model import Telemetry


@click.command()
@crash_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
)
@click.option(
    "--dry-run", is_flag=True, help="Print what would be sent, and send nothing."
)
@click.option(
    "--max-spend",
    type=click.IntRange(1_000, 1_000_000),
    default=20_000,
    show_default=True,
    help="Tokens that question and answer may take together.",
)
@click.option(
    "--refuse-secrets",
    is_flag=True,
    help="Send nothing where the context holds secrets; else they are masked.",
)
@click.pass_obj
def diagnose(
    settings: "Settings",
    /,
    form: str,
    dry_run: bool,
    max_spend: int,
    refuse_secrets: bool,
    **given: Any,
) -> None:
    """Ask a model why a program crashed, and what to change.

    The model is TRIAGE_MODEL's. The context goes to its provider, secrets masked.
    """
    settings, telemetry = told(settings, given)
    run(
        _diagnose(
            settings,
            telemetry,
            form,
            dry_run=dry_run,
            spend=max_spend,
            refuse_secrets=refuse_secrets,
        )
    )


async def _diagnose(
    settings: "Settings",
    telemetry: "Telemetry",
    form: str,
    *,
    dry_run: bool,
    spend: int,
    refuse_secrets: bool,
) -> None:
    from triage.app import open_engine
    from triage.core.diagnosis import shown_json, shown_text
    from triage.core.visible import escaped
    from triage.diagnose import ask, prepare

    async with open_engine(settings) as engine:
        question = await prepare(
            engine, telemetry, spend=spend, refuse_secrets=refuse_secrets
        )
        if dry_run:
            click.echo(escaped(question.prompt.text, lines=True), nl=False)
            return
        with _Progress() as progress:
            answer = await ask(settings, engine, telemetry, question, progress.show)
    told = answer.diagnosis, answer.checked, answer.spent, question.masked
    if form == "json":
        sys.stdout.buffer.write(shown_json(question.result, *told))
    else:
        sys.stdout.buffer.write(shown_text(*told).encode())


class _Progress:
    """Shows on a terminal that an answer is coming."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if sys.stderr.isatty():
            click.echo("\r\x1b[K", err=True, nl=False)

    def show(self, characters: int) -> None:
        """Show how much has come."""
        if sys.stderr.isatty():
            click.echo(f"\r{characters:,} characters", err=True, nl=False)
