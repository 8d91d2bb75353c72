"""The command line: options in, results on standard output, errors in one line.

Heavy modules are imported inside the command that needs them: `triage --version`
and a usage error answer at once.
"""

import io
import logging
import sys
import traceback
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from triage._version import __version__
from triage.ci_command import ci
from triage.crash_options import crash_options, told
from triage.diagnose_command import diagnose
from triage.errors import ConfigError, ReaderGone, TriageError
from triage.mcp_command import mcp
from triage.options import data_dir
from triage.replay_command import replay
from triage.running import run
from triage.service_commands import inbox, serve
from triage.streams import guarded

if TYPE_CHECKING:
    from triage.config import Settings
    from triage.core.model import Result, Telemetry

_LONGEST_MESSAGE = 1000
EXIT_EXPECTED = 1
EXIT_BUG = 3
EXIT_INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line and exit: 0 done, 1 could not, 2 usage, 3 a bug of ours.

    Where nobody reads the output any more it ends with 1, without a word.
    """
    with guarded():
        code = _code()
    sys.exit(code)


def _code() -> int:
    """Run the command line; everything that goes wrong is said here."""
    try:
        return cli.main(prog_name="triage", standalone_mode=False) or 0
    except click.ClickException as error:
        _show(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except ReaderGone:
        return EXIT_EXPECTED
    except TriageError as error:
        _complain(f"{error.code}: {error}")
        return EXIT_EXPECTED
    except Exception as error:  # noqa: BLE001 - the edge reports what nobody foresaw
        _report_bug(error)
        return EXIT_BUG


def _show(error: click.ClickException) -> None:
    """Say what click has to say; its message repeats what was given."""
    told = io.StringIO()
    error.show(told)
    usage, mark, message = told.getvalue().partition("Error: ")
    click.echo(f"{usage}{mark}{_one_line(message)}", err=True)


def _complain(text: str) -> None:
    click.echo(f"triage: error: {_one_line(text)}", err=True)


def _one_line(text: str) -> str:
    """Make one line of a message, safe for a terminal and not without end."""
    from triage.core.visible import printable

    line = printable(text)
    if len(line) <= _LONGEST_MESSAGE:
        return line
    half = _LONGEST_MESSAGE // 2
    return f"{line[:half]} ... {line[-half:]}"  # what to do about it comes last


def _report_bug(error: Exception) -> None:
    """Say that it is our fault, with what a report needs."""
    from triage.core.render import for_terminal

    click.echo(for_terminal("".join(traceback.format_exception(error))), err=True)
    python = ".".join(map(str, sys.version_info[:3]))
    _complain(
        f"internal: {type(error).__name__}: {error}; this is a bug of Triage "
        f"{__version__} (Python {python}, {sys.platform}): please report it"
    )


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="triage", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Turn a Go panic into the smallest piece of source that explains it."""
    from triage.config import Settings

    try:
        settings = Settings.from_env()
    except ConfigError as error:
        if context.invoked_subcommand != "doctor":
            raise
        _set_up_logging("warning")
        context.obj = error  # a finding like others
        return
    _set_up_logging(settings.log_level)
    context.obj = settings
    context.default_map = settings.default_map(cli.commands)


def _set_up_logging(level: str) -> None:
    """Let what the parts of Triage have to say come out as the commands' own words."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Line())
    logging.basicConfig(handlers=[handler], level=level.upper())


class _Line(logging.Formatter):
    """`triage: warning: text`, without control characters."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the one line of *record*."""
        text = _one_line(record.getMessage())
        return f"triage: {record.levelname.lower()}: {text}"


@cli.command()
@crash_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
)
@click.option(
    "--count-tokens", is_flag=True, help="Tell how many tokens the context really has."
)
@click.pass_obj
def context(
    settings: "Settings", /, form: str, count_tokens: bool, **given: Any
) -> None:
    """Print the source that explains a panic.

    TRACE is a file with the panic's text; - or nothing reads standard input.
    """
    settings, telemetry = told(settings, given)
    run(_explain(settings, telemetry, form, count_tokens=count_tokens))


async def _explain(
    settings: "Settings", telemetry: "Telemetry", form: str, *, count_tokens: bool
) -> None:
    """Print the answer; what is kept of it is written after that."""
    from triage.app import open_engine

    async with open_engine(settings) as engine:
        result = await engine.context(telemetry)
        _warn(result)
        shown = _counted(result, form) if count_tokens else _rendered(result, form)
        _write(shown, form)


def _warn(result: "Result") -> None:
    from triage.core.notes import few

    for warning in few(result.warnings):
        click.echo(f"triage: warning: {_one_line(warning)}", err=True)


def _counted(result: "Result", form: str) -> bytes:
    """Render with the count of tokens: JSON has it in its stats."""
    from triage.tokens import TOKENIZER, count, counted

    if form == "json":
        return counted(result) + b"\n"
    shown = _rendered(result, form)
    tokens = count(shown.decode())
    click.echo(f"triage: {tokens} tokens by {TOKENIZER}", err=True)
    return shown


def _rendered(result: "Result", form: str) -> bytes:
    from triage.core import render

    if form == "json":
        return result.to_json() + b"\n"
    if form == "markdown":
        return render.markdown(result).encode()
    return result.context.encode()


def _write(data: bytes, form: str) -> None:
    """Write the result; a terminal gets no control characters out of the source."""
    if sys.stdout.isatty():
        from triage.core.render import for_terminal, json_for_terminal

        shown = json_for_terminal if form == "json" else for_terminal
        data = shown(data.decode("utf-8", "replace")).encode()
    sys.stdout.buffer.write(data)


@cli.command()
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
)
def parse(files: tuple[str, ...], form: str) -> None:
    """Show the crashes in FILES (- is standard input), without any source."""
    from triage.parse import parse_files

    parse_files(files, form, partial(_write, form=form))


@cli.group()
@data_dir
@click.pass_context
def cache(context: click.Context, data_dir: Path) -> None:
    """Look after what was fetched, parsed and answered before."""
    context.obj = replace(context.obj, data_dir=data_dir)


@cache.command()
@click.pass_obj
def stats(settings: "Settings") -> None:
    """Show what the cache holds."""
    from triage.app import cache_stats

    holdings = cache_stats(settings)
    for table in holdings.tables:
        click.echo(f"{table.name:10}{table.rows:10} rows {_megabytes(table.bytes)}")
    click.echo(f"{'in all':25} {_megabytes(holdings.bytes)}")


def _megabytes(size: int) -> str:
    return f"{size / (1 << 20):10.1f} MB"


@cache.command()
@click.pass_obj
def prune(settings: "Settings") -> None:
    """Drop what was used least, down to the cache's bound."""
    from triage.app import prune_cache

    click.echo(f"dropped {prune_cache(settings)} rows")


@cache.command()
@click.pass_obj
def clear(settings: "Settings") -> None:
    """Empty the cache."""
    from triage.app import clear_cache

    clear_cache(settings)


@cli.command()
@click.pass_obj
def doctor(settings: "Settings | ConfigError") -> None:
    """Check the helper, git and the settings."""
    from triage.app import examine

    checks = run(examine(settings))
    for check in checks:
        line = f"{'ok  ' if check.fine else 'FAIL'} {check.name}: {check.text}"
        click.echo(_one_line(line).encode())  # a path may be in no one's encoding
    if not all(check.fine for check in checks):
        sys.exit(EXIT_EXPECTED)


cli.add_command(ci)
cli.add_command(diagnose)
cli.add_command(mcp)
cli.add_command(serve)
cli.add_command(inbox)
cli.add_command(replay)
