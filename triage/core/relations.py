"""How declarations stand to a crash: the table of relations, and who is in each.

A relation is a pot of points that its members share equally, so that a rare one
counts and a common one does not, whatever the size of the package. The points were
set on 203 real panics with known fixes and hold on 174 others; giving every relation
one point changes little, sharing and the list of relations are what works.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from triage.core.hang import WRITES, Hang
from triage.core.rules import CrashSite
from triage.core.table import NONE, DeclFlag, Kind, Role, Use, Wrap
from triage.core.upstream import CallSite
from triage.core.view import View

RELATIONS: dict[str, tuple[float, str]] = {
    "field_up": (6, "touches what a caller's value hangs on"),  # a pot for each field
    "frame1": (5, "the next own function of the trace"),
    "frame2": (4, "the second next own function of the trace"),
    "lex_line": (4, "shares rare words with the crash line"),
    "lex_fn": (4, "shares rare words with the crash function"),
    "caller": (3, "calls the crash function"),
    "field_line": (3, "touches what the crash line hangs on"),  # a pot for each field
    "same_file": (3, "stands in the crash file"),
    "next_frame": (3, "stands near a function of the trace"),
    "lex_line6": (2, "shares most rare words with the crash line"),
    "callee": (2, "is called on the crash line"),
    "in_message": (2, "is named in the panic's message"),
    "frame3": (2, "a later own function of the trace"),
    "sibling_frame": (2, "a method of a type whose method is in the trace"),
    "caller2": (1, "calls a caller of the crash function"),
    "next_to": (1, "stands next to the crash function"),
    "builds": (1, "builds a type that the crash line hangs on"),
    "same_name": (1, "has the name of the crash function"),
    "returns": (1, "returns a type that the crash line hangs on"),
    "type_line": (1, "is a type that the crash line hangs on"),
    "sibling": (1, "a method of the crash function's receiver"),
    "method_line": (1, "a method of a type that the crash line hangs on"),
    "callee_before": (1, "is called before the crash line"),
    "callee2": (1, "is called by a function that the crash function calls"),
}
"""What each relation is worth, shared among its members, and how it reads."""

_NEAR_CRASH = 50
_NEAR_FRAME = 60
_FEW_CALLERS = 8
_LAST_POT = 3
"""The frame from which on all share a pot, and whose siblings still count."""
_NEIGHBOURED = 4
"""The last frame whose neighbours count."""
_RARE = 1.5
"""A word that more than every fifth declaration has says nothing."""
_PLACES = frozenset({"same_file", "next_to", "next_frame", "same_name"})
Key = tuple[str, int]


@dataclass(slots=True)
class Standing:
    """How one declaration stands to the crash."""

    score: float = 0.0
    lines: dict[int, None] = field(default_factory=dict)
    """Lines in it that the relations are about, best first."""
    best: str = ""
    share: float = 0.0
    """What *best*, the relation that gives most, gives."""


def message_words(message: str) -> frozenset[str]:
    """Return the words of a panic's message that may be names; nothing else counts."""
    return frozenset(re.findall(r"\b[^\W\d]\w{3,}", message))


