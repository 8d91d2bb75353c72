"""How declarations stand to a crash: who is in the pot of each relation.

What holds for the whole crash function is `triage.core.kinship`; here are the trace,
the crash line and the panic's message.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from triage.core.facts import builders, returning, types_on
from triage.core.hang import WRITES, Hang
from triage.core.kinship import (
    called,
    callers,
    counts,
    function_pots,
    is_anywhere,
    next_to,
    usual,
)
from triage.core.pots import Key, Pot, Standing, joined, shared_out
from triage.core.rarity import rare_words, shares
from triage.core.site import CrashSite
from triage.core.table import NONE, Decl
from triage.core.upstream import CallSite
from triage.core.view import View

_NEAR_FRAME = 60
"""Lines between a frame's function and its neighbours."""
_LAST_POT = 3
"""The frame from which on all share a pot, and whose siblings still count."""
_CALLED_FROM = 2
"""The last frame whose callers and callees count."""
_NEIGHBOURED = 4
"""The last frame whose neighbours count."""
_LEXICAL = {"lex_line": 0.3, "lex_line6": 0.6}
"""The part of the crash line's rare words that the members of a pot share."""
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
        self._pots: dict[str, Pot] = {}

    def pots(self) -> dict[str, Pot]:
        """Fill all pots; the crash declaration itself is in none."""
        self._by_trace()
        self._by_fields()
        function = dict(self._of_function())
        self._by_line()
        return self._pots | function

    def standings(self) -> dict[Key, Standing]:
        """Return how every related declaration stands; the crash's own is left out.

        First comes what the trace and the fields tell, then what holds for the
        function, then the rest of the line: so the lines are told in that order.
        """
        self._by_trace()
        self._by_fields()
        near, self._pots = self._pots, {}
        self._by_line()
        return joined(shared_out(near), self._usual(), shared_out(self._pots))

    def _usual(self) -> Mapping[Key, Standing]:
        """Return what holds whatever the line."""
        if len(self._views) == 1:
            return usual(self._site.view, self._site.decl)
        return shared_out(self._of_function())

    def _of_function(self) -> Mapping[str, Pot]:
        return function_pots(self._site.decl, self._views)

    def _by_line(self) -> None:
        self._callees()
        self._by_types()
        self._by_message()
        self._by_words()

    def _put(self, pot: str, view: View, decl: int, line: int = 0) -> None:
        """Put a declaration into a pot, with the line that the relation is about."""
        if self._counts(view, decl):
            self._members(pot, view).setdefault(decl, line)

    def _members(self, pot: str, view: View) -> dict[int, int]:
        return self._pots.setdefault(pot, {}).setdefault(view, {})

    def _counts(self, view: View, decl: int) -> bool:
        return counts(view, decl, self._site.decl, home=view is self._site.view)

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
            if number <= _CALLED_FROM:
                self._around_frame(frame)

    def _around_frame(self, frame: CallSite) -> None:
        """Take who calls a frame's function, and what it called before."""
        for caller, line in callers(frame.view, frame.decl):
            self._put("caller2", frame.view, caller, line)
        for target, at in called(frame.view, frame.decl):
            if at < frame.line:
                self._put("callee_before", frame.view, target)

    def _near_frame(self, view: View, decl: Decl) -> None:
        if view is not self._site.view or decl.file != self._site.decl.file:
            for number in next_to(view, decl, _NEAR_FRAME):
                if not is_anywhere(view, number):
                    self._put("next_frame", view, number)

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

    def _callees(self) -> None:
        view, crash, line = self._site.view, self._site.decl, self._site.line
        for call in self._hang.calls:
            if call.target >= 0 and not call.member:
                self._put("callee", view, call.target)
        for target, at in called(view, crash):
            if at == line:
                self._put("callee", view, target)
            elif at < line:
                self._put("callee_before", view, target)

    def _by_types(self) -> None:
        view, owner = self._site.view, self._site.decl.receiver_type
        chain = {n for n in self._hang.types if n >= 0}
        chain |= {view.field_owner(number) for number in self._hang.fields}
        chain |= types_on(view, self._site.decl, self._site.line)
        for number in chain - {owner}:
            for method in view.table.back("methods", number):
                self._put("method_line", view, method)
        for number in chain | ({owner} - {NONE}):
            self._put("type_line", view, number)
            self._makers(view, number)

    def _makers(self, view: View, number: int) -> None:
        decl = view.decl(number)
        for builder, line in builders(view, decl):
            self._put("builds", view, builder, line)
        for function in returning(view, decl):
            self._put("returns", view, function)

    def _by_message(self) -> None:
        """Take what the panic's message names."""
        words = sorted(message_words(self._message))
        for view in self._views:
            for word in words:
                for decl in view.named(word):
                    self._put("in_message", view, decl.id)

    def _by_words(self) -> None:
        """Take what shares rare words with the crash line."""
        view, crash = self._site.view, self._site.decl
        rare = rare_words(crash, self._views)
        on_line = view.words_on(crash, self._site.line)
        whole, shared = shares(rare[n] for n in on_line if n in rare)
        for other, values in shared.items():
            for number, value in values.items():
                for pot, least in _LEXICAL.items():
                    if value >= least * whole:
                        self._put(pot, other, number)
