"""What is known of the tree of one commit: all of it, or what was looked at so far.

A `Layout` over a part answers like one over the whole as far as it goes; `looked`
says how far that is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from triage.core.model import Unread
from triage.core.modules import Layout, build_layout, module_files

_PER_PATH = 400
"""Bytes that one known path takes in memory, about: it stands in three indexes."""


@cache
def _nothing() -> Layout:
    return build_layout((), {})


@dataclass(frozen=True, slots=True)
class Atlas:
    """The paths and module files that are known, indexed; a value."""

    paths: frozenset[str] = frozenset()
    """`.go`, `go.mod` and `go.work` files."""
    contents: Mapping[str, bytes] = field(default_factory=dict)
    """Of go.mod and go.work files."""
    unread: Mapping[str, Unread] = field(default_factory=dict)
    """Those of them that are there and could not be read."""
    looked: frozenset[str] = frozenset()
    """Directories whose files are known; those that do not exist are among them."""
    complete: bool = False
    """Every path is known."""
    layout: Layout = field(default_factory=_nothing)

    @property
    def size(self) -> int:
        """About how many bytes it takes in memory."""
        known = len(self.paths) + len(self.looked)
        return known * _PER_PATH + sum(map(len, self.contents.values()))


def whole(paths: Iterable[str], modules: Mapping[str, bytes | Unread]) -> Atlas:
    """Make the atlas of a commit whose every path is listed."""
    known = frozenset(paths)
    contents, unread = _sorted_out(modules)
    gone = (path for path in module_files(known) if path not in modules)
    return Atlas(
        known,
        contents,
        unread | dict.fromkeys(gone, Unread("cannot be read", passing=True)),
        complete=True,
        layout=build_layout(known, contents),
    )


def explored(
    atlas: Atlas,
    found: Mapping[str, Sequence[str]],
    modules: Mapping[str, bytes | Unread],
    *,
    looked: Iterable[str] = (),
) -> Atlas:
    """Add what a look at some directories brought.

    *found* are names of `.go` files by directory, *modules* the go.mod and go.work
    files on the way up. A directory of *looked* that is not in *found* does not exist.
    """
    fresh = {
        f"{directory}/{name}" if directory else name
        for directory, names in found.items()
        for name in names
    }
    paths = atlas.paths | fresh | modules.keys()
    new, hidden = _sorted_out({path: modules[path] for path in module_files(modules)})
    contents = {**atlas.contents, **new}
    return replace(
        atlas,
        paths=paths,
        contents=contents,
        unread={**atlas.unread, **hidden},
        looked=atlas.looked.union(looked),
        layout=build_layout(paths, contents),
    )


def _sorted_out(
    modules: Mapping[str, bytes | Unread],
) -> tuple[dict[str, bytes], dict[str, Unread]]:
    contents, unread = dict[str, bytes](), dict[str, Unread]()
    for path, found in modules.items():
        if isinstance(found, Unread):
            unread[path] = found
        else:
            contents[path] = found
    return contents, unread
