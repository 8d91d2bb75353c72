from dataclasses import replace
from typing import Any

import pytest

from triage.core.model import (
    Crash,
    CrashPackage,
    Result,
    ShownPanic,
    Stats,
    Symbol,
)
from triage.core.render import (
    Heading,
    for_terminal,
    headline,
    markdown,
    shown_path,
    size,
    text,
)

RULE = "// " + "=" * 78
HEADING = Heading(
    path="backend/handler/user.go",
    directory="backend/handler",
    package="handler",
    line=27,
    message="runtime error: invalid memory address or nil pointer dereference\n[signal",
)


def symbol(section: str, name: str, *, line: int = 1, **more: Any) -> Symbol:
    """Make a symbol of two lines."""
    base = Symbol(
        kind="func",
        name=name,
        receiver=None,
        file=f"backend/handler/{name}.go",
        start_line=line,
        end_line=line + 1,
        section=section,
        depth=0,
        reason=f"calls {name}",
        marks=(),
        elided=False,
        omitted=(),
        text=f"func {name}() {{\n}}",
    )
    return replace(base, **more)


CRASH = symbol("crash", "user", line=26)


def rendered(*symbols: Symbol, notes: tuple[str, ...] = (), **heading: Any) -> str:
    """Render symbols in the text form."""
    return text(replace(HEADING, **heading), symbols, notes)


def test_text_form():
    """Sections come in their order, each under its header, notes at the end."""
    symbols = (
        CRASH,
        symbol("types", "notifier"),
        symbol("functions", "init"),
        symbol("values", "limits"),
        symbol("callers", "routes", marks=(2,)),
        symbol("packages", "store", file="backend/store/store.go"),
        symbol("related", "audit"),
    )
    assert (
        rendered(*symbols, notes=("Note: odd", "Left out: x"))
        == f"""\
{RULE}
// Crash Site: user.go (lines 26-27)
// Panic: user.go:27: invalid memory address or nil pointer dereference
{RULE}
func user() {{
}}
{RULE}
// Package Context: Struct & Type Definitions (handler)
{RULE}
// File: notifier.go (lines 1-2)
func notifier() {{
}}
{RULE}
// Package Context: Related Constructors & Helper Functions (handler)
{RULE}
// File: init.go (lines 1-2)
func init() {{
}}
{RULE}
// Package Context: Variables & Constants (handler)
{RULE}
// File: limits.go (lines 1-2)
func limits() {{
}}
{RULE}
// Callers
{RULE}
// File: routes.go (lines 1-2, call at 2)
func routes() {{
}}
{RULE}
// Other Packages
{RULE}
// File: backend/store/store.go (lines 1-2)
func store() {{
}}
{RULE}
// Possibly Related (ranked by measurement, not proven)
{RULE}
// File: audit.go (lines 1-2)
func audit() {{
}}
// Note: odd
// Left out: x
"""
    )


def test_without_a_trace():
    """Where only file and line are known, the line stands in the panic's place."""
    lines = rendered(CRASH, message=None).split("\n")
    assert lines[1:3] == ["// Crash Site: user.go (lines 26-27)", "// Line: user.go:27"]


def test_panic_without_a_message():
    """A panic that says nothing is told by its place, without a loose end."""
    assert rendered(CRASH, message="").split("\n")[2] == "// Panic: user.go:27"


def test_symbols_are_parted_by_a_line():
    """Within a section an empty line parts one symbol from the next."""
    two = rendered(CRASH, symbol("types", "a"), symbol("types", "b"))
    assert "\n}\n\n// File: b.go (lines 1-2)\nfunc b() {\n}\n" in two


def test_same_text_stands_once():
    """Names of one spec have one text; it is not repeated, in another file it is."""
    one = symbol("values", "a", text="var a, b = f()", file="backend/handler/x.go")
    two = replace(one, name="b")
    elsewhere = replace(one, file="backend/handler/y.go")
    shown = rendered(CRASH, one, two, elsewhere)
    assert shown.count("var a, b = f()") == 2
    assert shown.count("// File: ") == 2


