from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.core.tables import Sketch, sketch
from triage.core import cut, notes
from triage.core.budget import Fitted, fit
from triage.core.forms import MARGIN
from triage.core.picks import SECTION_OF_KIND, Near, Pick
from triage.core.render import Heading, text
from triage.core.worth import Weighed, ranked


def function(name: str, lines: int) -> str:
    """Write a function of so many steps."""
    steps = "".join(f"\tstep{number:03}() // {'.' * 30}\n" for number in range(lines))
    return f"func {name}() {{\n{steps}}}\n\n"


SHOP = sketch(
    "package shop\n\n"
    + function("Run", 60)
    + function("small", 2)
    + function("medium", 10)
    + function("large", 40)
    + "type User struct {\n"
    + "".join(f"\tField{number:02} map[string]string\n" for number in range(40))
    + "}\n\nvar one, two = first(), second() // and nothing else\n\n"
    + "const (\n\tA = iota\n\tB\n)\n"
)
NOTHING: frozenset[int] = frozenset()


def pick(name: str, near: Near = Near.USED, shop: Sketch = SHOP, **more: Any) -> Pick:
    """Pick a declaration of the shop."""
    decl = shop.decl(name)
    section = "related" if near == Near.RELATED else SECTION_OF_KIND[decl.kind]
    return replace(Pick(shop.view, decl, section, near, "why"), **more)


HEADING = Heading("shop/shop.go", "shop", "shop", 23, None)
CRASH = pick("Run", Near.CRASH, section="crash")


def fitted(
    *candidates: tuple[Pick, float],
    max_tokens: int = 10_000,
    related: int = 0,
    warnings: tuple[str, ...] = (),
    fields: frozenset[int] = NOTHING,
) -> Fitted:
    """Fit candidates with their scores beside the crash function."""
    weighed = [Weighed(one, score) for one, score in candidates]
    return fit(
        CRASH,
        SHOP.decl("Run").line + 20,
        weighed,
        fields=fields,
        max_tokens=max_tokens,
        related=related,
        heading=HEADING,
        warnings=warnings,
    )


def names(found: Fitted) -> list[str]:
    """Return the names of what is shown, in the order in which it was chosen."""
    return [shown.pick.decl.name for shown in found.shown]


def size(found: Fitted) -> int:
    """Return the characters of what is shown."""
    return sum(len(shown.piece.text) for shown in found.shown)


def test_everything_fits():
    """Where there is room for all, all is whole and nothing is left out."""
    found = fitted((pick("small"), 1.0), (pick("large"), 1.0), (pick("User"), 1.0))
    assert set(names(found)) == {"Run", "small", "large", "User"}
    assert found.left_out == ()
    assert all(
        shown.piece == cut.whole(SHOP.view, shown.pick.decl) for shown in found.shown
    )


def test_crash_comes_first():
    """The crash function is chosen before everything, whatever others are worth."""
    found = fitted((pick("small", Near.FRAME), 100.0))
    assert names(found) == ["Run", "small"]


@pytest.mark.parametrize("max_tokens", [300, 600, 1000])
def test_crash_keeps_to_its_share(max_tokens):
    """A long crash function is cut to its share of the budget."""
    [crash] = fitted(max_tokens=max_tokens).shown
    assert len(crash.piece.text) <= max_tokens * 3.5 * 0.6
    assert "step020" in crash.piece.text or "step019" in crash.piece.text


def test_crash_is_shown_without_room():
    """However small the budget, the crash function is shown, and nothing else."""
    found = fitted((pick("small"), 1.0), max_tokens=1)
    assert names(found) == ["Run"]
    assert found.left_out == (pick("small"),)


def test_frames_come_before_the_rest():
    """The two frames below the crash come next, in the order of the trace."""
    second = pick("large", Near.FRAME, turn=2)
    first = pick("medium", Near.FRAME, turn=1)
    found = fitted((pick("small"), 9.0), (second, 9.0), (first, 0.0))
    assert names(found) == ["Run", "medium", "large", "small"]


def test_frame_is_cut_to_what_is_left():
    """A frame that does not fit whole is cut around its call."""
    line = SHOP.decl("large").line + 20
    frame = pick("large", Near.FRAME, turn=1, lines=(line,))
    found = fitted((frame, 1.0), max_tokens=700)
    assert names(found) == ["Run", "large"]
    assert found.shown[1].piece.omitted


def test_best_points_for_a_character_first():
    """Among the rest, what is worth most for its length is chosen first."""
    found = fitted((pick("large"), 1.0), (pick("small"), 1.0), (pick("medium"), 20.0))
    assert names(found) == ["Run", "medium", "small", "large"]


def test_whole_while_half_lasts():
    """Out of half of what is left declarations are whole, out of the rest cut."""
    line = SHOP.decl("large").line + 20
    long = pick("large", lines=(line,))
    found = fitted((pick("medium"), 9.0), (long, 1.0), max_tokens=1500)
    medium, large = found.shown[1:]
    assert not medium.piece.omitted
    assert large.piece == cut.region(
        SHOP.view, large.pick.decl, range(line - MARGIN, line + MARGIN + 1)
    )


def test_fields_stay_in_a_cut_struct():
    """Of a struct that is cut the wanted fields stay."""
    field = SHOP.rows.field("User.Field07")
    found = fitted((pick("User"), 1.0), max_tokens=1300, fields=frozenset({field}))
    text = found.shown[1].piece.text
    assert "Field07" in text
    assert "Field08" not in text


