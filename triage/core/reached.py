"""Tests that reach a crash: those of the package whose text calls the function."""

import re
from collections.abc import Iterator
from itertools import pairwise

from triage.core.table import Decl, Kind
from triage.core.view import View, remembered

_FUNCTION = re.compile(rb"^func ", re.MULTILINE)
_TEST = re.compile(rb"((?:Test|Benchmark|Fuzz|Example)[\w\x80-\xff]*)\(")
_MOST = 50
"""How many are looked for."""


@remembered
def reaching(view: View, decl: Decl) -> tuple[str, ...]:
    """Name the tests that call *decl*, by files and in their order.

    The tests are not parsed: a call is the name before a bracket, and where several
    types have a method of that name, the receiver's has to be named as well.
    """
    if not decl.is_function or decl.name in {"init", "main", "_"}:
        return ()
    call, name_of_it = _call(view, decl), decl.name.encode()
    found = dict.fromkeys(
        name.decode("utf-8", "replace")
        for data in view.tests()
        if name_of_it in data  # most files are told apart by this
        for name, body in _tests(data)
        if call(body)
    )
    return tuple(found)[:_MOST]


class _Call:
    """Tells whether a text calls a function."""

    def __init__(self, pattern: bytes, named: bytes) -> None:
        self._pattern = re.compile(pattern)
        self._named = named

    def __call__(self, text: bytes) -> bool:
        return self._named in text and bool(self._pattern.search(text))


def _call(view: View, decl: Decl) -> _Call:
    name = re.escape(decl.name.encode())
    if decl.kind == Kind.FUNC:
        package = re.escape(view.package_name(decl).encode())
        return _Call(rb"(?:(?<![.\w\x80-\xff])|\b%s\.)%s[\[(]" % (package, name), b"")
    others = [one for one in view.named(decl.name) if one.kind == Kind.METHOD]
    return _Call(rb"\.%s\(" % name, decl.receiver.encode() if len(others) > 1 else b"")


def _tests(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Give each test of a file with the text up to the next function."""
    starts = [*(match.end() for match in _FUNCTION.finditer(data)), len(data)]
    for start, end in pairwise(starts):
        if match := _TEST.match(data, start, end):
            yield match[1], data[match.end() : end]
