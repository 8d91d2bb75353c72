"""Find the file of a repository that a trace means.

A trace prints a path as the build machine had it: relative to the repository or to
a module, absolute below any build directory, shortened by -trimpath, out of a
module cache or a vendor directory. `locate` tries what is certain first and falls
back to the longest common end, and the import path in the frame's function says
which of several files it is, or that it is none of them.
"""

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from triage.core.agreement import (
    Fit,
    below,
    fit,
    may_be_inlined,
    module_directory,
    said_package,
)
from triage.core.model import Frame
from triage.core.modules import Layout, after_vendor, has_modules, import_dir, is_tail
from triage.core.names import FunctionName, split_function
from triage.core.printed import (
    PrintedPath,
    clean_directory,
    is_compiler_made,
    is_goroot,
    read_printed,
    shown,
    unescaped,
)
from triage.errors import BadInput, FileMissing

_NAMED = 4
"""How many candidates an error message names."""


@dataclass(frozen=True, slots=True)
class BuildRoot:
    """Where a directory of the repository lay when the program was built."""

    built: str
    """As `PrintedPath.text`: without a leading slash or drive."""
    directory: str
    """Relative to the repository, empty for its root."""


@dataclass(frozen=True, slots=True)
class Located:
    """The file that a printed path means."""

    path: str
    """Relative to the repository."""
    module_path: str
    """Relative to its module, else to the root directory, else the same."""
    matched: str
    """`exact`, `root_dir`, `module` (an import path says so) or `suffix`."""
    warning: str | None = None
    """Set where the match is a guess: by suffix."""


@dataclass(frozen=True, slots=True)
class _Search:
    """What one look-up is about."""

    file: str
    printed: PrintedPath
    name: FunctionName | None
    layout: Layout
    root_dir: str
    roots: Sequence[BuildRoot]

    def fits(self, path: str) -> Fit:
        """Say whether the frame's function can be in *path*."""
        return fit(self.name, path, self.layout)

    def allows(self, path: str) -> bool:
        """Tell whether *path* exists and nothing speaks against it."""
        return path in self.layout.files and self.fits(path) is not Fit.NO


def locate(
    file: str,
    *,
    function: str | None = None,
    layout: Layout,
    root_dir: str | None = None,
    roots: Sequence[BuildRoot] = (),
) -> Located:
    """Find the repository's file for a printed *file*.

    *function* is the frame's, as printed; *root_dir* the directory that module
    relative paths start from; *roots* what `triage.core.origins` learnt from the
    trace. Raises `FileMissing` where there is none or it belongs to another module,
    `BadInput` where the path is none or means several files.
    """
    search = _Search(
        file,
        read_printed(file),
        split_function(function) if function else None,
        layout,
        clean_directory(root_dir or ""),
        roots,
    )
    try:
        return _find(search)
    except FileMissing:
        if "%" not in file:
            raise
    return _find(replace(search, printed=unescaped(search.printed)))


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
        found = locate(
            frame.file or "",
            function=frame.function,
            layout=layout,
            root_dir=root_dir,
            roots=roots,
        )
    except (BadInput, FileMissing):
        package = said_package(split_function(frame.function))
        return bool(package) and import_dir(package, layout) is not None
    return after_vendor(found.path) is None


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
        for directory in (_join(start, tail), tail):
            if directory in layout.directories:
                return directory
    return None


def _find(search: _Search) -> Located:
    """Try each way in turn; the first that knows an answer gives it."""
    if is_compiler_made(search.file):
        raise FileMissing(f"{shown(search.file)} is made by the compiler, not a source")
    ways: tuple[Callable[[_Search], Located | None], ...] = (
        _by_import_path,
        _as_given,
        _by_module_in_path,
        _by_build_root,
        _vendored,
        _by_suffix,
    )
    for way in ways:
        if located := way(search):
            return located
    raise FileMissing(_missing(search))


def _by_import_path(search: _Search) -> Located | None:
    """Take the directory that the function's import path names."""
    said = said_package(search.name)
    if not said or may_be_inlined(search.name):
        return None
    for package in (said, said.removesuffix("_test")):
        directory = import_dir(package, search.layout)
        if directory is not None:
            path = _join(directory, search.printed.name)
            if path in search.layout.files:
                return _located(search, path, _kind(search, path))
    return None


def _as_given(search: _Search) -> Located | None:
    """Take the path as written, below the root directory or the repository."""
    if search.printed.absolute or _is_goroot(search):
        return None
    text = search.printed.text
    found = [
        path for path in (_join(search.root_dir, text), text) if search.allows(path)
    ]
    if not found:
        return None
    path = max(found, key=search.fits)
    return _located(search, path, _kind(search, path))


def _by_module_in_path(search: _Search) -> Located | None:
    """Take what follows a module's import path: -trimpath, GOPATH, module cache."""
    for module_path, rest in _module_splits(search.printed):
        for module in search.layout.by_path.get(module_path, ()):
            path = _join(module.directory, rest)
            if search.allows(path):
                return _located(search, path, "module")
    return None


def _module_splits(printed: PrintedPath) -> Iterator[tuple[str, str]]:
    """Cut a path into what may be a module's path and what lies in the module.

    Longest first. In the middle of a path a single element proves nothing: `app` in
    `/app/main.go` is a directory.
    """
    if printed.module is not None:
        for tail in _tails(printed.module):
            yield tail, "/".join(printed.below)
        return
    for start in range(len(printed.parts)):
        for end in reversed(range(start + 1, len(printed.parts))):
            if end - start > 1 or (start == 0 and not printed.absolute):
                yield "/".join(printed.parts[start:end]), "/".join(printed.parts[end:])


