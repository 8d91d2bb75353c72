"""The frames of a crash, found in the repository: which are its own, and where.

Pure, over what is known of the commit's tree.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from triage.core.model import Frame, Panic, ShownFrame, ShownPanic, Telemetry
from triage.core.modules import Layout
from triage.core.names import split_function
from triage.core.origins import build_roots, cut_common, learn_root
from triage.core.panics import LOGGED, own_frames, primary, stand_ins
from triage.core.paths import find, is_own, locate, package_directory
from triage.core.printed import clean_directory, last_element, read_printed, shown
from triage.core.resolve import FrameSite
from triage.core.search import BuildRoot, Located
from triage.errors import BadInput, FileMissing, NotFound, TriageError


@dataclass(frozen=True, slots=True)
class Place:
    """A frame found in the repository."""

    frame: Frame
    directory: str
    name: str
    """Of the file; with `//line` one that is not in the directory itself."""
    located: Located | None

    @property
    def path(self) -> str:
        """The file relative to the repository."""
        return f"{self.directory}/{self.name}" if self.directory else self.name


@dataclass(frozen=True, slots=True)
class Finding:
    """The own frames of one crash, the crash site first."""

    places: tuple[Place, ...]
    panic: Panic | None
    """None where only file and line are known."""
    layout: Layout
    """With the root's import path where the trace told it."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What one trace is laid against."""

    layout: Layout
    root_dir: str | None
    roots: tuple[BuildRoot, ...]

    def is_own(self, frame: Frame) -> bool:
        """Tell whether *frame* runs code of the repository."""
        return is_own(frame, self.layout, root_dir=self.root_dir, roots=self.roots)

    def find(self, frame: Frame) -> Located | None:
        """Find the file of *frame*, None where there is none; raises `BadInput`."""
        return find(
            frame.file or "",
            function=frame.function or None,
            layout=self.layout,
            root_dir=self.root_dir,
            roots=self.roots,
        )

    def locate(self, frame: Frame) -> Located:
        """Find the file of *frame*; raises `FileMissing` or `BadInput`."""
        return locate(
            frame.file or "",
            function=frame.function or None,
            layout=self.layout,
            root_dir=self.root_dir,
            roots=self.roots,
        )


def ground(frames: Sequence[Frame], layout: Layout, root_dir: str | None) -> Ground:
    """Learn from the whole trace what one frame cannot say."""
    learnt = learn_root(layout, frames)
    return Ground(learnt, root_dir, build_roots(frames, learnt))


def explainable(crashes: Iterable[Panic]) -> tuple[Panic, ...]:
    """Return the crashes that have a stack, in the order in which to try them.

    First what `triage parse` shows as the crash of the text, then other crashes, what
    was merely logged last; after all of them the goroutines that stand in for others.
    """
    found = [panic for panic in crashes if panic.crashed and panic.crashed.frames]
    main = primary(found)
    found.sort(key=lambda panic: (panic is not main, panic.kind in LOGGED))
    return (*found, *(other for panic in found for other in stand_ins(panic)))


def find_places(
    telemetry: Telemetry, panics: Sequence[Panic], layout: Layout
) -> Finding:
    """Find the own frames of the first crash that has any.

    Raises what the best known failure is, `FileMissing` where no frame is own.
    """
    if not panics:
        frame = Frame("", telemetry.file, telemetry.line)
        alone = Ground(layout, telemetry.root_dir, ())
        return Finding((_place(frame, alone),), None, layout)
    failures = list[TriageError]()
    for panic in panics:
        frames = panic.crashed.frames if panic.crashed else ()
        here = ground(frames, layout, telemetry.root_dir)
        places = _places(panic, here, failures)
        if places:
            _refuse_missing(panic, places[0], here)
            return Finding(places, panic, here.layout)
    raise (
        failures[0]
        if failures
        else FileMissing(
            f"no frame of the trace lies in {telemetry.repo}; name another "
            "repository, or the module's directory as root_dir"
        )
    )