def test_several_calls():
    """Each line of the call is named."""
    shown = rendered(CRASH, symbol("callers", "a", marks=(3, 7)))
    assert "// File: a.go (lines 1-2, call at 3, 7)\n" in shown


def test_marks_of_others_are_no_calls():
    """Only callers have a line of the call."""
    assert "call at" not in rendered(CRASH, symbol("functions", "a", marks=(3,)))


def test_file_names_stay_on_their_line():
    """A file's name cannot begin a line of its own."""
    odd = symbol("types", "a", file="backend/handler/a\nvar x = 1\x1b[31m.go")
    shown = rendered(odd, replace(CRASH, file=odd.file), path=odd.file)
    assert "\nvar x" not in shown
    assert "\x1b" not in shown
    assert "// File: a var x = 1 [31m.go (lines 1-2)\n" in shown


def test_notes_stay_on_their_line():
    """A note cannot begin a line of its own."""
    assert rendered(CRASH, notes=("a\nb\x00c",)).endswith("\n// a b c\n")


@pytest.mark.parametrize(
    ("directory", "path", "want"),
    [
        ("backend/handler", "backend/handler/user.go", "user.go"),
        ("backend/handler", "backend/handler/v2/user.go", "backend/handler/v2/user.go"),
        ("backend/handler", "backend/handlers/user.go", "backend/handlers/user.go"),
        ("", "main.go", "main.go"),
        ("", "store/store.go", "store/store.go"),
    ],
)
def test_shown_path(directory, path, want):
    """Files of the crash package go by name, others by their path."""
    assert want == shown_path(directory, path)


@pytest.mark.parametrize(
    ("message", "want"),
    [
        ("runtime error: index out of range [3]", "index out of range [3]"),
        ("boom\nmore", "boom"),
        ("\n  boom  \n", "boom"),
        ("error: runtime error: x", "error: runtime error: x"),
        ("a\x1b[31mb\tc", "a [31mb c"),
        ("", ""),
        ("\r\n", ""),
        ("x" * 300, "x" * 300),
        ("x" * 301, "x" * 297 + "..."),
    ],
)
def test_headline(message, want):
    """The first line of a message stands for it, plain and not too long."""
    assert want == headline(message)


@pytest.mark.parametrize("section", ["crash", "callers", "packages"])
def test_size(section):
    """What a symbol is said to take is what it adds to the text."""
    one = symbol(section, "one", marks=(2,))
    assert len(rendered(one)) == size(HEADING, one, first=True)
    if section != "crash":
        two = symbol(section, "two", line=100)
        both = size(HEADING, one, first=True) + size(HEADING, two, first=False)
        assert len(rendered(one, two)) == both


def test_heading_keeps_to_its_limit():
    """Message and names in headings are cut to what the heading allows."""
    names: dict[str, Any] = {
        "path": f"shop/{'f' * 90}.go",
        "package": "p" * 90,
        "message": "m" * 90,
    }
    shown = rendered(CRASH, symbol("types", "t"), limit=20, **names).split("\n")
    assert shown[1] == f"// Crash Site: {'f' * 17}... (lines 26-27)"
    assert shown[2] == f"// Panic: {'f' * 17}...:27: {'m' * 17}..."
    assert f"Definitions ({'p' * 17}...)" in shown[7]


@pytest.mark.parametrize(
    ("source", "want"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb", "a\r\nb"),
        ("a\rb", "a\\rb"),
        ("\x1b[31m\x00\x7f\x9b", "\\x1b[31m\\x00\\x7f\\x9b"),
        ("\u202e\u2066", "\\u202e\\u2066"),
        ("\u200f\u061c", "\\u200f\\u061c"),
    ],
)
def test_for_terminal(source, want):
    """What a terminal would obey is shown as a code; line ends stay line ends."""
    assert want == for_terminal(source)


