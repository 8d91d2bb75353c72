"""Which declarations of the crash package belong to the answer, and why.

The rules: what the crash declaration uses; the types behind fields; constructors and
builders; helpers; implementers of an interface on the crash line; writers of what
the line hangs on; callers. Each links a declaration to the fault; without a link a
declaration stays out.
"""

from dataclasses import dataclass, replace

from triage.core.hang import WRITES, Hang, accessed_on_line, hang
from triage.core.picks import SECTION_OF_KIND, Near, Part, Pick, Picks
from triage.core.site import FAMILIES, FaultSite, title
from triage.core.table import (
    NONE,
    Access,
    Decl,
    DeclFlag,
    FieldFlag,
    Kind,
    LiteralFlag,
    Node,
    Role,
    Use,
    Wrap,
)
from triage.core.view import View, remembered

WAITING = frozenset({"deadlock", "test-timeout", "sigquit", "goroutine-dump"})
"""Kinds in which a line waits for somebody else's send, close or unlock."""

CONCURRENT = frozenset({"data-race", "fatal-concurrent-map"})
"""Kinds for which a mere reader of a field bears on the fault."""

_MAKERS = frozenset(
    {
        Near.OMITTER,
        Near.WRITER,
        Near.CONSTRUCTOR,
        Near.FIELD_CONSTRUCTOR,
        Near.DEEP_CONSTRUCTOR,
    }
)
_PLACES = {
    Role.FIELD: "a field",
    Role.RECEIVER: "the receiver",
    Role.PARAMETER: "a parameter",
    Role.RESULT: "a result",
    Role.CONSTRAINT: "a type parameter",
    Role.UNDERLYING: "an element",
    Role.VALUE: "its value",
}
_TYPE_ROLES = (Role.FIELD, Role.UNDERLYING, Role.CONSTRAINT)


@dataclass(frozen=True, slots=True)
class CrashSite:
    """The crash as the rules see it."""

    view: View
    decl: Decl
    line: int
    kind: str | None
    faults: tuple[FaultSite, ...]
    depth: int


