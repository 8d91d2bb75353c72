from dataclasses import replace

import pytest

from tests.core.programs import Program, frame
from tests.core.tables import sketch
from triage.core.names import split_function
from triage.core.picks import Near, Pick
from triage.core.resolve import (
    MAX_PACKAGES,
    RELATED_FROM,
    RELATED_SHARE,
    FrameSite,
)

STORE = "<example.com/app/store>"
PORT = "<example.com/app/port>"
SHOP = sketch(f"""
package shop

type Shop struct {{
	store *store.Store //: field *{STORE}.Store
	rate int
}}

func (s *Shop) Sell(item string) {{
	s.store.Take(item)
	//: mark crash; use Shop implicit; use {STORE}.Store.Take call; access Shop.store read
	//: fault nil-deref `s.store`: field Shop.store:{STORE}.Store <- receiver:Shop
}}

func New() *Shop {{
	//: result 0 *Shop
	return &Shop{{rate: 1}} //: literal Shop {{rate}}; return 0: literal Shop
}}

func serve(s *Shop) {{
	s.Sell("tea") //: mark serve; use Shop.Sell call; argument Shop.Sell -1: param 0
}}

func helper() {{}}
""")
STORE_PACKAGE = sketch(
    f"""
package store

type Store struct {{
	items map[string]Item //: field []Item
	log *port.Log //: field *{PORT}.Log
}}

type Item struct{{}}

func Open() *Store {{ return &Store{{}} }} //: result 0 *Store; literal Store {{}}

func (s *Store) Take(item string) {{}}

func other() {{}}
""",
    directory="store",
    import_path="example.com/app/store",
)
API = sketch(
    """
package api

type Server struct {
	shop *shop.Shop
}

func (s *Server) Handle() {
	serve(s.shop) //: mark handle; argument <example.com/app/shop>.serve 0: param 0
	//: access Server.shop read
	func() {
		run() //: mark closure
	}()
}

func main() {
	s.Handle() //: mark main
}

func one() {
	x() //: mark one
}

func two() {
	x() //: mark two
}
""",
    directory="api",
    import_path="example.com/app/api",
)
HANDLER = "(*Server).Handle"
OTHER = "the source is not that of the crashed commit"
SERVE = frame(SHOP, 1, "example.com/app/shop.serve", "serve")
HANDLE = frame(API, 2, "example.com/app/api.(*Server).Handle", "handle")
MAIN = frame(API, 3, "main.main", "main")
PROGRAM = Program((SHOP, STORE_PACKAGE, API), kind="nil-deref")


def chosen(program: Program) -> dict[str, Pick]:
    """Return what is shown of a program, by `T.M` or `F`, the crash among it."""
    picks = [shown.pick for shown in program.fitted().shown]
    return {f"{p.decl.receiver}.{p.decl.name}".lstrip("."): p for p in picks}


def test_crash_is_shown_first():
    """The crash declaration comes first, with its line marked."""
    pick = PROGRAM.fitted().shown[0].pick
    assert (pick.decl.name, pick.section, pick.near) == ("Sell", "crash", Near.CRASH)
    assert (pick.reason, pick.marks, pick.turn) == ("crashed here", (SHOP.line(),), 0)


def test_line_outside_the_crash_declaration():
    """A line that moved away from its function is not marked in it."""
    plan = PROGRAM.plan()
    moved = replace(SHOP.site("nil-deref"), line=99)
    plan._site = moved
    assert plan.crash.marks == ()


def test_packages_that_are_wanted():
    """The directories of frames are wanted, then those that the crash names."""
    plan = replace(PROGRAM, frames=(SERVE, HANDLE)).plan()
    assert plan.wants() == ("api", "store")
    plan.supply("store", STORE_PACKAGE.view)
    assert plan.wants() == ("api",)
    plan.supply("api", None)
    assert plan.wants() == ()


def test_names_outside_of_the_repository():
    """What lies in no directory of the repository is not asked for."""
    assert Program((SHOP,), kind="nil-deref").plan().wants() == ()


