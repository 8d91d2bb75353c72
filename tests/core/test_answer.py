from dataclasses import replace
from typing import Any

import orjson
import pytest
from msgspec import structs

from tests.core.tables import Sketch, sketch
from triage.core import cut
from triage.core.answer import Origin, assemble, snippets
from triage.core.budget import NOTE_ROOM, Fitted
from triage.core.fingerprint import fingerprint
from triage.core.forms import Shown
from triage.core.model import (
    Crash,
    CrashPackage,
    Result,
    ShownFrame,
    ShownPanic,
    Snippet,
    Stats,
)
from triage.core.picks import Near, Part, Pick

RULE = "// " + "=" * 78
HANDLER = sketch(
    {
        "helpers.go": """
package handler

func validateRequest(r *Request) error { return nil }
""",
        "init.go": """
package handler

// Note: Notifier is left nil.
func NewUserHandler() *UserHandler {
	return &UserHandler{}
}
""",
        "types.go": """
package handler

type SlackNotifier struct {
	WebhookURL string
}

type UserHandler struct {
	Notifier *SlackNotifier
}
""",
        "user.go": """
package handler

func (h *UserHandler) UpdateUser(r *Request) {
	h.Notifier.WebhookURL = "x"
	//: mark crash; fault nil-deref `h`: receiver; access UserHandler.Notifier read
	//: fault nil-deref `h.Notifier`: field UserHandler.Notifier
}
""",
        "user_test.go": """
package handler

func TestUser() {
	run() //: mark test
}
""",
    },
    directory="backend/handler",
    import_path="example.com/app/handler",
)
MESSAGE = "runtime error: invalid memory address or nil pointer dereference"
FRAME = ShownFrame("example.com/app/handler.(*UserHandler).UpdateUser", "u.go", 4, None)
ORIGIN = Origin(
    repo="acme/app",
    commit="c0ffee",
    module_path="handler/user.go",
    panic=ShownPanic("nil-deref", MESSAGE, (FRAME,)),
    functions=("example.com/app/handler.UserHandler.UpdateUser",),
    served_from="git",
    warnings=(),
)


def shown(name: str, section: str, shop: Sketch = HANDLER, **more: Any) -> Shown:
    """Show a declaration as a whole."""
    decl = shop.decl(name)
    pick = Pick(shop.view, decl, section, Near.USED, f"uses {name}")
    return Shown(structs.replace(pick, **more), cut.whole(shop.view, decl))


CRASH = structs.replace(
    shown("UserHandler.UpdateUser", "crash", marks=(4,), reason="crashed here"),
)


def assembled(
    *pieces: Shown,
    left_out: tuple[Pick, ...] = (),
    printed: tuple[str, ...] = (),
    origin: Origin = ORIGIN,
    mark: str = "crash",
    room: int = NOTE_ROOM,
) -> Result:
    """Build a result out of *pieces*, in any order."""
    site = HANDLER.site("nil-deref", mark=mark)
    return assemble(site, Fitted(pieces, left_out, room), printed, origin)


def test_text_of_an_answer():
    """The crash comes first, then types, constructors and helpers, as written."""
    result = assembled(
        shown("validateRequest", "functions"),
        shown("UserHandler", "types"),
        CRASH,
        shown("NewUserHandler", "functions", part=Part.CONSTRUCTOR),
        shown("SlackNotifier", "types"),
    )
    assert (
        result.text
        == f"""\
{RULE}
// Crash Site: user.go (lines 3-5)
// Panic: user.go:4: invalid memory address or nil pointer dereference
{RULE}
func (h *UserHandler) UpdateUser(r *Request) {{
	h.Notifier.WebhookURL = "x"
}}
{RULE}
// Package Context: Struct & Type Definitions (handler)
{RULE}
// File: types.go (lines 3-5)
type SlackNotifier struct {{
	WebhookURL string
}}

// File: types.go (lines 7-9)
type UserHandler struct {{
	Notifier *SlackNotifier
}}
{RULE}
// Package Context: Related Constructors & Helper Functions (handler)
{RULE}
// File: init.go (lines 4-6)
// Note: Notifier is left nil.
func NewUserHandler() *UserHandler {{
	return &UserHandler{{}}
}}

// File: helpers.go (lines 3-3)
func validateRequest(r *Request) error {{ return nil }}
"""
    )