class PackageRules:
    """Applies the rules to one crash; `picks` grows with each."""

    def __init__(self, site: CrashSite, picks: Picks, *, foreign: bool = False) -> None:
        """*foreign*: the site is a caller's in another package than the crash's."""
        self._foreign = foreign
        self._site = site
        self._view = site.view
        self._table = site.view.table
        self._picks = picks
        self.hang = self._hang()
        self._depths: dict[int, int] = {}
        self._upstream = False

    def apply_upstream(self) -> None:
        """Run only the rules on where values come from, for a caller's values."""
        self._upstream = True
        self._origins()
        self._writers()
        for number in dict.fromkeys(map(self._view.field_owner, self.hang.fields)):
            self._literals(number, self._wanted_fields(number))

    def apply(self) -> None:
        """Run every rule."""
        self._uses()
        self._types()
        self._origins()
        self._constructors()
        self._builders()
        self._writers()
        self._implementers()
        self._callers()

    def _hang(self) -> Hang:
        """Find what the line hangs on; with locks and races, what it touches."""
        found = hang(self._view, self._site.faults)
        touched = accessed_on_line(self._view, self._site.decl, self._site.line)
        if self._site.kind in CONCURRENT or self._synchronises():
            fields = touched
        elif self._site.kind in WAITING or (
            self._site.kind is None and not found.fields
        ):
            fields = tuple(field for field in touched if self._is_channel(field))
        else:
            fields = ()
        return replace(found, fields=tuple(dict.fromkeys((*found.fields, *fields))))

    def _synchronises(self) -> bool:
        """Tell whether the line calls a method of package sync: a lock's, say.

        A nil pointer or an index has nothing to do with the lock beside it; what an
        atomic holds was stored by somebody.
        """
        kind = self._site.kind
        locks = kind not in FAMILIES or kind == "custom-panic"
        wanted = {"sync", "sync/atomic"} if locks else {"sync/atomic"}
        for _, target, line, _, _ in self._table.of("uses", self._site.decl.id):
            if line == self._site.line and target < 0:
                path, _, steps = self._view.external(target)
                if path in wanted and steps and steps[0][0]:
                    return True
        return False

    def _is_channel(self, field: int) -> bool:
        """Tell whether anything is sent to a field, or it is closed."""
        return any(
            self._table.record("accesses", row)[3] & (Access.SEND | Access.CLOSE)
            for row in self._table.back("accesses", field)
        )

    # -- picking

    def _pick(
        self,
        number: int,
        near: Near,
        reason: str,
        *,
        depth: int = 0,
        part: Part = Part.HELPER,
        lines: tuple[int, ...] = (),
        section: str | None = None,
        marks: tuple[int, ...] = (),
    ) -> None:
        decl = self._view.decl(number)
        if decl.id == self._site.decl.id or not self._allowed(decl, near):
            return
        place = "packages" if self._foreign else SECTION_OF_KIND[decl.kind]
        section = section or place
        near = Near.UPSTREAM if self._upstream else near
        self._picks.add(
            Pick(self._view, decl, section, near, reason, depth, part, lines, marks)
        )

    def _allowed(self, decl: Decl, near: Near) -> bool:
        """Keep tests out, but for what a crash in a test names."""
        if decl.name == "_":
            return False
        if not decl.flags & DeclFlag.TEST:
            return True
        return bool(self._site.decl.flags & DeclFlag.TEST) and near not in _MAKERS

    # -- rules

    def _uses(self) -> None:
        """Take what the crash declaration names, and the variables helpers read."""
        crash, name = self._site.decl, title(self._site.decl)
        for target, line, how in _local_uses(self._view, crash):
            decl = self._view.decl(target)
            if decl.kind == Kind.TYPE:
                continue
            where = f"line {line} of {name}"
            near = Near.LINE if line == self._site.line else Near.USED
            if decl.is_function:
                near = Near.LINE if near is Near.LINE else Near.CALLEE
                verb = _verb(how)
                self._pick(target, near, f"{verb} on {where}")
                self._read_by(decl)
            else:
                self._pick(target, near, f"used on {where}")

    def _read_by(self, helper: Decl) -> None:
        for target in _variables(self._view, helper):
            reason = f"read by {title(helper)}, which {title(self._site.decl)} calls"
            self._pick(target, Near.CALLEE_VALUE, reason)

    def _types(self) -> None:
        """Take the receiver, the types in use, and those behind their fields."""
        frontier = self._start_types()
        for depth in range(self._site.depth + 1):
            behind: dict[int, str] = {}
            for number, (near, reason) in frontier.items():
                if number in self._depths or not self._is_type(number):
                    continue
                self._depths[number] = depth
                self._pick(number, near, reason, depth=depth)
                behind |= _behind(self._view, self._view.decl(number))
            near = Near.FIELD_TYPE if depth == 0 else Near.DEEP_TYPE
            frontier = {n: (near, why) for n, why in behind.items()}

    def _start_types(self) -> dict[int, tuple[Near, str]]:
        crash, found = self._site.decl, dict[int, tuple[Near, str]]()
        name = title(crash)
        if crash.receiver_type != NONE:
            found[crash.receiver_type] = (Near.RECEIVER, f"receiver of {name}")
            found |= self._receiver_alias(crash)
        for function in self._origin_functions():
            for _, role, _, target, _, _ in self._table.of("types", function):
                if role == Role.RESULT:
                    text = f"what {title(self._view.decl(function))} returns"
                    found.setdefault(target, (Near.CHAIN_TYPE, text))
        for number in self.hang.types:
            text = f"type of a value that line {self._site.line} hangs on"
            found.setdefault(number, (Near.CHAIN_TYPE, text))
        for field in self.hang.fields:
            owner = self._view.field_owner(field)
            text = f"holds {self._view.field_name(field)}, which the line hangs on"
            found.setdefault(owner, (Near.CHAIN_TYPE, text))
        for _, role, _, target, _, _ in self._table.of("types", crash.id):
            if target not in found:
                found[target] = Near.USED, f"type of {_PLACES[Role(role)]} of {name}"
        for target, line, _ in _local_uses(self._view, crash):
            if target not in found:
                near = Near.LINE if line == self._site.line else Near.USED
                found[target] = near, f"used on line {line} of {name}"
        return found

    def _receiver_alias(self, crash: Decl) -> dict[int, tuple[Near, str]]:
        """Return the alias that the receiver is written with, if it is one."""
        if self._view.decl(crash.receiver_type).name == crash.receiver:
            return {}
        why = (Near.RECEIVER, f"receiver of {title(crash)}")
        return {alias.id: why for alias in self._view.declared(crash.receiver)}

    def _is_type(self, number: int) -> bool:
        return number >= 0 and self._view.decl(number).kind == Kind.TYPE

    def _origins(self) -> None:
        """Take the functions whose results the line hangs on."""
        for function, text in self._origin_functions().items():
            self._pick(function, Near.ORIGIN, text)

    def _origin_functions(self) -> dict[int, str]:
        """Functions called in the chain, and those that initialise its variables."""
        found = {
            call.target: f"its result is what {self._where()} hangs on"
            for call in self.hang.calls
            if call.target >= 0 and not call.member
        }
        for variable in self.hang.variables:
            decl = self._view.decl(variable)
            for target, _, how in _local_uses(self._view, decl):
                if how & (Use.CALL | Use.VALUE) and self._view.decl(target).is_function:
                    found.setdefault(target, f"initialises {decl.name}")
        return found

    def _where(self) -> str:
        return f"line {self._site.line} of {title(self._site.decl)}"

    def _constructors(self) -> None:
        """Take what returns or builds the types chosen so far."""
        for number, depth in self._depths.items():
            owner = self._view.decl(number)
            near = (Near.CONSTRUCTOR, Near.FIELD_CONSTRUCTOR, Near.DEEP_CONSTRUCTOR)[
                min(depth, 2)
            ]
            for maker in _makers(self._view, owner):
                verb = "constructor of" if self._is_plain(maker) else "returns"
                text = f"{verb} {owner.name}"
                self._pick(maker, near, text, depth=depth, part=Part.CONSTRUCTOR)

    def _is_plain(self, function: int) -> bool:
        """Tell a function from a method: what a value returns is not made anew."""
        return self._view.decl(function).kind == Kind.FUNC

    def _builders(self) -> None:
        """Take the literals of the receiver and of types at hand."""
        chain = {self._view.field_owner(field) for field in self.hang.fields}
        for number, depth in self._depths.items():
            if depth == 0 or number in chain:
                self._literals(number, self._wanted_fields(number))

    def _wanted_fields(self, number: int) -> set[int]:
        return {f for f in self.hang.fields if self._view.field_owner(f) == number}

    def _literals(self, number: int, wanted: set[int]) -> None:
        owner = self._view.decl(number)
        for row in self._table.back("literals", number):
            decl, _, line, flags = self._table.record("literals", row)
            if flags & LiteralFlag.ZERO and not (wanted or self._is_receiver(owner)):
                continue
            given = {r[1] for r in self._table.of("settings", row)}
            missing = set() if flags & LiteralFlag.POSITIONAL else wanted - given
            names = " and ".join(sorted(map(self._view.field_name, missing)))
            text = f"builds {owner.name}" + (
                f" and leaves out {names}" if names else ""
            )
            near = Near.WRITER if wanted else Near.CONSTRUCTOR
            near = Near.OMITTER if missing else near
            self._pick(decl, near, text, part=Part.CONSTRUCTOR, lines=(line,))

    def _is_receiver(self, owner: Decl) -> bool:
        """Tell whether a zero value counts: the receiver's struct is made by it."""
        struct = bool(owner.flags & DeclFlag.STRUCT)
        return struct and owner.id == self._site.decl.receiver_type

    def _writers(self) -> None:
        """Take what writes the fields and variables that the line hangs on."""
        reads = self._site.kind in CONCURRENT or self._synchronises()
        for field in self.hang.fields:
            name = f"{self._view.decl(self._view.field_owner(field)).name}"
            name = f"{name}.{self._view.field_name(field)}"
            for row in self._table.back("accesses", field):
                decl, _, line, how, nil = self._table.record("accesses", row)
                if how & WRITES or reads:
                    text = f"{_access(how, nil=bool(nil))} {name}"
                    self._pick(decl, Near.WRITER, text, part=Part.WRITER, lines=(line,))
        for variable in self.hang.variables:
            self._variable_writers(variable, reads=reads)

    def _variable_writers(self, variable: int, *, reads: bool) -> None:
        """Take what sets a variable, or changes what the line takes straight from it."""
        name = self._view.decl(variable).name
        contents = reads or variable in self.hang.direct_variables
        for row in self._table.back("uses", variable):
            decl, _, line, how, _ = self._table.record("uses", row)
            whole = how & Use.WRITE and not how & Use.READ
            if whole or (contents and how & (Use.WRITE | Use.ADDRESS)) or reads:
                text = f"{'writes' if how & Use.WRITE else 'touches'} {name}"
                self._pick(decl, Near.WRITER, text, part=Part.WRITER, lines=(line,))

    def _implementers(self) -> None:
        """Take who stands behind an interface value on the crash line."""
        crash, line = self._site.decl, self._site.line
        for _, target, at, how, member in self._table.of("uses", crash.id):
            if at == line and target >= 0 and member and how & Use.CALL:
                self._behind_interface(target, self._table.text(member))
        for site in self._site.faults:
            for node in (site.node, site.index):
                type_number = NONE if node == NONE else self._node_type(node)
                if self._is_interface(type_number):
                    self._behind_interface(type_number, None)

    def _node_type(self, node: int) -> int:
        return self._table.record("nodes", node)[4]

    def _is_interface(self, number: int) -> bool:
        return number >= 0 and bool(self._view.decl(number).flags & DeclFlag.INTERFACE)

    def implement(self, name: str, methods: dict[str, str], member: str) -> None:
        """Take the package's types that have the *methods* of a foreign interface."""
        owners = {
            record[3] for record in self._table.records("decls") if record[3] != NONE
        }
        for number in sorted(owners):
            if self._view.has_methods(number, methods):
                self._implementer(number, name, member)

    def _behind_interface(self, interface: int, member: str | None) -> None:
        name = self._view.decl(interface).name
        for number, target, _ in self._table.records("implements"):
            if target == interface:
                self._implementer(number, name, member)

    def _implementer(self, number: int, interface: str, member: str | None) -> None:
        self._pick(number, Near.IMPLEMENTER, f"implements {interface}")
        method = self._view.method(number, member) if member else None
        if method is not None:
            text = f"{title(method)} may be what {interface}.{member} calls"
            self._pick(method.id, Near.IMPLEMENTER, text)

    def _callers(self) -> None:
        """Take who calls the crash function, also through an interface."""
        crash = self._site.decl
        if not crash.is_function:
            return
        for row in self._table.back("uses", crash.id):
            decl, _, line, how, _ = self._table.record("uses", row)
            if how & (Use.CALL | Use.VALUE):
                self._caller(decl, line, f"calls {title(crash)}")
        for number, interface, _ in self._table.records("implements"):
            if number == crash.receiver_type:
                self._interface_callers(interface)

    def _interface_callers(self, interface: int) -> None:
        crash = self._site.decl
        name = self._view.decl(interface).name
        for row in self._table.back("uses", interface):
            decl, _, line, _, member = self._table.record("uses", row)
            if member and self._table.text(member) == crash.name:
                self._caller(decl, line, f"calls {crash.name} through {name}")

    def _caller(self, decl: int, line: int, reason: str) -> None:
        self._pick(
            decl, Near.CALLER, reason, section="callers", lines=(line,), marks=(line,)
        )


