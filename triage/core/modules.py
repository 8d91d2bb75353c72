"""Which directory of a repository has which import path.

A `Layout` is made once from the list of paths and the go.mod and go.work files in
it; everything else here is a look-up. A repository from before modules has no
go.mod: `src/` directories count as roots of a GOPATH then, and an import path means
the directory that it ends in.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from triage.core.printed import is_endless
from triage.core.standard import is_standard

_TOKEN = re.compile(r'"[^"]*"|`[^`]*`|//.*|[()]|[^\s()"`]+')
_VERSION = re.compile(r"^v\d+$")
_CACHED = re.compile(r"(?:^|/)[^/]*@v\d")
# Where the go command, gb and godep keep copies of what a repository imports.
_VENDOR_PLACES = ("vendor", "vendor/src", "Godeps/_workspace/src")
_VENDORED = re.compile(r"(?:.*/)?(?:vendor/(?:src/)?|Godeps/_workspace/src/)(.+)")
# Sites that host many owners: a repository's import path has three elements there.
_HOSTS = {"github.com", "gitlab.com", "bitbucket.org", "golang.org", "gitee.com"}


@dataclass(frozen=True, slots=True)
class Module:
    """A directory where import paths begin anew."""

    directory: str
    """Relative to the repository, empty for its root."""
    path: str | None
    """Its import path; empty for a GOPATH's `src`, None where it is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """A repository's Go files and modules, indexed; the mappings are never changed."""

    files: frozenset[str]
    directories: frozenset[str]
    """Those that hold a `.go` file themselves."""
    by_name: Mapping[str, Sequence[str]]
    """`user.go` -> every path that ends in it, sorted."""
    by_directory: Mapping[str, Module]
    by_path: Mapping[str, Sequence[Module]]
    """Modules of one import path, the likeliest first."""
    depths: Sequence[int] = ()
    """How many elements the paths of modules have, the most first."""


def module_files(paths: Iterable[str]) -> tuple[str, ...]:
    """Pick the go.mod and go.work files whose content `build_layout` wants.

    Those of vendored and example code are left out: they bound the module around
    them all the same.
    """
    return tuple(
        path
        for path in paths
        if path.rpartition("/")[2] in {"go.mod", "go.work"}
        and not any(
            part in {"vendor", "testdata"} or part[0] in "._"
            for part in path.split("/")[:-1]
        )
    )


def build_layout(paths: Iterable[str], contents: Mapping[str, bytes]) -> Layout:
    """Index *paths*; *contents* holds the files that `module_files` picked."""
    by_name: dict[str, list[str]] = defaultdict(list)
    directories, bounds = set(), []
    for path in sorted(paths):
        directory, _, name = path.rpartition("/")
        if name == "go.mod":
            bounds.append(directory)
        elif name.endswith(".go") and not _CACHED.search(directory):
            by_name[name].append(path)
            directories.add(directory)
    modules = [
        Module(directory, parse_go_mod(contents.get(_join(directory, "go.mod"), b"")))
        for directory in bounds
    ]
    layout = Layout(
        frozenset(path for same in by_name.values() for path in same),
        frozenset(directories),
        dict(by_name),
        {},
        {},
    )
    if not modules:
        modules = [Module(root, "") for root in _gopath_roots(directories)]
    return _with_modules(layout, modules, workspace(contents))


def with_root(layout: Layout, import_path: str) -> Layout:
    """Say what the root's import path is, where no go.mod does."""
    modules = [*layout.by_directory.values(), Module("", import_path)]
    return _with_modules(layout, modules, frozenset())


def module_of(directory: str, layout: Layout) -> Module | None:
    """Find the module that *directory* belongs to: the nearest one above it."""
    for above in _ancestors(directory):
        if module := layout.by_directory.get(above):
            return module
    return None


def import_path(directory: str, layout: Layout) -> str | None:
    """Give a directory's import path, a vendored one's as its importers write it.

    None where no module says it.
    """
    if (vendored := after_vendor(directory)) is not None:
        return vendored
    module = module_of(directory, layout)
    if module is None or module.path is None:
        return None
    return _join(module.path, directory[len(module.directory) :].lstrip("/"))


def import_dir(import_path: str, layout: Layout) -> str | None:
    """Find the directory that *import_path* means, None where it is not of here.

    Vendored copies are not of here.
    """
    if is_endless(import_path):
        return None
    for prefix in _ancestors(import_path):
        for module in layout.by_path.get(prefix, ()):
            rest = import_path[len(prefix) :].lstrip("/")
            directory = _join(module.directory, rest)
            if directory in layout.directories and _owns(module, directory, layout):
                return directory
    return None if has_modules(layout) else _by_tail(import_path, layout)


