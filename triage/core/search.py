"""The ways to find a printed path in a repository, from certain to guessed.

Each way gives None where it has nothing to say. `triage.core.paths` tries them in
turn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from triage.core.agreement import (
    Fit,
    below,
    fit,
    may_be_inlined,
    module_directory,
    said_package,
)
from triage.core.modules import Layout, after_vendor, has_modules, import_dir, is_tail
from triage.core.names import FunctionName
from triage.core.printed import PrintedPath, is_goroot, shown
from triage.errors import BadInput

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
class Search:
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


def by_import_path(search: Search) -> Located | None:
    """Take the directory that the function's import path names."""
    said = said_package(search.name)
    if not said or may_be_inlined(search.name):
        return None
    if is_copy(search.printed) and not has_modules(search.layout):
        return None  # the end of an import path says of a copy as little as a file's
    for package in (said, said.removesuffix("_test")):
        directory = import_dir(package, search.layout)
        if directory is not None:
            path = join(directory, search.printed.name)
            if path in search.layout.files:
                return _located(search, path, _kind(search, path))
    return None


def as_given(search: Search) -> Located | None:
    """Take the path as written, below the root directory or the repository."""
    if search.printed.absolute or is_standard_file(search):
        return None
    text = search.printed.text
    found = [
        path for path in (join(search.root_dir, text), text) if search.allows(path)
    ]
    if not found:
        return None
    path = max(found, key=search.fits)
    return _located(search, path, _kind(search, path))


def by_module_in_path(search: Search) -> Located | None:
    """Take what follows a module's import path: -trimpath, GOPATH, module cache."""
    for module_path, rest in _module_splits(search.printed, search.layout.depths):
        for module in search.layout.by_path.get(module_path, ()):
            path = join(module.directory, rest)
            if search.allows(path):
                return _located(search, path, "module")
    return None


def _module_splits(
    printed: PrintedPath, depths: Sequence[int]
) -> Iterator[tuple[str, str]]:
    """Cut a path into what may be a module's path and what lies in the module.

    Longest first, and none of a length that no module has (*depths*). In the middle
    of a path a single element proves nothing: `app` in `/app/main.go` is a directory.
    """
    if printed.module is not None:
        for tail in _tails(printed.module):
            yield tail, "/".join(printed.below)
        return
    for start in range(len(printed.parts)):
        least = 1 if start == 0 and not printed.absolute else 2
        for depth in depths:
            end = start + depth
            if depth >= least and end < len(printed.parts):
                yield "/".join(printed.parts[start:end]), "/".join(printed.parts[end:])


def by_build_root(search: Search) -> Located | None:
    """Take what other frames say about where the repository was built."""
    for root in search.roots:
        path = join(root.directory, below(search.printed.text, root.built))
        if search.printed.text.startswith(root.built + "/") and search.allows(path):
            return _located(search, path, "module")
    return None


def vendored(search: Search) -> Located | None:
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


def by_suffix(search: Search) -> Located | None:
    """Take the file with the longest end in common; `BadInput` where several have."""
    if is_standard_file(search) or is_foreign_module(search):
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
            f"{shown(search.file)} may be {listed(best)};"
            " give its path from the repository's root, or the root directory"
        )
    proven = search.fits(best[0]) is Fit.YES and not is_copy(search.printed)
    return _located(search, best[0], "module" if proven else "suffix")


def _score(search: Search, path: str) -> tuple[int, ...] | None:
    """Rate a candidate, None where it cannot be meant.

    The function's word counts first where it is certain, then the length of the
    common end, then whether that reaches a place where a build may have started.
    """
    fits = search.fits(path)
    printed = search.printed.parts
    if search.printed.module is not None:
        printed = search.printed.below
    common = common_end(path.split("/"), printed)
    module = module_directory(path, search.layout)
    rooted = bool(search.root_dir) and path.startswith(search.root_dir + "/")
    from_root, from_repository, from_module = (
        common > below(path, start).count("/")
        for start in (search.root_dir, "", module)
    )
    whole = from_repository or from_module or (rooted and from_root)
    inside = common == len(search.printed.parts)
    loose = search.printed.absolute and common > 1
    if fits is Fit.NO or not (whole or inside or loose or fits is Fit.YES):
        return None
    first = Fit.MUTE if may_be_inlined(search.name) else fits
    return (first, common, rooted, from_repository, from_module, fits)


def is_copy(printed: PrintedPath) -> bool:
    """Tell whether the file lies in a module cache or is vendored."""
    return printed.module is not None or after_vendor(printed.text) is not None


def is_standard_file(search: Search) -> bool:
    """Tell whether the file is the standard library's and that is not read here."""
    own = "" in search.layout.by_path
    return not own and is_goroot(search.printed, said_package(search.name))


def is_foreign_module(search: Search) -> bool:
    """Tell whether the path is of a copied module that is not of this repository.

    In a module cache or vendored. What is vendored begins with a domain: `vendor` may
    also be the name of a directory like any other.
    """
    if not has_modules(search.layout):
        return False
    if search.printed.module is not None:
        heads = _tails(search.printed.module)
    else:
        copied = after_vendor(search.printed.text) or ""
        if "." not in copied.partition("/")[0] or "/" not in copied:
            return False
        heads = _heads(copied)
    return not any(head in search.layout.by_path for head in heads)


def _located(search: Search, path: str, matched: str) -> Located:
    """Make the answer, with the warning that a guess carries."""
    start = module_directory(path, search.layout) or search.root_dir
    warning = None
    if matched == "suffix":
        warning = f"{shown(search.file)} was matched by its end with {shown(path)}"
    return Located(path, below(path, start), matched, warning)


def _kind(search: Search, path: str) -> str:
    """Name the match of a path that is certain."""
    written = "" if search.printed.absolute else search.printed.text
    if path == written:
        return "exact"
    return "root_dir" if path == join(search.root_dir, written) else "module"


def listed(paths: Sequence[str]) -> str:
    """`a.go, b.go or c.go`, the first few."""
    named = list(paths[:_NAMED])
    if more := len(paths) - len(named):
        named.append(f"{more} others")
    return " or ".join(filter(None, (", ".join(named[:-1]), named[-1])))


def common_end(left: Sequence[str], right: Sequence[str]) -> int:
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


def _heads(path: str) -> Iterator[str]:
    """`a/b/c` -> `a`, `a/b`: the directories that a file lies in."""
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts)))


def join(directory: str, name: str) -> str:
    """Put *directory* in front, where it is not the root."""
    return f"{directory}/{name}" if directory else name
