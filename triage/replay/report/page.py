"""Lay a replay out as one page, with nothing in it that runs or is loaded."""

import hashlib
import os
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Final

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import GoLexer

from triage._version import __version__
from triage.core.printed import shown
from triage.core.replay.charts import HEIGHT, WIDTH, charts
from triage.core.replay.tally import Incident, Tally
from triage.core.visible import escaped, printable
from triage.errors import OutputFailed

_SHOWN: Final = 100
"""Incidents that are shown with a context."""
_SITES: Final = 20


class _Text(msgspec.Struct, frozen=True):
    context: str


class _Told(msgspec.Struct, frozen=True):
    id: str
    context: _Text | None = None


@dataclass(frozen=True, slots=True)
class _Shown:
    """An incident as it is laid out."""

    incident: Incident
    title: str
    message: str
    seen: str
    code: Markup


def write_report(
    path: Path, tally: Tally, lines: Iterable[bytes], *, title: str, moment: datetime
) -> None:
    """Write the page of a replay; *lines* are its output, for the contexts.

    The file is there whole or not at all; raises `OutputFailed`.
    """
    page = _page(tally, lines, title=title, moment=moment).encode()
    name = shown(printable(str(path)))
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        try:
            part.write_bytes(page)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        reason = (error.strerror or "it fails").lower()
        raise OutputFailed(
            f"cannot write to {name}: {reason}; name another file in --report"
        ) from error


def _page(tally: Tally, lines: Iterable[bytes], *, title: str, moment: datetime) -> str:
    environment = Environment(
        loader=PackageLoader("triage.replay.report", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["plain"] = printable
    style = resources.files("triage.replay.report").joinpath("page.css").read_text()
    incidents = tally.top_incidents(_SHOWN)
    contexts = _contexts(lines, {one.item for one in incidents})
    return environment.get_template("page.html").render(
        title=printable(title),
        style=Markup(style),  # noqa: S704 - our own
        digest=b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        tally=tally,
        charts=charts(tally),
        width=WIDTH,
        height=HEIGHT,
        sites=tally.sites.top(_SITES),
        incidents=[_shown(one, contexts) for one in incidents],
        version=__version__,
        made=moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    )


def _contexts(lines: Iterable[bytes], ids: set[str]) -> dict[str, str]:
    """Find the contexts of these items among the lines of the output."""
    decoder = msgspec.json.Decoder(_Told)
    found = dict[str, str]()
    for raw in lines:
        told = decoder.decode(raw)
        if told.id in ids and told.context is not None:
            found[told.id] = told.context.context
    return found


def _shown(incident: Incident, contexts: Mapping[str, str]) -> _Shown:
    return _Shown(
        incident,
        title=printable(f"{incident.kind or 'crash'} in {incident.function}"),
        message=printable(incident.message),
        seen=_seen(incident),
        code=_highlighted(contexts.get(incident.item, "")),
    )


def _seen(incident: Incident) -> str:
    days = dict.fromkeys(
        datetime.fromtimestamp(at, UTC).date().isoformat()
        for at in (incident.first, incident.last)
        if at is not None
    )
    return " to ".join(days)


def _highlighted(text: str) -> Markup:
    formatter = HtmlFormatter(nowrap=True)
    lexer = GoLexer(stripnl=False, ensurenl=False)
    return Markup(highlight(escaped(text, lines=True), lexer, formatter))  # noqa: S704 - it escapes
