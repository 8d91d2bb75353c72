"""The rules on a whole function: what bears on a crash of it, whatever the line.

What it uses, its receiver and the types behind fields, their constructors and
builders, its callers. A service meets many lines of one function, and all of this
is worked out once.
"""

from dataclasses import dataclass
from types import MappingProxyType

from triage.core.chooser import Chooser
from triage.core.facts import local_uses, variables, verb
from triage.core.picks import Near, Pick, Picks
from triage.core.site import title
from triage.core.table import NONE, Decl, Kind, Role, Use
from triage.core.view import View, remembered

_PLACES = {
    Role.FIELD: "a field",
    Role.RECEIVER: "the receiver",
    Role.PARAMETER: "a parameter",
    Role.RESULT: "a result",
    Role.CONSTRAINT: "a type parameter",
    Role.UNDERLYING: "an element",
    Role.VALUE: "its value",
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the rules found for a function."""

    picks: tuple[Pick, ...]
    depths: MappingProxyType[int, int]
    """How many fields away each type is."""


@remembered
def surroundings(view: View, crash: Decl, depth: int, *, foreign: bool) -> Surroundings:
    """Run the rules on *crash*; types are followed through *depth* fields.

    *foreign*: it is a caller in another package than the crash's.
    """
    picks, depths = Picks(), dict[int, int]()
    chooser = Chooser(view, crash, picks, foreign=foreign)
    _uses(chooser)
    chooser.walk_types(_start_types(view, crash), depths, depth)
    for number, away in depths.items():
        chooser.constructors(number, away)
    for number, away in depths.items():
        if away == 0:
            chooser.literals(number, frozenset())
    _callers(chooser)
    return Surroundings(tuple(picks), MappingProxyType(depths))


def _uses(chooser: Chooser) -> None:
    """Take what the crash declaration names, and the variables helpers read."""
    view, crash = chooser.view, chooser.crash
    for target, line, how in local_uses(view, crash):
        decl = view.decl(target)
        where = f"on line {line} of {title(crash)}"
        if decl.is_function:
            chooser.pick(target, Near.CALLEE, f"{verb(how)} {where}")
            _read_by(chooser, decl)
        elif decl.kind != Kind.TYPE:
            chooser.pick(target, Near.USED, f"used {where}")


def _read_by(chooser: Chooser, helper: Decl) -> None:
    for target in variables(chooser.view, helper):
        reason = f"read by {title(helper)}, which {title(chooser.crash)} calls"
        chooser.pick(target, Near.CALLEE_VALUE, reason)


def _start_types(view: View, crash: Decl) -> dict[int, tuple[Near, str]]:
    """Find the receiver and the types that the declaration names, and why."""
    found, name = dict[int, tuple[Near, str]](), title(crash)
    if crash.receiver_type != NONE:
        found[crash.receiver_type] = (Near.RECEIVER, f"receiver of {name}")
        found |= _receiver_alias(view, crash)
    for _, role, _, target, _, _ in view.table.of("types", crash.id):
        if target not in found:
            found[target] = Near.USED, f"type of {_PLACES[Role(role)]} of {name}"
    for target, line, _ in local_uses(view, crash):
        if target not in found:
            found[target] = Near.USED, f"used on line {line} of {name}"
    return found


def _receiver_alias(view: View, crash: Decl) -> dict[int, tuple[Near, str]]:
    """Return the alias that the receiver is written with, if it is one."""
    if view.decl(crash.receiver_type).name == crash.receiver:
        return {}
    why = (Near.RECEIVER, f"receiver of {title(crash)}")
    return {alias.id: why for alias in view.declared(crash.receiver)}


def _callers(chooser: Chooser) -> None:
    """Take who calls the crash function, also through an interface."""
    crash, table = chooser.crash, chooser.view.table
    if not crash.is_function:
        return
    for row in table.back("uses", crash.id):
        decl, _, line, how, _ = table.record("uses", row)
        if how & (Use.CALL | Use.VALUE):
            _caller(chooser, decl, line, f"calls {title(crash)}")
    for number, interface, _ in table.records("implements"):
        if number == crash.receiver_type:
            _interface_callers(chooser, interface)


def _interface_callers(chooser: Chooser, interface: int) -> None:
    crash, table = chooser.crash, chooser.view.table
    name = chooser.view.decl(interface).name
    for row in table.back("uses", interface):
        decl, _, line, _, member = table.record("uses", row)
        if member and table.text(member) == crash.name:
            _caller(chooser, decl, line, f"calls {crash.name} through {name}")


def _caller(chooser: Chooser, decl: int, line: int, reason: str) -> None:
    chooser.pick(
        decl, Near.CALLER, reason, section="callers", lines=(line,), marks=(line,)
    )
