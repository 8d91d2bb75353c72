import pytest

from tests.core.tables import Sketch, sketch
from triage.core.picks import Near, Part, Pick, Picks
from triage.core.rules import CONCURRENT, WAITING, CrashSite, PackageRules
from triage.core.site import fault_sites


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
        f"{pick.decl.receiver}.{pick.decl.name}".lstrip("."): pick
        for pick in picks.ranked()
    }


def told(
    source: str, kind: str | None = None, *, depth: int = 2, **files: str
) -> dict[str, tuple[Near, str]]:
    """Return how near each pick is and why, by name."""
    picks = rules(shop(source, **files), kind, depth=depth)
    return {name: (pick.near, pick.reason) for name, pick in picks.items()}


def test_what_the_crash_uses():
    """Functions, variables and constants are taken where they are named, and how."""
    found = told("""
const limit = 1

var rate, other = 2, 3

func a() {}

func b() {}

func c() {}

func d() {}

func unused() {}

func Run() {
	a() //: use a call
	defer b() //: use b call defer
	go c() //: use c call go
	x := d //: use d value
	Run() //: use Run call
	_ = rate + limit //: mark crash; use rate read; use limit read; use a call
}
""")
    assert found == {
        "a": (Near.LINE, "called on line 23 of Run"),
        "b": (Near.CALLEE, "deferred on line 19 of Run"),
        "c": (Near.CALLEE, "started on line 20 of Run"),
        "d": (Near.CALLEE, "used as a value on line 21 of Run"),
        "rate": (Near.LINE, "used on line 23 of Run"),
        "limit": (Near.LINE, "used on line 23 of Run"),
    }


def test_values_away_from_the_line():
    """A variable of another line is used, but not as near."""
    found = told("""
var rate = 1

func Run() {
	_ = rate //: use rate read
	crash() //: mark crash
}
""")
    assert found == {"rate": (Near.USED, "used on line 6 of Run")}


def test_variables_that_helpers_read():
    """What a called function reads or writes is taken, what it calls is not."""
    found = told("""
var read, written, typed = 1, 2, 3

func deep() {}

func help() {
	deep(read)
	//: use read read; use written write; use deep call; use typed type
}

func Run() {
	help() //: mark crash; use help call
}
""")
    assert found == {
        "help": (Near.LINE, "called on line 12 of Run"),
        "read": (Near.CALLEE_VALUE, "read by help, which Run calls"),
        "written": (Near.CALLEE_VALUE, "read by help, which Run calls"),
    }


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


def test_types_in_use():
    """The receiver, the types of the signature and those named are taken."""
    found = told(TYPES, depth=0)
    assert found == {
        "User": (Near.RECEIVER, "receiver of (*User).Run"),
        "Order": (Near.USED, "type of a parameter of (*User).Run"),
        "Receipt": (Near.USED, "type of a result of (*User).Run"),
        "Local": (Near.USED, "used on line 48 of (*User).Run"),
        "Unrelated": (Near.LINE, "used on line 49 of (*User).Run"),
    }


def test_receiver_that_is_an_alias():
    """A method that is declared on an alias shows the alias as well as the type."""
    found = told("""
type User struct{}

type Customer = User //: under User

func (c Customer) Run() {
	crash() //: mark crash; use User implicit
}
""")
    assert found["Customer"] == (Near.RECEIVER, "receiver of Customer.Run")


def test_types_behind_fields():
    """Fields, elements, function types and constraints lead on, methods do not."""
    found = told(TYPES, depth=1)
    behind = {name: why for name, (near, why) in found.items() if near == 30}
    assert behind == {
        "Account": "type of field User.Account",
        "Tool": "type of field User.Tools",
        "Event": "type of field User.Hook",
        "Item": "Order is made of it",
        "Priced": "constraint of Receipt",
    }


def test_types_to_the_depth_that_is_asked():
    """What lies deeper is further off, and deeper still is left out."""
    found = rules(shop(TYPES), depth=2)
    assert (found["Bank"].near, found["Bank"].depth) == (Near.DEEP_TYPE, 2)
    assert (found["Named"].near, found["Named"].reason) == (
        Near.DEEP_TYPE,
        "type of field Priced.Named",
    )
    assert "City" not in found
    assert "City" in rules(shop(TYPES), depth=3)


@pytest.mark.parametrize("depth", range(4))
def test_depth_only_adds(depth):
    """What is found at one depth is found, as near, at the next."""
    less, more = told(TYPES, depth=depth), told(TYPES, depth=depth + 1)
    assert less.items() <= more.items()


