"""What a pick is worth for its room: relations, links to the fault, characters."""

from dataclasses import dataclass

from triage.core import cut
from triage.core.picks import Near, Pick

_BASE = 60
"""Characters that every declaration costs, whatever its size."""
_LARGE = 1600
"""Characters from which size counts no more: it is cut anyway."""
_POWER = 0.9


@dataclass(frozen=True, slots=True)
class Weighed:
    """A pick and its points."""

    pick: Pick
    score: float

    @property
    def density(self) -> float:
        """Points for each character."""
        start, end = cut.text_range(self.pick.decl)
        price: float = (_BASE + min(end - start, _LARGE)) ** _POWER
        return self.score / price

    @property
    def order(self) -> tuple[float, str, int]:
        """What sorts picks, the best first; ties in the order of the source."""
        return -self.density, self.pick.view.directory, self.pick.decl.id


def bonus(near: int) -> float:
    """Return the points that a link to the fault is worth beside the relations."""
    if near <= Near.UPSTREAM:
        return 0.5
    if near < Near.FIELD_TYPE:
        return 0.3
    return 0.1 if near < Near.DEEP_TYPE else 0.0
