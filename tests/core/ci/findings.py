"""Findings, for tests of how they are told."""

from dataclasses import replace
from typing import Any

from tests.core.answers import RESULT
from triage.core.ci import Failure, Finding, Place
from triage.core.model import ShownFrame, ShownPanic, Symbol

SYMBOL = Symbol(
    kind="func",
    name="F",
    receiver=None,
    file="a/b.go",
    start_line=1,
    end_line=5,
    section="crash",
    depth=0,
    reason="crashed here",
    marks=(3,),
    elided=False,
    omitted=(),
    text="func F() {\n}",
)
HELPER = replace(
    SYMBOL, name="G", section="functions", file="a/g.go", reason="F calls it"
)
FRAMES = (
    ShownFrame("example.com/a.F", "/app/a/b.go", 3, "a/b.go"),
    ShownFrame("main.main", "/usr/lib/go:x/m n.go", 9, None),
    ShownFrame("runtime.goexit", None, None, None),
)
NASTY = "::error::x%0A\r\n</details><script>,:`*_[x](y) \x1b[2J"


def finding(**more: Any) -> Finding:
    """Make a finding with its context."""
    panic = ShownPanic("nil-deref", "boom", FRAMES)
    base = Finding(
        text="panic: boom\n",
        kind="nil-deref",
        message="boom",
        result=replace(RESULT, panic=panic, symbols=(SYMBOL, HELPER)),
        place=Place("a/b.go", 3, "F", own=True),
    )
    return replace(base, **more)


def lost(**more: Any) -> Finding:
    """Make a finding that could not be explained."""
    failure = Failure("file-not-found", "no frame lies in the repository")
    place = Place("/x/y.go", 9, "x.Y", own=False)
    return finding(result=None, failure=failure, place=place, **more)
