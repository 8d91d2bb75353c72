"""Turn the symbols of an answer into text, Markdown or JSON.

The text form is a published contract: sections in a fixed order, each under a ruled
header, source as written. Whatever comes from a panic text is stripped of control
characters before it stands in a comment.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from posixpath import basename
from typing import Protocol

from triage.core.model import Result, Symbol
from triage.core.narrow import shortened
from triage.core.notes import LEFT_OUT, change, few
from triage.core.visible import escaped, printable

SECTIONS = ("crash", "types", "functions", "values", "callers", "packages", "related")

_RULE = "// " + "=" * 78
_RUNTIME = "runtime error: "
LONGEST_HEADLINE = 300


@dataclass(frozen=True, slots=True)
class Heading:
    """What the text says of the crash and its package."""

    path: str
    """The crash file, relative to the repository."""
    directory: str
    package: str
    line: int
    message: str | None
    """None where only file and line are known."""
    limit: int = LONGEST_HEADLINE
    """Characters that the message and each name may take."""


def for_terminal(source: str) -> str:
    r"""Show control characters as `\x1b`, tabs and line ends left alone."""
    return escaped(source, lines=True)


def json_for_terminal(data: str) -> str:
    r"""Show control characters as `\u009b`: it stays the same JSON."""
    return escaped(data, lines=True, form="\\u{:04x}")


def headline(message: str, limit: int = LONGEST_HEADLINE) -> str:
    """Return the first line of a panic's message without `runtime error: `."""
    first = message.strip().split("\n", 1)[0]
    return shortened(printable(first.removeprefix(_RUNTIME)), limit)


class Placed(Protocol):
    """What the text form needs to know of a symbol."""

    @property
    def section(self) -> str:
        """One of `SECTIONS`."""

    @property
    def file(self) -> str:
        """Relative to the repository."""

    @property
    def start_line(self) -> int:
        """The first line."""

    @property
    def end_line(self) -> int:
        """The last line."""

    @property
    def marks(self) -> tuple[int, ...]:
        """Lines of the crash or of the call."""

    @property
    def text(self) -> str:
        """What is shown."""


def size(heading: Heading, symbol: Placed, *, first: bool) -> int:
    """Return the characters that a symbol takes, its section's header if it is first."""
    taken = len(symbol.text) + 1
    if symbol.section != "crash":
        taken += len(_file_line(heading, symbol)) + (1 if first else 2)
    if first:
        lines = (_RULE, *_title(symbol.section, heading, symbol), _RULE)
        taken += sum(len(line) + 1 for line in lines)
    return taken


def text(heading: Heading, symbols: Sequence[Symbol], notes: Sequence[str]) -> str:
    """Render the text form; *symbols* in their order of display."""
    out: list[str] = []
    for section in SECTIONS:
        members = [symbol for symbol in symbols if symbol.section == section]
        if not members:
            continue
        out += [_RULE, *_title(section, heading, members[0]), _RULE]
        out += _blocks(section, heading, members)
    out += [f"// {printable(note)}" for note in notes]
    return "\n".join(out) + "\n"


def _title(section: str, heading: Heading, first: Placed) -> Iterator[str]:
    name = shortened(heading.package, heading.limit)
    if section == "crash":
        file = shortened(printable(basename(heading.path)), heading.limit)
        yield f"// Crash Site: {file} ({_lines(first)})"
        what = "Line" if heading.message is None else "Panic"
        said = headline(heading.message or "", heading.limit)
        yield f"// {what}: {file}:{heading.line}{f': {said}' if said else ''}"
    else:
        yield {
            "types": f"// Package Context: Struct & Type Definitions ({name})",
            "functions": (
                f"// Package Context: Related Constructors & Helper Functions ({name})"
            ),
            "values": f"// Package Context: Variables & Constants ({name})",
            "callers": "// Callers",
            "packages": "// Other Packages",
            "related": "// Possibly Related (ranked by measurement, not proven)",
        }[section]


def _blocks(section: str, heading: Heading, members: Sequence[Symbol]) -> Iterator[str]:
    """Give each symbol under its file line; one text that is two symbols stands once."""
    printed: set[tuple[str, str]] = set()
    for symbol in members:
        if (symbol.file, symbol.text) in printed:
            continue
        if section != "crash":
            if printed:
                yield ""
            yield _file_line(heading, symbol)
        printed.add((symbol.file, symbol.text))
        yield symbol.text


def _file_line(heading: Heading, symbol: Placed) -> str:
    where = _lines(symbol)
    if symbol.section == "callers" and symbol.marks:
        where += f", call at {', '.join(map(str, symbol.marks))}"
    return f"// File: {_printable_path(heading.directory, symbol.file)} ({where})"


@lru_cache(maxsize=1024)
def _printable_path(directory: str, path: str) -> str:
    """Make a path fit to print; an answer's are weighed many times."""
    return printable(shown_path(directory, path))


def shown_path(directory: str, path: str) -> str:
    """Return a path relative to the crash package where it lies in it."""
    prefix = f"{directory}/" if directory else ""
    rest = path.removeprefix(prefix)
    return rest if path.startswith(prefix) and "/" not in rest else path


def _lines(symbol: Placed) -> str:
    return f"lines {symbol.start_line}-{symbol.end_line}"


_MARKDOWN_TITLES = {
    "types": "Struct & type definitions",
    "functions": "Related constructors & helper functions",
    "values": "Variables & constants",
    "callers": "Callers",
    "packages": "Other packages",
    "related": "Possibly related (ranked, not proven)",
}


def markdown(result: Result) -> str:
    """Render *result* for people: headings, fenced Go, a reason for each symbol."""
    crash = result.crash
    out = [f"### Panic in `{crash.function}`", ""]
    out.append(f"`{_inline(crash.path)}:{crash.line}`, package `{result.package.name}`")
    if result.panic.message:
        out += ["", f"> {_marked_off(headline(result.panic.message))}"]
    for section in SECTIONS:
        members = [symbol for symbol in result.symbols if symbol.section == section]
        if members and section != "crash":
            out += ["", f"#### {_MARKDOWN_TITLES[section]}"]
        printed: set[tuple[str, str]] = set()
        for symbol in members:
            if (symbol.file, symbol.text) not in printed:
                printed.add((symbol.file, symbol.text))
                out += ["", *_markdown_symbol(symbol)]
    if result.history:
        out += ["", "#### History", ""]
        out += [f"- {_marked_off(change(one))}" for one in result.history]
    notes = [*few(result.warnings), *_left_out(result.context)]
    if notes:
        out += ["", "#### Notes", ""]
        out += [f"- {_marked_off(printable(note))}" for note in notes]
    return "\n".join(out) + "\n"


def _left_out(context: str) -> Iterator[str]:
    """Give the line of the text form that says what was left out, if it does."""
    last = context.rstrip("\n").rpartition("\n")[2].removeprefix("// ")
    if last.startswith(LEFT_OUT):
        yield last


def _markdown_symbol(symbol: Symbol) -> Iterator[str]:
    fence = "`" * max(3, _longest_run(symbol.text) + 1)
    yield f"`{_inline(symbol.file)}` ({_lines(symbol)}): {_marked_off(symbol.reason)}"
    yield ""
    yield f"{fence}go"
    yield symbol.text
    yield fence


def _longest_run(text: str) -> int:
    return max(map(len, re.findall(r"`+", text)), default=0)


def _inline(text: str) -> str:
    return printable(text).replace("`", "'")


def _marked_off(text: str) -> str:
    """Escape what Markdown or HTML would read as markup."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|~&$-])", r"\\\1", text)
