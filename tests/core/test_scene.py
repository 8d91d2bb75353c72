import pytest

from tests.core.tables import sketch
from triage.core.model import Frame
from triage.core.places import Place
from triage.core.scene import crash_scene
from triage.core.search import Located
from triage.errors import FileMissing, LineOutside

SHOP = sketch(
    {
        "broken.go": """
package shop //: broken

func half() {
	x()
}

fun odd(
//: error 5 expected declaration
""",
        "excluded.go": "package shop //: excluded linux && windows\n\nfunc gone() {}\n",
        "parser.go": """
package shop

//line grammar/calc.y:100
func parse() {
	//: reported grammar/calc.y:100
	step()
}
""",
        "user.go": """
package shop

type User struct {
	Friend *User
}

func (u *User) Run() {
	u.Friend.x() //: fault nil-deref `u.Friend`: field User.Friend; fault panic `x`
}

func gone() {}
""",
    }
)


def place(
    name: str,
    line: int | None,
    function: str = "",
    *,
    printed: str | None = None,
    warning: str | None = None,
) -> Place:
    """Place a frame in a file of the shop; *printed* is the path in the trace."""
    path = f"shop/{name}"
    frame = Frame(function, printed or path, line)
    return Place(frame, "shop", name, Located(path, path, "exact", warning))


def test_scene():
    """The site is the declaration on the line, with what faults by the panic's kind."""
    site, warnings = crash_scene(SHOP.view, place("user.go", 8), "nil-deref", 1)
    assert site.decl == SHOP.decl("User.Run")
    assert (site.line, site.kind, site.depth) == (8, "nil-deref", 1)
    assert [fault.text for fault in site.faults] == ["u.Friend"]
    assert warnings == []


def test_scene_by_name():
    """With a trace the function's name counts where the line disagrees."""
    crash = place("user.go", 1, "shop.(*User).Run")
    site, [warning] = crash_scene(SHOP.view, crash, None, 2)
    assert site.decl == SHOP.decl("User.Run")
    assert warning.startswith("line 1 of user.go does not lie in (*User).Run: ")


def test_scene_of_an_unknown_function():
    """Where nothing has the function's name, the line alone is looked at."""
    with pytest.raises(LineOutside, match=r"line 1 of shop/user\.go lies in no decl"):
        crash_scene(SHOP.view, place("user.go", 1, "shop.unknown"), None, 2)


def test_frame_without_a_line():
    """A frame without a line is found by its name, or not at all."""
    site, warnings = crash_scene(
        SHOP.view, place("user.go", None, "shop.(*User).Run"), None, 2
    )
    assert (site.decl, site.line) == (SHOP.decl("User.Run"), 0)
    assert len(warnings) == 1
    with pytest.raises(LineOutside, match="line 0 is outside"):
        crash_scene(SHOP.view, place("user.go", None), None, 2)


def test_generated_source():
    """What `//line` reports leads to the file that was compiled."""
    crash = place("calc.y", 101, "shop.parse", printed="/src/grammar/calc.y")
    site, warnings = crash_scene(SHOP.view, crash, None, 2)
    assert (site.decl, site.line) == (SHOP.decl("parse"), 5)
    assert warnings == []


def test_file_that_nothing_leads_to():
    """A file that is neither there nor reported is missing."""
    with pytest.raises(FileMissing) as caught:
        crash_scene(SHOP.view, place("gone.y", 3), None, 2)
    assert str(caught.value) == (
        "shop/gone.y is not in the repository, and no //line comment of "
        "its package leads to it"
    )


def test_guessed_file():
    """A file that was matched by its end is warned of."""
    crash = place("user.go", 8, warning="matched by its end")
    assert crash_scene(SHOP.view, crash, None, 2)[1] == ["matched by its end"]


def test_broken_file():
    """A syntax error elsewhere in the crash file is warned of."""
    [warning] = crash_scene(SHOP.view, place("broken.go", 4), None, 2)[1]
    assert warning == (
        "shop/broken.go has a syntax error (line 7: expected declaration); "
        "declarations behind it may be missing"
    )


def test_excluded_file():
    """Where the crash file is excluded, its function's twin stands in, with a warning."""
    site, warnings = crash_scene(
        SHOP.view, place("excluded.go", 3, "shop.gone"), None, 2
    )
    assert SHOP.view.path(site.decl) == "shop/user.go"
    assert warnings[-1] == (
        "shop/excluded.go is excluded by its constraint: linux && windows"
    )


def test_place_without_a_path():
    """A place that is told by `//line` alone carries no guess."""
    crash = Place(Frame("shop.parse", "grammar/calc.y", 101), "shop", "calc.y", None)
    assert crash_scene(SHOP.view, crash, None, 2)[1] == []
