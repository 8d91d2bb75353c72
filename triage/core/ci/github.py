"""What GitHub Actions reads: workflow commands, a step's summary, its outputs.

Everything out of a log is escaped: a test's output can issue no command, and breaks no
Markdown. https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

import html
from collections.abc import Iterator, Sequence
from typing import Final

from triage.core.ci.model import Finding
from triage.core.render import markdown
from triage.core.visible import printable

MOST_ANNOTATIONS: Final = 10
"""GitHub shows so many errors of one step, and drops the rest without a word."""
MOST_SUMMARY: Final = 1_000_000
"""Bytes; above 1 MiB GitHub drops a step's whole summary."""
_LONGEST_MESSAGE: Final = 1_000
_EXPLAINED: Final = "Its context is in the summary of this step."


def annotations(findings: Sequence[Finding], *, below: str = "") -> str:
    """Write a command for each crash site, and one notice for those that are too many.

    *findings* come with the most valuable first. *below* is the repository's directory
    in the workspace, empty where they are the same.
    """
    lines = [_error(finding, below) for finding in findings[:MOST_ANNOTATIONS]]
    if (more := len(findings) - MOST_ANNOTATIONS) > 0:
        said = f"{more} more crashes are in the summary of this step."
        lines.append(command("notice", said, title="Triage"))
    return "".join(f"{line}\n" for line in lines)


def command(name: str, message: str, **properties: str) -> str:
    """Write one workflow command; empty properties are left out."""
    told = ",".join(f"{k}={_property(v)}" for k, v in properties.items() if v)
    return (
        f"::{name} {told}::{_data(message)}" if told else f"::{name}::{_data(message)}"
    )


def stopped(token: str) -> tuple[str, str]:
    """Return what stands before and after text in which no command is obeyed."""
    return f"::stop-commands::{token}\n", f"\n::{token}::\n"


def outputs(findings: Sequence[Finding]) -> str:
    """Write a step's outputs: how many crashes, and where the first one was."""
    first = next((one.place for one in findings if one.place and one.place.own), None)
    place = f"{printable(first.path)}:{first.line}" if first else ""
    return f"crashes={len(findings)}\nfirst={place}\n"


def summary(findings: Sequence[Finding], *, room: int = MOST_SUMMARY) -> str:
    """Write the step's summary in Markdown, in at most *room* bytes.

    What there is no room for is named without its context; then it is only counted.
    """
    count = len(findings)
    head = f"### Triage: {count} {'crash' if count == 1 else 'crashes'}\n\n"
    parts, left = [head], room - len(head) - 200
    for turn, finding in enumerate(findings):
        for part in (_folded(finding), _named(finding)):
            size = len(part.encode())
            if size <= left:
                parts.append(part)
                left -= size
                break
        else:
            parts.append(f"\n{count - turn} more crashes had no room here.\n")
            break
    return "".join(parts)


def _error(finding: Finding, below: str) -> str:
    place = finding.place
    said = finding.headline
    if finding.count > 1:
        said += f" ({finding.count} times)"
    if finding.result is not None:
        said += f"\n{_EXPLAINED}"
    elif finding.failure is not None:
        said += f"\nNo context: {finding.failure.message}"
    own = place is not None and place.own
    return command(
        "error",
        said[:_LONGEST_MESSAGE],
        file=f"{below}{place.path}" if own and place else "",
        line=str(place.line) if own and place else "",
        title=finding.title,
    )


def _data(text: str) -> str:
    """Escape a message: `%`, carriage returns and line feeds end it otherwise."""
    shown = "\n".join(map(printable, text.split("\n")))
    return shown.replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _folded(finding: Finding) -> str:
    """Write one crash, its context folded away."""
    if finding.result is None:
        return _named(finding)
    inside = markdown(finding.result).partition("\n")[2].strip("\n")
    title = f"<summary>{_title(finding)}</summary>"
    return f"<details>\n{title}\n\n{inside}\n\n</details>\n\n"


def _named(finding: Finding) -> str:
    """Write one crash in a paragraph."""
    why = finding.failure
    told = f"; no context: {_html(why.message)}" if why else ""
    return f"<p>{_title(finding)}{told}</p>\n\n"


def _title(finding: Finding) -> str:
    said = f"<b>{_html(finding.title)}</b>: {_html(finding.headline)}"
    return " · ".join([said, *map(_html, _facts(finding))])


def _html(text: str) -> str:
    """Escape for a line of HTML, in which Markdown is not read."""
    return html.escape(printable(text))


def _facts(finding: Finding) -> Iterator[str]:
    place = finding.place
    if place is not None and place.path:
        yield f"{place.path}:{place.line}"
    if finding.package:
        yield finding.package
    if finding.test:
        yield finding.test
    if finding.count > 1:
        yield f"{finding.count} times"
