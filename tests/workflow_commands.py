"""Read a job's output as GitHub's runner does: which commands it obeys, and which not."""

import re
from dataclasses import dataclass, field

_COMMAND = re.compile(
    r"::(?P<name>[\w-]+)(?: (?P<told>[^:]*(?:%3A[^:]*)*))?::(?P<data>.*)"
)


@dataclass(frozen=True)
class Command:
    """A command that was obeyed."""

    name: str
    data: str
    properties: dict[str, str] = field(default_factory=dict)


def obeyed(output: str) -> list[Command]:
    """Return the commands of *output*, those between stop and resume left out."""
    found, token = list[Command](), None
    for line in output.splitlines():
        match = _COMMAND.fullmatch(line.lstrip())
        if match is None:
            continue
        if token is not None:
            token = None if match["name"] == token else token
        elif match["name"] == "stop-commands":
            token = match["data"]
        else:
            found.append(_command(match))
    return found


def _command(match: re.Match[str]) -> Command:
    told = (match["told"] or "").split(",")
    pairs = (part.partition("=") for part in told if part)
    properties = {name: _plain(value) for name, _, value in pairs}
    return Command(match["name"], _plain(match["data"]), properties)


def _plain(text: str) -> str:
    for code, mark in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n")):
        text = text.replace(code, mark)
    return text.replace("%25", "%")
