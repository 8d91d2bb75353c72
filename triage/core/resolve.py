"""From a crash to the declarations that explain it: a plan that is stepped from outside.

`wants` names the package directories that the plan would look into, `supply` hands
one in (None where there is none), `finish` fits what was found into the budget. The
plan itself never fetches, so that fetching can be cached, bounded and cancelled.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from triage.core.budget import Fitted, characters, fit
from triage.core.facts import local_uses
from triage.core.foreign import Trail, Want, wants
from triage.core.hang import Hang
from triage.core.heading import heading_of
from triage.core.names import FunctionName
from triage.core.picks import Near, Pick, Picks
from triage.core.pots import RELATIONS, Standing
from triage.core.rarity import rarest
from triage.core.relations import Relations
from triage.core.rules import PackageRules
from triage.core.site import CrashSite, enclosing, expressions, title
from triage.core.table import NONE, Decl
from triage.core.upstream import CallSite, is_helper, trail
from triage.core.view import View
from triage.core.worth import Weighed

RELATED_SHARE = 10
"""What is only related takes at most this part of the bytes of the packages."""
RELATED_FROM = 20_000
"""Bytes of packages below which nothing is only related: their reader finds the rest."""
_NEAR_FRAMES = 2
"""How many frames below the crash come before everything else."""
_STRANGER = Standing()
MAX_PACKAGES = 6
"""How many packages beside those of frames may be looked into."""


@dataclass(frozen=True, slots=True)
class FrameSite:
    """An own frame of the trace, found in the repository."""

    turn: int
    """Its place among the own frames; the crash is 0."""
    directory: str
    file: str
    """Name of the file in its directory."""
    line: int
    function: FunctionName


class Plan:
    """Collects the declarations for one crash."""

    def __init__(
        self,
        site: CrashSite,
        frames: tuple[FrameSite, ...],
        *,
        directory_of: Callable[[str], str | None],
        max_frames: int,
        related: bool = True,
        message: str = "",
    ) -> None:
        """*directory_of* tells where an import path lies, None outside the repository."""
        self.warnings: list[str] = []
        self._site = site
        self._frames = frames
        self._directory_of = directory_of
        self._max_frames = max_frames
        self._picks = Picks()
        self._views: dict[str, View | None] = {site.view.directory: site.view}
        self._rules = PackageRules(site, self._picks, fixtures=self._fixtures())
        self._rules.apply()
        chain = self._rules.hang
        external = (*chain.externals, *(call.target for call in chain.calls))
        self._wants = list(wants(site, (*external, *chain.types)))
        self._callers: list[CallSite] = []
        self._upstream: list[tuple[View, Hang]] = []
        self._related = related
        self._message = message
        self._followed: set[Want] = set()
        self._foreign: set[str] = set()
        self._follow()

    @property
    def crash(self) -> Pick:
        """The crash declaration itself."""
        site = self._site
        marks = (
            (site.line,) if site.decl.line <= site.line <= site.decl.end_line else ()
        )
        return Pick(
            site.view,
            site.decl,
            "crash",
            Near.CRASH,
            "crashed here",
            marks=marks,
            turn=0,
        )

    def wants(self) -> tuple[str, ...]:
        """Name the directories that are wanted and not yet supplied."""
        own = [frame.directory for frame in self._frames]
        room = MAX_PACKAGES - len(self._foreign)
        found = [self._directory_of(want.import_path) for want in self._wants]
        foreign = list(dict.fromkeys(d for d in found if d is not None))
        missing = [d for d in foreign if d not in self._views and d not in own][:room]
        return tuple(dict.fromkeys(d for d in (*own, *missing) if d not in self._views))

    def supply(self, directory: str, view: View | None) -> None:
        """Hand in the package of *directory*; None where it cannot be had."""
        self._views[directory] = view
        if all(frame.directory != directory for frame in self._frames):
            self._foreign.add(directory)
        self._follow()

    def finish(
        self, max_tokens: int, *, warned: Sequence[str] = (), history: int = 0
    ) -> Fitted:
        """Fit what was found into the budget.

        The frames are read here, so that `warnings` is whole only now; *warned* are
        the answer's others, which take room as well; *history* is the room of that.
        """
        self._add_frames()
        self._ask_callers()
        crash = self.crash
        linked = [pick for pick in self._picks if pick.key != crash.key]
        standings = self._standings()
        candidates = self._weighed(linked, standings)
        views = [view for view in self._views.values() if view is not None]
        size = sum(view.size(tests=False)[1] for view in views)
        return fit(
            crash,
            self._site.line,
            candidates,
            fields=self._kept_fields(),
            max_tokens=max_tokens,
            related=_related_room(size) if self._related else 0,
            heading=heading_of(self._site, self._message, characters(max_tokens)),
            warnings=(*warned, *self.warnings),
            history=history,
            focus=expressions(self._site.faults),
            words=rarest(self._site.view, self._site.decl, self._site.line),
        )

    def _fixtures(self) -> frozenset[int]:
        """Return what the tests of the trace name of the crash's package.

        A crash below a test works on what the test has made.
        """
        view, found = self._site.view, set[int]()
        for frame in self._frames[: self._max_frames]:
            if frame.directory == view.directory and frame.file.endswith("_test.go"):
                decl, _ = named_declaration(
                    view, frame.file, frame.line, frame.function
                )
                found |= (
                    {target for target, *_ in local_uses(view, decl)} if decl else set()
                )
        return frozenset(found)

    def _standings(self) -> dict[tuple[str, int], Standing]:
        views = [view for view in self._views.values() if view is not None]
        crash = self.crash.key
        frames = [c for c in self._callers if (c.view.directory, c.decl.id) != crash]
        return Relations(
            self._site,
            self._rules.hang,
            views=views,
            frames=frames,
            upstream=self._upstream,
            message=self._message,
        ).standings()

    def _weighed(
        self, linked: list[Pick], standings: dict[tuple[str, int], Standing]
    ) -> list[Weighed]:
        """Weigh what is linked, and what is only related, by how it stands."""
        found = []
        for pick in linked:
            standing = standings.pop(pick.key, _STRANGER)
            score = standing.score
            if standing.lines:
                lines = dict.fromkeys((*pick.lines, *standing.lines))
                found.append(Weighed(replace(pick, lines=tuple(lines)), score))
            else:
                found.append(Weighed(pick, score))
        if self._related:
            found += self._loose(standings)
        return found

    def _loose(self, standings: dict[tuple[str, int], Standing]) -> Iterator[Weighed]:
        """Weigh the functions that no rule links; fixes seldom change anything else."""
        for (directory, number), standing in standings.items():
            view = self._views[directory]
            if view is None or view.is_broken(number):
                continue
            decl = view.decl(number)
            if decl.is_function:
                reason = RELATIONS[standing.best][1]
                lines = standing.lines and tuple(dict.fromkeys(standing.lines))
                pick = Pick(view, decl, "related", Near.RELATED, reason, lines=lines)
                yield Weighed(pick, standing.score)

    def _kept_fields(self) -> frozenset[int]:
        """Return the fields that stay in a pruned struct: what the crash uses."""
        table = self._site.view.table
        used = {row[1] for row in table.of("accesses", self._site.decl.id)}
        return frozenset(used.union(self._rules.hang.fields))

    def _follow(self) -> None:
        """Go on with each want whose package is here; a trail may raise new wants."""
        crash = self.crash.key
        pending = [want for want in self._wants if want not in self._followed]
        while pending:
            want = pending.pop(0)
            directory = self._directory_of(want.import_path)
            if directory is None or directory not in self._views:
                continue
            self._followed.add(want)
            view = self._views[directory]
            if view is None:
                continue
            trail = Trail(view, want)
            for pick in trail.picks:
                if pick.key != crash:
                    self._picks.add(pick)
            if want.near <= Near.LINE:
                for owner, member in trail.interfaces:
                    self._rules.implement(
                        owner.name, view.interface_methods(owner.id), member
                    )
            fresh = [w for w in trail.onward if w not in self._wants]
            self._wants += fresh
            pending += fresh

    def _add_frames(self) -> None:
        """Pick the declarations of the frames, each function once."""
        crash = self.crash.key
        distinct = {crash}
        for frame in self._frames:
            view = self._views.get(frame.directory)
            decl = self._frame_declaration(view, frame) if view else None
            if view is None or decl is None:
                continue
            self._callers.append(CallSite(view, decl, frame.line))
            key = (view.directory, decl.id)
            distinct.add(key)
            if key != crash and len(distinct) <= self._max_frames:
                self._pick_frame(
                    view, decl, frame, near_crash=len(distinct) <= _NEAR_FRAMES + 1
                )

    def _ask_callers(self) -> None:
        """Go up the trace for values that came in as parameters.

        Where the crash function is an assertion or close helper, its caller is looked
        at as if it had crashed.
        """
        callee, hang, site = self._site.decl, self._rules.hang, self._site
        helper = is_helper(callee, site.faults, hang)
        for level, passed in enumerate(trail(hang, callee, self._callers)):
            at = passed.site
            caller = CrashSite(
                at.view, at.decl, at.line, site.kind, passed.arguments, site.depth
            )
            elsewhere = at.view.directory != site.view.directory
            rules = PackageRules(caller, self._picks, foreign=elsewhere)
            self._upstream.append((at.view, rules.hang))
            if helper and level == 0:
                rules.apply()
            else:
                rules.apply_upstream()

    def _pick_frame(
        self, view: View, decl: Decl, frame: FrameSite, *, near_crash: bool
    ) -> None:
        inside = decl.line <= frame.line <= decl.end_line
        marks = (frame.line,) if inside else ()
        near = Near.FRAME if near_crash else Near.OUTER_FRAME
        reason = f"frame {frame.turn + 1} of the trace"
        self._picks.add(
            Pick(
                view,
                decl,
                "callers",
                near,
                reason,
                lines=marks,
                marks=marks,
                turn=frame.turn,
            )
        )

    def _frame_declaration(self, view: View, frame: FrameSite) -> Decl | None:
        """Find the declaration of a frame, by line where the name agrees, else by name."""
        decl, warning = named_declaration(view, frame.file, frame.line, frame.function)
        if warning:
            self.warnings.append(warning)
        return decl


def named_declaration(
    view: View, file: str, line: int, function: FunctionName
) -> tuple[Decl | None, str | None]:
    """Find the declaration of a frame, and a warning where line and name disagree.

    The name wins: lines move between commits, names mostly stay.
    """
    number = view.file_number(file)
    found = None
    if number is not None:
        found = enclosing(view, number, line, function=function.name)
    if found is not None and _agrees(view, found, function):
        return found, None
    named = _by_name(view, function, number)
    if named is not None:
        return named, (
            f"line {line} of {file} does not lie in {title(named)}: "
            "the source is not that of the crashed commit"
        )
    if found is None:
        return None, None
    return found, (
        f"line {line} of {file} lies in {title(found)}, not in {function.declaration}: "
        "the source is not that of the crashed commit"
    )


def _agrees(view: View, decl: Decl, function: FunctionName) -> bool:
    """Tell whether code of *function* can stand in *decl*; without a name it can.

    A variable's initialiser is printed as `init`. A function's receiver has to fit.
    """
    if not function.name:
        return True
    outer = {name.rpartition(".")[2] for name in function.outer}
    if not decl.is_function:
        return "init" in {function.name, *function.outer}
    return decl.name in outer or _is_called(view, decl, function)


def _is_called(view: View, decl: Decl, function: FunctionName) -> bool:
    """Compare names and receivers; the runtime prints the type behind an alias."""
    owner = decl.receiver or None
    if decl.receiver_type != NONE:
        owner = view.decl(decl.receiver_type).name
    return function.may_be(receiver=owner, name=decl.name)


def _by_name(view: View, function: FunctionName, file: int | None) -> Decl | None:
    """Find the function of that name and receiver; of several the one in *file*."""
    if function.name in {"init", ""}:
        return None
    found = [
        decl
        for decl in view.named(function.name)
        if decl.is_function and _is_called(view, decl, function)
    ]
    return min(found, key=lambda d: (d.file != file, d.id), default=None)


def _related_room(size: int) -> int:
    """Return the characters that the related section may take of the packages' size."""
    return size // RELATED_SHARE if size >= RELATED_FROM else 0
