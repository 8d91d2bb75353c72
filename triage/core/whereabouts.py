"""What has to be known of a commit's tree before the frames of a trace can be placed.

Listing a whole repository is dear where it is far away, and a frame says nearly
always itself where it lies: its file ends in the directory, its import path too, and
go.mod on the way up confirms it. `wanted` names the directories to look at, then
whether what came out is certain; only where it is not the whole tree is asked for.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from triage.core.agreement import below, may_be_inlined, said_package
from triage.core.atlas import Atlas
from triage.core.model import Frame, Panic, Telemetry
from triage.core.modules import (
    Layout,
    has_modules,
    import_dir,
    is_tail,
    least_root,
    without_major,
    workspace,
)
from triage.core.names import split_function
from triage.core.panics import own_frames
from triage.core.places import Ground, ground
from triage.core.printed import (
    PrintedPath,
    clean_directory,
    is_compiler_made,
    is_endless,
    is_goroot,
    read_printed,
)
from triage.core.search import Located, common_end, is_copy
from triage.core.standard import is_standard
from triage.errors import BadInput

AT_ONCE = 32
"""Directories that are looked at in one go, at most."""

_DOMAIN_AND_NAME = 2


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to find out next; without directories the list of all paths."""

    directories: tuple[str, ...] = ()


def wanted(
    telemetry: Telemetry, panics: Sequence[Panic], atlas: Atlas
) -> Wanted | None:
    """Say what to find out before `find_places`; None where enough is known.

    Without a go.mod only the whole tree tells what an import path means.
    """
    if atlas.complete:
        return None
    if not panics:
        frame = Frame("", telemetry.file, telemetry.line)
        alone = Ground(atlas.layout, telemetry.root_dir, ())
        step = _Look(atlas, alone, (frame,)).next()
        return step if step or has_modules(atlas.layout) else Wanted()
    for panic in panics:
        frames = panic.crashed.frames if panic.crashed else ()
        here = ground(frames, atlas.layout, telemetry.root_dir)
        numbers = own_frames(panic, lambda _: True)
        look = _Look(atlas, here, [frames[number] for number in numbers])
        if (step := look.next()) is not None:
            return step
        if any(here.is_own(frames[number]) for number in numbers):
            return None if has_modules(atlas.layout) else Wanted()
    return Wanted()


def said(telemetry: Telemetry, panics: Sequence[Panic]) -> tuple[str | None, ...]:
    """Return all that a text says of where its frames lie, lines left out."""
    stacks = (panic.crashed.frames for panic in panics if panic.crashed)
    frames = (text for stack in stacks for f in stack for text in (f.function, f.file))
    return (telemetry.file, *frames)


def forms(telemetry: Telemetry, panics: Sequence[Panic]) -> tuple[str, ...]:
    """List the relative paths that the text itself gives, `root_dir` before them."""
    crashed = panics[0].crashed if panics else None
    frames = crashed.frames if crashed else ()
    found = dict[str, None]()
    for file in (telemetry.file, *(frame.file for frame in frames)):
        printed = _read(file)
        if printed and not printed.absolute:
            for start in _starts(telemetry.root_dir):
                found[_join(start, printed.text)] = None
    return tuple(found)


def wanted_for_imports(import_paths: Iterable[str], atlas: Atlas) -> Wanted | None:
    """Say what to find out before `import_dir` can be trusted with *import_paths*."""
    if atlas.complete:
        return None
    homes = _homes(atlas.layout)
    unseen = _unseen_members(atlas)
    missing, doubt = dict[str, None](), False
    for path in import_paths:
        if is_standard(path) or is_endless(path):
            continue
        if import_dir(path, atlas.layout) is not None:
            continue
        likely = list(_under_modules(path, atlas.layout))
        if not likely and unseen:
            likely = list(unseen)
        elif not likely and _home(path) in homes and _may_hold_more(atlas):
            likely = _ends(path.split("/"), _home(path).count("/") + 1)[:-1]
            doubt = True
        missing |= dict.fromkeys(d for d in likely if d not in atlas.looked)
    if missing:
        return Wanted(tuple(missing)[:AT_ONCE])
    return Wanted() if doubt else None


