from typing import Any

import pytest

from tests.core.tables import Sketch, sketch
from triage.core.hang import hang
from triage.core.pots import RELATIONS, Standing
from triage.core.relations import Relations, message_words
from triage.core.upstream import CallSite


def relations(
    shop: Sketch, *others: Sketch, mark: str = "crash", **more: Any
) -> Relations:
    """Relate the marked crash of *shop*."""
    site = shop.site(mark=mark)
    given: dict[str, Any] = {"frames": (), "upstream": (), "message": ""}
    views = [shop.view, *(other.view for other in others)]
    return Relations(site, hang(shop.view, site.faults), views=views, **given | more)


def names(found: Relations) -> dict[str, set[str]]:
    """Return who is in each pot, by `T.M` or `F`; pots of one relation as one."""
    pots: dict[str, set[str]] = {}
    for pot, views in found.pots().items():
        for view, members in views.items():
            for decl in map(view.decl, members):
                name = f"{decl.receiver}.{decl.name}".lstrip(".")
                pots.setdefault(pot.split(":")[0], set()).add(name)
    return pots


def pots(shop: Sketch, *others: Sketch, **more: Any) -> dict[str, set[str]]:
    """Return who is in each pot for the marked crash of *shop*."""
    return names(relations(shop, *others, **more))


def scores(shop: Sketch, *others: Sketch, **more: Any) -> dict[str, Standing]:
    """Return how each declaration of *shop* stands, by name."""
    found = relations(shop, *others, **more).standings()
    views = {p.package.directory: p.view for p in (shop, *others)}
    return {views[d].decl(number).name: s for (d, number), s in found.items()}


SHOP = sketch(
    {
        "a.go": """
package shop

type User struct {
	Name string
	Book map[string]int
}

type Other struct{}

type Finder interface{}

func (u *User) Run() {
	before() //: use before call
	after := later //: use later value
	u.Book["a"] = called()
	//: mark crash; use called call; use User implicit
	//: fault nil-map-write `u.Book`: field User.Book <- receiver:User
	//: fault nil-deref `x`: local x <- (call made:Other | call Finder .Find)
	after() //: use after call; use User type
}

func (u *User) Stop() {}

func (o *Other) Close() {}

func before() {
	deep() //: use deep call; use later value
}

func called() {}

func made() *Other { return nil } //: result 0 *Other

func many() []Other { return nil } //: result 0 []Other

func later() {}

func after() {}

func deep() {}
""",
        "b.go": """
package shop

func caller() {
	u.Run() //: use User.Run call
}

func taker() {
	f := u.Run //: use User.Run value
}

func reader() {
	_ = u.Run //: use User.Run read
}

func above() {
	caller() //: use caller call
}

func values() {
	f := caller //: use caller value
}

func build() {
	u := &User{} //: literal User {Name}
}

func write() {
	u.Book = nil //: access User.Book read; access User.Book assign
}

func Run() {}

func setupAll() {}

func init() {}

func main() {}

var resetHook = 1
""",
        "c_test.go": """
package shop

func TestRun() {
	u.Run() //: use User.Run call; mark test
}
""",
    }
)


def test_who_is_called():
    """Callees stand by where they are called, and what they call after them."""
    found = pots(SHOP)
    assert found["callee"] == {"called", "made"}
    assert found["callee_before"] == {"before"}
    assert found["callee2"] == {"deep"}


def test_who_calls():
    """Callers are who calls or takes the function, and who calls those."""
    found = pots(SHOP)
    assert found["caller"] == {"caller", "taker"}
    assert found["caller2"] == {"above"}


def test_many_callers():
    """Where everyone calls the function, who calls them says nothing."""
    callers = "\n".join(
        f"func c{n}() {{\n\tRun() //: use Run call\n}}\n\n"
        f"func d{n}() {{\n\tc{n}() //: use c{n} call\n}}\n"
        for n in range(9)
    )
    shop = sketch(
        f"package shop\n\nfunc Run() {{\n\tx() //: mark crash\n}}\n\n{callers}"
    )
    found = pots(shop)
    assert len(found["caller"]) == 9
    assert "caller2" not in found


