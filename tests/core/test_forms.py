from collections.abc import Iterable

import pytest

from tests.core.tables import Sketch, sketch
from triage.core import cut
from triage.core.forms import (
    LONG,
    MARGIN,
    Shown,
    crash_form,
    cut_forms,
    frame_forms,
    full_form,
    related_forms,
)
from triage.core.model import Snippet
from triage.core.picks import Near, Pick

STEPS = "".join(f"\tstep{number:03}() // {'.' * 40}\n" for number in range(4, 84))
LONGER = sketch(f"package shop\n\nfunc Run() {{\n{STEPS}}}\n")
SHOP = sketch("""
package shop

func short() {
	first()
	second()
}

// User is a customer.
type User[K interface{ ~int }] struct {
	// Name is shown.
	Name string `json:"name"` // to all
	Key, Old K
	Friend *User[K]
	opts struct {
		retry int
	}

	Tools []string
	More, Less, Other int
}

type Empty struct{}

type Flat struct{ a, b int; c string }

type Notifier interface {
	Notify(message string) error
	NotifyAll(messages []string) error
	Close() error
}

var (
	// limit is low.
	limit = 3
	// Pair is two.
	Pair = struct{ a int }{1}
)

type (
	// Grouped is one of two.
	Grouped struct {
		One   map[string]string
		Two   map[string]string
		Three map[string]string
	}

	Second int
)
""")


def pick(name: str, shop: Sketch = SHOP, *lines: int) -> Pick:
    """Pick a declaration with the lines that matter in it."""
    return Pick(shop.view, shop.decl(name), "x", Near.USED, "why", lines=lines)


def whole(name: str, shop: Sketch = SHOP) -> cut.Piece:
    """Return a declaration as a whole."""
    return cut.whole(shop.view, shop.decl(name))


def region(name: str, shop: Sketch, keep: Iterable[int]) -> cut.Piece:
    """Return a region of a declaration."""
    return cut.region(shop.view, shop.decl(name), keep)


def fields(*names: str) -> frozenset[int]:
    """Return the numbers of fields."""
    return frozenset(map(SHOP.rows.field, names))


def pruned(name: str, *kept: str) -> Shown:
    """Return the first form of a struct that is cut."""
    return next(iter(cut_forms(pick(name), fields(*kept))))


def test_crash_function_is_whole():
    """What takes no more than its share is shown as written."""
    text = whole("short").text
    assert crash_form(pick("short"), 4, len(text)).piece == whole("short")


def test_long_crash_function_is_a_window():
    """What takes more than its share is a window around the crash line."""
    form = crash_form(pick("Run", LONGER), 50, 1000)
    assert form.piece == cut.window(LONGER.view, LONGER.decl("Run"), 50, 1000)


def near(line: int) -> range:
    """Return the lines that a region shows around one."""
    return range(line - MARGIN, line + MARGIN + 1)


def wide(line: int) -> range:
    """Return the lines that a long function's full form shows around one."""
    return range(line - 2 * MARGIN, line + 2 * MARGIN + 1)


def test_full_form():
    """A short declaration is shown whole, whatever lines matter."""
    assert full_form(pick("short", SHOP, 4)).piece == whole("short")


def test_full_form_of_a_long_function():
    """A long function is shown around the two lines that matter most."""
    assert len(whole("Run", LONGER).text) > LONG
    want = region("Run", LONGER, [*wide(20), *wide(60)])
    assert want == full_form(pick("Run", LONGER, 20, 60, 80)).piece


def test_full_form_without_lines():
    """A long function of which no line matters more than others stays whole."""
    assert full_form(pick("Run", LONGER)).piece == whole("Run", LONGER)


def test_frame_forms():
    """A frame is whole, or what is around the call, or its signature."""
    forms = [form.piece for form in frame_forms(pick("Run", LONGER, 20))]
    assert forms == [
        region("Run", LONGER, wide(20)),
        region("Run", LONGER, near(20)),
        cut.signature(LONGER.view, LONGER.decl("Run")),
    ]


def test_cut_forms_of_a_long_function():
    """With lines that matter the region comes before the signature."""
    forms = [form.piece for form in cut_forms(pick("Run", LONGER, 20), frozenset())]
    assert forms == [
        region("Run", LONGER, near(20)),
        cut.signature(LONGER.view, LONGER.decl("Run")),
    ]


def test_cut_forms_without_lines():
    """A long function of which no line matters is its signature, a short one not."""
    long = [form.piece for form in cut_forms(pick("Run", LONGER), frozenset())]
    assert long == [cut.signature(LONGER.view, LONGER.decl("Run"))]
    short = [form.piece for form in cut_forms(pick("short"), frozenset())]
    assert short == [whole("short"), cut.signature(SHOP.view, SHOP.decl("short"))]