class _Look:
    """The frames of one crash against what is known."""

    def __init__(self, atlas: Atlas, here: Ground, frames: Sequence[Frame]) -> None:
        self._atlas = atlas
        self._layout = here.layout
        self._here = here
        self._frames = frames
        self._homes = _homes(here.layout)
        self._built = {start for frame in frames if (start := _built_in(frame))}

    def next(self) -> Wanted | None:
        """Say what to look at; frames out of a module cache are asked about last.

        Before the list of everything come the modules of a go.work.
        """
        doubts = [frame for frame in self._frames if not self._is_settled(frame)]
        near = [frame for frame in doubts if not _is_copied(frame)]
        for frames in (near, doubts):
            missing = dict.fromkeys(d for f in frames for d in self._unseen(f))
            if missing:
                return Wanted(tuple(missing)[:AT_ONCE])
        return Wanted(_unseen_members(self._atlas)) if doubts else None

    def _unseen(self, frame: Frame) -> list[str]:
        return [d for d in self._candidates(frame) if d not in self._atlas.looked]

    # -- what is certain

    def _is_settled(self, frame: Frame) -> bool:
        """Tell whether knowing more could change what is said of *frame*."""
        if frame.file is None or is_compiler_made(frame.file):
            return True
        try:
            located = self._here.find(frame)
        except BadInput:
            return _read(frame.file) is None
        if located is None:
            return not self._may_be_here(frame)
        return self._is_certain(frame, located)

    def _is_certain(self, frame: Frame, located: Located) -> bool:
        if located.matched == "module":
            return True
        unseen = self._unseen(frame)
        printed = read_printed(frame.file or "")
        if located.matched != "suffix":
            first = _join(_starts(self._here.root_dir)[0], printed.text)
            return located.path == first or not unseen
        if printed.text == located.module_path and not self._here.root_dir:
            return self._is_only_module()
        start = below(located.path, self._here.root_dir or "")
        return not unseen and any(
            is_tail(path, printed.text) for path in (located.path, start)
        )

    def _is_only_module(self) -> bool:
        """Tell whether a path relative to a module can mean this module alone.

        No module lies above it, and nothing speaks of another one.
        """
        modules = self._layout.by_directory
        members = workspace(self._atlas.contents)
        return len(modules) == 1 and "" not in modules and len(members) <= 1

    def _may_be_here(self, frame: Frame) -> bool:
        """Tell whether a frame without a file here may have one where nobody looked."""
        printed, name = read_printed(frame.file or ""), split_function(frame.function)
        package = said_package(name)
        if is_goroot(printed, package) and "" not in self._layout.by_path:
            return False
        if not has_modules(self._layout):
            return True
        known = any(True for _ in self._by_module(package))  # the root's name is empty
        if known and not may_be_inlined(name):
            return bool(self._unseen(frame))  # no other directory has that path
        named = package or printed.module
        if not named:
            return True
        return _home(named) in self._homes  # in a module that nobody has seen yet

    # -- where to look

    def _candidates(self, frame: Frame) -> Iterable[str]:
        """Name the directories that may hold the file, the likeliest first.

        Where modules or the place of the build say it, no other end is tried.
        """
        printed = read_printed(frame.file or "")
        package = said_package(split_function(frame.function))
        found = dict.fromkeys(
            (*self._by_module(package), *self._by_build_root(printed))
        )
        if not any(directory in self._layout.directories for directory in found):
            if found and any(
                directory not in self._atlas.looked for directory in found
            ):
                return found
            seen = [] if package else self._by_sight(printed)
            tails = seen or _tails(printed, package)
            found |= dict.fromkeys(_rooted(tails, self._here.root_dir))
        return found

    def _by_sight(self, printed: PrintedPath) -> list[str]:
        """Cut off where other frames of the trace say that the build took place."""
        above = [start for start in self._built if _is_below(printed.text, start)]
        if not above:
            return []
        return [below(printed.text, max(above, key=len)).rpartition("/")[0]]

    def _by_module(self, package: str) -> Iterator[str]:
        """Give the directories of a printed import path under the known modules."""
        for path in dict.fromkeys((package, package.removesuffix("_test"))):
            yield from _under_modules(path, self._layout)

    def _by_build_root(self, printed: PrintedPath) -> Iterator[str]:
        for root in self._here.roots:
            if printed.text.startswith(root.built + "/"):
                path = _join(root.directory, below(printed.text, root.built))
                yield path.rpartition("/")[0]