def test_circles_of_types_end():
    """Types that hold each other are taken once each."""
    found = told("""
type Node struct {
	Next *Node //: field *Node
	List *List //: field *List
}

type List struct {
	Head *Node //: field *Node
}

func (n *Node) Run() {
	crash() //: mark crash
}
""")
    assert set(found) == {"Node", "List"}


def test_fields_on_the_chain_at_any_depth():
    """What the crash expression goes through is taken however deep it lies."""
    found = told(
        TYPES.replace(
            "mark crash;",
            "mark crash; fault nil-deref `u.Account.Bank.City.Land`: "
            "field City.Land:Land <- field Bank.City:City <- field Account.Bank:Bank "
            "<- field User.Account:Account <- receiver:User;",
        ),
        "nil-deref",
        depth=0,
    )
    assert {name for name, (near, _) in found.items() if near == Near.CHAIN_TYPE} == {
        "Land",
        "City",
        "Bank",
        "Account",
    }


def test_owner_of_a_field_without_a_type():
    """Where a value's type is not known, the owner of its field still is."""
    found = told("""
type User struct {
	Hook func()
}

func Run(u any) {
	u.Hook() //: mark crash; fault nil-func `u.Hook`: field User.Hook <- param 0
}
""")
    assert found["User"] == (Near.CHAIN_TYPE, "holds Hook, which the line hangs on")


@pytest.mark.parametrize(
    ("fact", "place"),
    [
        ("param 0 Thing", "a parameter"),
        ("result 0 Thing", "a result"),
        ("constraint 0 Thing", "a type parameter"),
    ],
)
def test_place_in_the_signature(fact, place):
    """A type says where in the signature it stands."""
    found = told(f"""
type Thing struct{{}}

func Run() {{
	crash() //: mark crash; {fact}
}}
""")
    assert found == {"Thing": (Near.USED, f"type of {place} of Run")}


def test_line_in_a_type():
    """Where the line is a field's, its type says so, and no fault is looked for."""
    found = told("""
type User struct {
	Friend *Thing //: field *Thing; mark crash
}

type Thing struct{}

func other(u User) {} //: param 0 User
""")
    assert found == {"Thing": (Near.USED, "type of a field of User")}


def test_crash_in_an_initialiser():
    """A variable's own type and what its value names are taken; nobody calls it."""
    found = told("""
type Table map[string]int

var limits = Table{} //: value Table; use build call; mark crash

func build() {}

func other() {
	_ = limits //: use limits read
}
""")
    assert found == {
        "Table": (Near.USED, "type of its value of limits"),
        "build": (Near.LINE, "called on line 5 of limits"),
    }


MAKERS = """
type User struct {
	Friend *User //: field *User
	Name string
}

func New() *User { return nil } //: result 0 *User

func Value() (int, User) { return 1, User{} } //: result 1 User

func Many() []*User { return nil } //: result 0 []User

func (u *User) Get() *User { return u.Friend }
//: result 0 *User; return 0: field User.Friend

func (u *User) Same() *User { return u }
//: result 0 *User; return 0: receiver; return 0: nil; return 0: -

func (u *User) Copy() *User { return &User{} }
//: result 0 *User; return 0: literal User; return 1: field User.Friend

func (u *User) Run() {
	crash() //: mark crash
}
"""


def test_constructors():
    """What returns the type or a pointer to it makes it; a getter hands it out."""
    picks = rules(shop(MAKERS))
    made = {name: p.reason for name, p in picks.items() if p.near == Near.CONSTRUCTOR}
    assert made == dict.fromkeys(("New", "Value", "User.Copy"), "constructor of User")
    assert {picks[name].part for name in made} == {Part.CONSTRUCTOR}
    assert set(picks) - set(made) == {"User"}


@pytest.mark.parametrize(
    ("depth", "near"),
    [
        (1, Near.FIELD_CONSTRUCTOR),
        (2, Near.DEEP_CONSTRUCTOR),
        (3, Near.DEEP_CONSTRUCTOR),
    ],
)
def test_constructors_of_deeper_types(depth, near):
    """The deeper a type lies, the further off is what makes it."""
    name = ("User", "Account", "Bank", "City")[depth]
    source = f"{TYPES}\nfunc make{name}() {name} {{ return {name}{{}} }} //: result 0 {name}\n"
    pick = rules(shop(source), depth=3)[f"make{name}"]
    assert (pick.near, pick.depth, pick.reason) == (
        near,
        depth,
        f"constructor of {name}",
    )


