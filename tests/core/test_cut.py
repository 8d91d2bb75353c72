import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.tables import Sketch, sketch
from triage.core import cut
from triage.core.cut import Piece

SOURCE = """
package shop

import "io"

// User is a customer.
// It has a name.
type User struct {
	Name string
}

// Save writes.
func (u *User) Save(
	w io.Writer,
) error {
	first("of what is to be done")

	if u.Name == "" && len(u.Name) == 0 {
		second("of what is to be done")
		third("of what is to be done")
		fourth("of what is to be done")
	}

	return last("of what is to be done")
}

func one() int { return 1 }

func far(x *byte) int

const (
	// A is the first.
	A Level = iota + 1
	B
	Crimson
	Damson

	Elderberry
	Fig
)

var (
	// table is read by all.
	// It never changes.
	table = map[string]int{
		"one":   len("one"),
		"two":   len("two"),
		"three": len("three"),
		"four":  len("four"),
	} // closed
	limit = 7 // not more
	help  = `usage:
	shop [flags]
`
)
"""
SHOP = sketch(SOURCE)
CRLF = sketch(SOURCE, crlf=True)


def whole(name: str, shop: Sketch = SHOP) -> Piece:
    """Return a declaration as a whole."""
    return cut.whole(shop.view, shop.decl(name))


def region(name: str, *keep: int, shop: Sketch = SHOP) -> Piece:
    """Return a declaration with the lines of *keep* alone."""
    return cut.region(shop.view, shop.decl(name), keep)


def signature(name: str, shop: Sketch = SHOP) -> Piece:
    """Return a declaration's signature."""
    return cut.signature(shop.view, shop.decl(name))


def test_whole_is_as_written():
    """A declaration's text is its source, the doc comment before it."""
    assert whole("User") == Piece(
        "// User is a customer.\n// It has a name.\n"
        "type User struct {\n\tName string\n}",
        7,
        9,
    )


def test_whole_in_a_windows_file():
    """Carriage returns are source like anything else."""
    assert whole("User", CRLF) == Piece(
        "// User is a customer.\r\n// It has a name.\r\n"
        "type User struct {\r\n\tName string\r\n}",
        7,
        9,
    )


def test_bytes_that_are_no_text():
    """A byte that is no UTF-8 becomes a replacement character, once text is cut."""
    shop = sketch('package shop\n\nvar x = "\udcff\u00e9"; var y = 1\n')
    assert whole("x", shop) == Piece('var x = "\ufffd\u00e9"', 3, 3)
    assert whole("y", shop) == Piece("var y = 1", 3, 3)


def test_whole_spec_of_a_group():
    """A spec outside of its group gets its keyword and loses the group's indent."""
    assert whole("table") == Piece(
        "// table is read by all.\n// It never changes.\n"
        'var table = map[string]int{\n\t"one":   len("one"),\n\t"two":   len("two"),\n'
        '\t"three": len("three"),\n\t"four":  len("four"),\n}',
        44,
        49,
    )
    assert whole("limit") == Piece("var limit = 7", 50, 50)


def test_raw_text_keeps_its_tabs():
    """In a raw string a tab is part of the program."""
    assert whole("help") == Piece("var help  = `usage:\n\tshop [flags]\n`", 51, 53)


@pytest.mark.parametrize("name", ["A", "B", "Fig"])
def test_whole_spec_that_counts(name):
    """A spec of an iota group means nothing alone: its text is the group's."""
    assert whole(name) == Piece(
        "const (\n\t// A is the first.\n\tA Level = iota + 1\n\tB\n\tCrimson\n"
        "\tDamson\n\n\tElderberry\n\tFig\n)",
        30,
        39,
    )


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("User", whole("User").text),
        ("Fig", whole("Fig").text),
        ("limit", "limit = 7"),
    ],
)
def test_text_range(name, want):
    """A declaration's bytes are those of its text, a group's where that counts."""
    start, end = cut.text_range(SHOP.decl(name))
    assert want == SHOP.package.files[0].data[start:end].decode()