RESULT = Result(
    panic=ShownPanic("nil-deref", HEADING.message, ()),
    crash=Crash(
        repo="acme/shop",
        commit="c0ffee",
        path="backend/handler/user.go",
        module_path="handler/user.go",
        line=27,
        function="(*UserHandler).Update",
        start_line=26,
        end_line=27,
        expressions=("h.Notifier",),
    ),
    package=CrashPackage("handler", "backend/handler", "example.com/handler"),
    symbols=(CRASH, symbol("types", "notifier")),
    fingerprint="f00d",
    context="// whatever\n",
    stats=Stats(1, 2, 3, 4, 5, 0.5),
    served_from="git",
    warnings=(),
)


def test_markdown_form():
    """People read headings, fenced source and why each symbol is there."""
    assert (
        markdown(RESULT)
        == """\
### Panic in `(*UserHandler).Update`

`backend/handler/user.go:27`, package `handler`

> invalid memory address or nil pointer dereference

`backend/handler/user.go` (lines 26-27): calls user

```go
func user() {
}
```

#### Struct & type definitions

`backend/handler/notifier.go` (lines 1-2): calls notifier

```go
func notifier() {
}
```
"""
    )


def test_markdown_without_a_message():
    """Where only file and line are known nothing is quoted."""
    shown = markdown(replace(RESULT, panic=ShownPanic(None, None, ())))
    assert "\n> " not in shown


def test_markdown_notes():
    """Warnings stand at the end, one item each."""
    shown = markdown(replace(RESULT, warnings=("first_one", "second\n- third")))
    assert shown.endswith("\n```\n\n#### Notes\n\n- first\\_one\n- second \\- third\n")


def test_markdown_says_what_was_left_out():
    """What the text form says was left out stands among the notes."""
    left = "Left out for want of room: a (x.go)"
    shown = markdown(replace(RESULT, context=f"func x()\n// {left}\n"))
    assert shown.endswith(
        "\n```\n\n#### Notes\n\n- Left out for want of room: a \\(x.go\\)\n"
    )


def test_markdown_same_text_stands_once():
    """Names of one spec have one text; in another file or section it is shown again."""
    one = symbol("values", "a", text="var a, b = f()", file="x.go")
    symbols = (one, replace(one, name="b"), replace(one, file="y.go"))
    shown = markdown(replace(RESULT, symbols=symbols))
    assert shown.count("var a, b = f()") == 2


@pytest.mark.parametrize(
    ("source", "fence"),
    [
        ("x", "```"),
        ("x `a` ``b``", "```"),
        ("```", "````"),
        ("a ````` b", "``````"),
    ],
)
def test_markdown_fence(source, fence):
    """A fence is longer than any run of backquotes in the source."""
    shown = markdown(replace(RESULT, symbols=(replace(CRASH, text=source),)))
    assert f"\n{fence}go\n{source}\n{fence}\n" in shown


@pytest.mark.parametrize(
    ("message", "want"),
    [
        ("<script>x</script>", "> \\<script\\>x\\</script\\>"),
        ("[a](http://b) *c* _d_ `e` #1", None),
        ("a | b $x$ & ~c~", "> a \\| b \\$x\\$ \\& \\~c\\~"),
        ("\x1b[2J\u202eevil", "> \\[2J evil"),
    ],
)
def test_markdown_shows_a_message_as_it_is(message, want):
    """Nothing in a message is read as markup."""
    shown = markdown(replace(RESULT, panic=ShownPanic("x", message, ())))
    want = want or "> \\[a\\]\\(http://b\\) \\*c\\* \\_d\\_ \\`e\\` \\#1"
    assert want in shown.split("\n")


def test_markdown_paths_stay_code():
    """A backquote in a path does not end its code span."""
    crash = replace(RESULT.crash, path="a`b\n.go")
    shown = markdown(replace(RESULT, crash=crash))
    assert "`a'b .go:27`, package `handler`" in shown