def built(literal: str, fault: str, owner: str = "User") -> tuple[Near, str] | None:
    """Return what becomes of a function with a literal, on a crash with *fault*."""
    found = told(f"""
type User struct {{
	Friend *User
	Name string
}}

type List []int

func build() {{
	x() //: literal {literal}
}}

func (u *{owner}) Run() {{
	crash() //: mark crash; {fault}
}}
""")
    return found.get("build")


HANGS = "fault nil-deref `u.Friend`: field User.Friend:User <- receiver:User"
BOTH = f"{HANGS}; fault nil-deref `u.Name`: field User.Name <- receiver:User"
NOWHERE = "use User implicit"


@pytest.mark.parametrize(
    ("literal", "fault", "want"),
    [
        ("User {Friend}", HANGS, (Near.WRITER, "builds User")),
        ("User {Friend=nil}", HANGS, (Near.WRITER, "builds User")),
        ("User {Name}", HANGS, (Near.OMITTER, "builds User and leaves out Friend")),
        ("User {}", BOTH, (Near.OMITTER, "builds User and leaves out Friend and Name")),
        ("User new", HANGS, (Near.OMITTER, "builds User and leaves out Friend")),
        ("User zero", HANGS, (Near.OMITTER, "builds User and leaves out Friend")),
        ("User {} positional", HANGS, (Near.WRITER, "builds User")),
        ("User {Name}", NOWHERE, (Near.CONSTRUCTOR, "builds User")),
        ("User zero", NOWHERE, (Near.CONSTRUCTOR, "builds User")),
    ],
)
def test_builders(literal, fault, want):
    """A literal counts most where it leaves out what the line hangs on."""
    assert want == built(literal, fault)


def test_zero_value_of_what_is_no_struct():
    """The zero value of a slice is in every declaration and says nothing."""
    assert built("List zero", NOWHERE, "List") is None
    assert built("List {}", NOWHERE, "List") == (Near.CONSTRUCTOR, "builds List")


def test_builder_shows_the_literal():
    """A cut of a builder keeps the line of the literal."""
    picks = rules(
        shop("""
type User struct{}

func build() {
	first()
	x() //: literal User {}
}

func (u *User) Run() {
	crash() //: mark crash
}
""")
    )
    assert (picks["build"].lines, picks["build"].part) == ((7,), Part.CONSTRUCTOR)


def test_builders_of_deeper_types():
    """Literals of types that are merely behind fields say nothing of the fault."""
    source = f"{TYPES}\nfunc build() {{\n\tx() //: literal Bank {{}}\n}}\n"
    assert "build" not in told(source)


@pytest.mark.parametrize(
    ("access", "want"),
    [
        ("assign", "writes User.Book"),
        ("assign nil", "writes nil to User.Book"),
        ("assign element", "writes an element of User.Book"),
        ("assign element nil", "writes nil to an element of User.Book"),
        ("update", "updates User.Book"),
        ("update element", "updates an element of User.Book"),
        ("assign append", "appends to User.Book"),
        ("delete", "deletes from User.Book"),
        ("clear", "clears User.Book"),
        ("close", "closes User.Book"),
        ("send", "sends to User.Book"),
        ("address", "takes the address of User.Book"),
        ("address element", "takes the address of an element of User.Book"),
        ("read", None),
        ("read element", None),
    ],
)
def test_writers(access, want):
    """Whatever changes a field that the line hangs on is taken; readers are not."""
    found = told(f"""
type User struct {{
	Book map[string]int
}}

func write(u *User) {{
	x() //: access User.Book {access}
}}

func (u *User) Run() {{
	u.Book["a"] = 1 //: mark crash; fault nil-map-write `u.Book`: field User.Book <- receiver
}}
""")
    assert (found.get("write") or (None, None))[1] == want


@pytest.mark.parametrize("kind", sorted(CONCURRENT))
def test_readers_matter_to_races(kind):
    """Where others use a field at the same time, whoever reads it bears on the fault."""
    source = """
type User struct {
	Book map[string]int
}

func read(u *User) {
	x() //: access User.Book read element
}

func (u *User) Run() {
	u.Book["a"] = 1
	//: mark crash; access User.Book assign element
}
"""
    found = told(source, kind)
    assert found["read"] == (Near.WRITER, "reads an element of User.Book")
    assert "read" not in told(source, "nil-map")