def test_types_of_the_line():
    """The receiver and the types that the line hangs on stand with who makes them."""
    found = pots(SHOP)
    assert found["type_line"] == {"User", "Other"}
    assert found["builds"] == {"build"}
    assert found["returns"] == {"made"}
    assert found["sibling"] == {"User.Stop"}
    assert found["method_line"] == {"Other.Close"}


def test_function_without_a_receiver():
    """A plain function has no siblings."""
    shop = sketch(
        "package shop\n\nfunc Run() {\n\tx() //: mark crash\n}\n\nfunc f() {}\n"
    )
    found = pots(shop)
    assert "sibling" not in found
    assert "type_line" not in found


def test_who_touches_the_fields():
    """Each field has a pot of its own; the line of the first write comes first."""
    found = relations(SHOP)
    [members] = [m for pot, m in found.pots().items() if pot.startswith("field_line:")]
    assert members == {SHOP.view: {SHOP.decl("write").id: 28}}


def test_fields_of_callers():
    """What a caller's value hangs on has its pots too."""
    api = sketch(
        """
package api

type Server struct {
	user int
}

func set() {
	x() //: access Server.user assign
}

func handle() {
	x() //: mark handle; fault panic ``: field Server.user
}
""",
        directory="api",
    )
    site = api.site(mark="handle")
    found = pots(SHOP, api, upstream=((api.view, hang(api.view, site.faults)),))
    assert found["field_up"] == {"set"}


def test_places():
    """The crash file's declarations and the near ones stand by their place."""
    far = "\n".join(f"// line {number}\n" for number in range(40))
    shop = sketch(
        f"package shop\n\nfunc Run() {{\n\tx() //: mark crash\n}}\n\n"
        f"func near() {{}}\n\n{far}\nfunc far() {{}}\n"
    )
    found = pots(shop)
    assert found["same_file"] == {"near", "far"}
    assert found["next_to"] == {"near"}


def test_names_that_may_stand_anywhere():
    """An `init` or `main` is near nothing by its place or name."""
    shop = sketch(
        "package main\n\nfunc main() {\n\tx() //: mark crash\n}\n\nfunc init() {}\n\n"
        "func help() {}\n"
    )
    assert pots(shop)["same_file"] == {"help"}


FRAMES = sketch(
    {
        "api.go": """
package api

type Server struct{}

func (s *Server) one() {
	x() //: mark one
}

func (s *Server) helper() {}

func two() {
	x() //: mark two
}

func three() {
	x() //: mark three
}

func four() {
	x() //: mark four
}
""",
        "far.go": """
package api

func five() {
	x() //: mark five
}

func beside() {}
""",
    },
    directory="api",
)


def calls(*marks: str) -> tuple[CallSite, ...]:
    """Return the frames on marked lines of `FRAMES`."""
    owners = {"one": "Server.one"}
    return tuple(
        CallSite(FRAMES.view, FRAMES.decl(owners.get(mark, mark)), FRAMES.line(mark))
        for mark in marks
    )


def test_frames():
    """The first two frames have pots of their own, all later ones share one."""
    found = relations(SHOP, FRAMES, frames=calls("one", "two", "three", "four"))
    lines = {
        pot: list(members.get(FRAMES.view, {}).values())
        for pot, members in found.pots().items()
    }
    assert lines["frame1"] == [FRAMES.line("one")]
    assert lines["frame2"] == [FRAMES.line("two")]
    assert lines["frame3"] == [FRAMES.line("three"), FRAMES.line("four")]


def test_neighbours_of_frames():
    """What stands near one of the first four frames has a pot; the fifth's has not."""
    names_of = calls("one", "two", "three", "four", "five")
    found = pots(SHOP, FRAMES, frames=names_of)["next_frame"]
    assert {"Server.helper", "three"} <= found
    assert "beside" not in found
    assert "beside" in pots(SHOP, FRAMES, frames=calls("five"))["next_frame"]


def test_siblings_of_frames():
    """Methods of a type of which one is in the trace have a pot."""
    found = pots(SHOP, FRAMES, frames=calls("one"))
    assert found["sibling_frame"] == {"Server.one", "Server.helper"}
    late = calls("two", "three", "four", "one")
    assert "sibling_frame" not in pots(SHOP, FRAMES, frames=late)


