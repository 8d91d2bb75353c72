import pytest

from tests.core.tables import sketch
from triage.core.names import split_function
from triage.core.resolve import named_declaration

OTHER = "the source is not that of the crashed commit"
NAMED = sketch(
    {
        "a.go": """
package shop

type T struct{}

func (t *T) Run() {
	x()
}

func Run() {}

var hook = func() {}

func outer() {}

func initCache() {}

func globals() {}
""",
        "b.go": "package shop\n\nfunc init() {}\n\nfunc (u *U) Run() {}\n\nfunc last() {}\n",
    }
)


def by_name(file: str, line: int, printed: str) -> tuple[str | None, str | None]:
    """Find the declaration of a frame; return its owner and name, and the warning."""
    found, warning = named_declaration(NAMED.view, file, line, split_function(printed))
    return (f"{found.receiver}.{found.name}".lstrip(".") if found else None), warning


@pytest.mark.parametrize(
    ("file", "line", "printed", "want"),
    [
        ("a.go", 6, "shop.(*T).Run", "T.Run"),
        ("a.go", 6, "shop.(*T).Run.func1", "T.Run"),
        ("a.go", 6, "shop.(*T).Run-fm", "T.Run"),
        ("a.go", 11, "shop.init", "hook"),
        ("a.go", 11, "shop.init.func1", "hook"),
        ("a.go", 11, "shop.glob..func1", "hook"),
        ("a.go", 6, "shop.outer.(*T).Run.func1", "T.Run"),
        ("a.go", 9, "shop.Run[...]", "Run"),
        ("b.go", 3, "shop.init.0", "init"),
        ("a.go", 13, "shop.outer.(*T).Run.func1", "outer"),
        ("a.go", 11, "shop.map.init.1", "hook"),
        ("a.go", 13, "", "outer"),
    ],
)
def test_line_and_name_agree(file, line, printed, want):
    """Where line and name agree, with closures and initialisers, there is no doubt."""
    assert by_name(file, line, printed) == (want, None)


@pytest.mark.parametrize(
    ("file", "line", "printed", "want", "title"),
    [
        ("a.go", 1, "shop.(*T).Run", "T.Run", "(*T).Run"),
        ("a.go", 13, "shop.(*T).Run", "T.Run", "(*T).Run"),
        ("a.go", 13, "shop.last", "last", "last"),
        ("gone.go", 3, "shop.Run", "Run", "Run"),
        ("b.go", 99, "shop.(*U).Run", "U.Run", "(*U).Run"),
        ("a.go", 11, "shop.initCache", "initCache", "initCache"),
        ("a.go", 11, "shop.globals", "globals", "globals"),
        ("a.go", 11, "shop.outer.func1", "outer", "outer"),
        ("a.go", 9, "shop.(*T).Run", "T.Run", "(*T).Run"),
        ("a.go", 6, "shop.Run", "Run", "Run"),
    ],
)
def test_name_wins(file, line, printed, want, title):
    """Where the line lies elsewhere, the function of that name is meant."""
    warning = f"line {line} of {file} does not lie in {title}: {OTHER}"
    assert by_name(file, line, printed) == (want, warning)


def test_name_that_is_gone():
    """Where nothing has the name, what holds the line is taken, with a warning."""
    warning = f"line 13 of a.go lies in outer, not in renamed: {OTHER}"
    assert by_name("a.go", 13, "shop.renamed") == ("outer", warning)


def test_method_of_an_alias():
    """The runtime prints the type that an alias stands for."""
    shop = sketch(
        "package shop\n\ntype T struct{}\n\ntype A = T\n\nfunc (a A) Run() {}\n"
    )
    found = named_declaration(shop.view, "shop.go", 7, split_function("shop.T.Run"))
    assert found == (shop.decl("A.Run"), None)


def test_path_of_a_package_says_nothing_of_the_function():
    """What stands before the function's name is no name of a declaration."""
    warning = f"line 13 of a.go lies in outer, not in renamed: {OTHER}"
    assert by_name("a.go", 13, "x.outer.y/shop.renamed") == ("outer", warning)


@pytest.mark.parametrize("printed", ["shop.gone", "shop.init", "", "shop.(*V).Run"])
def test_neither_line_nor_name(printed):
    """Where neither is known there is no declaration."""
    assert by_name("a.go", 1, printed) == (None, None)


def test_nearest_file_of_a_name():
    """Of several functions of that name the one in the frame's file is meant."""
    shop = sketch(
        {
            "a.go": "package main\n\nfunc main() {}\n",
            "b.go": "package main\n\nfunc main() {}\n",
        }
    )
    found, _ = named_declaration(shop.view, "b.go", 1, split_function("main.main"))
    assert found is not None
    assert found.file == 1
