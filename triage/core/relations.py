"""How declarations stand to a crash: the table of relations, and who is in each.

A relation is a pot of points that its members share equally, so that a rare one
counts and a common one does not, whatever the size of the package. The points were
set on 203 real panics with known fixes and hold on 174 others; giving every relation
one point changes little, sharing and the list of relations are what works.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from triage.core.hang import WRITES, Hang
from triage.core.rules import CrashSite
from triage.core.table import NONE, Decl, DeclFlag, Role, Use, Wrap
from triage.core.upstream import CallSite
from triage.core.view import View, remembered

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
_KIN = 0.15
"""The part of the crash function's rare words that its kin share."""
_RARE = 1.5
"""A word that more than every fifth declaration has says nothing."""
_ANYWHERE = frozenset({"init", "main"})
"""Names of functions of which several may stand anywhere; where says nothing."""
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


_RUNTIME_WORDS = frozenset(
    [
        "runtime",
        "error",
        "invalid",
        "memory",
        "address",
        "pointer",
        "dereference",
        "index",
        "range",
        "length",
        "slice",
        "bounds",
        "capacity",
        "assignment",
        "entry",
        "interface",
        "conversion",
        "missing",
        "method",
        "integer",
        "divide",
        "zero",
        "send",
        "close",
        "closed",
        "channel",
        "concurrent",
        "iteration",
        "read",
        "write",
        "writes",
        "goroutines",
        "asleep",
        "deadlock",
        "unlock",
        "unlocked",
        "mutex",
        "negative",
        "counter",
        "makeslice",
        "value",
        "called",
        "using",
        "signal",
        "panic",
        "fatal",
        "unexpected",
        "stack",
        "overflow",
        "exceeds",
        "limit",
    ]
)


def message_words(message: str) -> frozenset[str]:
    """Return the words of a panic's message that may be names of the program's own."""
    return frozenset(re.findall(r"\b[^\W\d]\w{3,}", message)) - _RUNTIME_WORDS


