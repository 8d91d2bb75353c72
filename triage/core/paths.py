"""Find the file of a repository that a trace means.

A trace prints a path as the build machine had it: relative to the repository or to
a module, absolute below any build directory, shortened by -trimpath, out of a
module cache or a vendor directory. `locate` tries what is certain first and falls
back to the longest common end, and the import path in the frame's function says
which of several files it is, or that it is none of them.
"""

import difflib
import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from triage.core.agreement import said_package
from triage.core.model import Frame
from triage.core.modules import Layout, after_vendor, import_dir
from triage.core.names import split_function
from triage.core.printed import (
    clean_directory,
    is_compiler_made,
    read_printed,
    shown,
    unescaped,
)
from triage.core.search import (
    BuildRoot,
    Located,
    Search,
    as_given,
    by_build_root,
    by_import_path,
    by_module_in_path,
    by_suffix,
    common_end,
    is_foreign_module,
    is_standard_file,
    join,
    listed,
    vendored,
)
from triage.errors import BadInput, FileMissing

__all__ = ["BuildRoot", "Located", "find", "is_own", "locate", "package_directory"]

_ALIKE = 4
"""How many similar names are looked for."""
_COMPARED = 500
"""Among how many names they are looked for: each takes some ten microseconds."""
_LONGEST_NAME = 255
"""Characters of a file's name."""


def locate(
    file: str,
    *,
    function: str | None = None,
    layout: Layout,
    root_dir: str | None = None,
    roots: Sequence[BuildRoot] = (),
) -> Located:
    """Find the repository's file for a printed *file*, as `find` does.

    Raises `FileMissing` where there is none, with what is near.
    """
    search = _search(file, function, layout, root_dir, roots)
    if located := _find(search):
        return located
    raise FileMissing(_missing(search))


def find(
    file: str,
    *,
    function: str | None = None,
    layout: Layout,
    root_dir: str | None = None,
    roots: Sequence[BuildRoot] = (),
) -> Located | None:
    """Find the repository's file for a printed *file*.

    *function* is the frame's, as printed; *root_dir* the directory that module
    relative paths start from; *roots* what `triage.core.origins` learnt from the
    trace. None where there is none or it belongs to another module; raises `BadInput`
    where the path is none or means several files.
    """
    return _find(_search(file, function, layout, root_dir, roots))


def is_own(
    frame: Frame,
    layout: Layout,
    *,
    root_dir: str | None = None,
    roots: Sequence[BuildRoot] = (),
) -> bool:
    """Tell whether *frame* runs code of the repository itself.

    Vendored copies, the module cache and the standard library do not count; a file
    that is not in the repository does where its function's import path is.
    """
    if frame.file is not None and is_compiler_made(frame.file):
        return False
    try:
        found = find(
            frame.file or "",
            function=frame.function,
            layout=layout,
            root_dir=root_dir,
            roots=roots,
        )
    except BadInput:
        found = None
    if found is not None:
        return after_vendor(found.path) is None
    package = said_package(split_function(frame.function))
    return bool(package) and import_dir(package, layout) is not None


def package_directory(
    file: str, *, function: str | None, layout: Layout, root_dir: str | None = None
) -> str | None:
    """Find the directory of a file that is itself not in the repository.

    For files that a `//line` comment names or that a build step writes; None where
    nothing tells.
    """
    package = said_package(split_function(function)) if function else ""
    if package and (directory := import_dir(package, layout)) is not None:
        return directory
    parts = read_printed(file).parts[:-1]
    start = clean_directory(root_dir or "")
    for cut in range(len(parts)):
        tail = "/".join(parts[cut:])
        for directory in (join(start, tail), tail):
            if directory in layout.directories:
                return directory
    return None


def _search(
    file: str,
    function: str | None,
    layout: Layout,
    root_dir: str | None,
    roots: Sequence[BuildRoot],
) -> Search:
    return Search(
        file,
        read_printed(file),
        split_function(function) if function else None,
        layout,
        clean_directory(root_dir or ""),
        roots,
    )


def _find(search: Search) -> Located | None:
    """Find a file as it is printed, else with its URL escapes undone."""
    located = _tried(search)
    if located is None and "%" in search.file:
        return _tried(replace(search, printed=unescaped(search.printed)))
    return located


def _tried(search: Search) -> Located | None:
    """Try each way in turn; the first that knows an answer gives it."""
    if is_compiler_made(search.file):
        return None
    ways: tuple[Callable[[Search], Located | None], ...] = (
        by_import_path,
        as_given,
        by_module_in_path,
        by_build_root,
        vendored,
        by_suffix,
    )
    for way in ways:
        if located := way(search):
            return located
    return None


def _missing(search: Search) -> str:
    """Word the error: why, and what is near."""
    file, package = shown(search.file), said_package(search.name)
    if is_compiler_made(search.file):
        return f"{file} is made by the compiler, not a source"
    if is_foreign_module(search):
        return f"{file} is of another module than this repository's"
    if is_standard_file(search):
        return f"{file} is of the standard library"
    near = _near(search)
    if near and package and import_dir(package, search.layout) is None:
        return f"{file} is of package {shown(package)}, which is not in this repository"
    if near:
        return f"{file} is not in the repository; there is {listed(near)}"
    return f"{file} is not in the repository; give a path from its root"


def _near(search: Search) -> list[str]:
    """Find files of that name elsewhere, else some of a similar name."""
    by_name, name = search.layout.by_name, search.printed.name
    names = [name]
    if name not in by_name:
        names = difflib.get_close_matches(name, _comparable(name, by_name), _ALIKE)
    near = [
        path for other in names for path in by_name[other] if after_vendor(path) is None
    ]
    parts = search.printed.parts
    return sorted(near, key=lambda path: -common_end(path.split("/"), parts))


def _comparable(name: str, names: Iterable[str]) -> list[str]:
    """Choose what a mistyped *name* may have meant: first letter, then the length."""
    if len(name) > _LONGEST_NAME:
        return []
    return heapq.nsmallest(
        _COMPARED,
        (other for other in names if other[0] == name[0]),
        key=lambda other: abs(len(other) - len(name)),
    )
