"""Learn from a whole trace what one frame cannot say.

Where the repository lay when the program was built, so that a `main.main` in
`/app/main.go` finds its directory; and what its import path was, where it has no
go.mod.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from triage.core.agreement import may_be_inlined, said_package
from triage.core.model import Frame
from triage.core.modules import (
    Layout,
    has_modules,
    import_dir,
    is_vendored,
    least_root,
    with_root,
)
from triage.core.names import split_function
from triage.core.paths import BuildRoot
from triage.core.printed import read_printed
from triage.core.standard import is_standard
from triage.errors import BadInput


def build_roots(frames: Iterable[Frame], layout: Layout) -> tuple[BuildRoot, ...]:
    """Compare the files of frames whose import path is known with their paths here.

    The innermost directories come first.
    """
    found = set()
    for package, parts in _said(frames):
        directory = import_dir(package, layout)
        if directory is None:
            continue
        here = [*directory.split("/"), parts[-1]] if directory else [parts[-1]]
        if "/".join(here) in layout.files:
            found.add(_cut_common(parts, here))
    found = {root for root in found if root.built}
    return tuple(sorted(found, key=lambda root: (-root.built.count("/"), root.built)))


def learn_root(layout: Layout, frames: Iterable[Frame]) -> Layout:
    """Learn the root's import path where no go.mod says it.

    Every way to cut an import path so that its end is a directory is a vote for its
    beginning; the longer the end, the more it counts.
    """
    if has_modules(layout):
        return layout
    votes: Counter[str] = Counter()
    for package, parts in _said(frames):
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
        if (package := said_package(name)) and frame.file and not may_be_inlined(name):
            try:
                said.append((package, read_printed(frame.file).parts))
            except BadInput:
                continue
    return said


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


def _cut_common(built: Sequence[str], here: Sequence[str]) -> BuildRoot:
    """Drop the common end of two paths: what is left are the same directory."""
    common = 1
    while common < min(len(built), len(here)) and (
        built[-common - 1] == here[-common - 1]
    ):
        common += 1
    return BuildRoot("/".join(built[:-common]), "/".join(here[:-common]))
