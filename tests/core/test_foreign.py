from collections.abc import Mapping

import pytest

from tests.core.tables import Sketch, sketch
from triage.core.foreign import Step, Trail, Want, wants
from triage.core.picks import Near, Part

BANK = "<example.com/app/bank>"


def wanted(source: str, *chain: str) -> list[tuple[str, Near, str]]:
    """Return the names that a crash wants, how near and why; *chain* hangs on it."""
    shop = sketch(f"package shop\n{source}")
    found = wants(shop.site(), tuple(shop.rows.number(name) for name in chain))
    return [(want.name, want.near, want.reason) for want in found]


def test_wants_of_a_crash():
    """What the line hangs on comes first, then its line, then the rest, with why."""
    source = f"""
type User struct {{
	Account *bank.Account //: field *{BANK}.Account
	Spare *bank.Spare //: field *{BANK}.Spare
}}

func (u *User) Run(o bank.Order) bank.Receipt {{
	//: param 0 {BANK}.Order; result 0 {BANK}.Receipt
	bank.Log() //: use {BANK}.Log call
	u.Account.Pay(o) //: mark crash; use {BANK}.Account.Pay call; access User.Account read
	//: use {BANK}.Log.x read
}}

var chain = 1 //: use {BANK}.Chain read
"""
    name = "(*User).Run"
    assert wanted(source, f"{BANK}.Chain") == [
        ("Chain", Near.CHAIN_TYPE, f"line 10 of {name} hangs on it"),
        ("Account", Near.LINE, f"used on line 10 of {name}"),
        ("Log", Near.LINE, f"used on line 10 of {name}"),
        ("Log", Near.PACKAGE, f"used on line 9 of {name}"),
        ("Order", Near.PACKAGE, f"in the signature of {name}"),
        ("Receipt", Near.PACKAGE, f"in the signature of {name}"),
        ("Account", Near.PACKAGE, f"type of User.Account, which {name} uses"),
    ]


def test_same_want_is_nearest():
    """One name with one way on is wanted once, for the nearest reason."""
    source = f"""
func Run() {{
	bank.Log() //: use {BANK}.Log call
	bank.Log() //: mark crash; use {BANK}.Log call
}}
"""
    assert wanted(source) == [("Log", Near.LINE, "used on line 5 of Run")]


def test_own_names_are_not_wanted():
    """What the crash package declares itself is the rules' business."""
    source = """
type User struct{}

func Run(u User) {
	//: param 0 User; mark crash; use User type
	_ = Run
}
"""
    assert wanted(source, "User", "-") == []


def test_want_carries_the_way_on():
    """A want says import path, name and the steps from it."""
    shop = sketch(f"""
package shop

func Run() {{
	bank.Open().Root.Close() //: mark crash; use {BANK}.Open()1.Root.Close call
}}
""")
    [want] = wants(shop.site(), ())
    assert (want.import_path, want.name) == ("example.com/app/bank", "Open")
    assert want.steps == (("", 2), ("Root", 0), ("Close", 0))


PACKAGE = """
package bank

type Account struct {
	Owner *Owner //: field *Owner
	Limit <-chan Money //: field []Money
	Prefs *prefs.Prefs //: field *<example.com/app/prefs>.Prefs
	Name string
	*Base //: field *Base
	Cache map[Key]*Owner //: field []Key; field []Owner
	Pair Both[Owner] //: field Both; field [Owner
}

type Base struct {
	Inner Deep //: field Deep
}

func (b *Base) Touch() *Deep { return nil } //: result 0 *Deep

type Deep struct{}

type Owner struct{}

type Money int

type Key string

type Both struct{}

type Finder interface {
	Find() *Owner //: field func Owner
}

func (a *Account) Pay() (Money, error) { return 0, nil } //: result 0 Money

func Open() (*Account, error) { return nil, nil } //: result 0 *Account

func (o *Owner) Account() *Account { return nil } //: result 0 *Account

func Many() []Account { return nil } //: result 0 []Account

func Plain() int { return 1 }

func Far() *prefs.Prefs { return nil } //: result 0 *<example.com/app/prefs>.Prefs

var Default = Open2() //: value *Account

var Lazy = prefs.Load() //: value <example.com/app/prefs>.Load()0

var Loose = 1

const Max = 3
"""
BANK_VIEW = sketch(
    {
        "bank.go": PACKAGE,
        "bank_test.go": """
package bank

func newTestAccount() *Account { return nil } //: result 0 *Account

func TestOnly() {}
""",
    },
    directory="bank",
)


def followed(
    name: str, *steps: Step, shop: Sketch = BANK_VIEW
) -> tuple[Mapping[str, str], list[Want]]:
    """Follow a want; return why each declaration was picked, and what is wanted next."""
    want = Want("example.com/app/bank", name, steps, "why", Near.LINE)
    trail = Trail(shop.view, want)
    return {pick.decl.name: pick.reason for pick in trail.picks}, trail.onward


def test_name_of_nothing():
    """A name that the package does not declare leads nowhere."""
    assert followed("Unknown") == ({}, [])


