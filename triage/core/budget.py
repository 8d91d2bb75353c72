"""Fit the weighed declarations into a budget of characters.

The crash function comes first, cut to a window where it is over its share; then the
first two frames; then the rest, best points for a character first: whole while half
of what is left lasts, after that as regions, pruned structs and signatures. What no
rule links to the fault has a room of its own within the budget. A token counts as 3.5
characters whatever is installed, so that the answer does not depend on it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from triage.core.forms import (
    Shown,
    crash_form,
    cut_forms,
    frame_forms,
    full_form,
    related_forms,
)
from triage.core.picks import Near, Pick
from triage.core.worth import Weighed

CHARACTERS_PER_TOKEN = 3.5
CRASH_SHARE = 0.6
"""Of the budget, at most, for the crash function."""
_SECTION_COST = 240
_SYMBOL_COST = 40
_LEAST = _SYMBOL_COST + 20
"""Less room than this holds no symbol."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What fits, and what is linked to the fault and does not, the best first."""

    shown: tuple[Shown, ...]
    left_out: tuple[Pick, ...]


def fit(
    crash: Pick,
    line: int,
    candidates: Iterable[Weighed],
    *,
    fields: frozenset[int],
    max_tokens: int,
    related: int,
) -> Fitted:
    """Choose a form for the crash function and for each candidate that has room.

    *fields* are those that a pruned struct keeps; *related* is the room, in
    characters, for what no rule links to the fault.
    """
    budget = max_tokens * CHARACTERS_PER_TOKEN
    purse = _Purse(budget, related)
    purse.pay(crash_form(crash, line, int(budget * CRASH_SHARE)))
    picks = [w.pick for w in sorted(candidates, key=lambda w: w.order)]
    frames = [pick for pick in picks if pick.near == Near.FRAME]
    for pick in sorted(frames, key=lambda pick: pick.turn):
        purse.pay_first(pick, frame_forms(pick))
    rest = [pick for pick in picks if pick.near != Near.FRAME]
    for pick in _pay_whole(purse, rest):
        loose = pick.near == Near.RELATED
        forms = related_forms(pick) if loose else cut_forms(pick, fields)
        purse.pay_first(pick, forms)
    return purse.fitted(picks)


def _pay_whole(purse: "_Purse", picks: Sequence[Pick]) -> list[Pick]:
    """Pay for whole declarations out of half of what is left; return the others."""
    floor = purse.left / 2
    return [
        pick
        for pick in picks
        if not purse.pay_first(pick, (full_form(p) for p in (pick,)), floor)
    ]


class _Purse:
    """Counts what is spent; a section's header is paid with its first symbol."""

    def __init__(self, budget: float, related: int) -> None:
        self.left = budget
        self._related = related
        self._sections: set[str] = set()
        self._shown: list[Shown] = []

    def pay(self, shown: Shown) -> None:
        """Take what *shown* costs, header and file line with it."""
        price = self._price(shown)
        self.left -= price
        if shown.pick.near == Near.RELATED:
            self._related -= price
        self._sections.add(shown.pick.section)
        self._shown.append(shown)

    def pay_first(self, pick: Pick, forms: Iterator[Shown], floor: float = 0) -> bool:
        """Pay for the first form that leaves *floor*; tell whether one does.

        *forms* are not made where nothing of *pick* could have room.
        """
        room = self.left - floor
        if pick.near == Near.RELATED:
            room = min(room, self._related)
        if room < _LEAST:
            return False
        for form in forms:
            if self._price(form) <= room:
                self.pay(form)
                return True
        return False

    def fitted(self, picks: Iterable[Pick]) -> Fitted:
        """Return what was paid for, and the linked ones of *picks* that were not."""
        keys = {shown.pick.key for shown in self._shown}
        left_out = (
            pick for pick in picks if pick.key not in keys and pick.near != Near.RELATED
        )
        return Fitted(tuple(self._shown), tuple(left_out))

    def _price(self, shown: Shown) -> int:
        header = 0 if shown.pick.section in self._sections else _SECTION_COST
        path = len(shown.pick.view.path(shown.pick.decl))
        return len(shown.piece.text) + _SYMBOL_COST + path + header
