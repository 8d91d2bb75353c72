"""Turns what a rule found into a pick, where it may be one."""

from collections.abc import Mapping
from dataclasses import dataclass

from triage.core.facts import behind, makers
from triage.core.picks import SECTION_OF_KIND, Near, Part, Pick, Picks
from triage.core.table import Decl, DeclFlag, Kind, LiteralFlag
from triage.core.view import View

_MAKERS = frozenset(
    {
        Near.OMITTER,
        Near.WRITER,
        Near.CONSTRUCTOR,
        Near.FIELD_CONSTRUCTOR,
        Near.DEEP_CONSTRUCTOR,
    }
)
_CONSTRUCTORS = (Near.CONSTRUCTOR, Near.FIELD_CONSTRUCTOR, Near.DEEP_CONSTRUCTOR)
_FAR = 1 << 16


@dataclass(frozen=True, slots=True)
class Chooser:
    """Picks declarations of *view* for a crash in *crash*."""

    view: View
    crash: Decl
    picks: Picks
    foreign: bool = False
    """It is a caller's package, not that of the crash."""
    upstream: bool = False
    """What is picked bears on a value that a caller passed."""
    fixtures: frozenset[int] = frozenset()
    """What tests of the trace name of their package."""

    def pick(
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
        """Pick declaration *number*, if it is another one that may be shown."""
        decl = self.view.decl(number)
        if decl.id == self.crash.id or not self._is_allowed(decl, near):
            return
        place = "packages" if self.foreign else SECTION_OF_KIND[decl.kind]
        near = Near.UPSTREAM if self.upstream else near
        self.picks.add(
            Pick(
                self.view,
                decl,
                section or place,
                near,
                reason,
                depth,
                part,
                lines,
                marks,
            )
        )

    def _is_allowed(self, decl: Decl, near: Near) -> bool:
        """Keep tests out, but for what the crash or the trace names of them."""
        if decl.name == "_":
            return False
        if not decl.flags & DeclFlag.TEST or decl.id in self.fixtures:
            return True
        return bool(self.crash.flags & DeclFlag.TEST) and near not in _MAKERS

    def walk_types(
        self,
        start: Mapping[int, tuple[Near, str]],
        depths: dict[int, int],
        deepest: int,
    ) -> list[int]:
        """Pick the types of *start* and those behind their fields.

        *depths* tells which were reached before, and how near; those reached for the
        first time, or nearer, are returned and put into it.
        """
        frontier, nearer = dict(start), list[int]()
        for depth in range(deepest + 1):
            found: dict[int, str] = {}
            for number, (near, reason) in frontier.items():
                known = depths.get(number, _FAR)
                if not self._is_type(number) or (known <= depth and depth):
                    continue
                self.pick(number, near, reason, depth=depth)
                if depth < known:
                    depths[number] = depth
                    nearer.append(number)
                    found |= behind(self.view, self.view.decl(number))
            near = Near.FIELD_TYPE if depth == 0 else Near.DEEP_TYPE
            frontier = {n: (near, why) for n, why in found.items()}
        return nearer

    def _is_type(self, number: int) -> bool:
        return number >= 0 and self.view.decl(number).kind == Kind.TYPE

    def constructors(self, number: int, depth: int) -> None:
        """Pick what returns type *number*, which is *depth* fields away."""
        owner = self.view.decl(number)
        near = _CONSTRUCTORS[min(depth, len(_CONSTRUCTORS) - 1)]
        for maker in makers(self.view, owner):
            # What a value's method returns is not made anew.
            plain = self.view.decl(maker).kind == Kind.FUNC
            text = f"{'constructor of' if plain else 'returns'} {owner.name}"
            self.pick(maker, near, text, depth=depth, part=Part.CONSTRUCTOR)

    def literals(self, number: int, wanted: frozenset[int]) -> None:
        """Pick what builds type *number*; the fields *wanted* may be left out there."""
        view, table = self.view, self.view.table
        owner = view.decl(number)
        for row in table.back("literals", number):
            decl, _, line, flags = table.record("literals", row)
            if flags & LiteralFlag.ZERO and not (wanted or self._is_receiver(owner)):
                continue
            missing = frozenset[int]()
            if wanted and not flags & LiteralFlag.POSITIONAL:
                missing = wanted - {r[1] for r in table.of("settings", row)}
            names = " and ".join(sorted(map(view.field_name, missing)))
            text = f"builds {owner.name}{f' and leaves out {names}' if names else ''}"
            near = Near.WRITER if wanted else Near.CONSTRUCTOR
            near = Near.OMITTER if missing else near
            self.pick(decl, near, text, part=Part.CONSTRUCTOR, lines=(line,))

    def _is_receiver(self, owner: Decl) -> bool:
        """Tell whether a zero value counts: the receiver's struct is made by it."""
        struct = bool(owner.flags & DeclFlag.STRUCT)
        return struct and owner.id == self.crash.receiver_type
