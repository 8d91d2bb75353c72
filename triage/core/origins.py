"""Learn from a whole trace what one frame cannot say.

Where the repository lay when the program was built, so that a `main.main` in
`/app/main.go` finds its directory; and what its import path was, where it has no
go.mod.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from triage.core.agreement import may_be_inlined, said_package
from triage.core.model import Frame
from triage.core.modules import (
    Layout,
    after_vendor,
    has_modules,
    import_dir,
    is_vendored,
    least_root,
    with_root,
)
from triage.core.names import split_function
from triage.core.paths import BuildRoot
from triage.core.printed import PrintedPath, read_printed
from triage.core.search import is_copy
from triage.core.standard import is_standard
from triage.errors import BadInput


def build_roots(frames: Sequence[Frame], layout: Layout) -> tuple[BuildRoot, ...]:
    """Compare the files of frames whose directory is known with their paths here.

    The innermost directories come first.
    """
    found = set(_programs(frames, layout))
    for package, parts in _said(frames):
        directory = import_dir(package, layout)
        if directory is None:
            continue
        here = [*directory.split("/"), parts[-1]] if directory else [parts[-1]]
        if "/".join(here) in layout.files:
            found.add(cut_common(parts, here))
    found = {root for root in found if root.built}
    return tuple(sorted(found, key=lambda root: (-root.built.count("/"), root.built)))


def learn_root(layout: Layout, frames: Iterable[Frame]) -> Layout:
    """Learn the root's import path where no go.mod says it.

    Every way to cut an import path so that its end is a directory is a vote for its
    beginning; the longer the end, the more it counts. Copies do not vote: they may be
    of any other repository.
    """
    if has_modules(layout):
        return layout
    votes: Counter[str] = Counter()
    for package, parts in _said(frame for frame in frames if not _is_copied(frame)):
        for root, directory in _cuts(package, layout):
            path = f"{directory}/{parts[-1]}" if directory else parts[-1]
            if path in layout.files:
                votes[root] += 1 + len(directory.split("/"))
    if not votes:
        return layout
    return with_root(layout, min(votes, key=lambda root: (-votes[root], root)))


def _said(frames: Iterable[Frame]) -> list[tuple[str, tuple[str, ...]]]:
    """Give the import path and the printed file's elements of frames that say both."""
    said = []
    for frame in frames:
        name = split_function(frame.function)
        printed = _printed(frame)
        package = said_package(name)
        if package and printed is not None and not may_be_inlined(name):
            said.append((package, printed.parts))
    return said


def _programs(frames: Iterable[Frame], layout: Layout) -> Iterator[BuildRoot]:
    """Find where programs were built, whose import path is always `main`.

    Of one file's name there may be many; several of one directory that are together
    in one directory alone here tell it.
    """
    names: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for frame in frames:
        if split_function(frame.function).package != "main":
            continue
        printed = _printed(frame)
        if printed is not None and printed.absolute and not is_copy(printed):
            names[printed.parts[:-1]].add(printed.name)
    for built, together in names.items():
        homes = [
            {path.rpartition("/")[0] for path in layout.by_name.get(name, ())}
            for name in together
        ]
        shared = set.intersection(*homes)
        if len(together) > 1 and len(shared) == 1:
            here = next(iter(shared))
            name = min(together)
            yield cut_common((*built, name), [*filter(None, here.split("/")), name])


def _is_copied(frame: Frame) -> bool:
    """Tell whether a frame's code may be a copy, by its file or its import path."""
    printed = _printed(frame)
    package = split_function(frame.function).package
    return after_vendor(package) is not None or (
        printed is not None and is_copy(printed)
    )


def _printed(frame: Frame) -> PrintedPath | None:
    try:
        return read_printed(frame.file) if frame.file else None
    except BadInput:
        return None


def _cuts(package: str, layout: Layout) -> list[tuple[str, str]]:
    """Cut an import path into a root and a directory of the repository."""
    if is_standard(package) or is_vendored(package, layout):
        return []
    parts = package.split("/")
    cuts = [
        ("/".join(parts[:at]), "/".join(parts[at:]))
        for at in range(least_root(parts), len(parts) + 1)
    ]
    return [cut for cut in cuts if cut[1] in layout.directories]


def cut_common(built: Sequence[str], here: Sequence[str]) -> BuildRoot:
    """Drop the common end of two paths: what is left are the same directory."""
    common = 1
    while common < min(len(built), len(here)) and (
        built[-common - 1] == here[-common - 1]
    ):
        common += 1
    return BuildRoot("/".join(built[:-common]), "/".join(here[:-common]))