@pytest.mark.parametrize(
    ("name", "lifted"),
    [("User", False), ("A", False), ("table", True), ("limit", True), ("one", False)],
)
def test_lifted(name, lifted):
    """Only what stands in a group and means something alone is lifted out of it."""
    assert lifted == cut.is_lifted(SHOP.decl(name))


def test_signature_of_a_function():
    """A signature ends before the body; a note says which lines are not shown."""
    assert signature("User.Save") == Piece(
        "func (u *User) Save(\n\tw io.Writer,\n) error\n// ... 10 lines elided (15-24)",
        12,
        24,
        elided=True,
        omitted=((15, 24),),
    )


def test_signature_of_a_function_on_one_line():
    """Where only the rest of a line is hidden, no line is."""
    want = Piece("func one() int", 26, 26, elided=True)
    assert want == signature("one")


def test_signature_whose_last_line_holds_the_body():
    """A body that begins and ends on the signature's last line hides no line."""
    shop = sketch("package shop\n\nfunc f(\n\ta int,\n) int { return a }\n")
    want = Piece("func f(\n\ta int,\n) int", 3, 5, elided=True)
    assert want == signature("f", shop)


def test_signature_without_a_body():
    """A function that assembly implements is all signature."""
    assert signature("far") == Piece("func far(x *byte) int", 28, 28)


def test_signature_in_a_windows_file():
    """No carriage return is left at the end of a signature."""
    text = "func (u *User) Save(\r\n\tw io.Writer,\r\n) error\n"
    assert signature("User.Save", CRLF).text == text + "// ... 10 lines elided (15-24)"


def test_signature_of_a_type():
    """Of a type the first and the last line are left."""
    want = Piece("type User struct {\n\tName string\n}", 7, 9)
    assert want == signature("User")
    fields = "\tfirst  map[string]string\n\tsecond map[string]string\n"
    shop = sketch(f"package shop\n\n// T is.\ntype T struct {{\n{fields}}}\n")
    assert signature("T", shop) == Piece(
        "type T struct {\n\t// ... 2 lines elided (5-6)\n}",
        4,
        7,
        elided=True,
        omitted=((5, 6),),
    )


def test_signature_of_a_spec_of_a_group():
    """What is cut out of a group stands as if it had been declared alone."""
    assert signature("table") == Piece(
        "var table = map[string]int{\n\t// ... 4 lines elided (45-48)\n}",
        44,
        49,
        elided=True,
        omitted=((45, 48),),
    )
    assert signature("limit") == Piece("var limit = 7", 50, 50)


def test_signature_of_a_spec_that_counts():
    """Of an iota group the spec itself is left, with how far it is from the start."""
    assert signature("Crimson") == Piece(
        "const (\n\t// ... 3 lines elided (31-33)\n\tCrimson\n\tDamson\n\n"
        "\tElderberry\n\tFig\n)",
        30,
        39,
        elided=True,
        omitted=((31, 33),),
    )


def test_region():
    """The signature, the lines asked for and the last line are left, notes between."""
    assert region("User.Save", 18) == Piece(
        "// Save writes.\nfunc (u *User) Save(\n\tw io.Writer,\n) error {\n"
        "\t// ... 3 lines elided (15-17)\n"
        '\t\tsecond("of what is to be done")\n'
        "\t\t// ... 5 lines elided (19-23)\n"
        "}",
        12,
        24,
        omitted=((15, 17), (19, 23)),
    )


def test_note_stands_where_the_lines_stood():
    """A note has the indent of the first line with text that it stands for."""
    note = "\n\t// ... 2 lines elided (16-17)\n\t\t"
    assert note in region("User.Save", 15, *range(18, 25)).text
    note = "\n\t\t// ... 3 lines elided (18-20)\n\t}\n"
    assert note in region("User.Save", *range(15, 18), *range(21, 25)).text


def test_short_line_is_shown_rather_than_noted():
    """What is not longer than the note in its place stays."""
    piece = region("User.Save", 15, 17, 18, 19, 20, 23)
    assert piece == whole("User.Save")


