"""How declarations stand to a crash function, whatever the line.

A service meets many lines of one function, and all of this is worked out once.
"""

from collections.abc import Iterable, Mapping, Sequence

from triage.core.pots import Key, Pot, Standing, shared_out
from triage.core.rarity import rare_words, shares
from triage.core.table import NONE, Decl, DeclFlag, Use
from triage.core.view import View, remembered

_NEAR = 50
"""Lines between neighbours."""
_FEW_CALLERS = 8
_KIN = 0.15
"""The part of the crash function's rare words that its kin share."""
_ANYWHERE = frozenset({"init", "main"})
"""Names of functions of which several may stand anywhere; where says nothing."""


@remembered
def usual(view: View, crash: Decl) -> Mapping[Key, Standing]:
    """Return how a package's declarations stand to *crash* whatever the line."""
    return shared_out(function_pots(crash, [view]))


def function_pots(crash: Decl, views: Sequence[View]) -> dict[str, Pot]:
    """Fill the pots that hold whatever the line; *crash* is of the first view."""
    view = views[0]
    at_home = {
        "same_file": _same_file(view, crash),
        "next_to": _neighbours(view, crash),
        "caller": _callers(view, crash),
        "caller2": _callers_of_callers(view, crash),
        "callee2": _called_by_called(view, crash),
        "sibling": _siblings(view, crash),
    }
    pots = {pot: {view: members} for pot, members in at_home.items() if members}
    everywhere = {
        "same_name": {other: _namesakes(other, crash, view) for other in views},
        "lex_fn": _kin(crash, views),
    }
    for pot, parts in everywhere.items():
        if filled := {other: members for other, members in parts.items() if members}:
            pots[pot] = filled
    return pots


def counts(view: View, number: int, crash: Decl, *, home: bool) -> bool:
    """Tell whether a declaration can be related to *crash*, of this view if *home*."""
    if home and number == crash.id:
        return False
    return bool(crash.flags & DeclFlag.TEST) or not (
        view.decl(number).flags & DeclFlag.TEST
    )


def is_anywhere(view: View, number: int) -> bool:
    """Tell whether the name of a declaration says nothing of where it stands."""
    return view.decl(number).name in _ANYWHERE


def _counting(
    view: View, crash: Decl, members: Iterable[int], *, home: bool = True
) -> dict[int, int]:
    return {n: 0 for n in members if counts(view, n, crash, home=home)}


def _same_file(view: View, crash: Decl) -> dict[int, int]:
    found = _counting(view, crash, view.declared_in(crash.file))
    return {n: 0 for n in found if not is_anywhere(view, n)}


def _neighbours(view: View, crash: Decl) -> dict[int, int]:
    found = _counting(view, crash, next_to(view, crash, _NEAR))
    return {n: 0 for n in found if not is_anywhere(view, n)}


@remembered
def next_to(view: View, decl: Decl, reach: int) -> tuple[int, ...]:
    """Find the declarations within *reach* lines of one."""
    return tuple(
        other.id
        for other in map(view.decl, view.declared_in(decl.file))
        if other.line <= decl.end_line + reach
        and other.end_line >= decl.line - reach
        and other.id != decl.id
    )


@remembered
def callers(view: View, decl: Decl) -> tuple[tuple[int, int], ...]:
    """Find who uses a function, with the line of its first use."""
    found = dict[int, int]()
    for row in view.table.back("uses", decl.id):
        number, _, line, how, _ = view.table.record("uses", row)
        if how & (Use.CALL | Use.VALUE):
            found.setdefault(number, line)
    return tuple(found.items())


def _callers(view: View, crash: Decl) -> dict[int, int]:
    found = callers(view, crash)
    return {n: at for n, at in found if counts(view, n, crash, home=True)}


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
            if how & Use.CALL and counts(view, number, crash, home=True):
                found.setdefault(number, line)
    return found


@remembered
def called(view: View, decl: Decl) -> tuple[tuple[int, int], ...]:
    """Find the package's functions that a declaration calls, and where."""
    return tuple(
        (target, line)
        for _, target, line, how, member in view.table.of("uses", decl.id)
        if target >= 0
        and not member
        and how & Use.CALL
        and view.decl(target).is_function
    )


def _called_by_called(view: View, crash: Decl) -> dict[int, int]:
    targets = dict.fromkeys(target for target, _ in called(view, crash))
    second = (n for t in targets for n, _ in called(view, view.decl(t)))
    return _counting(view, crash, second)


def _siblings(view: View, crash: Decl) -> dict[int, int]:
    owner = crash.receiver_type
    methods = view.table.back("methods", owner) if owner != NONE else ()
    return _counting(view, crash, methods)


def _namesakes(view: View, crash: Decl, home: View) -> dict[int, int]:
    """Find the functions that have the name of *crash*, of the view *home*."""
    if crash.name in _ANYWHERE:
        return {}
    named = (decl.id for decl in view.named(crash.name) if decl.is_function)
    return _counting(view, crash, named, home=view is home)


def _kin(crash: Decl, views: Sequence[View]) -> Pot:
    """Find who shares rare words with *crash*."""
    whole, shared = shares(rare_words(crash, views).values())
    return {
        view: _counting(
            view,
            crash,
            (n for n, value in values.items() if value >= _KIN * whole),
            home=view is views[0],
        )
        for view, values in shared.items()
    }
