import pytest

from tests.core.applied import by_name, rules, shop, told
from triage.core.picks import Near, Picks
from triage.core.rules import PackageRules

INTERFACES = """
type Notifier interface {
	Notify()
}

type Slack struct{} //: implements Notifier

func (s Slack) Notify() {}

func (s Slack) Other() {}

type Mail struct {
	Slack //: field Slack
} //: implements Notifier

type Deaf struct{} //: implements Closer

func (d Deaf) Notify() {}

type Closer interface {
	Close()
}

type Door struct{}

func (d Door) Close() {}

func Run(n Notifier) {
	n.Notify() //: mark crash; FACT
	n.Notify() //: use Notifier .Notify call
}
"""


def test_implementers_of_the_called_method():
    """Who stands behind an interface on the crash line is taken, with the method."""
    source = INTERFACES.replace("FACT", "use Notifier .Notify call")
    found = {n: r for n, r in told(source).items() if r[0] == Near.IMPLEMENTER}
    assert found == {
        "Slack": (Near.IMPLEMENTER, "implements Notifier"),
        "Mail": (Near.IMPLEMENTER, "implements Notifier"),
        "Slack.Notify": (
            Near.IMPLEMENTER,
            "Slack.Notify may be what Notifier.Notify calls",
        ),
    }


@pytest.mark.parametrize(
    "fault",
    [
        "fault assertion `n`: param 0:Notifier",
        "fault index `x`: nil at local i:Notifier",
    ],
)
def test_implementers_of_a_value(fault):
    """An interface value at fault leads to the types that may be in it."""
    found = told(INTERFACES.replace("FACT", fault))
    assert {n for n, r in found.items() if r[0] == Near.IMPLEMENTER} == {
        "Slack",
        "Mail",
    }


@pytest.mark.parametrize(
    "fact",
    [
        "use Notifier .Notify value",
        "use Notifier type",
        "fault nil-deref `x`: local x:Slack",
        "fault nil-deref `x`",
    ],
)
def test_no_interface_on_the_line(fact):
    """Without an interface value or a call through one nobody stands behind it."""
    found = told(INTERFACES.replace("FACT", fact))
    assert not {n for n, r in found.items() if r[0] == Near.IMPLEMENTER}


def test_implementers_of_a_foreign_interface():
    """Of another package's interface, types that have all its methods may be in it."""
    picks = Picks()
    site = shop(INTERFACES.replace("FACT", "use Notifier type")).site()
    found = PackageRules(site, picks)
    found.implement("port.Notifier", {"Notify": "Notify()"}, "Notify")
    assert {name: pick.reason for name, pick in by_name(picks).items()} == {
        "Slack": "implements port.Notifier",
        "Slack.Notify": "Slack.Notify may be what port.Notifier.Notify calls",
        "Deaf": "implements port.Notifier",
        "Deaf.Notify": "Deaf.Notify may be what port.Notifier.Notify calls",
    }


def test_callers():
    """Who calls the function or takes it as a value is a caller, with the line."""
    picks = rules(
        shop("""
func one() {
	first()
	Run() //: use Run call
	Run() //: use Run call
}

func two() {
	f := Run //: use Run value
}

func three() {
	_ = Run //: use Run read
}

func Run() {
	crash() //: mark crash
}
""")
    )
    assert {n: (p.reason, p.lines, p.marks, p.section) for n, p in picks.items()} == {
        "one": ("calls Run", (5, 6), (5, 6), "callers"),
        "two": ("calls Run", (10,), (10,), "callers"),
    }


def test_callers_through_an_interface():
    """Who calls the method on an interface that the receiver implements is a caller."""
    found = told("""
type Notifier interface {
	Notify()
	Close()
}

type Closer interface {
	Close()
}

type Slack struct{} //: implements Notifier

type Mail struct{} //: implements Closer

func (s Slack) Notify() {
	crash() //: mark crash
}

func one(n Notifier) {
	n.Notify() //: use Notifier .Notify call
}

func two(n Notifier) {
	n.Close() //: use Notifier .Close call; use Notifier implicit
}
""")
    assert found == {
        "Slack": (Near.RECEIVER, "receiver of Slack.Notify"),
        "one": (Near.CALLER, "calls Notify through Notifier"),
    }


TESTS = """
type User struct{}

func (u *User) Run() {
	crash() //: mark crash
}
"""
IN_TEST = """
func help() *User { return nil } //: result 0 *User

func TestRun() {
	u.Run() //: use User.Run call; use help call; mark test
}

func TestOther() {
	u.Run() //: use User.Run call
}
"""


def test_tests_do_not_explain_a_crash_elsewhere():
    """Outside of tests nothing that a test declares is taken."""
    assert set(told(TESTS, shop_test=IN_TEST)) == {"User"}


def test_tests_explain_a_crash_in_a_test():
    """In a test what it names is taken, but not what tests make of the types."""
    made = shop(TESTS, shop_test=IN_TEST)
    picks = Picks()
    site = made.site(mark="test")
    PackageRules(site, picks).apply()
    assert set(by_name(picks)) == {"User.Run", "help"}


def test_blank_names_explain_nothing():
    """What is called `_` is an assertion to the compiler."""
    found = told("""
type User struct{}

var _ = &User{} //: literal User {}

func (u *User) Run() {
	crash() //: mark crash
}
""")
    assert set(found) == {"User"}


def test_upstream_rules():
    """For a caller's value only where it comes from is asked, all equally far."""
    made = shop("""
type User struct {
	Friend *User //: field *User
}

var spare = 1

func find() *User { return nil } //: result 0 *User

func write(u *User) {
	u.Friend = nil //: access User.Friend assign nil
}

func build() {
	u := &User{} //: literal User {}
}

func caller(u *User) {
	use(u.Friend, find()) //: mark crash; use spare read
	//: fault panic ``: field User.Friend:User; fault panic ``: call find
}
""")
    picks = Picks()
    PackageRules(made.site(), picks).apply_upstream()
    assert {name: (p.near, p.reason) for name, p in by_name(picks).items()} == {
        "find": (Near.UPSTREAM, "its result is what line 20 of caller hangs on"),
        "write": (Near.UPSTREAM, "writes nil to User.Friend"),
        "build": (Near.UPSTREAM, "builds User and leaves out Friend"),
    }


def test_no_declaration_twice():
    """The crash declaration itself is nobody's reason."""
    source = """
type User struct {
	Friend *User //: field *User
}

func (u *User) Run() *User {
	//: result 0 *User; use User.Run call; literal User {}
	u.Friend = u //: mark crash; access User.Friend assign
	//: fault nil-deref `u.Friend`: field User.Friend
}
"""
    assert set(told(source, "nil-deref")) == {"User"}