_Pot = dict[View, dict[int, int]]
"""The members of a pot: of each view the declarations, with the line that matters."""


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
        self._pots: dict[str, _Pot] = {}

    def pots(self) -> dict[str, _Pot]:
        """Fill the pots; the crash declaration itself is in none."""
        self._by_trace()
        self._by_place()
        self._by_fields()
        self._by_calls()
        self._by_types()
        self._by_name()
        self._by_words()
        return self._pots

    def standings(self) -> dict[Key, Standing]:
        """Return how every related declaration stands; the crash's own is left out."""
        return shared_out(self.pots())

    def _put(self, pot: str, view: View, decl: int, line: int = 0) -> None:
        """Put a declaration into a pot, with the line that the relation is about."""
        if self._counts(view, decl):
            self._members(pot, view).setdefault(decl, line)

    def _put_all(self, pot: str, view: View, members: Mapping[int, int]) -> None:
        """Put in several that count."""
        if members:
            mine = self._members(pot, view)
            for number, line in members.items():
                mine.setdefault(number, line)

    def _members(self, pot: str, view: View) -> dict[int, int]:
        return self._pots.setdefault(pot, {}).setdefault(view, {})

    def _counts(self, view: View, decl: int) -> bool:
        return _counts(view, decl, self._site.decl, home=view is self._site.view)

    # -- relations

    def _by_trace(self) -> None:
        for number, frame in enumerate(self._frames, 1):
            pot = f"frame{min(number, _LAST_POT)}"
            self._put(pot, frame.view, frame.decl.id, frame.line)
            if number <= _NEIGHBOURED:
                self._near_frame(frame.view, frame.decl)
            owner = frame.decl.receiver_type
            if number <= _LAST_POT and owner != NONE:
                for method in frame.view.table.back("methods", owner):
                    self._put("sibling_frame", frame.view, method)

    def _near_frame(self, view: View, decl: Decl) -> None:
        if view is not self._site.view or decl.file != self._site.decl.file:
            for number in _next_to(view, decl, _NEAR_FRAME):
                if not _is_anywhere(view, number):
                    self._put("next_frame", view, number)

    def _by_place(self) -> None:
        view, crash = self._site.view, self._site.decl
        self._put_all("same_file", view, _same_file(view, crash))
        self._put_all("next_to", view, _neighbours(view, crash))

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
        self._put_all("caller", view, _callers(view, crash))
        self._put_all("caller2", view, _callers_of_callers(view, crash))
        self._callees()

    def _callees(self) -> None:
        view, crash, line = self._site.view, self._site.decl, self._site.line
        for call in self._hang.calls:
            if call.target >= 0 and not call.member:
                self._put("callee", view, call.target)
        for target, at in _called(view, crash):
            if at == line:
                self._put("callee", view, target)
            elif at < line:
                self._put("callee_before", view, target)
        self._put_all("callee2", view, _called_by_called(view, crash))

    def _by_types(self) -> None:
        view, owner = self._site.view, self._site.decl.receiver_type
        chain = {n for n in self._hang.types if n >= 0}
        chain |= {view.field_owner(number) for number in self._hang.fields}
        self._put_all("sibling", view, _siblings(view, self._site.decl))
        for number in chain - {owner}:
            for method in view.table.back("methods", number):
                self._put("method_line", view, method)
        for number in chain | ({owner} - {NONE}):
            self._put("type_line", view, number)
            self._makers(view, number)

    def _makers(self, view: View, number: int) -> None:
        decl = view.decl(number)
        for builder, line in _builders(view, decl):
            self._put("builds", view, builder, line)
        for function in _returning(view, decl):
            self._put("returns", view, function)

    def _by_name(self) -> None:
        """Compare the names of functions with the crash's, of all with its message."""
        name = self._site.decl.name
        words = message_words(self._message)
        for view in self._views:
            for decl in view.named(name) if name not in _ANYWHERE else ():
                if decl.is_function:
                    self._put("same_name", view, decl.id)
            for word in sorted(words):
                for decl in view.named(word):
                    self._put("in_message", view, decl.id)

    def _by_words(self) -> None:
        """Compare rare words with those of the crash line and function."""
        view, crash = self._site.view, self._site.decl
        alone = len(self._views) == 1
        rare = _rare_words(view, crash) if alone else _rarities(crash, self._views)
        on_line = view.words_on(crash, self._site.line)
        line = [rare[n] for n in on_line if n in rare]
        self._lexical(_shares(line), {"lex_line": 0.3, "lex_line6": 0.6})
        if alone:
            self._put_all("lex_fn", view, _kin(view, crash))
        else:
            self._lexical(_shares(rare.values()), {"lex_fn": _KIN})

    def _lexical(self, shares: "_Shares", pots: dict[str, float]) -> None:
        """Put in each pot what shares that part of the rarity of some words."""
        whole, shared = shares
        lowest = min(pots.values()) * whole
        for view, values in shared.items():
            for number, value in values.items():
                if value >= lowest:
                    for pot, least in pots.items():
                        if value >= least * whole:
                            self._put(pot, view, number)


def shared_out(pots: Mapping[str, _Pot]) -> dict[Key, Standing]:
    """Share the points of each pot among its members."""
    found: dict[Key, Standing] = {}
    for pot, views in pots.items():
        name = pot.split(":", 1)[0]
        share = RELATIONS[name][0] / sum(map(len, views.values()))
        for view, members in views.items():
            directory = view.directory
            for number, line in members.items():
                key = (directory, number)
                standing = found.get(key)
                if standing is None:
                    standing = found[key] = Standing()
                standing.score += share
                if line:
                    standing.lines[line] = None
                if share > standing.share:
                    standing.best, standing.share = name, share
    return found


def _counts(view: View, number: int, crash: Decl, *, home: bool) -> bool:
    """Tell whether a declaration can be related to *crash*, of this view if *home*."""
    if home and number == crash.id:
        return False
    return bool(crash.flags & DeclFlag.TEST) or not (
        view.decl(number).flags & DeclFlag.TEST
    )


def _is_anywhere(view: View, number: int) -> bool:
    return view.decl(number).name in _ANYWHERE


# What does not hang on the crash line is worked out once for a function.


def _counting(view: View, crash: Decl, members: Iterable[int]) -> dict[int, int]:
    return {n: 0 for n in members if _counts(view, n, crash, home=True)}


@remembered
def _same_file(view: View, crash: Decl) -> dict[int, int]:
    found = _counting(view, crash, view.declared_in(crash.file))
    return {n: 0 for n in found if not _is_anywhere(view, n)}