def test_locks_make_readers_matter():
    """Where the line locks or waits, what it touches is what others do too."""
    found = told("""
type User struct {
	mu sync.Mutex
}

func other(u *User) {
	u.mu.Lock() //: access User.mu read
}

func (u *User) Run() {
	u.mu.Unlock() //: mark crash; access User.mu read; use <sync>.Mutex.Unlock call
}
""")
    assert found["other"] == (Near.WRITER, "reads User.mu")


@pytest.mark.parametrize(
    "use", ["<sync>.Mutex type", "<sync>.OnceFunc call", "<fmt>.Stringer.String call"]
)
def test_what_is_no_lock(use):
    """To name package sync is not to lock."""
    found = told(f"""
type User struct {{
	mu sync.Mutex
}}

func other(u *User) {{
	u.mu.Lock() //: access User.mu read
}}

func (u *User) Run() {{
	crash() //: mark crash; access User.mu read; use {use}
}}
""")
    assert "other" not in found


WAITS = """
type User struct {
	done chan int
	count int
}

func finish(u *User) {
	x() //: access User.done send; access User.count update
}

func (u *User) Run() {
	<-u.done //: mark crash; access User.done read; access User.count read
}
"""


@pytest.mark.parametrize("kind", [*sorted(WAITING), None])
def test_waiting_for_a_channel(kind):
    """Where a line waits, whoever sends to or closes the channel bears on it."""
    found = rules(shop(WAITS), kind)["finish"]
    assert (found.near, found.reason) == (Near.WRITER, "sends to User.done")


def test_channels_do_not_matter_to_others():
    """A fault that is no wait hangs on no channel that the line touches."""
    assert "finish" not in told(WAITS, "nil-deref")


VARIABLES = """
var book = 1

func write() {
	book = nil //: use book write
}

func change() {
	book["a"] = 1 //: use book read write
}

func point() {
	_ = &book //: use book address
}

func read() {
	_ = book //: use book read
}

func Run() {
	crash() //: mark crash; FAULT
}
"""
STRAIGHT = VARIABLES.replace("FAULT", "fault index `book`: var book; use book read")
THROUGH = VARIABLES.replace(
    "FAULT", "use book read; fault index `f()`: field - <- var book"
)


def test_writers_of_a_variable():
    """What sets, changes or points at a variable that faulted is taken."""
    found = told(STRAIGHT)
    assert {name: why for name, (near, why) in found.items() if near == 14} == {
        "write": "writes book",
        "change": "writes book",
        "point": "touches book",
    }


def test_writers_of_what_a_variable_holds():
    """Of a variable that only leads to what faulted, its being set counts alone."""
    found = told(THROUGH)
    assert {name for name, (near, _) in found.items() if near == 14} == {"write"}


def test_readers_of_a_variable_in_a_race():
    """In a race whoever reads the variable bears on the fault."""
    found = told(STRAIGHT, "data-race")
    assert found["read"] == (Near.WRITER, "touches book")


def test_origins():
    """The function whose result faulted is taken, with the type that it returns."""
    found = told("""
type User struct{}

type Finder interface {
	Find() *User
}

func find() *User { return nil } //: result 0 *User; param 0 Finder

func Run() {
	x := find()
	//: use find call
	x.Name() //: mark crash; fault nil-deref `x`: local x <- (call find | call Finder .Find)
}
""")
    assert found == {
        "find": (Near.ORIGIN, "its result is what line 13 of Run hangs on"),
        "User": (Near.CHAIN_TYPE, "what find returns"),
    }


def test_origins_of_a_variable():
    """A variable that faulted leads to what initialises it."""
    found = told("""
type User struct{}

var lazy = wrap(load) //: use wrap call; use load value; use other read; use User type

var other = 1

func wrap() {}

func load() *User { return nil } //: result 0 *User

func Run() {
	x() //: mark crash; fault nil-deref `lazy`: var lazy
}
""")
    assert found == {
        "wrap": (Near.ORIGIN, "initialises lazy"),
        "load": (Near.ORIGIN, "initialises lazy"),
        "User": (Near.CHAIN_TYPE, "what load returns"),
    }


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


def test_site_of_a_rule():
    """Rules look at the faults that they are given, not at those of the kind."""
    made = shop(STRAIGHT)
    view, run = made.view, made.decl("Run")
    faults = fault_sites(view, run, made.line(), None)
    site = CrashSite(view, run, made.line(), None, faults, 2)
    assert PackageRules(site, Picks()).hang.variables == (made.rows.number("book"),)
