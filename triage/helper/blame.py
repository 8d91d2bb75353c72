"""Who is to blame when the helper dies: pure book-keeping, told the time.

An input that was in work when a generation died gets a strike, and is from then on
tried in a generation of its own, so that a second death tells the culprit from those
that were merely there. The culprit is quarantined, the others are acquitted. One that
can be read in another way is convicted: the deaths that it explains count no more.
"""

import hashlib
from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from triage.core.wire import Request, encode_request

QUARANTINED: Final = 2
"""So many strikes, and an input is not tried again."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How much is too much, and how long it is remembered (in seconds)."""

    deaths: int = 3
    window: float = 60.0
    """So many deaths within it, and new calls are refused."""
    memory: float = 3_600.0
    """A strike this old is forgotten: the machine may have been at fault."""
    inputs: int = 1_000
    """As many inputs are remembered at most."""


class Blame:
    """Deaths of late, and strikes of inputs."""

    __slots__ = ("_deaths", "_rules", "_strikes")

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        # Time and suspects of each death within the window.
        self._deaths: deque[tuple[float, frozenset[bytes]]] = deque()
        # Digest to (number, time of the last), the oldest first.
        self._strikes: OrderedDict[bytes, tuple[int, float]] = OrderedDict()

    def death(self, now: float, suspects: Iterable[Request]) -> None:
        """Note that a generation died with *suspects* in work."""
        # Equal inputs in work together saw one generation die, and not several.
        keys = frozenset(map(_digest, suspects))
        self._deaths.append((now, keys))
        while now - self._deaths[0][0] >= self._rules.window:
            self._deaths.popleft()
        for key in keys:
            count, _ = self._strikes.pop(key, (0, now))
            self._strikes[key] = (count + 1, now)
        while len(self._strikes) > self._rules.inputs:
            self._strikes.popitem(last=False)

    def strikes(self, now: float, request: Request) -> int:
        """Count the strikes of an input; this costs nothing while nobody has any."""
        while self._strikes:
            oldest, (_, since) = next(iter(self._strikes.items()))
            if now - since < self._rules.memory:
                return self._strikes.get(_digest(request), (0, now))[0]
            del self._strikes[oldest]
        return 0

    def acquit(self, request: Request) -> None:
        """Take an input's strikes away: it was answered."""
        if self._strikes:
            self._strikes.pop(_digest(request), None)

    def convict(self, now: float, request: Request) -> None:
        """Take an input for the culprit of every death that it was suspected of."""
        key = _digest(request)
        if self._strikes.get(key, (0, now))[0] < QUARANTINED:
            self._strikes.pop(key, None)  # the latest go to the end
            self._strikes[key] = (QUARANTINED, now)
        self._deaths = deque(death for death in self._deaths if key not in death[1])

    def refusal(self, now: float) -> float | None:
        """Return how many seconds new calls are refused for; None: they are not."""
        if len(self._deaths) < self._rules.deaths:
            return None
        wait = self._deaths[-self._rules.deaths][0] + self._rules.window - now
        return wait if wait > 0 else None


def _digest(request: Request) -> bytes:
    """Tell inputs apart by all that the helper would see of them."""
    digest = hashlib.blake2b(digest_size=16)
    for chunk in encode_request(0, request):
        digest.update(chunk)
    return digest.digest()
