"""The directory of a module, told by the path of a file in it."""

import re

_PART = re.compile(r"[\w.-]+")
_NAME = re.compile(r"[\w.!-]+")
_VERSIONED = re.compile(r"[\w.!-]+@v[\w.+-]+")
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+")
_FORGES = frozenset(("github.com", "gitlab.com", "bitbucket.org", "golang.org"))

_Span = tuple[int, int]
"""Where a module's import path begins and ends among the directories of a path."""


def module_root(path: str) -> str | None:
    """Return the first module's directory in *path*, `/` at its end; None if none shows.

    With its version, on a forge, or right below GOPATH.
    """
    parts = path.split("/")[:-1]
    spans = [span for span in (_versioned(parts), _hosted(parts)) if span]
    if not spans:
        return None
    _, end = min(spans, key=lambda span: span[0])
    return "/".join(parts[:end]) + "/"


def _versioned(parts: list[str]) -> _Span | None:
    """`github.com/a/b@v1.2.3`: names alone stand before the one with a version."""
    begin = 0
    for at, part in enumerate(parts):
        if begin < at and _VERSIONED.fullmatch(part):
            return begin, at + 1
        if not _PART.fullmatch(part):
            begin = at + 1
    return None


def _hosted(parts: list[str]) -> _Span | None:
    """`github.com/a/b` anywhere, `example.com/a` at the top or below `/src/`."""
    for at, part in enumerate(parts):
        if part in _FORGES and _names(parts[at + 1 : at + 3], 2):
            return at, at + 3
        top = at == 0 or (at > 1 and parts[at - 1] == "src")
        if top and _HOST.fullmatch(part) and _names(parts[at + 1 : at + 2], 1):
            return at, at + 2
    return None


def _names(parts: list[str], count: int) -> bool:
    return len(parts) == count and all(map(_NAME.fullmatch, parts))