@remembered
def _neighbours(view: View, crash: Decl) -> dict[int, int]:
    found = _counting(view, crash, _next_to(view, crash, _NEAR_CRASH))
    return {n: 0 for n in found if not _is_anywhere(view, n)}


@remembered
def _next_to(view: View, decl: Decl, reach: int) -> tuple[int, ...]:
    """Find the declarations within *reach* lines of one."""
    return tuple(
        other.id
        for other in map(view.decl, view.declared_in(decl.file))
        if other.line <= decl.end_line + reach
        and other.end_line >= decl.line - reach
        and other.id != decl.id
    )


@remembered
def _callers(view: View, crash: Decl) -> dict[int, int]:
    """Find who uses a function, with the line of its first use."""
    found = dict[int, int]()
    for row in view.table.back("uses", crash.id):
        number, _, line, how, _ = view.table.record("uses", row)
        if how & (Use.CALL | Use.VALUE):
            found.setdefault(number, line)
    return {n: at for n, at in found.items() if _counts(view, n, crash, home=True)}


@remembered
def _callers_of_callers(view: View, crash: Decl) -> dict[int, int]:
    """Find who calls the callers, where these are few."""
    callers = dict[int, None]()
    for row in view.table.back("uses", crash.id):
        number, _, _, how, _ = view.table.record("uses", row)
        if how & (Use.CALL | Use.VALUE):
            callers[number] = None
    found = dict[int, int]()
    for caller in callers if len(callers) <= _FEW_CALLERS else ():
        for row in view.table.back("uses", caller):
            number, _, line, how, _ = view.table.record("uses", row)
            if how & Use.CALL and _counts(view, number, crash, home=True):
                found.setdefault(number, line)
    return found


@remembered
def _called(view: View, decl: Decl) -> tuple[tuple[int, int], ...]:
    """Find the package's functions that a declaration calls, and where."""
    return tuple(
        (target, line)
        for _, target, line, how, member in view.table.of("uses", decl.id)
        if target >= 0
        and not member
        and how & Use.CALL
        and view.decl(target).is_function
    )


@remembered
def _called_by_called(view: View, crash: Decl) -> dict[int, int]:
    targets = dict.fromkeys(target for target, _ in _called(view, crash))
    second = (n for t in targets for n, _ in _called(view, view.decl(t)))
    return _counting(view, crash, second)


@remembered
def _siblings(view: View, crash: Decl) -> dict[int, int]:
    owner = crash.receiver_type
    methods = view.table.back("methods", owner) if owner != NONE else ()
    return _counting(view, crash, methods)


@remembered
def _builders(view: View, owner: Decl) -> tuple[tuple[int, int], ...]:
    """Find who builds a type, and where."""
    table = view.table
    rows = (table.record("literals", row) for row in table.back("literals", owner.id))
    return tuple((number, line) for number, _, line, _ in rows)


@remembered
def _returning(view: View, owner: Decl) -> tuple[int, ...]:
    """Find who returns a type or a pointer to it."""
    table = view.table
    rows = (table.record("types", row) for row in table.back("types", owner.id))
    return tuple(
        number
        for number, role, _, _, wrap, _ in rows
        if role == Role.RESULT and wrap <= Wrap.POINTER
    )


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


def _rarities(crash: Decl, views: Sequence[View]) -> dict[int, _Word]:
    """Look the words of *crash*, of the first view, up; common ones are left out."""
    home = views[0]
    words = {n: _Word.found(home, n, views) for n in home.words_of(crash.id)}
    return {n: word for n, word in words.items() if word.rarity >= _RARE}


_Shares = tuple[float, dict[View, dict[int, float]]]


def _shares(words: Iterable[_Word]) -> _Shares:
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


@remembered
def _rare_words(view: View, crash: Decl) -> dict[int, _Word]:
    return _rarities(crash, [view])


@remembered
def _kin(view: View, crash: Decl) -> dict[int, int]:
    """Find who shares rare words with *crash* in its own package."""
    whole, shared = _shares(_rare_words(view, crash).values())
    values = shared.get(view, {})
    return _counting(view, crash, (n for n, v in values.items() if v >= _KIN * whole))