def test_other_package_of_the_repository():
    """What the line hangs on in another package is shown, with what makes it."""
    found = chosen(PROGRAM)
    assert {
        name: (p.section, p.near)
        for name, p in found.items()
        if p.view.directory == "store"
    } == {
        "Store": ("packages", Near.CHAIN_TYPE),
        "Store.Take": ("packages", Near.LINE),
        "Open": ("packages", Near.FIELD_CONSTRUCTOR),
    }


def test_package_that_cannot_be_had():
    """A package that is not to be had is asked for once, and left out."""
    found = chosen(replace(PROGRAM, missing=frozenset({"store"})))
    assert all(pick.view.directory == "shop" for pick in found.values())


def test_way_into_a_third_package():
    """Where a way leads on, the next package is wanted once the first is here."""
    shop = sketch(f"""
package shop

func Run() {{
	store.Default.Log.Write() //: mark crash; use {STORE}.Default.Log.Write call
}}
""")
    store = sketch(
        f"""
package store

type Store struct {{
	Log *port.Log //: field *{PORT}.Log
}}

var Default = 1 //: value *Store
""",
        directory="store",
        import_path="example.com/app/store",
    )
    port = sketch(
        "package port\n\ntype Log struct{}\n\nfunc (l *Log) Write() {}\n",
        directory="port",
        import_path="example.com/app/port",
    )
    program = Program((shop, store, port))
    plan = program.plan()
    assert plan.wants() == ("store",)
    plan.supply("store", store.view)
    assert plan.wants() == ("port",)
    assert set(chosen(program)) == {"Run", "Default", "Store", "Log", "Log.Write"}


def test_only_so_many_packages():
    """A crash that names many packages does not have them all fetched."""
    uses = "; ".join(f"use <example.com/app/p{n}>.X read" for n in range(20))
    shop = sketch(f"package shop\n\nfunc Run() {{\n\tx() //: mark crash; {uses}\n}}\n")
    others = [
        sketch(
            "package p\n\nvar X = 1\n",
            directory=f"p{n}",
            import_path=f"example.com/app/p{n}",
        )
        for n in range(20)
    ]
    plan = Program((shop, *others)).plan()
    asked = list[str]()
    while wanted := plan.wants():
        asked += wanted
        for directory in wanted:
            plan.supply(directory, None)
    assert asked == [f"p{n}" for n in range(MAX_PACKAGES)]


def test_names_that_lead_in_a_circle():
    """A package that names itself by its own path is gone through, not for ever."""
    shop = sketch(
        """
package shop

var Loop = Loop.Next //: value <example.com/app/shop>.Loop.Next

func Run() {
	Loop.Name() //: mark crash; use <example.com/app/shop>.Loop.Name call
}
"""
    )
    assert set(chosen(Program((shop,)))) == {"Run", "Loop"}


def test_names_that_lead_back():
    """Packages that lead to each other and back end where nothing is new."""
    shop = sketch(f"""
package shop

type Shop struct {{
	Store *store.Store //: field *{STORE}.Store
}}

func Run(s *Shop) {{
	s.Store.Shop.Store.Shop() //: mark crash; use {STORE}.Store.Shop.Store.Shop read
}}
""")
    store = sketch(
        """
package store

type Store struct {
	Shop *shop.Shop //: field *<example.com/app/shop>.Shop
}
""",
        directory="store",
        import_path="example.com/app/store",
    )
    assert set(chosen(Program((shop, store)))) == {"Run", "Store", "Shop"}


def test_names_that_lead_to_the_crash():
    """The crash function is not shown a second time as another package's."""
    shop = sketch("""
package shop

func Run() {
	Run() //: mark crash; use <example.com/app/shop>.Run call
}
""")
    assert {n: p.section for n, p in chosen(Program((shop,))).items()} == {
        "Run": "crash"
    }


def test_frames():
    """Functions of the trace are callers, each once, with the line of their call."""
    found = chosen(replace(PROGRAM, frames=(SERVE, HANDLE, MAIN)))
    want = {
        "serve": ("callers", Near.FRAME, "frame 2 of the trace", (SERVE.line,), 1),
        "Server.Handle": (
            "callers",
            Near.FRAME,
            "frame 3 of the trace",
            (HANDLE.line,),
            2,
        ),
        "main": ("callers", Near.OUTER_FRAME, "frame 4 of the trace", (MAIN.line,), 3),
    }
    assert want == {
        name: (p.section, p.near, p.reason, p.marks, p.turn)
        for name, p in found.items()
        if name in want
    }


