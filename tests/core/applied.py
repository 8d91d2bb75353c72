"""Apply the rules of the slice to one sketched package, as `PackageRules` does."""

from tests.core.tables import Sketch, sketch
from triage.core.picks import Near, Pick, Picks
from triage.core.rules import PackageRules

TYPES = """
type User struct {
	Account *Account //: field *Account
	Tools []Tool //: field []Tool
	Hook func(Event) //: field func Event
	Other bank.Other //: field <example.com/app/bank>.Other
}

type Account struct {
	Bank Bank //: field Bank
}

type Bank struct {
	City City //: field City
}

type City struct {
	Land Land //: field Land
}

type Land struct{}

type Tool struct{}

type Event struct{}

type Order []Item //: under []Item

type Item struct{}

type Receipt[T Priced] struct{} //: constraint 0 Priced

type Priced interface {
	Price() Money //: field func Money
	Named //: field Named
}

type Named interface{}

type Money int

type Unused struct{}

type Local struct{}

func (u *User) Run(o Order) Receipt {
	//: param 0 Order; result 0 Receipt
	var l Local //: use Local type
	crash() //: mark crash; use Unrelated type
}

type Unrelated struct{}
"""


def shop(source: str, **files: str) -> Sketch:
    """Make package shop of one file and tests."""
    named = {f"{name}.go": f"package shop\n{text}" for name, text in files.items()}
    return sketch({"shop.go": f"package shop\n{source}", **named})


def rules(shop: Sketch, kind: str | None = None, *, depth: int = 2) -> dict[str, Pick]:
    """Apply the rules to the marked crash; return the picks by name."""
    picks = Picks()
    PackageRules(shop.site(kind, depth=depth), picks).apply()
    return by_name(picks)


def by_name(picks: Picks) -> dict[str, Pick]:
    """Return picks by `T`, `T.M` or `F`."""
    return {
        f"{pick.decl.receiver}.{pick.decl.name}".lstrip("."): pick for pick in picks
    }


def told(
    source: str, kind: str | None = None, *, depth: int = 2, **files: str
) -> dict[str, tuple[Near, str]]:
    """Return how near each pick is and why, by name."""
    picks = rules(shop(source, **files), kind, depth=depth)
    return {name: (pick.near, pick.reason) for name, pick in picks.items()}