def _refuse_missing(panic: Panic, first: Place, here: Ground) -> None:
    """Raise where the crash itself lies in a file that is not there.

    Its caller is no answer. The package says whose it is, `main` where the caller's
    is `main` too.
    """
    package = split_function(first.frame.function).package

    def is_ours(frame: Frame) -> bool:
        same = split_function(frame.function).package == package
        return here.is_own(frame) or (same and package == "main")

    frames = panic.crashed.frames if panic.crashed else ()
    for number in own_frames(panic, is_ours):
        if frames[number] is first.frame:
            return
        _place(frames[number], here)


def _places(
    panic: Panic, here: Ground, failures: list[TriageError]
) -> tuple[Place, ...]:
    frames = panic.crashed.frames if panic.crashed else ()
    places = list[Place]()
    for number in own_frames(panic, here.is_own):
        try:
            places.append(_place(frames[number], here))
        except (NotFound, BadInput) as failure:
            failures.append(failure)
    return tuple(places)


def _place(frame: Frame, here: Ground) -> Place:
    """Find a frame's file; one that is not there may be what `//line` tells."""
    located = here.find(frame)
    if located is None:
        file = frame.file or ""
        directory = package_directory(
            file,
            function=frame.function or None,
            layout=here.layout,
            root_dir=here.root_dir,
        )
        if directory is not None:
            return Place(frame, directory, last_element(file), None)
        located = here.locate(frame)  # which says why there is none
    directory, _, name = located.path.rpartition("/")
    return Place(frame, directory, name, located)


def frame_sites(places: Sequence[Place]) -> tuple[FrameSite, ...]:
    """Return the frames below the crash as the resolver wants them."""
    return tuple(
        FrameSite(
            turn,
            place.directory,
            place.name,
            place.frame.line or 0,
            split_function(place.frame.function),
        )
        for turn, place in enumerate(places[1:], 1)
    )


def oddities(finding: Finding) -> tuple[str, ...]:
    """Say in one sentence what was odd in the text of the crash, if anything was."""
    problems = finding.panic.problems if finding.panic else ()
    if not problems:
        return ()
    first, more = problems[0], len(problems) - 1
    also = f" (and {more} more)" if more else ""
    return (f"line {first.line} of the trace: {first.text}{also}",)


def guesses(finding: Finding, frames: int) -> tuple[str, ...]:
    """Say which of the next *frames* places were guessed by the end of their paths.

    The crash's own guess is told with its scene. Files of one build directory are one
    guess.
    """
    told, said = set[BuildRoot](), list[str]()
    for turn, place in enumerate(finding.places[:frames]):
        located = place.located
        if located is None or located.warning is None:
            continue
        printed = read_printed(place.frame.file or "")
        root = cut_common(printed.parts, located.path.split("/"))
        if turn and root not in told:
            said.append(located.warning)
        told.add(root)
    return tuple(said)


def unused_root(root_dir: str | None, finding: Finding) -> tuple[str, ...]:
    """Say that a root directory was named and no frame lies in it."""
    start = clean_directory(root_dir or "")
    below = any(place.path.startswith(f"{start}/") for place in finding.places)
    if not start or below:
        return ()
    return (f"no frame of the trace lies below the root directory {shown(start)}",)


def shown_panic(finding: Finding) -> ShownPanic:
    """Return the panic as the answer shows it, with the frames' places."""
    panic = finding.panic
    if panic is None or panic.crashed is None:
        return ShownPanic(None, None, ())
    paths = {id(place.frame): place.path for place in finding.places}
    frames = tuple(
        ShownFrame(frame.function, frame.file, frame.line, paths.get(id(frame)))
        for frame in panic.crashed.frames
    )
    return ShownPanic(panic.kind, panic.message, frames)


def fingerprinted(finding: Finding) -> tuple[str, ...]:
    """Name the own functions for the fingerprint; none without a trace."""
    if finding.panic is None:
        return ()
    names = [split_function(place.frame.function) for place in finding.places]
    return tuple(f"{name.package}.{name.declaration}" for name in names)