def test_frame_in_the_crash_file():
    """What stands near a frame in the crash file stands in the crash file already."""
    frame = CallSite(SHOP.view, SHOP.decl("before"), 24)
    assert "next_frame" not in pots(SHOP, frames=(frame,))


def test_names():
    """Functions of the crash's name stand near, and whatever the message names."""
    found = pots(SHOP, message="cannot write the User of many")
    assert found["same_name"] == {"Run"}
    assert found["in_message"] == {"User", "many"}


def test_name_of_what_is_no_function():
    """A type of the crash function's name is not like it."""
    bank = sketch("package bank\n\ntype Run struct{}\n", directory="bank")
    assert pots(SHOP, bank)["same_name"] == {"Run"}
    assert list(relations(SHOP, bank).pots()["same_name"]) == [SHOP.view]


@pytest.mark.parametrize(
    ("message", "want"),
    [
        ("bad user_id 12345 in Cache", {"user_id", "Cache"}),
        ("x1 abc 1abcd _abc", {"_abc"}),
        ("größe: tiefe", {"größe", "tiefe"}),
        ("", set()),
    ],
)
def test_words_of_a_message(message, want):
    """Words of four letters and more that may be names are looked for."""
    assert want == message_words(message)


USUAL = "\n".join(f"func usual{number}() {{\n\tcommon()\n}}\n" for number in range(30))
WORDS = sketch(f"""
package shop

func Run() {{
	common(rareOne, rareTwo) //: mark crash
	common(other)
}}

func both() {{
	common(rareOne, rareTwo)
}}

func one() {{
	common(rareOne)
}}

{USUAL}
""")


def test_rare_words():
    """Who shares the rare words of the line stands near, the common ones say little."""
    found = pots(WORDS)
    assert found["lex_line"] == {"both", "one"}
    assert found["lex_line6"] == {"both"}
    assert found["lex_fn"] == {"both", "one"}


def test_crash_without_words():
    """A line without identifiers is like no other."""
    shop = sketch(
        "package shop\n\nfunc f() {\n\t1 / 0 //: mark crash\n}\n\nfunc g() {}\n"
    )
    assert not {"lex_line", "lex_line6", "lex_fn"} & set(pots(shop))


def test_tests_stand_aside():
    """No test stands near a crash elsewhere; near one in a test they do."""
    assert not any("TestRun" in members for members in pots(SHOP).values())
    two = sketch(
        {
            "a_test.go": "package a\n\nfunc TestA() {\n\tx() //: mark crash\n}\n\n"
            "func TestB() {}\n"
        }
    )
    assert pots(two)["same_file"] == {"TestB"}


def test_crash_stands_by_itself():
    """The crash declaration is in no pot."""
    assert not any("User.Run" in members for members in pots(SHOP).values())


def test_members_share_a_pot():
    """A relation's points are shared equally, so that a rare one counts."""
    two = sketch(
        "package shop\n\nfunc f() {\n\t1 / 0 //: mark crash\n}\n\nvar a1 = 1\n\nvar b1 = 2\n"
    )
    one = sketch(
        "package shop\n\nfunc f() {\n\t1 / 0 //: mark crash\n}\n\nvar a1 = 1\n"
    )
    points = RELATIONS["same_file"][0] + RELATIONS["next_to"][0]
    assert {name: s.score for name, s in scores(one).items()} == {"a1": points}
    assert {name: s.score for name, s in scores(two).items()} == {
        "a1": points / 2,
        "b1": points / 2,
    }


def test_best_relation():
    """The relation that gives most names the reason, with the line that it is about."""
    standing = scores(SHOP)["write"]
    assert (standing.best, standing.share) == ("field_line", 3.0)
    assert list(standing.lines) == [28]
    assert RELATIONS[standing.best][1] == "touches what the crash line hangs on"


def test_every_relation_says_why():
    """Each relation has points and reads as a reason."""
    assert all(points > 0 and text for points, text in RELATIONS.values())