def test_crash_and_package():
    """The answer says where it crashed, in which package, and what is in question."""
    result = assembled(CRASH)
    assert result.crash == Crash(
        repo="acme/app",
        commit="c0ffee",
        path="backend/handler/user.go",
        module_path="handler/user.go",
        line=4,
        function="(*UserHandler).UpdateUser",
        start_line=3,
        end_line=5,
        expressions=("h.Notifier",),
    )
    assert result.package == CrashPackage(
        "handler", "backend/handler", "example.com/app/handler"
    )
    assert (result.panic, result.served_from) == (ORIGIN.panic, "git")


def test_symbol():
    """A symbol says what it is, where it stands and why it is there."""
    [crash] = assembled(CRASH).symbols
    assert (crash.kind, crash.name, crash.receiver) == (
        "method",
        "UpdateUser",
        "UserHandler",
    )
    assert (crash.file, crash.start_line, crash.end_line) == (
        "backend/handler/user.go",
        3,
        5,
    )
    assert (crash.section, crash.depth, crash.reason) == ("crash", 0, "crashed here")
    assert (crash.marks, crash.elided, crash.omitted) == ((4,), False, ())
    assert crash.text in assembled(CRASH).context


def test_functions_have_no_receiver():
    """What is no method has no receiver, rather than an empty one."""
    [helper] = assembled(shown("validateRequest", "functions")).symbols
    assert (helper.kind, helper.receiver) == ("func", None)


def test_order_of_display():
    """Parts order functions, turns order callers, all else goes by file and line."""
    bank = sketch("package bank\n\nfunc z() {}\n", directory="bank")
    pieces = [
        shown("z", "packages", bank),
        shown("NewUserHandler", "callers", turn=2),
        shown("validateRequest", "callers", turn=1),
        shown("UserHandler", "related"),
        shown("SlackNotifier", "related", part=Part.CONSTRUCTOR, turn=0),
        CRASH,
    ]
    want = [
        "UpdateUser",
        "validateRequest",
        "NewUserHandler",
        "z",
        "SlackNotifier",
        "UserHandler",
    ]
    for _ in pieces:
        pieces.append(pieces.pop(0))
        assert want == [symbol.name for symbol in assembled(*pieces).symbols]


def test_writers_stand_between_constructors_and_helpers():
    """Within functions the part counts before file and line."""
    pieces = (
        shown("validateRequest", "functions", part=Part.WRITER),
        shown("NewUserHandler", "functions", part=Part.HELPER),
        shown("TestUser", "functions", part=Part.CONSTRUCTOR),
    )
    names = [symbol.name for symbol in assembled(*pieces).symbols]
    assert names == ["TestUser", "validateRequest", "NewUserHandler"]


def test_printed_text_stands_in():
    """What go/printer made takes the place of what was cut; nothing does where it failed."""
    snippet = Snippet("spec", b"type (...)")
    one = structs.replace(shown("SlackNotifier", "types"), snippet=snippet)
    two = structs.replace(shown("UserHandler", "types"), snippet=snippet)
    pieces = (CRASH, one, two)
    assert snippets(Fitted(pieces, ())) == [one, two]
    texts = {s.name: s.text for s in assembled(*pieces, printed=("type X", "")).symbols}
    assert texts["SlackNotifier"] == "type X"
    assert texts["UserHandler"] == two.piece.text


def test_printed_texts_are_not_mixed_up():
    """Fewer texts than were asked for are a bug, not a shift by one."""
    one = structs.replace(shown("SlackNotifier", "types"), snippet=Snippet("spec", b""))
    with pytest.raises(ValueError, match="shorter"):
        assembled(CRASH, one)


