"""Fit the ranked declarations into a budget of characters.

The crash function comes first, cut to a window where it is over its share; then the
first two frames; then the rest by nearness: whole while half of what is left lasts,
after that as regions, pruned structs and signatures. A token counts as 3.5
characters whatever is installed, so that the answer does not depend on it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from triage.core import cut
from triage.core.model import Snippet
from triage.core.picks import Near, Pick
from triage.core.table import DeclFlag, Kind

CHARACTERS_PER_TOKEN = 3.5
CRASH_SHARE = 0.6
"""Of the budget, at most, for the crash function."""
LONG = 2500
"""Characters over which a function is shown as regions."""
MARGIN = 6
"""Lines shown on either side of a line that bears on the fault."""
_SECTION_COST = 240
_SYMBOL_COST = 40


@dataclass(frozen=True, slots=True)
class Shown:
    """A pick with its text; a *snippet* stands for text that has to be printed anew."""

    pick: Pick
    piece: cut.Piece
    snippet: Snippet | None = None


@dataclass(frozen=True, slots=True)
class Fitted:
    """What fits, in the order of rank, and what does not."""

    shown: tuple[Shown, ...]
    left_out: tuple[Pick, ...]


class _Purse:
    """Counts what is spent; a section's header is paid with its first symbol."""

    def __init__(self, budget: float) -> None:
        self.left = budget
        self._sections: set[str] = set()

    def price(self, shown: Shown) -> int:
        """Return what *shown* costs in characters, header and file line with it."""
        header = 0 if shown.pick.section in self._sections else _SECTION_COST
        path = len(shown.pick.view.path(shown.pick.decl))
        return len(shown.piece.text) + _SYMBOL_COST + path + header

    def pay(self, shown: Shown) -> int:
        """Take the price of *shown*, and return it."""
        price = self.price(shown)
        self._sections.add(shown.pick.section)
        self.left -= price
        return price


@dataclass(frozen=True, slots=True)
class Weighed:
    """A pick and what it is worth."""

    pick: Pick
    score: float

    @property
    def density(self) -> float:
        start, end = cut.text_range(self.pick.decl)
        return self.score / (60 + min(end - start, 1600)) ** 0.9


def bonus(pick: Pick) -> float:
    """Return what a link to the fault is worth beside the relations, by nearness."""
    if pick.near <= Near.UPSTREAM:
        return 0.5
    if pick.near < Near.FIELD_TYPE:
        return 0.3
    return 0.1 if pick.near < Near.DEEP_TYPE else 0.0


def fit(
    crash: Pick,
    line: int,
    candidates: Sequence[Weighed],
    fields: Iterable[int],
    max_tokens: int,
    *,
    related: int,
) -> Fitted:
    """Choose a form for the crash function and each of *picks* (nearest first).

    *fields* are those that a pruned struct keeps.
    """
    budget = max_tokens * CHARACTERS_PER_TOKEN
    purse = _Purse(budget)
    first = _crash(crash, line, int(budget * CRASH_SHARE))
    purse.pay(first)
    shown = [first]
    picks = [
        w.pick
        for w in sorted(
            candidates,
            key=lambda w: (-w.density, w.pick.view.directory, w.pick.decl.id),
        )
    ]
    frames = sorted(
        (pick for pick in picks if pick.near == Near.FRAME), key=lambda p: p.turn
    )
    for pick in frames:
        choice = _first_that_fits(purse, purse.left, _frame_forms(pick))
        if choice:
            purse.pay(choice)
            shown.append(choice)
    rest = [pick for pick in picks if pick.near != Near.FRAME]
    shown += _fit_rest(purse, rest, frozenset(fields), related)
    keys = {choice.pick.key for choice in shown}
    return Fitted(
        tuple(shown),
        tuple(p for p in picks if p.key not in keys and p.near != Near.RELATED),
    )


def _crash(pick: Pick, line: int, share: int) -> Shown:
    """Show the crash function whole, or its signature and a window."""
    piece = cut.whole(pick.view, pick.decl)
    if len(piece.text) > share:
        piece = cut.window(pick.view, pick.decl, line, share)
    return _shown(pick, piece)