def test_long_line_is_noted():
    """A line alone is cut out where that saves anything."""
    long = "1 + " * 20
    shop = sketch(f"package shop\n\nfunc f() {{\n\ta()\n\tb({long}1)\n\tc()\n}}\n")
    assert region("f", 4, 6, shop=shop) == Piece(
        "func f() {\n\ta()\n\t// ... 1 line elided (5)\n\tc()\n}",
        3,
        7,
        omitted=((5, 5),),
    )


def test_region_of_everything():
    """Where every line is asked for, a region is the whole."""
    assert region("User.Save", *range(12, 25)) == whole("User.Save")


def test_region_outside():
    """Lines of other declarations are not of this one."""
    assert region("User.Save", 1, 7, 99) == region("User.Save")


def test_region_of_one_line():
    """A declaration on one line has nothing to cut."""
    assert region("one", 26) == Piece("func one() int { return 1 }", 26, 26)
    assert region("one") == Piece("func one() int { return 1 }", 26, 26)


def test_region_of_a_spec_of_a_group():
    """A region that is lifted out of its group gets the keyword as the whole does."""
    assert region("table", 47, 48) == Piece(
        "// table is read by all.\n// It never changes.\n"
        "var table = map[string]int{\n\t// ... 2 lines elided (45-46)\n"
        '\t"three": len("three"),\n\t"four":  len("four"),\n}',
        44,
        49,
        omitted=((45, 46),),
    )


def test_region_of_a_spec_that_counts():
    """A region of an iota group is one of the whole group."""
    assert region("B", 33).text == (
        "const (\n\t// ... 2 lines elided (31-32)\n\tB\n"
        "\t// ... 5 lines elided (34-38)\n)"
    )


def test_lines_end_with_a_newline_alone():
    """A carriage return in the middle of a line ends no line, as for the compiler."""
    odd = "/* one \r two \v three \u2028 four */"
    shop = sketch(f"package shop\n\nfunc f() {{\n\ta() {odd}\n\tb()\n\tc()\n}}\n")
    assert region("f", 6, shop=shop) == Piece(
        "func f() {\n\t// ... 2 lines elided (4-5)\n\tc()\n}",
        3,
        7,
        omitted=((4, 5),),
    )


LONG = sketch(
    "package shop\n\n// Run runs.\nfunc Run(\n\ta int,\n) {\n"
    + "".join(f"\tstep{number:04}() // {'.' * 30}\n" for number in range(7, 107))
    + "}\n"
)
DOCUMENTED = sketch(
    "package shop\n\n"
    + "// Run is described at some length here.\n" * 40
    + "func Run() {\n"
    + "".join(f"\tstep{number:04}() // {'.' * 30}\n" for number in range(44, 144))
    + "}\n"
)


def shown(piece: Piece) -> list[int]:
    """Return the steps that a window shows; each is named after its line."""
    return [int(line.strip()[4:8]) for line in piece.text.split("\n") if "step" in line]


def window(line: int, budget: int, shop: Sketch = LONG) -> Piece:
    """Return the window around *line*."""
    return cut.window(shop.view, shop.decl("Run"), line, budget)


def test_window_grows_up_twice_as_fast():
    """Two lines above the crash are shown for each one below."""
    lines = shown(window(50, 1000))
    above, below = 50 - lines[0], lines[-1] - 50
    assert lines == list(range(50 - above, 50 + below + 1))
    assert (above, below) == (12, 5)


def test_window_keeps_signature_and_end():
    """Around the window stand the signature and the last line, with notes."""
    piece = window(50, 1000)
    lines = shown(piece)
    first, last = lines[0], lines[-1]
    head = (
        f"func Run(\n\ta int,\n) {{\n\t// ... {first - 7} lines elided (7-{first - 1})"
    )
    tail = f"\t// ... {106 - last} lines elided ({last + 1}-106)\n}}"
    assert piece.text.startswith(f"// Run runs.\n{head}\n\tstep")
    assert piece.text.endswith(tail)
    assert piece.omitted == ((7, first - 1), (last + 1, 106))


