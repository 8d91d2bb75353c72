import pytest

from tests.core.tables import Sketch, sketch
from triage.core.hang import RECEIVER, Call, Hang, hang
from triage.core.site import FaultSite
from triage.core.table import NONE, Fault
from triage.core.upstream import CallSite, Passed, is_helper, trail

SHOP = sketch("""
package shop

type User struct {
	Friend *User
}

func (u *User) Save(a int, to *User) {
	crash()
	//: mark receiver; fault nil-deref `u`: receiver
}

func one(n int, u *User) {
	u.Save(n, u.Friend)
	//: mark one; argument User.Save -1: param 1; argument User.Save 0: param 0
	//: argument User.Save 1: field User.Friend <- param 1
	other(nil) //: argument other 0: nil
}

func two(u *User) {
	one(1, u) //: mark two; argument one 1: local x <- param 0
}

func three(u *User) {
	two(u) //: mark three; argument two 0: param 0
}

func four(u *User) {
	three(u) //: mark four; argument three 0: param 0
}

func elsewhere(v *User) {
	v.Save(1, nil); v.Save(2, v)
	//: mark twice; argument User.Save -1: [1] param 0; argument User.Save -1: nil
}

func other(v *User) {}
""")
BY_RECEIVER = Hang(parameters=(RECEIVER,), direct=frozenset({RECEIVER}))


def call(shop: Sketch, function: str, mark: str) -> CallSite:
    """Return the call on a marked line of *function*."""
    return CallSite(shop.view, shop.decl(function), shop.line(mark))


CALLERS = [call(SHOP, name, name) for name in ("one", "two", "three", "four")]


def climbed(start: Hang, *callers: CallSite, callee: str = "User.Save") -> list[Passed]:
    """Follow the value of *start* up through *callers*."""
    return list(trail(start, SHOP.decl(callee), callers))


def test_value_is_followed_up_the_trace():
    """As long as it came in as it is, the next caller is asked what it passed."""
    found = climbed(BY_RECEIVER, *CALLERS)
    assert [passed.site for passed in found] == CALLERS[:3]
    assert [len(passed.arguments) for passed in found] == [1, 1, 1]


def test_only_so_many_callers_are_asked():
    """The fourth caller is not asked, whatever the third passed on."""
    assert len(climbed(BY_RECEIVER, *CALLERS)) == 3


def test_argument_counts_as_faulted():
    """What was passed is looked at as if it had faulted at the call."""
    [passed] = climbed(BY_RECEIVER, CALLERS[0])
    [site] = passed.arguments
    assert (site.kind, site.index, site.text) == (Fault.PANIC, NONE, "")
    assert hang(SHOP.view, [site]).direct == frozenset({1})


def test_trail_ends_where_the_value_is_made():
    """A value that the caller took out of a field did not come from further up."""
    second = Hang(parameters=(1,), direct=frozenset({1}))
    [passed] = climbed(second, *CALLERS)
    assert len(hang(SHOP.view, passed.arguments).fields) == 1


def test_all_calls_on_the_line():
    """Where the line calls twice, both values are in question."""
    [passed] = climbed(BY_RECEIVER, call(SHOP, "elsewhere", "twice"))
    assert len(passed.arguments) == 2


@pytest.mark.parametrize(
    "start", [Hang(), Hang(parameters=(0,)), Hang(fields=(0,), parameters=(RECEIVER,))]
)
def test_value_that_no_caller_gave(start):
    """A value that did not come in as it is asks nothing of callers."""
    assert climbed(start, *CALLERS) == []


def test_other_function_on_the_line():
    """A call of another function says nothing of the value."""
    assert climbed(BY_RECEIVER, *CALLERS, callee="other") == []


def test_other_line():
    """A call elsewhere in the caller is not the one of the trace."""
    site = CallSite(SHOP.view, SHOP.decl("one"), SHOP.line("one") + 1)
    assert climbed(BY_RECEIVER, site) == []


def test_position_without_argument():
    """A parameter for which a constant was passed has no value to follow."""
    third = Hang(parameters=(2,), direct=frozenset({2}))
    assert climbed(third, *CALLERS) == []


@pytest.mark.parametrize(
    "argument",
    [
        "argument Saver .Save -1: param 0",
        "argument <example.com/app/bank>.Save -1: param 0",
        "argument <example.com/app/bank>.Bank.Save -1: param 0",
        "argument <example.com/app/bank>.Open()0.Save[] -1: param 0",
    ],
)
def test_call_that_is_not_resolved(argument):
    """Through an interface or from another package a call is known by its name."""
    shop = sketch(f"""
package shop

type Saver interface {{
	Save(a int)
}}

func run(s Saver) {{
	s.Save(1) //: mark run; {argument}
}}
""")
    found = trail(BY_RECEIVER, SHOP.decl("User.Save"), [call(shop, "run", "run")])
    assert len(list(found)) == 1


HELPERS = sketch("""
package shop

func must(err error) {
	if err != nil {
		panic(err)
	}
}

var value = must

func long(err error) {
	1
	2
	3
	4
	5
	6
	7
	8
	9
	10
	11
	12
	13
	panic(err)
}

func short(err error) {
	1
	2
	3
	4
	5
	6
	7
	8
	9
	10
	11
	12
	panic(err)
}
""")
PASSED = Hang(parameters=(0,), direct=frozenset({0}))


def helps(name: str, found: Hang, *kinds: Fault) -> bool:
    """Tell whether a function of `HELPERS` counts as an assertion helper."""
    faults = [FaultSite(kind, 0, NONE, "x") for kind in kinds]
    return is_helper(HELPERS.decl(name), faults, found)


@pytest.mark.parametrize("kind", [Fault.PANIC, Fault.CLOSE, Fault.SEND])
def test_helper(kind):
    """A short function that panics, closes or sends what it was given is a helper."""
    assert helps("must", PASSED, kind)


@pytest.mark.parametrize(("name", "want"), [("short", True), ("long", False)])
def test_helper_is_short(name, want):
    """A function of more than fifteen lines has a life of its own."""
    assert want == helps(name, PASSED, Fault.PANIC)


@pytest.mark.parametrize(
    ("name", "found", "kinds"),
    [
        ("value", PASSED, [Fault.PANIC]),
        ("must", PASSED, []),
        ("must", PASSED, [Fault.NIL_DEREF]),
        ("must", PASSED, [Fault.PANIC, Fault.INDEX]),
        ("must", Hang(), [Fault.PANIC]),
        ("must", Hang(calls=(Call(0, ""),)), [Fault.PANIC]),
        ("must", Hang(parameters=(0,), fields=(1,)), [Fault.PANIC]),
        ("must", Hang(parameters=(0,), variables=(1,)), [Fault.PANIC]),
    ],
)
def test_no_helper(name, found, kinds):
    """What faults by itself, or by a field or variable, is no helper."""
    assert not helps(name, found, *kinds)
