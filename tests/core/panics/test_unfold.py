"""Lines that a margin broke."""

import pytest

from triage.core.panics.document import Document
from triage.core.panics.prefix import literal
from triage.core.panics.unfold import margin_glue, whole
from triage.core.panics.view import View

LONG = "x" * 64


@pytest.mark.parametrize(
    ("text", "line", "after"),
    [
        ("a.F(0x1)", "a.F(0x1)", 1),
        ("a.F(0x1,\n0x2)", "a.F(0x1, 0x2)", 2),
        ("a.F(0x1, 0x\n2)", "a.F(0x1, 0x2)", 2),
        ("a.F(0x1\n, 0x2)", "a.F(0x1, 0x2)", 2),
        ("a.F(0x1,\n0x2,\n0x3,\n0x4)", "a.F(0x1, 0x2, 0x3, 0x4)", 4),
        ("a.F(0x1,\n0x2,\n0x3,\n0x4,\n0x5,\n0x6)", "a.F(0x1,", 1),
        ("a.F(0x1,\n\n0x2)", "a.F(0x1,", 1),
        ("a.F(0x1,\nb.G(0x2)", "a.F(0x1,", 1),
        ("/srv/a.go:7 +0x1d", "/srv/a.go:7 +0x1d", 1),
        ("/srv/a.go:7\n+0x1d", "/srv/a.go:7 +0x1d", 2),
        ("/srv/a.go:7 +0x1d\nfp=0x1 sp=0x2", "/srv/a.go:7 +0x1d", 2),
        ("/srv/a.go:1\n23 +0x1d", "/srv/a.go:123 +0x1d", 2),
        ("/srv/lo\nng/a.go:7 +0x1d", "/srv/long/a.go:7 +0x1d", 2),
        ("/srv/lo\nng/a.go:7\n+0x1d", "/srv/long/a.go:7 +0x1d", 3),
        ("/srv/a.go:\n7 +0x1d", "/srv/a.go:7 +0x1d", 2),
        ("created by\na.F", "created by a.F", 2),
        ("words of somebody", "words of somebody", 1),
        ("", "", 1),
        (f"a.{LONG}\nyz(0x1)", f"a.{LONG}yz(0x1)", 2),
        ("a.b\nyz(0x1)", "a.b", 1),
        (f"a.{LONG}\nb.G(0x1)", f"a.{LONG}", 1),
        (f"a.{LONG}\n.G(0x1)", f"a.{LONG}.G(0x1)", 2),
    ],
)
def test_a_whole_line(text, line, after):
    """Parts are put together where they make a line of a stack, and only there."""
    assert (line, after) == whole(View(Document(text)), 0)


@pytest.mark.parametrize(
    ("text", "line", "after"),
    [
        ("p: a.F(0x1,\n0x2)", "a.F(0x1, 0x2)", 2),
        ("p:\n/srv/a.go:7 +0x1d", "/srv/a.go:7 +0x1d", 2),
        ("p:\na.F(0x1,\n0x2)", "a.F(0x1, 0x2)", 3),
        ("p:\np: a.F(0x1)", "", 1),
        ("p:", "", 1),
        ("q: a.F(0x1)", None, 1),
    ],
)
def test_a_whole_line_behind_a_prefix(text, line, after):
    """What was broken off stands below without the prefix."""
    assert (line, after) == whole(View(Document(text), literal("p: ")), 0)


@pytest.mark.parametrize(
    ("lines", "glue"),
    [
        ([LONG, "next word"], " "),
        (["x" * 80, "next"], ""),
        ([LONG, "y" * 64], ""),
        ([f"{LONG[:-1]} ", "next"], " "),
        ([LONG, " indented"], None),
        ([LONG, ""], None),
        (["short", "next"], None),
        ([LONG[:-8], "no", LONG], None),
        (["x" * 140, "next"], None),
    ],
)
def test_what_stood_at_a_margin(lines, glue):
    """A blank where the next word found no room, nothing at a terminal's edge."""
    assert glue == margin_glue(View(Document("\n".join(lines))), 0, lines[1])


def test_behind_a_prefix_nothing_is_glued():
    """There, what was broken off lacks the prefix."""
    view = View(Document(f"p: {LONG}\np: next"), literal("p: "))
    assert margin_glue(view, 0, "next") is None
