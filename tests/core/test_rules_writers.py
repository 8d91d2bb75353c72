import pytest

from tests.core.applied import rules, shop, told
from triage.core.picks import Near
from triage.core.rules import CONCURRENT, WAITING


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