def test_name_in_a_test():
    """What a test declares is not what other packages name."""
    assert followed("TestOnly") == ({}, [])


def test_type_brings_its_constructors():
    """A type comes with the functions that return it, methods and tests left out."""
    picks, onward = followed("Account")
    assert picks == {"Account": "why", "Open": "constructor of Account"}
    assert onward == []


def test_picks_say_how_near():
    """The named is as near as its want, a constructor is further off."""
    want = Want("example.com/app/bank", "Account", (), "why", Near.CHAIN_TYPE)
    named, maker = Trail(BANK_VIEW.view, want).picks
    assert (named.near, named.part, named.section) == (
        Near.CHAIN_TYPE,
        Part.HELPER,
        "packages",
    )
    assert (maker.near, maker.part, maker.section) == (
        Near.FIELD_CONSTRUCTOR,
        Part.CONSTRUCTOR,
        "packages",
    )


@pytest.mark.parametrize(
    ("name", "steps", "want"),
    [
        (
            "Account",
            [("Pay", 0)],
            {"Pay": "called on Account by the crash function"},
        ),
        (
            "Account",
            [("Pay", 0), ("", 1)],
            {
                "Pay": "called on Account by the crash function",
                "Money": "what (*Account).Pay returns",
            },
        ),
        ("Account", [("Owner", 0)], {"Owner": "type of Account.Owner"}),
        ("Account", [("Limit", 0), ("", -1)], {"Money": "type of Account.Limit"}),
        ("Account", [("Cache", 0), ("", -1)], {"Owner": "type of Account.Cache"}),
        ("Account", [("Pair", 0)], {"Both": "type of Account.Pair"}),
        ("Account", [("Name", 0)], {}),
        ("Account", [("Nothing", 0), ("More", 0)], {}),
        ("Account", [("Name", 0), ("More", 0)], {}),
        (
            "Account",
            [("Inner", 0)],
            {
                "Base": "embedded in Account, holds Inner",
                "Deep": "type of Base.Inner",
            },
        ),
        (
            "Account",
            [("Touch", 0), ("", 1)],
            {
                "Touch": "called on Account by the crash function",
                "Deep": "what (*Base).Touch returns",
            },
        ),
        ("Account", [("", 1), ("Owner", 0)], {"Owner": "type of Account.Owner"}),
        ("Account", [("", -1), ("Owner", 0)], {"Owner": "type of Account.Owner"}),
    ],
)
def test_steps_from_a_type(name, steps, want):
    """From a type the way goes to methods, results, fields and what these hold."""
    base = {"Account": "why", "Open": "constructor of Account"}
    assert followed(name, *steps)[0] == base | want


@pytest.mark.parametrize(
    ("name", "steps", "want"),
    [
        ("Open", [("", 1), ("Pay", 0)], {"Account", "Pay"}),
        ("Open", [("", 1), ("Owner", 0)], {"Account", "Owner"}),
        ("Open", [("", 2), ("Error", 0)], set()),
        ("Open", [("Pay", 0)], set()),
        ("Many", [("", 1), ("", -1), ("Pay", 0)], {"Account", "Open", "Pay"}),
        ("Plain", [("", 1), ("More", 0)], set()),
        ("Default", [("Pay", 0)], {"Account", "Open", "Pay"}),
        ("Loose", [("More", 0)], set()),
        ("Max", [("More", 0)], set()),
        ("Finder", [("Find", 0), ("", 1)], {"Owner"}),
    ],
)
def test_steps_from_functions_and_values(name, steps, want):
    """A call leads to its result, a variable to its type, all else nowhere."""
    made = {"Open"} if "Account" in want else set()
    assert set(followed(name, *steps)[0]) == {name} | want | made


def onward(import_path: str, name: str, steps: list[Step], why: str) -> list[Want]:
    """Make the wants of one that leads into another package."""
    return [Want(import_path, name, tuple(steps), why, Near.LINE)]


@pytest.mark.parametrize(
    ("name", "steps", "want"),
    [
        (
            "Account",
            [("Prefs", 0), ("Nick", 0)],
            ("Prefs", [("Nick", 0)], "type of Account.Prefs"),
        ),
        ("Far", [("", 1), ("Nick", 0)], ("Prefs", [("Nick", 0)], "what Far returns")),
        (
            "Lazy",
            [("Nick", 0), ("Len", 0)],
            ("Load", [("", 1), ("Nick", 0), ("Len", 0)], "type of Lazy"),
        ),
    ],
)
def test_way_into_a_third_package(name, steps, want):
    """Where a type is another package's, the rest of the way is wanted there."""
    assert followed(name, *steps)[1] == onward("example.com/app/prefs", *want)


def test_type_of_a_type_parameter():
    """Where only a type argument is known, nothing is known."""
    shop = sketch("""
package bank

type Box struct {
	value T //: field [Owner
}

type Owner struct{}
""")
    assert set(followed("Box", ("value", 0), shop=shop)[0]) == {"Box"}
