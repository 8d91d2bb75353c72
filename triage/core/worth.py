"""What a pick is worth for its room: relations and characters."""

from collections.abc import Iterable

import msgspec

from triage.core import cut
from triage.core.picks import Pick

_BASE = 60
"""Characters that every declaration costs, whatever its size."""
_LARGE = 1600
"""Characters from which size counts no more: it is cut anyway."""
_POWER = 0.9


class Weighed(msgspec.Struct, frozen=True):
    """A pick and its points."""

    pick: Pick
    score: float

    @property
    def density(self) -> float:
        """Points for each character."""
        start, end = cut.text_range(self.pick.decl)
        size = end - start
        price: float = (_BASE + min(_LARGE, size)) ** _POWER
        return self.score / price


def ranked(weighed: Iterable[Weighed]) -> list[Pick]:
    """Sort picks, the best first; ties by nearness, then in the order of the source."""
    rows = [
        (-w.density, int(w.pick.near), w.pick.view.directory, w.pick.decl.id, w.pick)
        for w in weighed
    ]
    rows.sort()
    return [row[-1] for row in rows]
