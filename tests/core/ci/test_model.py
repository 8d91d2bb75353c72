"""What was found, made one and put in order."""

from dataclasses import replace

from tests.core.answers import RESULT
from tests.core.ci.findings import finding, lost
from triage.core.ci import Place, explained, merged, placed, ranked

CRASH = (
    "panic: runtime error: index out of range [3] with length 3\n\n"
    "goroutine 7 [running]:\nexample.com/shop.f(...)\n\t/app/shop/f.go:8\n"
)


def test_a_crash_is_read():
    """Kind, message and place are there before anything is explained."""
    read = placed(CRASH, package="example.com/shop", test="TestF")
    assert read is not None
    assert (read.kind, read.package, read.test) == (
        "index-range",
        "example.com/shop",
        "TestF",
    )
    assert read.place == Place("/app/shop/f.go", 8, "example.com/shop.f", own=False)
    assert read.headline == "index out of range [3] with length 3"


def test_a_text_without_a_crash():
    """It is no finding."""
    assert placed("all is well\n") is None


def test_a_context_says_where():
    """The place in the repository stands in for what was printed."""
    read = placed(CRASH)
    assert read is not None
    told = explained(read, RESULT)
    assert told.place == Place("a/b.go", 3, "F", own=True)
    assert told.title == "index-range in F"


def test_the_same_crash_is_one():
    """It counts as often as it came, where it came first."""
    other = finding(place=Place("a/b.go", 4, "F", own=True))
    one, two, three = merged([finding(), other, finding(count=2), lost(), lost()])
    assert (one.count, two.count, three.count) == (3, 1, 2)


def test_the_most_valuable_comes_first():
    """What is explained, what crashed by itself, what came often; else as it came."""
    timeout = finding(kind="test-timeout")
    race = finding(kind="data-race")
    often = finding(count=3)
    first, second = finding(message="1"), finding(message="2")
    given = [lost(), timeout, race, first, second, often]
    assert ranked(given) == [often, first, second, race, timeout, lost()]


def test_a_kind_without_words():
    """What the runtime says nothing about is told by its kind."""
    assert finding(message="", kind="nil-panic").headline == "panic(nil)"


def test_a_title_is_one_line():
    """Names out of a log cannot break it."""
    told = finding(place=Place("a", 1, "F\n::x::", own=True))
    assert told.title == "nil-deref in F ::x::"
    assert replace(told, place=None).title == "nil-deref"