def test_function_twice_in_the_trace():
    """A function that calls itself is one frame, both of its lines are marked."""
    again = replace(HANDLE, turn=3, line=API.line("closure"))
    found = chosen(replace(PROGRAM, frames=(SERVE, HANDLE, again, MAIN)))
    assert found["Server.Handle"].marks == (HANDLE.line, again.line)
    assert found["Server.Handle"].turn == 2
    assert found["main"].near == Near.OUTER_FRAME


def test_crash_function_again_in_the_trace():
    """The crash function below itself is no frame of its own."""
    again = frame(SHOP, 1, "example.com/app/shop.(*Shop).Sell", "crash")
    found = chosen(replace(PROGRAM, frames=(again, SERVE)))
    assert found["Shop.Sell"].section == "crash"
    assert found["serve"].near == Near.FRAME


@pytest.mark.parametrize("count", range(5))
def test_number_of_frames(count):
    """So many distinct functions of the trace are shown, the crash among them."""
    frames = (SERVE, HANDLE, MAIN, frame(API, 4, "main.one", "one"))
    found = chosen(replace(PROGRAM, frames=frames, max_frames=count))
    turns = sorted(pick.turn for pick in found.values() if pick.turn < 100)
    assert turns == list(range(max(count, 1)))


def test_frame_in_a_package_that_is_gone():
    """A frame whose package cannot be had is passed over, the next one is not."""
    found = chosen(replace(PROGRAM, frames=(SERVE, HANDLE), missing=frozenset({"api"})))
    assert "Server.Handle" not in found
    assert found["serve"].near == Near.FRAME


def test_frame_that_is_not_to_be_found():
    """A frame of which neither line nor name is known is passed over."""
    gone = FrameSite(1, "api", "gone.go", 3, split_function("main.gone"))
    found = chosen(replace(PROGRAM, frames=(gone, HANDLE)))
    assert found["Server.Handle"].near == Near.FRAME


def test_frame_whose_line_is_elsewhere():
    """Where line and name of a frame disagree the name counts, with a warning."""
    moved = replace(HANDLE, line=1)
    plan = replace(PROGRAM, frames=(moved,)).supplied()
    shown = plan.finish(100_000).shown
    [handle] = [s.pick for s in shown if s.pick.decl.name == "Handle"]
    assert handle.marks == ()
    assert plan.warnings == [f"line 1 of shop.go does not lie in {HANDLER}: {OTHER}"]


def test_warnings_take_their_room():
    """What a plan warns of is paid out of the budget."""
    moved = replace(HANDLE, line=1)
    plan = replace(PROGRAM, frames=(moved,)).supplied()
    with_warning = plan.finish(4000)
    without = replace(PROGRAM, frames=(HANDLE,)).supplied().finish(4000)
    taken = sum(len(f"// Note: {warning}\n") for warning in plan.warnings)
    no_mark = len(f", call at {HANDLE.line}")
    assert with_warning.room == without.room - taken + no_mark


def test_callers_are_asked_for_what_they_passed():
    """A value that came in leads to who made it further up, in any package."""
    found = chosen(replace(PROGRAM, frames=(SERVE, HANDLE)))
    assert found["New"].reason == "builds Shop and leaves out store"
    shop = sketch("""
package shop

type Shop struct{}

func (s *Shop) Sell() {
	s.x() //: mark crash; fault nil-deref `s`: receiver:Shop
}
""")
    api = sketch(
        """
package api

type Server struct {
	shop *shop.Shop
}

func (s *Server) Handle() {
	s.shop.Sell() //: mark handle; access Server.shop read
	//: argument <example.com/app/shop>.Shop.Sell -1: field Server.shop <- receiver
}

func (s *Server) Close() {
	s.shop = nil //: access Server.shop assign nil
}

func start() {
	s := &Server{} //: literal Server {}
}
""",
        directory="api",
        import_path="example.com/app/api",
    )
    frames = (frame(api, 1, "example.com/app/api.(*Server).Handle", "handle"),)
    found = chosen(Program((shop, api), frames, kind="nil-deref"))
    assert {
        n: (p.near, p.section, p.reason) for n, p in found.items() if p.near == 18
    } == {
        "Server.Close": (Near.UPSTREAM, "packages", "writes nil to Server.shop"),
        "start": (Near.UPSTREAM, "packages", "builds Server and leaves out shop"),
    }