class Relations:
    """Fills the pots for one crash and shares them out."""

    def __init__(
        self,
        site: CrashSite,
        hang: Hang,
        *,
        views: Sequence[View],
        frames: Sequence[CallSite],
        upstream: Sequence[tuple[View, Hang]],
        message: str,
    ) -> None:
        self._site = site
        self._hang = hang
        self._views = views
        self._frames = frames
        self._upstream = upstream
        self._message = message
        self._pots: dict[str, dict[Key, int]] = defaultdict(dict)
        self._crash = (site.view.directory, site.decl.id)

    def standings(self) -> dict[Key, Standing]:
        """Return how every related declaration stands; the crash's own is left out."""
        self._by_trace()
        self._by_place()
        self._by_fields()
        self._by_calls()
        self._by_types()
        self._by_words()
        return self._shared_out()

    def _shared_out(self) -> dict[Key, Standing]:
        found: dict[Key, Standing] = defaultdict(Standing)
        for pot, members in self._pots.items():
            name = pot.split(":", 1)[0]
            share = RELATIONS[name][0] / len(members)
            for key, line in members.items():
                standing = found[key]
                standing.score += share
                if line:
                    standing.lines[line] = None
                if share > standing.share:
                    standing.best, standing.share = name, share
        return found

    def _put(self, pot: str, view: View, decl: int, line: int = 0) -> None:
        """Put a declaration into a pot, with the line that the relation is about."""
        key = (view.directory, decl)
        record = view.table.record("decls", decl)
        if pot in _PLACES and view.table.text(record[1]) in {"init", "main"}:
            return  # several may stand anywhere; where says nothing
        if key == self._crash or (record[15] & DeclFlag.TEST and not self._in_test):
            return
        self._pots[pot].setdefault(key, line)

    @property
    def _in_test(self) -> bool:
        return bool(self._site.decl.flags & DeclFlag.TEST)

    # -- relations

    def _by_trace(self) -> None:
        for number, frame in enumerate(self._frames, 1):
            pot = f"frame{min(number, _LAST_POT)}"
            self._put(pot, frame.view, frame.decl.id, frame.line)
            if number <= _NEIGHBOURED:
                self._next_to("next_frame", frame.view, frame.decl.id, _NEAR_FRAME)
            owner = frame.decl.receiver_type
            if number <= _LAST_POT and owner != NONE:
                for method in frame.view.table.back("methods", owner):
                    self._put("sibling_frame", frame.view, method)

    def _next_to(self, pot: str, view: View, decl: int, reach: int) -> None:
        centre = view.decl(decl)
        in_crash_file = view is self._site.view and centre.file == self._site.decl.file
        if in_crash_file and pot == "next_frame":
            return
        for number in view.declared_in(centre.file):
            record = view.table.record("decls", number)
            near = (
                record[6] <= centre.end_line + reach
                and record[7] >= centre.line - reach
            )
            if near and number != decl:
                self._put(pot, view, number)

    def _by_place(self) -> None:
        view, crash = self._site.view, self._site.decl
        for number in view.declared_in(crash.file):
            self._put("same_file", view, number)
        self._next_to("next_to", view, crash.id, _NEAR_CRASH)

    def _by_fields(self) -> None:
        self._touching("field_line", self._site.view, self._hang.fields)
        for view, hang in self._upstream:
            self._touching("field_up", view, hang.fields)

    def _touching(self, pot: str, view: View, fields: Iterable[int]) -> None:
        table = view.table
        for wanted in fields:
            rows = [
                table.record("accesses", row) for row in table.back("accesses", wanted)
            ]
            for row in sorted(rows, key=lambda row: not row[3] & WRITES):
                self._put(f"{pot}:{view.directory}:{wanted}", view, row[0], row[2])

    def _by_calls(self) -> None:
        view, crash = self._site.view, self._site.decl
        callers = dict[int, int]()
        for row in view.table.back("uses", crash.id):
            decl, _, line, how, _ = view.table.record("uses", row)
            if how & (Use.CALL | Use.VALUE):
                callers.setdefault(decl, line)
        for decl, line in callers.items():
            self._put("caller", view, decl, line)
        if len(callers) <= _FEW_CALLERS:
            for caller in callers:
                for row in view.table.back("uses", caller):
                    decl, _, line, how, _ = view.table.record("uses", row)
                    if how & Use.CALL:
                        self._put("caller2", view, decl, line)
        self._callees()

    def _callees(self) -> None:
        view, crash, line = self._site.view, self._site.decl, self._site.line
        for call in self._hang.calls:
            if call.target >= 0 and not call.member:
                self._put("callee", view, call.target)
        for target, at, how in _calls(view, crash.id):
            if not how & Use.CALL:
                continue
            if at == line:
                self._put("callee", view, target)
            elif at < line:
                self._put("callee_before", view, target)
            for second, _, more in _calls(view, target):
                if more & Use.CALL:
                    self._put("callee2", view, second)

    def _by_types(self) -> None:
        view, crash = self._site.view, self._site.decl
        owner = crash.receiver_type
        chain = {n for n in self._hang.types if n >= 0}
        chain |= {view.field_owner(number) for number in self._hang.fields}
        if owner != NONE:
            for method in view.table.back("methods", owner):
                self._put("sibling", view, method)
        for number in chain - {owner}:
            for method in view.table.back("methods", number):
                self._put("method_line", view, method)
        for number in chain | ({owner} - {NONE}):
            self._put("type_line", view, number)
            self._makers(view, number)
        self._by_name()

    def _makers(self, view: View, number: int) -> None:
        table = view.table
        for row in table.back("literals", number):
            decl, _, line, _ = table.record("literals", row)
            self._put("builds", view, decl, line)
        for row in table.back("types", number):
            decl, role, _, _, wrap, _ = table.record("types", row)
            if role == Role.RESULT and wrap <= Wrap.POINTER:
                self._put("returns", view, decl)

    def _by_name(self) -> None:
        """Compare the names of functions with the crash's, of all with its message."""
        words = message_words(self._message)
        for view in self._views:
            for decl in view.named(self._site.decl.name):
                if decl.is_function:
                    self._put("same_name", view, decl.id)
            for word in sorted(words):
                for decl in view.named(word):
                    self._put("in_message", view, decl.id)

    def _by_words(self) -> None:
        """Compare rare words with those of the crash line and function."""
        view, crash = self._site.view, self._site.decl
        words = {
            number: _Word.found(view, number, self._views)
            for number in view.words_of(crash.id)
        }
        rare = {n: word for n, word in words.items() if word.rarity >= _RARE}
        on_line = view.words_on(crash, self._site.line)
        self._lexical(
            [rare[n] for n in on_line if n in rare], {"lex_line": 0.3, "lex_line6": 0.6}
        )
        self._lexical(rare.values(), {"lex_fn": 0.15})

    def _lexical(self, words: Iterable["_Word"], pots: dict[str, float]) -> None:
        """Put in each pot what shares that part of the rarity of *words*."""
        shared: dict[tuple[View, int], float] = defaultdict(float)
        whole = 0.0
        for word in words:
            whole += word.rarity
            for view, decls in word.places:
                for decl in decls:
                    shared[view, decl] += word.rarity
        lowest = min(pots.values()) * whole
        for (view, number), value in shared.items():
            if value >= lowest:
                for pot, least in pots.items():
                    if value >= least * whole:
                        self._put(pot, view, number)


@dataclass(frozen=True, slots=True)
class _Word:
    """An identifier, how rare it is and in which declarations it stands."""

    rarity: float
    places: tuple[tuple[View, list[int]], ...]

    @classmethod
    def found(cls, home: View, number: int, views: Sequence[View]) -> "_Word":
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


def _calls(view: View, decl: int) -> Iterator[tuple[int, int, int]]:
    """Go over (function, line, how) of the functions that a declaration uses."""
    for _, target, line, how, member in view.table.of("uses", decl):
        own = target >= 0 and not member
        if own and view.table.record("decls", target)[0] <= Kind.METHOD:
            yield target, line, how
