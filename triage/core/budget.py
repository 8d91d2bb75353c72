"""Fit the weighed declarations into a budget of characters.

The crash function comes first, cut to a window where it is over its share; then the
first two frames; then the rest, best points for a character first: whole while half
of what is left lasts, after that as regions, pruned structs and signatures. What no
rule links to the fault has a room of its own within the budget. A token counts as 3.5
characters whatever is installed, so that the answer does not depend on it. Everything
that will stand in the text is paid for, headers and notes with it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from triage.core import cut, notes, render
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

CRASH_SHARE = (3, 5)
"""Of the budget, at most, for the crash function."""
_SHARING = frozenset({Kind.VAR, Kind.CONST})
"""Kinds of declarations of which several may be one text."""
_LEAST = 60
"""Less room than this holds no symbol."""
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
    """Characters that nothing was spent on, for what was left out and for layout."""
    budget: int = 10_500
    """Characters that the whole text may take."""


def characters(count: int) -> int:
    """Return the characters that *count* tokens are."""
    return count * 7 // 2


def tokens(count: int) -> int:
    """Return the tokens that *count* characters are."""
    return -(-count * 2 // 7)


def fit(
    crash: Pick,
    line: int,
    candidates: Iterable[Weighed],
    *,
    fields: frozenset[int],
    max_tokens: int,
    related: int,
    heading: render.Heading,
    warnings: Sequence[str] = (),
    history: int = 0,
    focus: Sequence[str] = (),
    words: tuple[bytes, ...] = (),
) -> Fitted:
    """Choose a form for the crash function and for each candidate that has room.

    *fields* are those that a pruned struct keeps; *related* is the room, in
    characters, for what no rule links to the fault; *heading*, *warnings* and
    *history*, in characters, have to be paid as well; *focus* are the texts on the crash line that matter, *words*
    the crash function's rare ones, the rarest first.
    """

    def shorter(pick: Pick) -> Iterable[Shown]:
        loose = pick.near == Near.RELATED
        return related_forms(pick, words) if loose else cut_forms(pick, fields)

    budget = characters(max_tokens)
    picks = ranked(candidates)
    least = notes.size(
        notes.counted_out(sum(pick.near != Near.RELATED for pick in picks), budget)
    )
    reserved = notes.size(notes.warned(warnings, budget)) + least + history
    purse = _Purse(budget - reserved, related, heading)
    purse.pay(crash_form(crash, line, purse.share(crash), focus))
    frames = [pick for pick in picks if pick.near == Near.FRAME]
    for pick in sorted(frames, key=lambda pick: pick.turn):
        purse.pay_first(pick, frame_forms)
    rest = [pick for pick in picks if pick.near != Near.FRAME]
    waiting = _pay_whole(purse, rest)
    purse.left -= NOTE_ROOM - least
    for pick in waiting:
        purse.pay_first(pick, shorter)
    purse.left += NOTE_ROOM
    return purse.fitted(picks, budget)


def _pay_whole(purse: "_Purse", picks: Sequence[Pick]) -> list[Pick]:
    """Pay for whole declarations out of half of what is left; return the others."""
    floor = purse.left // 2
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

    def __init__(self, budget: int, related: int, heading: render.Heading) -> None:
        self.left = budget
        self._related = related
        self._heading = heading
        self._sections: set[str] = set()
        self._whole: dict[_Place, Shown] = {}
        self._shown: list[Shown] = []

    def share(self, crash: Pick) -> int:
        """Return the characters that the crash function's text may take."""
        bare = Shown(crash, replace(cut.whole(crash.view, crash.decl), text=""))
        part, whole = CRASH_SHARE
        return max(0, min(self.left * part // whole, self.left - self._price(bare)))

    def pay(self, shown: Shown) -> None:
        """Take what *shown* costs, header and file line with it."""
        self._spend(shown, self._price(shown))

    def _spend(self, shown: Shown, price: int) -> None:
        self.left -= price
        if shown.pick.near == Near.RELATED:
            self._related -= price
        self._sections.add(shown.pick.section)
        if shown.pick.decl.kind in _SHARING and not shown.piece.omitted:
            self._whole[_place(shown.pick)] = shown
        self._shown.append(shown)

    def pay_first(self, pick: Pick, forms: _Forms, floor: int = 0) -> bool:
        """Pay for the first form that leaves *floor*; tell whether one does.

        *forms* are not made where nothing of *pick* could have room.
        """
        if (
            self._whole
            and pick.decl.kind in _SHARING
            and (twin := self._whole.get(_place(pick)))
        ):
            self._shown.append(replace(twin, pick=pick))
            return True
        room = self.left - floor
        if pick.near == Near.RELATED and self._related < room:
            room = self._related
        if room < _LEAST:
            return False
        for form in forms(pick):
            # Most forms are too long by themselves, which costs nothing to see.
            if len(form.text) < room and (price := self._price(form)) <= room:
                self._spend(form, price)
                return True
        return False

    def fitted(self, picks: Iterable[Pick], budget: int) -> Fitted:
        """Return what was paid for, and the linked ones of *picks* that were not."""
        keys = {shown.pick.key for shown in self._shown}
        left_out = (
            pick for pick in picks if pick.near != Near.RELATED and pick.key not in keys
        )
        return Fitted(tuple(self._shown), tuple(left_out), max(0, self.left), budget)

    def _price(self, shown: Shown) -> int:
        first = shown.pick.section not in self._sections
        return render.size(self._heading, shown, first=first)


def _place(pick: Pick) -> _Place:
    """Return where the text of *pick* stands: in which section, and in the source."""
    return pick.section, pick.view.path(pick.decl), cut.text_range(pick.decl)