def test_figures():
    """The answer's cost stands against its package's, tests left out."""
    result = assembled(CRASH)
    sizes = [len(file.data) for file in HANDLER.package.files[:4]]
    context = len(result.context)
    assert result.stats == Stats(
        files=4,
        package_bytes=sum(sizes),
        context_bytes=context,
        package_tokens=-(-sum(sizes) * 2 // 7),
        context_tokens=-(-context * 2 // 7),
        token_reduction=round(1 - context / sum(sizes), 4),
    )


def test_figures_of_a_crash_in_a_test():
    """Where a test crashed, the tests are part of its package."""
    crash = shown("TestUser", "crash")
    assert assembled(crash, mark="test").stats.files == 5


def test_figures_count_characters():
    """A token is a number of characters on both sides, whatever bytes they take."""
    shop = sketch("""
package shop

// 価格は商品の値段である。価格は商品の値段である。
func price() {
	crash() //: mark crash
}
""")
    pieces = (shown("price", "crash", shop),)
    stats = assemble(shop.site(), Fitted(pieces, ()), (), ORIGIN).stats
    source = shop.package.files[0].data
    assert stats.package_bytes == len(source)
    assert stats.package_tokens == -(-len(source.decode()) * 2 // 7)
    context = assemble(shop.site(), Fitted(pieces, ()), (), ORIGIN).context
    assert stats.context_bytes == len(context.encode())
    assert stats.token_reduction == round(1 - len(context) / len(source.decode()), 4)


def test_fingerprint_of_a_trace():
    """The own functions of the trace make the fingerprint."""
    want = fingerprint("acme/app", "nil-deref", ORIGIN.functions)
    assert want == assembled(CRASH).fingerprint


@pytest.mark.parametrize(
    ("import_path", "package"),
    [("example.com/app/handler", "example.com/app/handler"), ("", "backend/handler")],
)
def test_fingerprint_without_a_trace(import_path, package):
    """Without a trace the crash function makes it, by its package or directory."""
    origin = replace(ORIGIN, panic=ShownPanic(None, None, ()), functions=())
    shop = replace(HANDLER, import_path=import_path)
    site = shop.site()
    result = assemble(site, Fitted((CRASH,), ()), (), origin)
    want = fingerprint("acme/app", None, (f"{package}.(*UserHandler).UpdateUser",))
    assert want == result.fingerprint


def test_warnings_are_shown():
    """Each warning stands in the answer and, as a note, in its text."""
    result = assembled(CRASH, origin=replace(ORIGIN, warnings=("one", "two")))
    assert result.warnings == ("one", "two")
    assert result.context.endswith("\n}\n// Note: one\n// Note: two\n")


@pytest.mark.parametrize(
    ("count", "tail"), [(1, ""), (8, ""), (9, " and 1 more"), (20, " and 12 more")]
)
def test_left_out(count, tail):
    """What did not fit is named, and counted where it is much."""
    left = (shown("NewUserHandler", "functions").pick,) * count
    named = ", ".join(["NewUserHandler (init.go)"] * min(count, 8))
    last = assembled(CRASH, left_out=left).context.splitlines()[-1]
    assert last == f"// Left out for want of room: {named}{tail}"


@pytest.mark.parametrize(
    ("count", "room", "want"),
    [
        (1, 0, "1 declaration"),
        (7, 0, "7 declarations"),
        (7, 60, "7 declarations"),
        (1, 80, "NewUserHandler (init.go)"),
        (7, 80, "NewUserHandler (init.go) and 6 more"),
        (7, 110, "NewUserHandler (init.go), NewUserHandler (init.go) and 5 more"),
    ],
)
def test_left_out_keeps_to_its_room(count, room, want):
    """Names are told as far as there is room for them, the number always."""
    left = (shown("NewUserHandler", "functions").pick,) * count
    result = assembled(CRASH, left_out=left, room=room)
    assert result.context.endswith(f"\n// Left out for want of room: {want}\n")


def test_json_form():
    """The published keys come in their order, and nothing else does."""
    result = assembled(CRASH)
    form = orjson.loads(result.to_json())
    assert list(form) == [
        "schema",
        "panic",
        "crash",
        "package",
        "symbols",
        "fingerprint",
        "context",
        "stats",
        "served_from",
        "warnings",
    ]
    assert form["schema"] == "triage.context/1"
    assert form["context"] == result.text
    assert form["symbols"][0]["marks"] == [4]
    assert form["panic"]["frames"] == [
        {"function": FRAME.function, "file": "u.go", "line": 4, "path": None}
    ]