def test_related_forms():
    """What is only related is shown around what matters, or from its start."""
    [form] = related_forms(pick("Run", LONGER, 20))
    assert form.piece == region("Run", LONGER, near(20))
    [form] = related_forms(pick("Run", LONGER), (b"nowhere", b"step050", b"step070"))
    assert form.piece == region("Run", LONGER, [*near(50), *near(70)])
    [form] = related_forms(pick("Run", LONGER), (b"step05",))
    assert form.piece == region("Run", LONGER, range(3, 3 + MARGIN + 1))


def test_spec_is_printed_anew():
    """A spec out of a group goes to the printer with its group and where it begins."""
    form = full_form(pick("limit"))
    group = SHOP.decl("limit")
    source = SHOP.package.files[0].data
    text = source[group.group_start : group.group_end]
    assert form.snippet == Snippet("spec", text, text.index(b"limit = 3"))
    assert form.piece.text == "// limit is low.\nvar limit = 3"


def test_what_stands_alone_is_not_printed():
    """A declaration of its own is shown as written."""
    assert full_form(pick("short")).snippet is None


def test_what_is_cut_is_not_printed():
    """Where lines are left out the text is not to be laid out anew."""
    form = list(cut_forms(pick("Grouped"), frozenset()))[-1]
    assert form.piece.omitted
    assert form.snippet is None


def test_pruned_struct():
    """Of a struct the fields that matter are left, and how many are not."""
    form = pruned("User", "User.Name", "User.Friend")
    assert form.piece == cut.Piece(
        "type User[K interface{ ~int }] struct {\n"
        "\t// Name is shown.\n"
        '\tName string `json:"name"` // to all\n'
        "\tFriend *User[K]\n"
        "\t// ... 7 fields left out\n}",
        9,
        20,
        omitted=((12, 12), (14, 16), (18, 19)),
    )


def test_pruned_struct_goes_to_the_printer():
    """The printer gets the struct alone, and the names of what stays."""
    form = pruned("User", "User.Name", "User.Friend")
    user = SHOP.decl("User")
    source = SHOP.package.files[0].data
    assert form.snippet == Snippet(
        "struct", source[user.start : user.end], 0, ("Name", "Friend")
    )


def test_pruned_struct_of_a_group():
    """Out of a group the printer gets the struct as if it had been declared alone."""
    form = pruned("Grouped", "Grouped.Two")
    assert form.snippet is not None
    assert form.snippet.text == (
        b"type Grouped struct {\n\t\tOne   map[string]string\n"
        b"\t\tTwo   map[string]string\n\t\tThree map[string]string\n\t}"
    )
    assert (form.snippet.offset, form.snippet.keep) == (0, ("Two",))
    assert form.piece.text == (
        "type Grouped struct {\n\tTwo   map[string]string\n\t// ... 2 fields left out\n}"
    )
    assert form.piece.omitted == ((42, 42), (44, 44))


def test_fields_that_share_a_line():
    """Names of one line stand together; the line is shown where any of them matters."""
    form = pruned("User", "User.Old", "User.Key", "User.Other")
    assert form.snippet is not None
    assert form.snippet.keep == ("Key", "Old", "Other")
    assert form.piece.text == (
        "type User[K interface{ ~int }] struct {\n\tKey, Old K\n"
        "\tMore, Less, Other int\n\t// ... 6 fields left out\n}"
    )
    assert form.piece.omitted == ((10, 11), (13, 16), (18, 18))


def test_one_field_left_out():
    """A single field is not called fields."""
    form = pruned("Grouped", "Grouped.One", "Grouped.Two")
    assert form.piece.text.endswith("\n\t// ... 1 field left out\n}")


def test_struct_on_one_line():
    """What shares its line with a field that stays is not cut out by lines."""
    form = pruned("Flat", "Flat.c")
    assert form.piece == cut.Piece(
        "type Flat struct{\n\tc string\n\t// ... 2 fields left out\n}", 24, 24
    )


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Empty", ()),
        ("Grouped", ()),
        ("Grouped", ("Grouped.One", "Grouped.Two", "Grouped.Three")),
    ],
)
def test_nothing_to_prune(name, kept):
    """Where no field or every field matters, there is no form between."""
    forms = [form.piece for form in cut_forms(pick(name), fields(*kept))]
    assert forms == [cut.signature(SHOP.view, SHOP.decl(name))]


def test_interface_is_cut_like_a_function():
    """Only structs are pruned; a short interface is a region of it all."""
    forms = [form.piece for form in cut_forms(pick("Notifier"), frozenset())]
    assert forms == [whole("Notifier"), cut.signature(SHOP.view, SHOP.decl("Notifier"))]


def test_variable_of_a_struct_is_not_pruned():
    """A variable whose type is a struct is no struct."""
    forms = list(cut_forms(pick("Pair"), fields()))
    assert forms[0].piece == whole("Pair")
