"""Whole programs for tests: sketched packages, a crash in one, a trace through them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.core.tables import Sketch
from triage.core.answer import Origin, assemble
from triage.core.budget import Fitted
from triage.core.model import Result, ShownPanic
from triage.core.names import split_function
from triage.core.resolve import FrameSite, Plan


def frame(shop: Sketch, turn: int, printed: str, mark: str) -> FrameSite:
    """Make a frame of the trace that ran through a marked line."""
    file, line = shop.marks[mark]
    directory = shop.package.directory
    return FrameSite(turn, directory, file, line, split_function(printed))


@dataclass(frozen=True)
class Program:
    """Packages by directory, the first of them crashed."""

    packages: tuple[Sketch, ...]
    frames: tuple[FrameSite, ...] = ()
    kind: str | None = None
    message: str = ""
    depth: int = 2
    max_frames: int = 5
    related: bool = True
    missing: frozenset[str] = field(default_factory=frozenset)
    """Directories that are known and cannot be had."""

    @property
    def crashed(self) -> Sketch:
        """The package that holds the crash."""
        return self.packages[0]

    def directories(self) -> Mapping[str, str]:
        """Return the directory of each import path."""
        return {p.import_path: p.package.directory for p in self.packages}

    def plan(self) -> Plan:
        """Make the plan, nothing supplied yet."""
        return Plan(
            self.crashed.site(self.kind, depth=self.depth),
            self.frames,
            directory_of=self.directories().get,
            max_frames=self.max_frames,
            related=self.related,
            message=self.message,
        )

    def supplied(self) -> Plan:
        """Make the plan and supply all that it wants."""
        plan = self.plan()
        views = {p.package.directory: p.view for p in self.packages}
        while wanted := plan.wants():
            for directory in wanted:
                gone = directory in self.missing
                plan.supply(directory, None if gone else views.get(directory))
        return plan

    def fitted(
        self, max_tokens: int = 100_000, *, warnings: Sequence[str] = ()
    ) -> Fitted:
        """Resolve the crash within a budget."""
        return self.supplied().finish(max_tokens, warned=warnings)

    def answer(
        self, max_tokens: int = 100_000, *, warnings: Sequence[str] = ()
    ) -> Result:
        """Resolve the crash and put the answer together, nothing printed anew."""
        plan = self.supplied()
        fitted = plan.finish(max_tokens, warned=warnings)
        printed = ["" for shown in fitted.shown if shown.snippet]
        panic = ShownPanic(self.kind, self.message or None, ())
        told = (*warnings, *plan.warnings)
        origin = Origin("acme/app", None, "x.go", panic, ("f",), "git", told)
        return assemble(self.crashed.site(self.kind), fitted, printed, origin)
