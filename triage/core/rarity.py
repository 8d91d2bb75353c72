"""Rare words: which identifiers of a function few declarations have."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from triage.core.table import Decl
from triage.core.view import View, remembered

_RARE = 1.5
"""A word that more than every fifth declaration has says nothing."""


@dataclass(frozen=True, slots=True)
class Word:
    """An identifier, how rare it is and in which declarations it stands."""

    rarity: float
    places: tuple[tuple[View, list[int]], ...]

    @classmethod
    def found(cls, home: View, number: int, views: Sequence[View]) -> "Word":
        """Look a word up in all *views*; *number* is its text's in *home*."""
        text = home.table.text(number)
        places = tuple(
            (
                view,
                view.with_word(number if view is home else view.table.number(text)),
            )
            for view in views
        )
        total = sum(view.table.count("decls") for view in views)
        count = sum(len(decls) for _, decls in places)
        return cls(math.log((total + 1) / (count or 1)), places)


def rare_words(crash: Decl, views: Sequence[View]) -> dict[int, Word]:
    """Look the words of *crash*, of the first view, up; common ones are left out."""
    return _rare(views[0], crash) if len(views) == 1 else _found_rare(crash, views)


@remembered
def _rare(view: View, crash: Decl) -> dict[int, Word]:
    return _found_rare(crash, [view])


def _found_rare(crash: Decl, views: Sequence[View]) -> dict[int, Word]:
    home = views[0]
    words = {n: Word.found(home, n, views) for n in home.words_of(crash.id)}
    return {n: word for n, word in words.items() if word.rarity >= _RARE}


def rarest(view: View, crash: Decl, line: int) -> tuple[bytes, ...]:
    """Return the rare words of *crash*, those of *line* first, the rarest first."""
    words = _rare(view, crash)
    on_line = frozenset(view.words_on(crash, line))
    order = sorted(words, key=lambda n: (n not in on_line, -words[n].rarity, n))
    return tuple(view.table.text(number).encode() for number in order)


Shares = tuple[float, dict[View, dict[int, float]]]


def shares(words: Iterable[Word]) -> Shares:
    """Add up the rarity of *words*, and for each declaration that of those in it."""
    shared: dict[View, dict[int, float]] = {}
    whole = 0.0
    for word in words:
        whole += word.rarity
        for view, decls in word.places:
            values = shared.setdefault(view, {})
            for number in decls:
                values[number] = values.get(number, 0.0) + word.rarity
    return whole, shared
