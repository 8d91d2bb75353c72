"""What a package's table says of one declaration, as the rules ask it.

None of it hangs on a crash line, so that each is worked out once for a view.
"""

from triage.core.table import (
    NONE,
    Decl,
    FieldFlag,
    Kind,
    Node,
    Role,
    Use,
    Wrap,
)
from triage.core.view import View, remembered

_TYPE_ROLES = (Role.FIELD, Role.UNDERLYING, Role.CONSTRAINT)


@remembered
def local_uses(view: View, decl: Decl) -> tuple[tuple[int, int, int], ...]:
    """Give (declaration, line, how) of what a declaration names of its package."""
    return tuple(
        (target, line, how)
        for _, target, line, how, member in view.table.of("uses", decl.id)
        if target >= 0 and target != decl.id and not member
    )


def types_on(view: View, decl: Decl, line: int) -> set[int]:
    """Find the package's types that a line of a declaration names or selects on."""
    return {
        target
        for target, at, _ in local_uses(view, decl)
        if at == line and view.decl(target).kind == Kind.TYPE
    }


@remembered
def variables(view: View, helper: Decl) -> tuple[int, ...]:
    """Find the package's variables that a function reads or writes."""
    return tuple(
        target
        for target, _, how in local_uses(view, helper)
        if how & (Use.READ | Use.WRITE) and view.decl(target).kind == Kind.VAR
    )


@remembered
def behind(view: View, owner: Decl) -> dict[int, str]:
    """Find the types behind a type's fields, elements, constraints; why, by number."""
    table, found = view.table, dict[int, str]()
    for _, role, slot, target, _, _ in table.of("types", owner.id):
        if role not in _TYPE_ROLES or target < 0:
            continue
        if role == Role.FIELD:
            flags = table.record("fields", slot)[5]
            if flags & FieldFlag.METHOD and not flags & FieldFlag.EMBEDDED:
                continue
            why = f"type of field {owner.name}.{view.field_name(slot)}"
        elif role == Role.CONSTRAINT:
            why = f"constraint of {owner.name}"
        else:
            why = f"{owner.name} is made of it"
        found.setdefault(target, why)
    return found


@remembered
def makers(view: View, owner: Decl) -> tuple[int, ...]:
    """Find the functions that return the type itself or a pointer to it."""
    found = []
    for row in view.table.back("types", owner.id):
        number, role, slot, _, wrap, _ = view.table.record("types", row)
        decl = view.decl(number)
        made = role == Role.RESULT and wrap <= Wrap.POINTER and decl.is_function
        if made and not _is_getter(view, decl, slot):
            found.append(number)
    return tuple(found)


def _is_getter(view: View, decl: Decl, slot: int) -> bool:
    """Tell whether a method only hands out what a field holds."""
    if decl.kind != Kind.METHOD:
        return False
    kinds = {
        view.table.record("nodes", row[2])[0]
        for row in view.table.of("returns", decl.id)
        if row[1] == slot and row[2] != NONE
    }
    return kinds <= {Node.FIELD, Node.NIL, Node.RECEIVER}


@remembered
def builders(view: View, owner: Decl) -> tuple[tuple[int, int], ...]:
    """Find who builds a type, and where."""
    table = view.table
    rows = (table.record("literals", row) for row in table.back("literals", owner.id))
    return tuple((number, line) for number, _, line, _ in rows)


@remembered
def returning(view: View, owner: Decl) -> tuple[int, ...]:
    """Find who returns a type or a pointer to it."""
    table = view.table
    rows = (table.record("types", row) for row in table.back("types", owner.id))
    return tuple(
        number
        for number, role, _, _, wrap, _ in rows
        if role == Role.RESULT and wrap <= Wrap.POINTER
    )


def verb(how: int) -> str:
    """Say how a function is used."""
    if how & Use.DEFER:
        return "deferred"
    if how & Use.GO:
        return "started"
    return "called" if how & Use.CALL else "used as a value"
