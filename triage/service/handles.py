"""File handles: how many there may be, and how many of them callers may hold.

Without a bound callers that only hold connections would leave none to accept the next
one with, nor to read the inbox or a repository.
"""

import resource
from dataclasses import dataclass
from typing import Final

_BACKLOG: Final = 1_024
_WANTED: Final = 65_536
"""More is of no use, and some systems have no bound at all."""


@dataclass(frozen=True, slots=True)
class Share:
    """What of a process' handles callers may take."""

    connections: int
    backlog: int
    """Connections that wait to be accepted, and are then all at once."""


def raise_limit() -> None:
    """Take as many handles as this process may have; its children get them too."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED if hard == resource.RLIM_INFINITY else min(hard, _WANTED)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):  # macOS allows less than it says
        return


def share(most: int) -> Share:
    """Divide the handles: *most* connections, and half of what there is at most."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    known = _WANTED if soft == resource.RLIM_INFINITY else soft
    return Share(
        connections=max(1, min(most, known // 2)),
        backlog=max(1, min(_BACKLOG, known // 4)),
    )