def has_modules(layout: Layout) -> bool:
    """Tell whether the import path of some directory is known."""
    return any(layout.by_path)


def is_vendored(import_path: str, layout: Layout) -> bool:
    """Tell whether the repository holds a copy of *import_path*."""
    return any(
        f"{place}/{import_path}" in layout.directories for place in _VENDOR_PLACES
    )


def after_vendor(path: str) -> str | None:
    """`a/vendor/x.org/y` -> `x.org/y`; None where nothing is vendored."""
    match = _VENDORED.match(path)
    return match[1] if match else None


def is_tail(end: str, whole: str) -> bool:
    """Tell whether *whole* ends in the path elements of *end*."""
    return whole == end or whole.endswith("/" + end)


def without_major(import_path: str) -> str:
    """`example.com/lib/v2` -> `example.com/lib`."""
    head, _, last = import_path.rpartition("/")
    return head if head and _VERSION.match(last) else import_path


def least_root(parts: Sequence[str]) -> int:
    """Say how many elements of an import path name its repository, at least."""
    if parts[0] in _HOSTS:
        return 3
    return 2 if "." in parts[0] else 1


def parse_go_mod(data: bytes) -> str | None:
    """Read the module's path; None without one."""
    found = (word for verb, word in _directives(data) if verb == "module")
    path = next(found, None)
    return None if path is not None and is_endless(path) else path


def parse_go_work(data: bytes) -> tuple[str, ...]:
    """Read the directories of `use`, as written."""
    return tuple(word for verb, word in _directives(data) if verb == "use")


def _directives(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield verb and first word: `use` of `./a` and `./b` gives both, each with it."""
    block = ""
    for line in data.decode("utf-8-sig", "replace").splitlines():
        words = [word for word in _TOKEN.findall(line) if not word.startswith("//")]
        if words[-1:] == ["("]:
            block = words[0]
        elif words[:1] == [")"]:
            block = ""
        elif block and words:
            yield block, words[0].strip('"`')
        elif len(words) > 1:
            yield words[0], words[1].strip('"`')


def _with_modules(
    layout: Layout, modules: Sequence[Module], members: frozenset[str]
) -> Layout:
    """Index *modules*; of one path, the workspace's *members* and the least deep."""
    by_path: dict[str, list[Module]] = defaultdict(list)
    for module in sorted(
        modules,
        key=lambda one: (
            one.directory not in members,
            one.directory.count("/"),
            one.directory,
        ),
    ):
        if module.path is not None:
            # The Go repository itself: `std` is no part of its import paths.
            path = "" if module.path == "std" else module.path
            by_path[path].append(replace(module, path=path))
    return replace(
        layout,
        by_directory={
            module.directory: module for same in by_path.values() for module in same
        }
        | {module.directory: module for module in modules if module.path is None},
        by_path=dict(by_path),
        depths=sorted({path.count("/") + 1 for path in by_path if path}, reverse=True),
    )


def workspace(contents: Mapping[str, bytes]) -> frozenset[str]:
    """Collect the module directories that a go.work uses."""
    members = set()
    for path, data in contents.items():
        directory, _, name = path.rpartition("/")
        if name == "go.work":
            for used in parse_go_work(data):
                parts = [part for part in used.split("/") if part not in {"", "."}]
                members.add(_join(directory, "/".join(parts)))
    return frozenset(members)


def _gopath_roots(directories: Iterable[str]) -> list[str]:
    """Find the `src` directories of a repository without modules."""
    roots = set()
    for directory in directories:
        head, found, _ = f"/{directory}/".partition("/src/")
        if found and after_vendor(directory) is None:
            roots.add((head + "/src").lstrip("/"))
    return sorted(roots)


def _owns(module: Module, directory: str, layout: Layout) -> bool:
    """Tell whether *directory* is the module's and not a nested one's or vendored."""
    return module_of(directory, layout) is module and after_vendor(directory) is None


def _by_tail(import_path: str, layout: Layout) -> str | None:
    """Without modules: the longest end of *import_path* that is a directory."""
    if is_standard(import_path) or is_vendored(import_path, layout):
        return None
    parts = import_path.split("/")
    for cut in range(least_root(parts), len(parts)):
        directory = "/".join(parts[cut:])
        if directory in layout.directories:
            return directory
    return None


def _ancestors(path: str) -> Iterator[str]:
    """`a/b` -> `a/b`, `a`, and the empty root."""
    while path:
        yield path
        path = path.rpartition("/")[0]
    yield ""


def _join(directory: str, name: str) -> str:
    """Join with `/` where both are there."""
    return f"{directory}/{name}" if directory and name else directory or name
