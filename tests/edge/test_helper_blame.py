"""Book-keeping of deaths and strikes, told the time."""

from triage.core.wire import SymbolsRequest
from triage.helper.blame import Blame, Rules


def request(text: bytes) -> SymbolsRequest:
    """Make a request that differs from others by its source."""
    return SymbolsRequest("", "", "linux", "amd64", (), None, (("a.go", text),))


def test_strikes_add_up():
    """Each death gives each suspect a strike, and equal inputs are one."""
    blame = Blame(Rules())

    blame.death(1.0, [request(b"a"), request(b"b")])
    blame.death(2.0, [request(b"a")])

    assert [blame.strikes(3.0, request(text)) for text in (b"a", b"b", b"c")] == [
        2,
        1,
        0,
    ]


def test_acquittal():
    """An answer takes an input's strikes away, and those of no other."""
    blame = Blame(Rules())
    blame.acquit(request(b"a"))
    blame.death(1.0, [request(b"a"), request(b"b")])

    blame.acquit(request(b"a"))

    assert [blame.strikes(1.0, request(text)) for text in (b"a", b"b")] == [0, 1]


def test_conviction():
    """The deaths of a culprit count no more, and it has all its strikes for an hour."""
    blame = Blame(Rules(deaths=2, memory=100.0))
    blame.death(1.0, [request(b"a"), request(b"b")])
    blame.death(2.0, [request(b"a")])
    before = blame.refusal(3.0)

    blame.convict(3.0, request(b"a"))
    blame.convict(50.0, request(b"c"))
    blame.convict(90.0, request(b"a"))

    assert (before, blame.refusal(3.0)) == (58.0, None)
    texts = (b"a", b"b", b"c")
    assert [blame.strikes(99.0, request(text)) for text in texts] == [2, 1, 2]
    assert [blame.strikes(102.0, request(text)) for text in texts] == [0, 0, 2]


def test_conviction_leaves_other_deaths():
    """Deaths that a culprit had no part in still count."""
    blame = Blame(Rules(deaths=3, window=60.0))
    for now, text in ((0.0, b"a"), (1.0, b"b"), (2.0, b"c"), (3.0, b"d")):
        blame.death(now, [request(text)])

    blame.convict(4.0, request(b"d"))
    refusal = blame.refusal(4.0)
    blame.convict(4.0, request(b"c"))

    assert (refusal, blame.refusal(4.0)) == (56.0, None)


def test_strikes_are_forgotten():
    """A strike counts for an hour from the last one."""
    blame = Blame(Rules(memory=100.0))
    blame.death(0.0, [request(b"a"), request(b"b")])
    blame.death(60.0, [request(b"a")])

    assert [blame.strikes(100.0, request(text)) for text in (b"a", b"b")] == [2, 0]
    assert [blame.strikes(160.0, request(text)) for text in (b"a", b"b")] == [0, 0]


def test_memory_is_bounded():
    """Of too many suspects the oldest are forgotten."""
    blame = Blame(Rules(inputs=2))

    blame.death(1.0, [request(b"a"), request(b"b")])
    blame.death(2.0, [request(b"a"), request(b"c")])

    texts = (b"a", b"b", b"c")
    assert [blame.strikes(3.0, request(text)) for text in texts] == [2, 0, 1]


def test_refusal():
    """New calls are refused from the third death within the window to its end."""
    blame = Blame(Rules(deaths=3, window=60.0))
    refusals = []

    for now in (0.0, 30.0, 59.0):
        refusals.append(blame.refusal(now))
        blame.death(now, [])

    assert refusals == [None, None, None]
    assert [blame.refusal(59.0), blame.refusal(60.0)] == [1.0, None]


def test_deaths_far_apart_are_no_reason():
    """Deaths spread over more than the window refuse nothing."""
    blame = Blame(Rules(deaths=3, window=60.0))

    for now in (0.0, 30.0, 60.0):
        blame.death(now, [])

    assert blame.refusal(60.0) is None


def test_equal_inputs_share_a_death():
    """Two equal requests in work when one generation dies have one strike."""
    blame = Blame(Rules())

    blame.death(1.0, [request(b"a"), request(b"a")])

    assert blame.strikes(1.0, request(b"a")) == 1