@remembered
def _local_uses(view: View, decl: Decl) -> tuple[tuple[int, int, int], ...]:
    """Give (declaration, line, how) of what a declaration names of its package."""
    return tuple(
        (target, line, how)
        for _, target, line, how, member in view.table.of("uses", decl.id)
        if target >= 0 and target != decl.id and not member
    )


@remembered
def _variables(view: View, helper: Decl) -> tuple[int, ...]:
    """Find the package's variables that a function reads or writes."""
    return tuple(
        target
        for target, _, how in _local_uses(view, helper)
        if how & (Use.READ | Use.WRITE) and view.decl(target).kind == Kind.VAR
    )


@remembered
def _behind(view: View, owner: Decl) -> dict[int, str]:
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
def _makers(view: View, owner: Decl) -> tuple[int, ...]:
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


def _verb(how: int) -> str:
    if how & Use.DEFER:
        return "deferred"
    if how & Use.GO:
        return "started"
    return "called" if how & Use.CALL else "used as a value"


_ACCESS_VERBS = (
    (Access.CLOSE, "closes"),
    (Access.SEND, "sends to"),
    (Access.DELETE, "deletes from"),
    (Access.CLEAR, "clears"),
    (Access.APPEND, "appends to"),
    (Access.ASSIGN, "writes"),
    (Access.UPDATE, "updates"),
    (Access.ADDRESS, "takes the address of"),
)


_OF_ELEMENTS = frozenset({"writes", "updates", "takes the address of", "reads"})


def _access(how: int, *, nil: bool) -> str:
    verb = next((text for flag, text in _ACCESS_VERBS if how & flag), "reads")
    element = bool(how & Access.ELEMENT) and verb in _OF_ELEMENTS
    if verb == "writes" and nil:
        verb = "writes nil to"
    return f"{verb} an element of" if element else verb