@pytest.mark.parametrize("line", [4, 6, 7, 8, 20, 57, 105, 106, 107])
@pytest.mark.parametrize("budget", [200, 350, 700, 1500, 4000])
def test_window_keeps_to_its_budget(line, budget):
    """A window is no longer than what it may cost, wherever the crash is."""
    piece = window(line, budget)
    assert len(piece.text) <= budget
    assert f"step{min(max(line, 7), 106):04}" in piece.text or line in {4, 6, 107}


@pytest.mark.parametrize("line", [4, 7, 57, 106, 107])
def test_window_uses_its_budget(line):
    """A window stops growing when the next line would be too much, not before."""
    assert len(window(line, 1500).text) > 1500 - 160


def test_window_at_the_start():
    """At the start of a function a window can only grow down."""
    lines = shown(window(7, 1000))
    assert lines == list(range(7, 7 + len(lines)))


def test_window_at_the_end():
    """At the end of a function a window can only grow up."""
    lines = shown(window(106, 1000))
    assert lines == list(range(107 - len(lines), 107))


@pytest.mark.parametrize("line", [1, 1000])
def test_window_around_a_line_outside(line):
    """A line that is not the function's counts as its nearest."""
    assert window(line, 800) == window(min(max(line, 4), 107), 800)


def test_window_of_everything():
    """Where there is room for it all, a window is the whole."""
    assert window(50, 10_000) == whole("Run", LONG)


def test_window_without_room():
    """However small the budget, signature, crash line and end are shown."""
    assert window(50, 0).text == (
        "// Run runs.\nfunc Run(\n\ta int,\n) {\n\t// ... 43 lines elided (7-49)\n"
        f"\tstep0050() // {'.' * 30}\n\t// ... 56 lines elided (51-106)\n}}"
    )


def test_window_leaves_out_a_long_comment():
    """A doc comment that would take the code's room is told, not shown."""
    piece = window(100, 1500, DOCUMENTED)
    assert piece.text.startswith("// ... 40 lines elided (3-42)\nfunc Run() {\n")
    assert piece.omitted[0] == (3, 42)
    assert len(piece.text) <= 1500


def test_window_keeps_a_short_comment():
    """A doc comment that leaves most of the room to the code stays."""
    assert window(50, 1000).text.startswith("// Run runs.\n")


def test_around():
    """The lines near those that matter are kept, as far as the declaration goes."""
    save = SHOP.decl("User.Save")
    assert cut.around(save, [14], 1) == {13, 14, 15}
    assert cut.around(save, [12, 23], 1) == {12, 13, 22, 23, 24}
    assert cut.around(save, [1], 3) == set()
    assert cut.around(save, [], 3) == set()


def accounted(piece: Piece, source: bytes, first: int) -> list[int]:
    """Return the lines that a piece shows or tells, *first* being that of its text."""
    lines = source.decode().split("\n")
    numbers: list[int] = []
    omitted = list(piece.omitted)
    for text in piece.text.split("\n"):
        if text.lstrip("\t").startswith("// ... "):
            start, end = omitted.pop(0)
            numbers += range(start, end + 1)
        else:
            numbers.append(numbers[-1] + 1 if numbers else first)
            assert lines[numbers[-1] - 1] == text
    assert omitted == []
    return numbers


@given(st.sets(st.integers(10, 27)))
def test_region_accounts_for_every_line(keep):
    """What a region shows and what it says it cut make up the declaration."""
    save, source = SHOP.decl("User.Save"), SHOP.package.files[0].data
    piece = cut.region(SHOP.view, save, keep)
    assert accounted(piece, source, 11) == list(range(11, 25))


@given(st.integers(0, 120), st.integers(0, 6000))
def test_window_accounts_for_every_line(line, budget):
    """What a window shows and what it says it cut make up the declaration."""
    piece, source = window(line, budget), LONG.package.files[0].data
    assert accounted(piece, source, 3) == list(range(3, 108))
