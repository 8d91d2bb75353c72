"""Which declarations of the crash package belong to the answer, and why.

To what bears on the crash function as a whole come the rules on its line: what it
names; what the fault hangs on, with the types, origins, writers and builders of that;
implementers of an interface on it. Each links a declaration to the fault; without a
link a declaration stays out.
"""

from dataclasses import replace

from triage.core.chooser import Chooser
from triage.core.facts import local_uses, verb
from triage.core.function_rules import surroundings
from triage.core.hang import WRITES, Hang, accessed_on_line, hang
from triage.core.picks import Near, Part, Picks
from triage.core.site import FAMILIES, CrashSite, title
from triage.core.table import NONE, Access, DeclFlag, Role, Use

WAITING = frozenset({"deadlock", "test-timeout", "sigquit", "goroutine-dump"})
"""Kinds in which a line waits for somebody else's send, close or unlock."""

CONCURRENT = frozenset({"data-race", "fatal-concurrent-map"})
"""Kinds for which a mere reader of a field bears on the fault."""


class PackageRules:
    """Applies the rules to one crash; its picks grow with each."""

    def __init__(
        self,
        site: CrashSite,
        picks: Picks,
        *,
        foreign: bool = False,
        fixtures: frozenset[int] = frozenset(),
    ) -> None:
        """*foreign*: the site is a caller's in another package than the crash's.

        *fixtures* are declarations in tests that may be picked all the same.
        """
        self._site = site
        self._view = site.view
        self._table = site.view.table
        self._picks = picks
        self._chooser = Chooser(
            site.view, site.decl, picks, foreign=foreign, fixtures=fixtures
        )
        self.hang = self._hang()

    def apply_upstream(self) -> None:
        """Run only the rules on where values come from, for a caller's values."""
        self._chooser = replace(self._chooser, upstream=True)
        self._origins()
        self._writers()
        for owner, fields in self._owners().items():
            self._chooser.literals(owner, fields)

    def apply(self) -> None:
        """Run every rule."""
        site = self._site
        foreign = self._chooser.foreign
        found = surroundings(self._view, site.decl, site.depth, foreign=foreign)
        self._picks.take(found.picks)
        self._uses()
        self._types(dict(found.depths))
        self._origins()
        self._writers()
        self._implementers()

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

    # -- rules

    def _uses(self) -> None:
        """Take what the line names."""
        where = f"on {self._where()}"
        for target, line, how in local_uses(self._view, self._site.decl):
            if line == self._site.line:
                decl = self._view.decl(target)
                verb_ = verb(how) if decl.is_function else "used"
                self._chooser.pick(target, Near.LINE, f"{verb_} {where}")

    def _types(self, depths: dict[int, int]) -> None:
        """Take the types that the line hangs on, and what makes and builds them.

        *depths* holds those that the function leads to.
        """
        nearer = self._chooser.walk_types(self._chain_types(), depths, self._site.depth)
        for number in nearer:
            self._chooser.constructors(number, depths[number])
        owners = self._owners()
        fresh = {n: frozenset[int]() for n in nearer if not depths[n]}
        for owner, fields in (fresh | owners).items():
            if owner in depths:
                self._chooser.literals(owner, fields)

    def _owners(self) -> dict[int, frozenset[int]]:
        """Return the types of the fields that the line hangs on, with these."""
        found = dict[int, frozenset[int]]()
        for field in self.hang.fields:
            owner = self._view.field_owner(field)
            found[owner] = found.get(owner, frozenset()) | {field}
        return found

    def _chain_types(self) -> dict[int, tuple[Near, str]]:
        found = dict[int, tuple[Near, str]]()
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
        return found

    def _origins(self) -> None:
        """Take the functions whose results the line hangs on."""
        for function, text in self._origin_functions().items():
            self._chooser.pick(function, Near.ORIGIN, text)

    def _origin_functions(self) -> dict[int, str]:
        """Functions called in the chain, and those that initialise its variables."""
        found = {
            call.target: f"its result is what {self._where()} hangs on"
            for call in self.hang.calls
            if call.target >= 0 and not call.member
        }
        for variable in self.hang.variables:
            decl = self._view.decl(variable)
            for target, _, how in local_uses(self._view, decl):
                if how & (Use.CALL | Use.VALUE) and self._view.decl(target).is_function:
                    found.setdefault(target, f"initialises {decl.name}")
        return found

    def _where(self) -> str:
        return f"line {self._site.line} of {title(self._site.decl)}"

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
                    self._chooser.pick(
                        decl, Near.WRITER, text, part=Part.WRITER, lines=(line,)
                    )
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
                self._chooser.pick(
                    decl, Near.WRITER, text, part=Part.WRITER, lines=(line,)
                )

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
        self._chooser.pick(number, Near.IMPLEMENTER, f"implements {interface}")
        method = self._view.method(number, member) if member else None
        if method is not None:
            text = f"{title(method)} may be what {interface}.{member} calls"
            self._chooser.pick(method.id, Near.IMPLEMENTER, text)


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
