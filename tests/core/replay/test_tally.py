"""What a replay has come to."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.answers import RESULT
from triage.core.model import ShownPanic, Stats
from triage.core.replay import Line, explained, failed
from triage.core.replay.charts import HEIGHT, WIDTH, charts
from triage.core.replay.summary import summary
from triage.core.replay.tally import Durations, Names, Tally

DAY = 86_400.0


def good(id_: str = "a", ms: float = 2.0, **more) -> Line:
    """Make the line of an item that has its context."""
    return explained(id_, replace(RESULT, **more), ms).line


def bad(id_: str = "b", code: str = "no-panic", ms: float = 1.0) -> Line:
    """Make the line of an item that has none."""
    return failed(id_, code, "x", ms).line


def tally(*lines: Line, at: float | None = None, most: int = 10_000) -> Tally:
    """Count lines."""
    counted = Tally(most=most)
    for line in lines:
        counted.add(line, at)
    return counted


def test_what_is_counted():
    """Errors by code, contexts by kind, site and tier, tokens in all."""
    stats = Stats(1, 2, 3, package_tokens=100, context_tokens=10, token_reduction=0.9)
    panic = ShownPanic("nil-deref", "boom", ())
    counted = tally(good(stats=stats, panic=panic), good(stats=stats), bad(), bad())
    assert (counted.explained, counted.failed) == (2, 2)
    assert counted.codes.top() == [("no-panic", 2)]
    assert counted.kinds.top() == [("nil-deref", 1), ("no trace", 1)]
    assert counted.tiers.top() == [("github", 2)]
    assert counted.sites.top() == [("a/b.go:3 F", 2)]
    assert (counted.package_tokens, counted.context_tokens) == (200, 20)
    assert counted.reduction == pytest.approx(0.9)
    assert counted.reductions[18] == 2


def test_incidents():
    """One fingerprint is one incident, from its first to its last moment."""
    counted = tally(good("c"), good("b"), at=3 * DAY)
    counted.add(good("d"), 9 * DAY)
    counted.add(good("e"), DAY)
    counted.add(good("f"))
    (one,) = counted.top_incidents(10)
    assert (one.count, one.first, one.last) == (5, DAY, 9 * DAY)
    assert one.item == "b"
    assert counted.days == {1: 1, 3: 2, 9: 1}


def test_one_item_speaks_for_an_incident():
    """Its message goes with its context, whichever came first; long ones are cut."""
    lines = [
        good(id_, panic=ShownPanic("custom-panic", message, ()))
        for id_, message in (("b", "B" * 5_000), ("a", "A"), ("c", "C"))
    ]
    for order in (lines, lines[::-1]):
        (one,) = tally(*order).top_incidents(1)
        assert (one.item, one.message) == ("a", "A")
    (one,) = tally(lines[0]).top_incidents(1)
    assert len(one.message) == 1_000


def test_days_without_room():
    """They are counted as such."""
    counted = tally(most=3)
    for day in (1, 2, 3, 4, 4, 1):
        counted.add(good(), day * DAY)
    assert (counted.days, counted.days_unseen) == ({1: 2, 2: 1, 3: 1}, 2)


def test_frequent_incidents_come_first():
    """Those that are equal come by fingerprint, so that a page is the same again."""
    lines = [good(fingerprint=mark) for mark in "cabab"]
    marks = [one.fingerprint for one in tally(*lines).top_incidents(2)]
    assert marks == ["a", "b"]


def test_bounds():
    """What there is no room for is counted as such."""
    counted = tally(*(good(fingerprint=f"{n:02}") for n in range(20)), most=10)
    assert len(counted.incidents) == 10
    assert counted.unseen == 10


@given(st.lists(st.sampled_from("abcdefgh")))
def test_names_within_their_bound_are_exact(names):
    """As long as there is room every name is counted."""
    counted = Names(8)
    for name in names:
        counted.add(name)
    assert dict(counted.top()) == {name: names.count(name) for name in names}
    assert counted.dropped == 0


@given(st.lists(st.text(max_size=2), max_size=300))
def test_names_never_go_over_their_bound(names):
    """And none that was counted is lost without being told."""
    counted = Names(8)
    for name in names:
        counted.add(name)
        assert len(counted) <= 8
    assert sum(count for _, count in counted.top()) + counted.dropped == len(names)


@given(
    st.permutations([good("a"), good("b", 50.0), bad("c"), bad("d", "timeout", 9.0)])
)
def test_any_order_comes_to_the_same(lines):
    """Workers end as they like."""
    one, other = tally(*lines), tally(*sorted(lines, key=lambda line: line.id))
    assert summary(one, 1.0, fresh=4) == summary(other, 1.0, fresh=4)
    assert charts(one) == charts(other)
    assert one.top_incidents(5) == other.top_incidents(5)


@given(st.lists(st.floats(0.01, 1e6), min_size=1))
def test_percentiles_are_near(values):
    """They are within the 12 % of a step, and grow with the share."""
    counted = Durations()
    for value in values:
        counted.add(value)
    found = [counted.percentile(share) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert found == sorted(found)
    assert found[0] == pytest.approx(min(values), rel=0.07)
    assert found[-1] == pytest.approx(max(values), rel=0.07)


def test_no_durations():
    """Of nothing there is no percentile."""
    assert Durations().percentile(0.5) == 0.0
    assert Durations().decades() == []


def test_the_summary():
    """It tells all in a few lines, and nothing that a terminal would obey."""
    nasty = replace(RESULT.crash, path="a\x1b[2J.go")
    said = summary(tally(good(crash=nasty), bad()), 2.0, fresh=2)
    assert said == (
        "2 crashes: 1 explained, 1 not; 2 in this run in 2.0 s (1/s)\n"
        "  not explained: no-panic 1\n"
        "  kinds: no trace 1\n"
        "  served from: github 1\n"
        "  tokens: 4 in the packages, 5 in the contexts (25.0 % more)\n"
        "  incidents: 1; most frequent crash sites:\n"
        "    1 x a [2J.go:3 F\n"
    )


def test_a_summary_of_what_was_there_before():
    """Nothing new has no rate."""
    assert summary(tally(bad()), 2.0, fresh=0).startswith(
        "1 crash: 0 explained, 1 not; 0 in this run\n"
    )


def test_pictures_stay_in_their_field():
    """Every bar lies inside, the highest reaches the top."""
    lines = [good("a", 10.0**n) for n in range(-4, 5)]
    counted = tally(*lines, bad(), at=DAY)
    counted.add(good(), 500 * DAY)
    drawn = charts(counted)
    assert [chart.title for chart in drawn] == [
        "Tokens saved, by crash",
        "Time an answer took",
        "Served from",
        "Crashes over time",
    ]
    for chart in drawn:
        assert min(bar.y for bar in chart.bars) == 0
        for bar in chart.bars:
            assert 0 <= bar.x <= bar.x + bar.width <= WIDTH
            assert bar.y + bar.height == pytest.approx(HEIGHT)


def test_days_are_drawn_in_order():
    """Long times are drawn in steps, from the first day on."""
    counted = tally(good(), at=0.0)
    counted.add(good(), 119 * DAY)
    chart = charts(counted)[-1]
    assert (chart.first, chart.last, len(chart.bars)) == (
        "1970-01-01",
        "1970-04-29",
        60,
    )


def test_nothing_to_draw():
    """A replay without a line has no pictures."""
    assert charts(Tally()) == ()
