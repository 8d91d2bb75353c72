"""What GitHub's limits still allow: one gate for each set of credentials.

https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from triage.errors import RateLimited

EVERYTHING = "*"
"""Stands for all resources: a secondary limit is one over REST and GraphQL."""


class RateGate:
    """Closed while GitHub refuses; asked before every request, from any thread.

    Hand the same gate to every `GitHubApi` that uses the same credentials.
    *clock* gives seconds since the epoch, as GitHub's headers do.
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self._lock = threading.Lock()
        self._until: dict[str, float] = {}  # guarded by _lock

    def check(self, resource: str) -> None:
        """Let a request for *resource* pass, or raise `RateLimited`."""
        with self._lock:
            until = max(
                self._until.get(resource, 0.0), self._until.get(EVERYTHING, 0.0)
            )
        if until > self.clock():
            raise limited(until)

    def close(self, resource: str, until: float) -> None:
        """Refuse requests for *resource* until that moment; the latest one counts."""
        with self._lock:
            self._until[resource] = max(until, self._until.get(resource, 0.0))


def limited(until: float) -> RateLimited:
    """Make the error that says when to try again."""
    when = datetime.fromtimestamp(until, UTC).strftime("%H:%M:%S")
    return RateLimited(
        f"GitHub's rate limit is used up; try again after {when} UTC,"
        " or set GITHUB_TOKEN if it is not set",
        reset_at=until,
    )
