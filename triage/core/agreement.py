"""Weigh a function's import path against the directory of a file."""

import re
from enum import IntEnum

from triage.core.modules import (
    Layout,
    after_vendor,
    has_modules,
    import_dir,
    import_path,
    is_tail,
    module_of,
    without_major,
)
from triage.core.names import FunctionName
from triage.core.printed import is_endless
from triage.core.standard import is_standard

_NAMELESS = {"main", "command-line-arguments"}
"""Packages that may stand in any directory."""
_PLACELESS = ("plugin/unnamed-", "_/")
_MANGLED = re.compile(r"[^A-Za-z0-9]")


class Fit(IntEnum):
    """How an import path fits a directory."""

    NO = 0
    MUTE = 1
    """Nothing is said against it."""
    YES = 2


def said_package(name: FunctionName | None) -> str:
    """Give the import path that a function's name says, empty where it says none.

    A vendored package's is given as its importers write it.
    """
    if name is None or name.package in _NAMELESS or is_endless(name.package):
        return ""
    if name.package.startswith(_PLACELESS):
        return ""
    return after_vendor(name.package) or name.package


def may_be_inlined(name: FunctionName | None) -> bool:
    """Tell whether the code may stand in another package than the name says."""
    return name is not None and bool(name.outer or not name.certain)


def fit(name: FunctionName | None, path: str, layout: Layout) -> Fit:
    """Say whether the function *name* can be in the file *path*."""
    package = said_package(name)
    if not package:
        return Fit.MUTE
    found = _fit(package, path, layout)
    return Fit.MUTE if found is Fit.NO and may_be_inlined(name) else found


def below(path: str, directory: str) -> str:
    """Give *path* relative to *directory* where it lies there, else as it is."""
    inside = directory and path.startswith(directory + "/")
    return path[len(directory) + 1 :] if inside else path


def module_directory(path: str, layout: Layout) -> str:
    """Give the directory of a file's module, empty where there is none."""
    module = module_of(path.rpartition("/")[0], layout)
    return module.directory if module else ""


def _fit(package: str, path: str, layout: Layout) -> Fit:
    directory = path.rpartition("/")[0]
    known = import_path(directory, layout)
    tested = package.removesuffix("_test") if path.endswith("_test.go") else package
    if known is None or not has_modules(layout):
        return _fit_by_tail(tested, path, layout)
    if known in {package, tested} or _MANGLED.sub("_", known) == package:
        return Fit.YES
    elsewhere = import_dir(tested, layout) is not None
    if elsewhere or not _is_renamed(tested, known, path, layout):
        return Fit.NO
    return Fit.MUTE


def _fit_by_tail(package: str, path: str, layout: Layout) -> Fit:
    """Without a module's path, a directory is the end of the import path.

    Or the reverse, where the name was cut in front.
    """
    inner = below(path, module_directory(path, layout)).rpartition("/")[0]
    directory = after_vendor(inner) or inner
    if not directory:
        return Fit.MUTE
    fits = is_tail(directory, package) or is_tail(package, directory)
    return Fit.YES if fits else Fit.NO


def _is_renamed(package: str, known: str, path: str, layout: Layout) -> bool:
    """Tell whether *package* is *known* under another name of the same repository.

    A fork or an earlier home (`github.com/fork/shop/cart` for `example.com/shop/cart`),
    another major version, or a name that was cut in front.
    """
    if not is_standard(package) and is_tail(package, known):
        return True
    inner = below(path, module_directory(path, layout)).rpartition("/")[0]
    if inner and not is_tail(inner, package):
        return False
    old = without_major(package[: len(package) - len(inner)].rstrip("/"))
    new = without_major(known[: len(known) - len(inner)].rstrip("/"))
    return bool(old) and old.rpartition("/")[2] == new.rpartition("/")[2]
