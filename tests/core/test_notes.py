"""Lines at the end of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.tables import sketch
from triage.core import notes
from triage.core.picks import Near, Pick

texts = st.lists(st.text(max_size=500), max_size=20)


def test_few_warnings_are_told_as_they_are():
    """What there is room for is told in full, each warning once."""
    assert notes.warned(["one", "two", "one"], 10_500) == ["Note: one", "Note: two"]


def test_many_warnings_are_counted():
    """Of many warnings the first are told, the others counted."""
    told = notes.warned([f"warning {number}" for number in range(1500)], 10_500)
    assert told[0] == "Note: warning 0"
    assert told[-1] == "Note: and 1492 more warnings"
    assert len(told) == 9


def test_long_warning_is_cut():
    """A warning as long as a file is cut where its share ends."""
    [short] = notes.warned(["x" * 100_000], 10_500)
    assert len(short) == len("Note: ") + 300
    [shorter] = notes.warned(["x" * 100_000], 1000)
    assert shorter.endswith("xxx...")
    assert notes.size([shorter]) == 1000 // 7


@pytest.mark.parametrize(("count", "want"), [(1, "1 warning"), (9, "9 warnings")])
def test_warnings_without_room(count, want):
    """Where nothing fits they are counted."""
    told = [f"{'x' * 90}{number}" for number in range(count)]
    assert notes.warned(told, 350) == [f"Note: {want}"]


@given(texts, st.integers(350, 20_000))
def test_warnings_keep_to_their_share(warnings, budget):
    """Warnings take no more than their share, each is told or counted."""
    told = notes.warned(warnings, budget)
    assert notes.size(told) <= max(budget // 7, len("// Note: 20 warnings\n"))
    assert bool(told) == bool(warnings)


def test_bounded():
    """Warnings for programs are bounded in length, and none comes twice."""
    assert notes.bounded(["a", "x" * 301, "a"]) == ("a", "x" * 297 + "...")


def test_few():
    """A list for people ends with how many more there are."""
    assert notes.few(["a"] * 8) == ["a"] * 8
    assert notes.few(["a"] * 9) == [*["a"] * 8, "and 1 more warning"]


def test_name_as_long_as_a_file():
    """A name without end is cut where what was left out is told."""
    shop = sketch(f"package shop\n\nfunc {'f' * 1_000_000}() {{}}\n")
    pick = Pick(shop.view, shop.decl("f" * 1_000_000), "functions", Near.USED, "why")
    [line] = notes.left_out([pick], 320, 10_500)
    assert line == f"Left out for want of room: {'f' * 97}... (shop.go)"


def test_short_budget():
    """Where every character counts, the note is shorter too."""
    assert notes.counted_out(3, 350) == ["Left out: 3 declarations"]
    assert notes.counted_out(0, 350) == []
