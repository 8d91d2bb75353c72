"""Lines that are too long to show."""

import re

from hypothesis import given
from hypothesis import strategies as st

from triage.core.narrow import narrowed, shortened

CUT = re.compile(r" ?/\* \.\.\. (\d+) characters cut \*/ ?")


def test_short_line_stays():
    """What is not too long is not touched, its line end not counted."""
    assert narrowed("\tx()\r\n", 4) == "\tx()\r\n"


def test_cut_line_says_what_it_lost():
    """Around the focus stays what fits, each side saying how much is not there."""
    chain = ".".join(f"f{number:05}" for number in range(50_000))
    line = f"\tx := {chain} + last()\n"
    at = line.index(" + last")
    shown = narrowed(line, 300, at)
    assert len(shown) <= 301
    assert shown.startswith("\t/* ... ")
    assert "f49999 + last()\n" in shown
    hidden = int(CUT.findall(shown)[0])
    assert hidden + len(CUT.sub("", shown)) - len("\t") == len(line)


def test_line_is_cut_behind_the_focus():
    """A focus at the beginning keeps the beginning."""
    shown = narrowed("start(" + "x" * 10_000 + ")\n", 200)
    assert shown.startswith("start(xxx")
    assert shown.endswith(" characters cut */\n")


def test_least_line():
    """With hardly any room there is a mark, and of the line what fits."""
    line = "\t\t" + "abcdefghij" * 10
    assert narrowed(line, 40, 52).startswith("/* ... */")
    assert "fghij" in narrowed(line, 40, 52)
    assert narrowed(line, 3) == "/* ... */"
    assert narrowed("\t" * 90 + "x()", 40) == "x()/* ... */"


@given(st.text("ab. \t", max_size=400), st.integers(9, 300), st.integers(0, 400))
def test_line_keeps_to_its_limit(line, limit, focus):
    """A line is never longer than its limit."""
    assert len(narrowed(line, limit, focus)) <= limit


@given(st.text(), st.integers(0, 20))
def test_shortened(text, limit):
    """A name is never longer than its limit, and whole where it can be."""
    short = shortened(text, limit)
    assert len(short) <= limit
    assert short == text or len(text) > limit