def test_left_out():
    """What is linked to the fault and has no room is told, the best first."""
    found = fitted(
        (pick("large"), 1.0),
        (pick("medium"), 30.0),
        (pick("small", Near.RELATED), 90.0),
        max_tokens=420,
    )
    assert names(found) == ["Run"]
    assert [one.decl.name for one in found.left_out] == ["medium", "large"]


def test_related_has_a_room_of_its_own():
    """What is only related takes its own room alone, whole or around its lines."""
    small, large = pick("small", Near.RELATED), pick("large", Near.RELATED)
    assert names(fitted((small, 1.0), (large, 1.0), related=0)) == ["Run"]
    assert names(fitted((small, 1.0), (large, 1.0), related=500)) == ["Run", "small"]
    both = fitted((small, 1.0), (large, 1.0), related=1200)
    assert names(both) == ["Run", "small", "large"]
    assert both.shown[2].piece.omitted
    assert both.left_out == ()


def test_room_that_others_take():
    """Room that warnings take is not spent."""
    candidates = [(pick("small"), 1.0), (pick("medium"), 1.0)]
    assert names(fitted(*candidates, max_tokens=700)) == ["Run", "small", "medium"]
    warnings = ("x" * 200, "y" * 200)
    found = fitted(*candidates, max_tokens=700, warnings=warnings)
    assert names(found) == ["Run", "small"]


def test_room_for_what_is_left_out():
    """Where something is cut or left out, there is room left to say so."""
    found = fitted(
        *((pick(name), 1.0) for name in ("small", "medium", "large")), max_tokens=900
    )
    assert size(found) < 900 * 3.5 - 300


@pytest.mark.parametrize(("first", "second"), [("one", "two"), ("A", "B")])
def test_same_text_is_paid_once(first, second):
    """Names of one spec, or of one iota group, stand in the text once."""
    alone = fitted((pick(first), 1.0))
    both = fitted((pick(first), 1.0), (pick(second), 1.0))
    assert both.room == alone.room
    assert names(both) == ["Run", first, second]
    assert both.shown[1].piece == both.shown[2].piece
    assert both.shown[2].pick == pick(second)


def test_same_text_is_not_left_out():
    """What stands in the text by another name is not told to be left out."""
    for max_tokens in range(300, 900, 10):
        found = fitted((pick("one"), 1.0), (pick("two"), 1.0), max_tokens=max_tokens)
        assert len(found.left_out) in {0, 2}


def test_ties_go_by_place():
    """What is worth the same comes in the order of the source."""
    bank = sketch("package bank\n\n" + function("small", 2), directory="bank")
    other = pick("small", shop=bank)
    mine = pick("small")
    found = fitted((mine, 1.0), (other, 1.0))
    assert [shown.pick for shown in found.shown] == [CRASH, other, mine]


@given(
    st.permutations(["small", "medium", "large", "User", "one", "two", "A"]),
    st.integers(0, 3000),
)
def test_order_of_candidates_does_not_matter(order, max_tokens):
    """The same candidates fit in the same way, in whatever order they come."""
    usual = ["small", "medium", "large", "User", "one", "two", "A"]
    want = fitted(*((pick(name), 1.0) for name in usual), max_tokens=max_tokens)
    found = fitted(*((pick(name), 1.0) for name in order), max_tokens=max_tokens)
    assert want == found


@given(st.integers(100, 4000), st.integers(0, 3000), st.integers(0, 9))
def test_budget_is_kept(max_tokens, related, warnings):
    """What is shown, headers and warnings with it, takes no more than the budget."""
    candidates = [(pick(name), 1.0) for name in ("small", "medium", "User", "one", "A")]
    candidates.append((pick("large", Near.RELATED), 1.0))
    told = tuple(f"{'x' * 200}{number}" for number in range(warnings))
    found = fitted(*candidates, max_tokens=max_tokens, related=related, warnings=told)
    symbols = sorted((s.symbol() for s in found.shown), key=lambda s: s.section)
    left = notes.left_out(found.left_out, found.room, found.budget)
    said = [*notes.warned(told, found.budget), *left]
    context = text(HEADING, symbols, said)
    assert len(context) <= max_tokens * 3.5
    loose = [s for s in found.shown if s.pick.near == Near.RELATED]
    assert sum(len(shown.piece.text) for shown in loose) <= related


@given(st.integers(0, 4000))
def test_everything_is_accounted_for(max_tokens):
    """Whatever is linked to the fault is either shown or told to be left out."""
    usual = ["small", "medium", "large", "User", "one", "two", "A"]
    found = fitted(*((pick(name), 1.0) for name in usual), max_tokens=max_tokens)
    left = [one.decl.name for one in found.left_out]
    assert sorted(names(found)[1:] + left) == sorted(usual)


def test_worth_of_a_character():
    """More points for the same length, or the same for less, are worth more."""
    small, large = Weighed(pick("small"), 1.0), Weighed(pick("large"), 1.0)
    assert small.density > large.density
    assert Weighed(pick("large"), 2.0).density == 2 * large.density
    assert Weighed(pick("small"), 0.0).density == 0


def test_size_counts_no_more_when_it_is_cut_anyway():
    """From some length on a declaration is no dearer: it is shown in parts."""
    huge = sketch("package shop\n\n" + function("large", 80) + function("huge", 200))
    one = Weighed(pick("large", shop=huge), 1.0)
    two = Weighed(pick("huge", shop=huge), 1.0)
    assert one.density == two.density


def test_ties_go_by_nearness():
    """Of what is worth the same the nearer comes first, then the order of the source."""
    far, near = pick("one", Near.DEEP_TYPE), pick("two", Near.WRITER)
    also = pick("A", Near.WRITER)
    weighed = [Weighed(one, 0.0) for one in (far, near, also)]
    assert ranked(weighed) == [near, also, far]
