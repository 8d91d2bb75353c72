"""What a pick is worth for its room: relations, links to the fault, characters."""

from collections.abc import Iterable

import msgspec

from triage.core import cut
from triage.core.picks import Near, Pick

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
        price: float = (_BASE + (min(_LARGE, size))) ** _POWER
        return self.score / price


def ranked(weighed: Iterable[Weighed]) -> list[Pick]:
    """Sort picks, the best first; ties in the order of the source."""
    rows = [
        (-w.density, w.pick.view.directory, w.pick.decl.id, w.pick) for w in weighed
    ]
    rows.sort()
    return [row[3] for row in rows]


def bonus(near: int) -> float:
    """Return the points that a link to the fault is worth beside the relations."""
    if near <= Near.WRITER:
        return 1.5  # what the fault hangs on, and who left it as it is
    if near <= Near.OUTER_FRAME:
        return 0.5
    if near < Near.FIELD_TYPE:
        return 0.3
    return 0.1 if near < Near.DEEP_TYPE else 0.0
