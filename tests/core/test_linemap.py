import pytest

from tests.core.tables import sketch
from triage.core.linemap import physical

PARSER = sketch(
    {
        "lexer.go": "package calc\n\nfunc lex() {}\n",
        "parser.go": """
package calc

//line grammar/calc.y:10
func parse() {
	//: reported grammar/calc.y:10
	step()
}

//line /build/actions.y:3
func step() {
	//: reported /build/actions.y:3
	act()
}

//line parser.go:13
func act() {}
//: reported parser.go:13
""",
        "second.go": """
package calc

//line other/calc.y:10
func more() {}
//: reported other/calc.y:10
""",
    }
)


@pytest.mark.parametrize(
    ("reported", "line", "want"),
    [
        ("grammar/calc.y", 10, ("parser.go", 4)),
        ("grammar/calc.y", 11, ("parser.go", 5)),
        ("grammar/calc.y", 14, ("parser.go", 8)),
        ("/build/actions.y", 4, ("parser.go", 10)),
        ("actions.y", 3, ("parser.go", 9)),
        ("/home/me/calc/grammar/calc.y", 11, ("parser.go", 5)),
        (r"C:\src\grammar\calc.y", 11, ("parser.go", 5)),
        ("./grammar/../grammar/calc.y", 11, ("parser.go", 5)),
        ("other/calc.y", 10, ("second.go", 4)),
        ("other/calc.y", 500, ("second.go", 494)),
        ("parser.go", 14, ("parser.go", 15)),
    ],
)
def test_reported_position(reported, line, want):
    """A reported position leads to the file and line that `//line` gave it."""
    found = physical(PARSER.view, reported, line)
    assert found is not None
    assert want == (PARSER.view.file_names[found[0]], found[1])


@pytest.mark.parametrize(
    ("reported", "line"),
    [
        ("grammar/calc.y", 9),  # before its first line
        ("/build/actions.y", 8),  # where the next comment has taken over
        ("lexer.go", 3),  # a file without such comments
        ("calc", 10),  # a directory of the name
    ],
)
def test_position_that_nothing_maps(reported, line):
    """What no `//line` comment leads to has no physical place."""
    assert physical(PARSER.view, reported, line) is None
