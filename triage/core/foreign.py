"""Declarations in other packages of the repository that the crash's values name.

A table knows of another package what the source says: an import path, a name, and
the members selected on it. This module goes on in that package's table: from the
name to the declaration, from a member to the field or method, from a call to its
result, and over into a third package where a type leads there.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from triage.core.picks import Near, Part, Pick
from triage.core.site import CrashSite, title
from triage.core.table import NONE, Decl, DeclFlag, FieldFlag, Kind, Role, Wrap
from triage.core.view import View

_MAX_HOPS = 8
"""Sources that do not compile may lead in circles that grow."""
Step = tuple[str, int]
"""A member's name and 0, or nothing and a call's result (from 1) or element (-1)."""


@dataclass(frozen=True, slots=True)
class Want:
    """A name of another package and the way on from it."""

    import_path: str
    name: str
    steps: tuple[Step, ...]
    reason: str
    near: Near
    hops: int = field(default=0, compare=False)
    """How many packages the way has gone through."""


def wants(site: CrashSite, chain: tuple[int, ...]) -> tuple[Want, ...]:
    """List what the crash declaration names in other packages, nearest first.

    *chain* holds the external targets that the crash line hangs on.
    """
    found: dict[tuple[str, str, tuple[Step, ...]], Want] = {}
    for target, near, reason in sorted(_targets(site, chain), key=lambda row: row[1]):
        path, name, steps = site.view.external(target)
        found.setdefault((path, name, steps), Want(path, name, steps, reason, near))
    return tuple(found.values())


def _targets(
    site: CrashSite, chain: tuple[int, ...]
) -> Iterator[tuple[int, Near, str]]:
    """External targets of the crash declaration, with how near and why."""
    table, name = site.view.table, title(site.decl)
    for target in chain:
        if target < 0 and target != NONE:
            yield target, Near.CHAIN_TYPE, f"line {site.line} of {name} hangs on it"
    for _, target, line, _, _ in table.of("uses", site.decl.id):
        if target < 0:
            near = Near.LINE if line == site.line else Near.PACKAGE
            yield target, near, f"used on line {line} of {name}"
    for _, _, _, target, _, _ in table.of("types", site.decl.id):
        if target < 0:
            yield target, Near.PACKAGE, f"in the signature of {name}"
    touched = {row[1] for row in table.of("accesses", site.decl.id)}
    for number in sorted(touched):
        owner = site.view.field_owner(number)
        for _, role, slot, target, _, _ in table.of("types", owner):
            if role == Role.FIELD and slot == number and target < 0:
                label = f"{site.view.decl(owner).name}.{site.view.field_name(number)}"
                yield target, Near.PACKAGE, f"type of {label}, which {name} uses"


class Trail:
    """Follows one want through a package; `picks` and `onward` tell what came out."""

    def __init__(self, view: View, want: Want) -> None:
        self.picks: list[Pick] = []
        self.onward: list[Want] = []
        self.interfaces: list[tuple[Decl, str]] = []
        """Interfaces on the way, with the method that is called on them."""
        self._view = view
        self._table = view.table
        self._want = want
        self._follow()

    def _follow(self) -> None:
        found = self._view.declared(self._want.name)
        if not found:
            return
        named = found[0]
        self._pick(named, self._want.reason)
        current: Decl | None = named
        steps = list(self._want.steps)
        while steps and current is not None:
            current = self._step(current, steps)

    def _step(self, current: Decl, steps: list[Step]) -> Decl | None:
        """Take the next of *steps*; None where the trail ends or leaves the package."""
        member, slot = steps.pop(0)
        if member:
            owner = self._type_of(current, steps, member, slot)
            return self._member(owner, member, steps) if owner else None
        if slot > 0 and current.is_function:
            return self._result(current, slot - 1, steps)
        return current  # an element, or a conversion to the type itself

    def _type_of(
        self, current: Decl, steps: list[Step], member: str, slot: int
    ) -> Decl | None:
        if current.kind == Kind.TYPE:
            return current
        if current.kind == Kind.VAR:
            return self._through(
                current,
                Role.VALUE,
                None,
                [(member, slot), *steps],
                f"type of {current.name}",
            )
        return None

    def _member(self, owner: Decl, member: str, steps: list[Step]) -> Decl | None:
        method = self._view.method(owner.id, member)
        if method is not None:
            self._pick(method, f"called on {owner.name} by the crash function")
            return method
        field = self._view.field(owner.id, member)
        if field is None:
            return None
        holder = self._view.decl(self._view.field_owner(field))
        if self._table.record("fields", field)[5] & FieldFlag.METHOD:
            self.interfaces.append((owner, member))
        if holder.id != owner.id:
            self._pick(holder, f"embedded in {owner.name}, holds {member}")
        text = f"type of {holder.name}.{member}"
        return self._through(holder, Role.FIELD, field, steps, text)

    def _result(self, function: Decl, slot: int, steps: list[Step]) -> Decl | None:
        text = f"what {title(function)} returns"
        return self._through(function, Role.RESULT, slot, steps, text)

    def _through(
        self, decl: Decl, role: Role, slot: int | None, steps: list[Step], reason: str
    ) -> Decl | None:
        """Go to the type at a place of *decl*; the last named one is the element's."""
        targets = [
            row[3]
            for row in self._table.of("types", decl.id)
            if row[1] == role
            and (slot is None or row[2] == slot)
            and row[4] != Wrap.ARGUMENT
        ]
        if not targets:
            return None
        if targets[-1] >= 0:
            found = self._view.decl(targets[-1])
            self._pick(found, reason)
            return found
        path, name, more = self._view.external(targets[-1])
        hops = self._want.hops + 1
        if hops <= _MAX_HOPS:
            way = (*more, *steps)
            self.onward.append(Want(path, name, way, reason, self._want.near, hops))
        steps.clear()
        return None

    def _pick(self, decl: Decl, reason: str) -> None:
        near = self._want.near
        self.picks.append(Pick(self._view, decl, "packages", near, reason))
        if decl.kind == Kind.TYPE:
            for maker in _constructors(self._view, decl):
                text = f"constructor of {decl.name}"
                self.picks.append(
                    Pick(
                        self._view,
                        maker,
                        "packages",
                        Near.FIELD_CONSTRUCTOR,
                        text,
                        part=Part.CONSTRUCTOR,
                    )
                )


def _constructors(view: View, owner: Decl) -> Iterator[Decl]:
    for row in view.table.back("types", owner.id):
        number, role, _, _, wrap, _ = view.table.record("types", row)
        decl = view.decl(number)
        plain = decl.kind == Kind.FUNC and not decl.flags & DeclFlag.TEST
        if role == Role.RESULT and wrap <= Wrap.POINTER and plain:
            yield decl
