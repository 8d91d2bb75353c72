"""The command that jobs of a CI run."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from triage.errors import BadInput
from triage.options import data_dir, max_tokens, no_cache
from triage.running import run
from triage.streams import is_typed

if TYPE_CHECKING:
    from triage.ci import Form, Gathered
    from triage.ci.passing import Passing

_FOUND = 1
_UNREADABLE = 4


class _Split(click.Command):
    """Takes what stands after `--` as a command to run."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Keep the command apart: its options are not ours."""
        if "--" in args:
            at = args.index("--")
            context.meta["command"] = args[at + 1 :]
            if not args[at + 1 :]:
                raise click.UsageError("no command stands after --", context)
            args = args[:at]
        return super().parse_args(context, args)


@click.command(cls=_Split)
@click.argument("log", required=False)
@click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Read a JUnit report in place of a log.",
)
@click.option("--repo", default=".", help="The checkout, or OWNER/NAME.")
@click.option("--commit", help="Commit that crashed; without: the files on disk.")
@click.option("--root-dir", help="Directory of the module in the repository.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["github", "text", "json", "sarif"]),
    help="What is told; github on GitHub Actions, else text.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File that takes the report.",
)
@click.option("--exit-zero", is_flag=True, help="Do not fail for crashes.")
@max_tokens
@data_dir
@no_cache
@click.pass_context
def ci(  # noqa: PLR0917 - click hands every option over by name
    context: click.Context,
    log: str | None,
    junit: Path | None,
    repo: str,
    commit: str | None,
    root_dir: str | None,
    form: "Form | None",
    out: Path | None,
    exit_zero: bool,
    max_tokens: int,
    data_dir: Path,
    no_cache: bool,
) -> None:
    """Explain the crashes in a job's output: a log, a report, or a command's.

    `triage ci -- go test ./...` runs the command, and exits as it does where nothing
    crashed. LOG is a file; - or nothing reads standard input.
    """
    from triage.ci import Report, explain
    from triage.ci.explain import Source
    from triage.config import GitHubStep

    step = GitHubStep.from_env()
    form = form or ("github" if step else "text")
    settings = replace(context.obj, data_dir=data_dir, no_cache=no_cache)
    source = Source(repo, commit, root_dir, max_tokens)
    quiet = out is None and form in {"json", "sarif"}
    passing = _passing(quiet=quiet, guarded=step is not None)
    gathered = _gathered(context.meta.get("command"), log, junit, passing)
    findings = run(explain(settings, gathered.crashes, source))
    if gathered.left_out:
        click.echo(
            f"triage: warning: {gathered.left_out} more crashes were left out", err=True
        )
    top = run(_top(repo)) if step else None
    Report(form, sys.stdout.buffer.write, out, step).tell(findings, top)
    if findings:
        sys.exit(0 if exit_zero else _FOUND)
    sys.exit(gathered.status)


def _passing(*, quiet: bool, guarded: bool) -> "Passing":
    """Choose where the input is passed on to; *quiet*: not to standard output."""
    from triage.ci.passing import Passing

    out = sys.stderr if quiet else sys.stdout
    return Passing(out.buffer, sys.stderr.buffer, guarded=guarded)


def _gathered(
    command: list[str] | None, log: str | None, junit: Path | None, passing: "Passing"
) -> "Gathered":
    """Read what there is to read; ends with 4 where that fails."""
    from triage.ci import from_command, from_log, from_report

    if sum(one is not None for one in (command, log, junit)) > 1:
        raise click.UsageError("give one of LOG, --junit and -- COMMAND")
    if command is None and log is None and junit is None and is_typed():
        raise click.UsageError(
            "no log given: name a LOG, pipe one in, or give -- COMMAND"
        )
    try:
        if junit is not None:
            return from_report(junit)
        with passing:
            if command is not None:
                return from_command(command, passing.out, passing.err)
            return from_log(log or "-", passing.out)
    except BadInput as error:
        click.echo(f"triage: error: {error.code}: {error}", err=True)
        sys.exit(_UNREADABLE)


async def _top(repo: str) -> Path | None:
    """Find where the repository lies; None where it is not here."""
    from triage.app import repository_top
    from triage.errors import SourceError

    try:
        return await repository_top(repo)
    except SourceError:
        return None