def _under_modules(import_path: str, layout: Layout) -> Iterator[str]:
    """Give the directories that *import_path* means, the innermost module's first."""
    prefix = import_path
    while prefix:
        for module in layout.by_path.get(prefix, ()):
            yield _join(module.directory, import_path[len(prefix) :].lstrip("/"))
        prefix = prefix.rpartition("/")[0]


def _tails(printed: PrintedPath, package: str) -> list[str]:
    """List what a directory of the repository may be, by the ends of a printed path.

    An import path says which ends: `/app/internal/cart/x.go` of the package
    `example.com/shop/internal/cart` -> `internal/cart`, `cart`.
    """
    parts = printed.below[:-1] if printed.module is not None else printed.parts[:-1]
    if package and (common := _ends_of_both(parts, package)):
        return common
    if printed.module is not None or printed.absolute:
        return _ends(parts, 0)
    whole = "/".join(parts)
    looks_like_import_path = bool(parts) and "." in parts[0]
    return (
        [whole, *_ends(parts, least_root(parts))] if looks_like_import_path else [whole]
    )


def _ends_of_both(parts: Sequence[str], package: str) -> list[str]:
    """Give the ends that a directory and an import path share, the longest first.

    What names the repository is no part of them; at its root the end is empty.
    """
    words = package.removesuffix("_test").split("/")
    least = least_root(words)
    longest = min(common_end(parts, words), len(words) - least)
    ends = ["/".join(parts[len(parts) - n :]) for n in range(longest, 0, -1)]
    at_root = without_major(package).count("/") < least
    return [*ends, ""] if at_root else ends


def _built_in(frame: Frame) -> str:
    """Give what stands before the end that a file and its import path share.

    Empty where they share none, or the file is a copy.
    """
    printed, package = _read(frame.file), said_package(split_function(frame.function))
    if printed is None or not package or _is_copied(frame):
        return ""
    end = next(iter(_ends_of_both(printed.parts[:-1], package)), "")
    return printed.text.removesuffix(f"{end}/{printed.name}").rstrip("/") if end else ""


def _ends(parts: Sequence[str], start: int) -> list[str]:
    return ["/".join(parts[at:]) for at in range(start, len(parts) + 1)]


def _rooted(tails: Iterable[str], root_dir: str | None) -> Iterator[str]:
    """Put the root directory first, where one is named."""
    tails = list(tails)
    for start in _starts(root_dir):
        inside = [tail for tail in tails if start and _is_below(tail, start)]
        yield from inside
        yield from (_join(start, tail) for tail in tails if tail not in inside)


def _starts(root_dir: str | None) -> tuple[str, ...]:
    start = clean_directory(root_dir or "")
    return (start, "") if start else ("",)


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory + "/")


def _is_copied(frame: Frame) -> bool:
    """Tell whether the file is a module cache's or vendored: seldom the crashed code."""
    printed = _read(frame.file)
    return printed is not None and is_copy(printed)


def _may_hold_more(atlas: Atlas) -> bool:
    """Tell whether an import may lie in a module that nobody has seen.

    One at the root speaks for all below it, unless a go.work names more.
    """
    return "" not in atlas.layout.by_directory or len(workspace(atlas.contents)) > 1


def _unseen_members(atlas: Atlas) -> tuple[str, ...]:
    """List the modules that a go.work names and nobody has looked at, in portions."""
    unseen = workspace(atlas.contents) - atlas.looked
    return tuple(sorted(unseen)[:AT_ONCE])


def _homes(layout: Layout) -> set[str]:
    return {_home(path) for path in layout.by_path if path}


def _home(import_path: str) -> str:
    """Return the beginning that all import paths of one repository share.

    That is the repository on a site of many owners, else the first element.
    """
    parts = import_path.split("/")
    least = least_root(parts)
    return "/".join(parts[: least if least > _DOMAIN_AND_NAME else 1])


def _read(file: str | None) -> PrintedPath | None:
    try:
        return read_printed(file) if file else None
    except BadInput:
        return None


def _join(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory and name else directory or name
