from typing import Any

import pytest
from msgspec.structs import replace

from tests.core.tables import sketch
from triage.core.picks import SECTION_OF_KIND, Near, Part, Pick, Picks
from triage.core.table import Kind

SHOP = sketch("""
package shop

type User struct{}

func a() {}

func b() {}
""")
BANK = sketch("package bank\n\nfunc z() {}\n", directory="bank")


def pick(name: str, near: Near, **more: Any) -> Pick:
    """Choose a declaration of the shop."""
    base = Pick(SHOP.view, SHOP.decl(name), "functions", near, f"{near.name} of {name}")
    return replace(base, **more)


def collected(*picks: Pick) -> list[Pick]:
    """Return what is left of *picks*, in order of the first of each."""
    found = Picks()
    for one in picks:
        found.add(one)
    return list(found)


def test_same_number_in_another_package():
    """Declarations are told apart by directory and number."""
    bank = Pick(BANK.view, BANK.decl("z"), "packages", Near.USED, "used")
    user = pick("User", Near.USED)
    assert (bank.decl.id, user.decl.id) == (0, 0)
    assert (bank.key, user.key) == (("bank", 0), ("shop", 0))
    assert collected(user, bank) == [user, bank]


def test_nearest_reason_wins():
    """Of two reasons for one declaration the nearer stands, whichever came first."""
    near = pick("a", Near.CALLER, section="callers", lines=(3,), marks=(3,), turn=1)
    far = pick("a", Near.DEEP_TYPE, depth=2, part=Part.WRITER, lines=(4, 3), marks=(4,))
    want = [
        replace(near, depth=0, part=Part.WRITER, lines=(3, 4), marks=(3, 4), turn=1)
    ]
    assert want == collected(near, far)
    assert want == collected(far, near)


def test_equally_near_keeps_the_first():
    """Where both are as near, the reason that was there stays."""
    first = pick("a", Near.USED, reason="first", lines=(1,))
    second = pick("a", Near.USED, reason="second", lines=(2,))
    assert collected(first, second) == [replace(first, lines=(1, 2))]


def test_every_kind_has_a_section():
    """Wherever a declaration is picked without a word, its kind places it."""
    assert set(SECTION_OF_KIND) == set(Kind)


@pytest.mark.parametrize("before", [(), ("b",), ("a", "b")])
def test_many_at_once(before):
    """Taking picks together is adding them one after the other."""
    old = [pick(name, Near.CALLER, lines=(9,)) for name in before]
    many = [pick("a", Near.USED, lines=(1,)), pick("User", Near.USED)]
    found = Picks()
    found.take(old)
    found.take(many)
    assert list(found) == collected(*old, *many)