def test_helper_passes_the_question_on():
    """Where a helper panics for its caller, the caller is looked at as if it had."""
    shop = sketch("""
package shop

type User struct{}

func must(err error) {
	panic(err) //: mark crash; fault panic `err`: param 0
}

func load() (*User, error) { return nil, nil } //: result 0 *User

var limit = 1

func run() {
	u, err := load() //: use load call
	must(err) //: mark run; use must call; argument must 0: local err <- call load
	_ = limit //: use limit read
}

func above() {
	run() //: use run call
}
""")
    frames = (frame(shop, 1, "example.com/app/shop.run", "run"),)
    found = chosen(Program((shop,), frames, kind="custom-panic"))
    assert found["load"].reason == "its result is what line 15 of run hangs on"
    assert found["limit"].reason == "used on line 16 of run"
    assert found["above"].section == "callers"


def test_foreign_interface_on_the_line():
    """Behind an interface of another package stand types of this one that fit it."""
    shop = sketch(f"""
package shop

type Shop struct {{
	log port.Log //: field {PORT}.Log
}}

func (s *Shop) Run() {{
	s.log.Write("x")
	//: mark crash; use {PORT}.Log.Write call; access Shop.log read
}}

type File struct{{}}

func (f *File) Write(text string) {{}}

type Other struct{{}}

func (o *Other) Read() {{}}
""")
    port = sketch(
        "package port\n\ntype Log interface {\n\tWrite(text string)\n}\n",
        directory="port",
        import_path="example.com/app/port",
    )
    found = chosen(Program((shop, port)))
    assert {n: p.reason for n, p in found.items() if p.near == Near.IMPLEMENTER} == {
        "File": "implements Log",
        "File.Write": "(*File).Write may be what Log.Write calls",
    }


FILLER = "\n".join(
    f"func filler{number:03}() {{\n\tstep{number:03}()\n}}\n" for number in range(800)
)
BIG = sketch(
    "package shop\n\nfunc Run() {\n\tx() //: mark crash\n}\n\n"
    f"type Thing struct{{}}\n\n{FILLER}"
)


def related(program: Program) -> list[Pick]:
    """Return what is shown as only related."""
    picks = [shown.pick for shown in program.fitted().shown]
    return [pick for pick in picks if pick.section == "related"]


def test_related_in_a_large_package():
    """What no rule links is shown as related, functions alone, with why."""
    found = related(Program((BIG,)))
    assert found
    assert all(pick.decl.is_function and pick.reason for pick in found)
    assert len(BIG.package.files[0].data) >= RELATED_FROM


def test_related_takes_its_share():
    """What is only related takes at most a tenth of the package's bytes."""
    shown = Program((BIG,)).fitted().shown
    size = sum(len(s.piece.text) for s in shown if s.pick.section == "related")
    assert size <= len(BIG.package.files[0].data) / RELATED_SHARE


def test_related_is_left_out_on_demand():
    """Nothing is only related where that is not wanted, or the package is small."""
    assert related(Program((BIG,), related=False)) == []
    assert related(PROGRAM) == []


def test_broken_function_is_not_related():
    """A function with a syntax error is shown only where something links to it."""
    broken = sketch(
        {
            "shop.go": BIG.package.files[0]
            .data.decode()
            .replace("\tx()", "\tx() //: mark crash", 1),
            "broken.go": "package shop //: broken\n\nfunc Run2() {\n\tx :=\n\t//: error 4 odd\n}\n",
        }
    )
    names = {pick.decl.name for pick in related(Program((broken,), message="Run2"))}
    assert "Run2" not in names
