"""Fit the weighed declarations into a budget of characters.

The crash function comes first, cut to a window where it is over its share; then the
first two frames; then the rest, best points for a character first: whole while half
of what is left lasts, after that as regions, pruned structs and signatures. What no
rule links to the fault has a room of its own within the budget. A token counts as 3.5
characters whatever is installed, so that the answer does not depend on it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from triage.core.cut import text_range
from triage.core.forms import (
    Shown,
    crash_form,
    cut_forms,
    frame_forms,
    full_forms,
    has_room,
    related_forms,
)
from triage.core.picks import Near, Pick
from triage.core.table import Kind
from triage.core.worth import Weighed, ranked

CHARACTERS_PER_TOKEN = 3.5
CRASH_SHARE = 0.6
"""Of the budget, at most, for the crash function."""
_SECTION_COST = 240
_SYMBOL_COST = 40
_SHARING = frozenset({Kind.VAR, Kind.CONST})
"""Kinds of declarations of which several may be one text."""
NOTE_ROOM = 320
"""Characters that are kept to say what was left out."""

_Forms = Callable[[Pick], Iterable[Shown]]
_Place = tuple[str, str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What fits, and what is linked to the fault and does not, the best first."""

    shown: tuple[Shown, ...]
    left_out: tuple[Pick, ...]
    room: int = NOTE_ROOM
    """Characters of the budget that nothing was spent on, for notes."""


def fit(
    crash: Pick,
    line: int,
    candidates: Iterable[Weighed],
    *,
    fields: frozenset[int],
    max_tokens: int,
    related: int,
    reserved: int = 0,
) -> Fitted:
    """Choose a form for the crash function and for each candidate that has room.

    *fields* are those that a pruned struct keeps; *related* is the room, in
    characters, for what no rule links to the fault, *reserved* what a heading and
    warnings take.
    """
    budget = max(0, max_tokens * CHARACTERS_PER_TOKEN - reserved)
    purse = _Purse(budget, related)
    purse.pay(crash_form(crash, line, int(budget * CRASH_SHARE)))

    def shorter(pick: Pick) -> Iterable[Shown]:
        loose = pick.near == Near.RELATED
        return related_forms(pick) if loose else cut_forms(pick, fields)

    picks = ranked(candidates)
    frames = [pick for pick in picks if pick.near == Near.FRAME]
    for pick in sorted(frames, key=lambda pick: pick.turn):
        purse.pay_first(pick, frame_forms)
    rest = [pick for pick in picks if pick.near != Near.FRAME]
    waiting = _pay_whole(purse, rest)
    purse.left -= NOTE_ROOM
    for pick in waiting:
        purse.pay_first(pick, shorter)
    purse.left += NOTE_ROOM
    return purse.fitted(picks)


def _pay_whole(purse: "_Purse", picks: Sequence[Pick]) -> list[Pick]:
    """Pay for whole declarations out of half of what is left; return the others."""
    floor = purse.left / 2
    return [
        pick
        for pick in picks
        if not has_room(pick, purse.left - floor)
        or not purse.pay_first(pick, full_forms, floor)
    ]


class _Purse:
    """Counts what is spent.

    A section's header is paid with its first symbol, a text that several names share
    with the first of them.
    """

    def __init__(self, budget: float, related: int) -> None:
        self.left = budget
        self._related = related
        self._sections: set[str] = set()
        self._whole: dict[_Place, Shown] = {}
        self._shown: list[Shown] = []

    def pay(self, shown: Shown) -> None:
        """Take what *shown* costs, header and file line with it."""
        price = len(shown.piece.text) + self._frame(shown.pick)
        self.left -= price
        if shown.pick.near == Near.RELATED:
            self._related -= price
        self._sections.add(shown.pick.section)
        if shown.pick.decl.kind in _SHARING and not shown.piece.omitted:
            self._whole[_place(shown.pick)] = shown
        self._shown.append(shown)

    def pay_first(self, pick: Pick, forms: _Forms, floor: float = 0) -> bool:
        """Pay for the first form that leaves *floor*; tell whether one does.

        *forms* are not made where nothing of *pick* could have room.
        """
        if pick.decl.kind in _SHARING and (twin := self._whole.get(_place(pick))):
            self._shown.append(replace(twin, pick=pick))
            return True
        room = self.left - floor
        if pick.near == Near.RELATED and self._related < room:
            room = self._related
        room -= self._frame(pick)
        if room <= 0:
            return False
        for form in forms(pick):
            if len(form.piece.text) <= room:
                self.pay(form)
                return True
        return False

    def fitted(self, picks: Iterable[Pick]) -> Fitted:
        """Return what was paid for, and the linked ones of *picks* that were not."""
        keys = {shown.pick.key for shown in self._shown}
        left_out = (
            pick for pick in picks if pick.near != Near.RELATED and pick.key not in keys
        )
        return Fitted(tuple(self._shown), tuple(left_out), max(0, int(self.left)))

    def _frame(self, pick: Pick) -> int:
        """Return what a header, if it is the section's first, and a file line cost."""
        header = 0 if pick.section in self._sections else _SECTION_COST
        return _SYMBOL_COST + len(pick.view.paths[pick.decl.file]) + header


def _place(pick: Pick) -> _Place:
    """Return where the text of *pick* stands: in which section, and in the source."""
    return pick.section, pick.view.path(pick.decl), text_range(pick.decl)