def _by_build_root(search: _Search) -> Located | None:
    """Take what other frames say about where the repository was built."""
    for root in search.roots:
        path = _join(root.directory, below(search.printed.text, root.built))
        if search.printed.text.startswith(root.built + "/") and search.allows(path):
            return _located(search, path, "module")
    return None


def _vendored(search: _Search) -> Located | None:
    """Take the vendored copy of a file that was vendored or in the module cache."""
    text = search.printed.text
    if search.printed.module is not None:
        text = "/".join((search.printed.module, *search.printed.below))
    wanted = after_vendor(text) or text
    for path in search.layout.by_name.get(search.printed.name, ()):
        copied = after_vendor(path)
        if copied and is_tail(copied, wanted) and search.allows(path):
            return _located(search, path, _kind(search, path))
    return None


def _by_suffix(search: _Search) -> Located | None:
    """Take the file with the longest end in common; `BadInput` where several have."""
    if _is_goroot(search) or _is_foreign_module(search):
        return None
    scores = {
        path: score
        for path in search.layout.by_name.get(search.printed.name, ())
        if (score := _score(search, path))
    }
    if not scores:
        return None
    top = max(scores.values())
    best = [path for path, score in scores.items() if score == top]
    if len(best) > 1:
        raise BadInput(
            f"{shown(search.file)} may be {_listed(best)};"
            " give its path from the repository's root, or the root directory"
        )
    proven = search.fits(best[0]) is Fit.YES
    return _located(search, best[0], "module" if proven else "suffix")


def _score(search: _Search, path: str) -> tuple[int, ...] | None:
    """Rate a candidate, None where it cannot be meant.

    The function's word counts first where it is certain, then the length of the
    common end, then whether that reaches a place where a build may have started.
    """
    fits = search.fits(path)
    printed = search.printed.parts
    if search.printed.module is not None:
        printed = search.printed.below
    common = _common_end(path.split("/"), printed)
    module = module_directory(path, search.layout)
    rooted = bool(search.root_dir) and path.startswith(search.root_dir + "/")
    starts = [search.root_dir] if rooted else []
    whole = [common > below(path, start).count("/") for start in (*starts, "", module)]
    inside = common == len(search.printed.parts)
    loose = search.printed.absolute and common > 1
    if fits is Fit.NO or not (any(whole) or inside or loose or fits is Fit.YES):
        return None
    first = Fit.MUTE if may_be_inlined(search.name) else fits
    return (first, common, rooted, *whole[-2:], fits)


def _is_goroot(search: _Search) -> bool:
    """Tell whether the file is the standard library's and that is not read here."""
    own = "" in search.layout.by_path
    return not own and is_goroot(search.printed, said_package(search.name))


def _is_foreign_module(search: _Search) -> bool:
    """Tell whether the path is in a cache's module that is not of this repository."""
    module = search.printed.module
    if module is None or not has_modules(search.layout):
        return False
    return not any(tail in search.layout.by_path for tail in _tails(module))


def _located(search: _Search, path: str, matched: str) -> Located:
    """Make the answer, with the warning that a guess carries."""
    start = module_directory(path, search.layout) or search.root_dir
    warning = None
    if matched == "suffix":
        warning = f"{shown(search.file)} was matched by its end with {shown(path)}"
    return Located(path, below(path, start), matched, warning)


def _kind(search: _Search, path: str) -> str:
    """Name the match of a path that is certain."""
    written = "" if search.printed.absolute else search.printed.text
    if path == written:
        return "exact"
    return "root_dir" if path == _join(search.root_dir, written) else "module"


def _missing(search: _Search) -> str:
    """Word the error: why, and what is near."""
    file, package = shown(search.file), said_package(search.name)
    if _is_foreign_module(search):
        return f"{file} is of another module than this repository's"
    if _is_goroot(search):
        return f"{file} is of the standard library"
    near = _near(search)
    if near and package and import_dir(package, search.layout) is None:
        return f"{file} is of package {shown(package)}, which is not in this repository"
    if near:
        return f"{file} is not in the repository; there is {_listed(near)}"
    return f"{file} is not in the repository; give a path from its root"


def _near(search: _Search) -> list[str]:
    """Find files of that name elsewhere, else some of a similar name."""
    by_name, name = search.layout.by_name, search.printed.name
    names = [name]
    if name not in by_name:
        alike = [other for other in by_name if other[0] == name[0]]
        names = difflib.get_close_matches(name, alike, _NAMED)
    near = [
        path for other in names for path in by_name[other] if after_vendor(path) is None
    ]
    parts = search.printed.parts
    return sorted(near, key=lambda path: -_common_end(path.split("/"), parts))


def _listed(paths: Sequence[str]) -> str:
    """`a.go, b.go or c.go`, the first few."""
    named = list(paths[:_NAMED])
    if more := len(paths) - len(named):
        named.append(f"{more} others")
    return " or ".join(filter(None, (", ".join(named[:-1]), named[-1])))


def _common_end(left: Sequence[str], right: Sequence[str]) -> int:
    """Count the elements that two paths have in common at their ends."""
    count = 0
    for one, other in zip(reversed(left), reversed(right), strict=False):
        if one != other:
            break
        count += 1
    return count


def _tails(path: str) -> Iterator[str]:
    """`a/b/c` -> `a/b/c`, `b/c`, `c`."""
    parts = path.split("/")
    return ("/".join(parts[start:]) for start in range(len(parts)))


def _join(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name
