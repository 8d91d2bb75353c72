"""What the pages show, as values: templates only lay it out."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote

import msgspec
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import GoLexer

from triage.core import picture
from triage.core.model import Result, ShownFrame, Symbol
from triage.core.numbered import line_numbers
from triage.core.render import SECTIONS
from triage.core.visible import escaped, printable
from triage.store import Event, Incident

TITLES: Final = {
    "crash": "Crash site",
    "types": "Structs and types",
    "functions": "Constructors and helpers",
    "values": "Variables and constants",
    "callers": "Callers",
    "packages": "Other packages",
    "related": "Possibly related",
}
HINTS: Final = {
    "no-panic": "Nothing in what was sent reads as a crash of a Go program.",
    "repo-not-allowed": "Add the repository to TRIAGE_REPOS, then retry the event.",
    "repo-not-found": "Check the name, and that the GitHub token may read it.",
    "commit-not-found": "Push the commit that was deployed, then retry the event.",
    "file-not-found": "Set root_dir in triage.toml where the module is not at the root.",
    "line-outside": "The source is not what crashed: check the commit that was sent.",
    "unauthorized": "Set a GitHub token that is valid, then retry the event.",
    "internal": "A bug of Triage's: its log says more.",
}
"""What to do about an event that failed, by the code of its error."""
_decoder = msgspec.json.Decoder(Result)


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One line of a text."""

    number: int | None
    html: Markup
    marked: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """One symbol as it is shown."""

    anchor: str
    label: str
    file: str
    lines: str
    href: str | None
    reason: str
    code: tuple[CodeLine, ...]


@dataclass(frozen=True, slots=True)
class FrameLine:
    """One call of the trace."""

    function: str
    place: str
    href: str | None
    own: bool


@dataclass(frozen=True, slots=True)
class Explained:
    """One context, whole."""

    result: Result
    place: str
    href: str | None
    message: str
    frames: tuple[FrameLine, ...]
    sections: tuple[tuple[str, str, tuple[Shown, ...]], ...]
    picture: picture.Picture


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses on the site that holds the repositories."""

    site: str
    """Such as `https://github.com`."""

    def lines(self, repo: str, commit: str | None, path: str, *span: int) -> str | None:
        """Link lines of a file; None where nothing is known to be there."""
        if commit is None or not _is_name(repo):
            return None
        where = "-".join(f"L{line}" for line in dict.fromkeys(span))
        return f"{self.site}/{repo}/blob/{quote(commit)}/{quote(path)}#{where}"

    def commit(self, repo: str, commit: str) -> str | None:
        """Link a commit."""
        return f"{self.site}/{repo}/commit/{quote(commit)}" if _is_name(repo) else None


def explained(context: bytes, links: Links) -> Explained:
    """Make what is shown of a context; raises `msgspec.DecodeError` if it is none."""
    result = _decoder.decode(context)
    crash, panic = result.crash, result.panic
    href = links.lines(crash.repo, crash.commit, crash.path, crash.line)
    shown = [
        _symbol(n, symbol, result, links) for n, symbol in enumerate(result.symbols)
    ]
    sections = tuple(
        (name, TITLES[name], members)
        for name in SECTIONS
        if (
            members := tuple(
                one
                for one, symbol in zip(shown, result.symbols, strict=True)
                if symbol.section == name
            )
        )
    )
    return Explained(
        result,
        visible(f"{crash.path}:{crash.line}"),
        href,
        visible(panic.message or ""),
        tuple(_frame(frame, result, links) for frame in panic.frames),
        sections,
        picture.picture(result.symbols),
    )


def visible(text: str) -> str:
    """Show what cannot be seen, line ends and tabs apart."""
    return escaped(text, lines=True)


def moment(seconds: float) -> str:
    """Write a moment for people, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def machine(seconds: float) -> str:
    """Write a moment for programs."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def ago(seconds: float, now: float) -> str:
    """Say how long ago a moment was."""
    age = max(0, int(now - seconds))
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if age >= size:
            count = age // size
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"


def title(incident: Incident) -> str:
    """Name an incident by what was said, else by where it happened."""
    return printable(incident.message.split("\n", 1)[0]) or printable(incident.function)


def hint(event: Event) -> str:
    """Say what to do about an event that did not end well."""
    return HINTS.get(event.code or "", "")


def _is_name(repo: str) -> bool:
    owner, _, name = repo.partition("/")
    return bool(owner and name) and all(
        part.replace("-", "").replace("_", "").replace(".", "").isalnum()
        for part in (owner, name)
    )


def _symbol(number: int, symbol: Symbol, result: Result, links: Links) -> Shown:
    crash = result.crash
    span = symbol.start_line, symbol.end_line
    marks = {crash.line} if symbol.section == "crash" else set(symbol.marks)
    return Shown(
        anchor=f"s{number}",
        label=printable(picture.label(symbol)),
        file=printable(symbol.file),
        lines=f"{span[0]}-{span[1]}" if span[0] != span[1] else f"{span[0]}",
        href=links.lines(crash.repo, crash.commit, symbol.file, *span),
        reason=printable(symbol.reason),
        code=_code(symbol, marks),
    )


def _code(symbol: Symbol, marks: set[int]) -> tuple[CodeLine, ...]:
    """Highlight a text line by line; a string over several lines stays one."""
    lexer = GoLexer(stripnl=False, ensurenl=False)
    coloured = highlight(visible(symbol.text), lexer, HtmlFormatter(nowrap=True))
    lines = coloured.rstrip("\n").split("\n")
    numbers = line_numbers(symbol)
    numbers += [None] * (len(lines) - len(numbers))
    return tuple(
        CodeLine(number, Markup(html), number in marks)  # noqa: S704 - pygments escapes
        for number, html in zip(numbers, lines, strict=False)
    )


def _frame(frame: ShownFrame, result: Result, links: Links) -> FrameLine:
    crash, path = result.crash, frame.path
    line = () if frame.line is None else (frame.line,)
    href = links.lines(crash.repo, crash.commit, path, *line) if path else None
    place = ":".join(map(str, (path or frame.file or "?", *line)))
    return FrameLine(printable(frame.function), printable(place), href, own=bool(path))