def _fit_rest(
    purse: _Purse, picks: Sequence[Pick], fields: frozenset[int], related: int
) -> list[Shown]:
    quota = purse.left / 2
    shown: list[Shown] = []
    waiting: list[Pick] = []
    for pick in picks:
        choice = _shown(pick, _full(pick))
        loose = pick.near == Near.RELATED
        price = purse.price(choice)
        if price <= quota and (not loose or price <= related):
            quota -= purse.pay(choice)
            related -= price if loose else 0
            shown.append(choice)
        else:
            waiting.append(pick)
    for pick in waiting:
        loose = pick.near == Near.RELATED
        limit = min(purse.left, related) if loose else purse.left
        forms = _region_forms(pick) if loose else _cut_forms(pick, fields)
        choice = _first_that_fits(purse, limit, forms)
        if choice:
            price = purse.pay(choice)
            related -= price if loose else 0
            shown.append(choice)
    return shown


def _region_forms(pick: Pick) -> Iterable[Shown]:
    yield _shown(pick, _region(pick, MARGIN))


def _first_that_fits(
    purse: _Purse, limit: float, forms: Iterable[Shown]
) -> Shown | None:
    return next((form for form in forms if purse.price(form) <= limit), None)


def _full(pick: Pick) -> cut.Piece:
    """Show it whole, a long function as the regions that matter."""
    piece = cut.whole(pick.view, pick.decl)
    if len(piece.text) > LONG and pick.decl.is_function and pick.lines:
        return _region(pick, 2 * MARGIN)
    return piece


def _frame_forms(pick: Pick) -> Iterable[Shown]:
    yield _shown(pick, _full(pick))
    yield _shown(pick, _region(pick, MARGIN))
    yield _shown(pick, cut.signature(pick.view, pick.decl))


def _cut_forms(pick: Pick, fields: frozenset[int]) -> Iterable[Shown]:
    """Give the forms of the second half of the budget, largest first."""
    decl, view = pick.decl, pick.view
    if decl.flags & DeclFlag.STRUCT and decl.kind == Kind.TYPE:
        yield _pruned(pick, fields)
    elif pick.lines or decl.end_line - decl.line <= 2 * MARGIN:
        yield _shown(pick, _region(pick, MARGIN))
    yield _shown(pick, cut.signature(view, decl))


def _region(pick: Pick, margin: int) -> cut.Piece:
    lines = pick.lines or (pick.decl.line,)
    return cut.region(pick.view, pick.decl, cut.around(pick.decl, lines[:2], margin))


def _shown(pick: Pick, piece: cut.Piece) -> Shown:
    """Ask the printer for a spec that is lifted out of its group."""
    decl = pick.decl
    if not cut.is_lifted(decl) or piece.omitted:
        return Shown(pick, piece)
    text = pick.view.source(decl)[decl.group_start : decl.group_end]
    return Shown(pick, piece, Snippet("spec", text, decl.start - decl.group_start))


def _pruned(pick: Pick, fields: frozenset[int]) -> Shown:
    """Show a struct's fields that matter; its length is told before it is printed."""
    view, decl = pick.view, pick.decl
    records = [
        (number, view.table.record("fields", number))
        for number in view.table.numbers_of("fields", decl.id)
    ]
    kept = [(n, r) for n, r in records if n in fields]
    start = decl.group_start if decl.group_start >= 0 else decl.start
    end = decl.group_end if decl.group_start >= 0 else decl.end
    text = f"type {decl.name} struct {{\n" + "".join(
        f"\t{view.source(decl)[r[3] : r[4]].decode('utf-8', 'replace')}\n"
        for _, r in kept
    )
    left = len(records) - len(kept)
    piece = cut.Piece(
        f"{text}\t// ... {left} fields left out\n}}",
        decl.line,
        decl.end_line,
        elided=not kept,
        omitted=((decl.line, decl.end_line),) if left else (),
    )
    names = tuple(view.field_name(n).split(".")[0] for n, _ in kept)
    snippet = Snippet("struct", view.source(decl)[start:end], decl.start - start, names)
    return Shown(pick, piece, snippet)
