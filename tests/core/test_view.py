from collections.abc import Iterable

import orjson
import pytest

from tests.core.tables import sketch
from triage.core.model import Package
from triage.core.table import NONE, Table
from triage.core.view import View

SHOP = sketch(
    {
        "shop.go": """
package shop

type Base struct {
	ID int
	// Deep is further down.
	*Deep //: field *Deep
}

type Deep struct{ Secret string }

func (d *Deep) Dig() {}

func (b *Base) Tag() {}

type User struct {
	Base //: field Base
	Name string
	Friend *Deep //: field *Deep
	Tools []Base //: field []Base
}

func (u User) Tag() {}

type Alias = User //: under User

type Named User //: under User

type Ring struct {
	*Loop //: field *Loop
}

type Loop struct {
	*Ring //: field *Ring
}

var limit, total = 1, 2
""",
        "shop_test.go": """
package shop_test

func TestUser() {}

func limit() {}
""",
        "zz_windows.go": "package shop //: excluded by its name\n\nfunc more() {}\n",
    }
)
VIEW = SHOP.view


def number(name: str) -> int:
    """Return the number of a declaration by its name."""
    return SHOP.rows.number(name)


def names(numbers: Iterable[int]) -> list[str]:
    """Return the names of declarations."""
    return [VIEW.decl(n).name for n in numbers]


def test_declarations_by_file():
    """Each file knows its declarations in order; an excluded one has none."""
    assert names(VIEW.declared_in(0))[:4] == ["Base", "Deep", "Dig", "Tag"]
    assert names(VIEW.declared_in(1)) == ["TestUser", "limit"]
    assert names(VIEW.declared_in(2)) == []


def test_declarations_by_name():
    """A plain name leads to what is neither a method nor in a test."""
    assert [decl.id for decl in VIEW.declared("limit")] == [number("limit")]
    assert VIEW.declared("Tag") == []
    assert VIEW.declared("TestUser") == []
    assert [decl.receiver for decl in VIEW.named("Tag")] == ["Base", "User"]
    assert VIEW.named("nobody") == []


def test_declarations_are_built_once():
    """A declaration asked for again is the same value."""
    assert VIEW.decl(3) is VIEW.decl(3)


def test_files():
    """Files are known by number, name and path, and give their bytes."""
    assert VIEW.file_names == ("shop.go", "shop_test.go", "zz_windows.go")
    assert VIEW.file_number("shop_test.go") == 1
    assert VIEW.file_number("more.go") is None
    assert VIEW.path_of(1) == "shop/shop_test.go"
    assert VIEW.data(2) == b"package shop\n\nfunc more() {}\n"


def test_place_of_a_declaration():
    """A declaration leads to its path, its source and its package's name."""
    test = SHOP.decl("TestUser")
    assert VIEW.path(test) == "shop/shop_test.go"
    assert VIEW.source(test)[test.start : test.end] == b"func TestUser() {}"
    assert VIEW.package_name(test) == "shop_test"
    assert VIEW.package_name(SHOP.decl("User")) == "shop"


@pytest.mark.parametrize(
    ("directory", "where"), [("shop", "shop"), ("", "the root directory")]
)
def test_what_is_wrong_with_all_files(directory, where):
    """What no file is to blame for is a problem, and a table without types passes."""
    form = orjson.loads(SHOP.json)
    form["strings"].append("types were not checked")
    form["errors"] += [NONE, 0, 0, len(form["strings"]) - 1, 0, 3, 1, 0]
    data = b'{"unchecked":true,' + orjson.dumps(form)[1:]
    package = Package(directory, SHOP.package.files, problems=("one",))

    view = View(package, Table(data), import_path="")

    assert view.problems == ("one", f"in {where} types were not checked")
    assert view.passing
    assert not SHOP.view.passing


def test_path_at_the_root():
    """In the repository's root a path is the file's name."""
    assert sketch("package main\n", directory="").view.path_of(0) == "shop.go"


def test_size():
    """Files that the build takes count, tests where they are asked for."""
    shop, test, _ = (len(file.data) for file in SHOP.package.files)
    assert VIEW.size(tests=False) == (1, shop)
    assert VIEW.size(tests=True) == (2, shop + test)


@pytest.mark.parametrize(
    ("owner", "name", "want"),
    [
        ("User", "Tag", "User"),
        ("Base", "Tag", "Base"),
        ("User", "Dig", "Deep"),
        ("Alias", "Tag", "User"),
        ("Alias", "Dig", "Deep"),
    ],
)
def test_method(owner, name, want):
    """A method is the type's own, else one of an embedded or aliased type."""
    found = VIEW.method(number(owner), name)
    assert found is not None
    assert (found.receiver, found.name) == (want, name)


@pytest.mark.parametrize(
    ("owner", "name"),
    [("Named", "Tag"), ("User", "Fly"), ("Deep", "Tag"), ("Ring", "Dig")],
)
def test_no_method(owner, name):
    """A new type has not its origin's methods; types that embed each other end."""
    assert VIEW.method(number(owner), name) is None


@pytest.mark.parametrize(
    ("owner", "name", "want"),
    [
        ("User", "Name", "User"),
        ("User", "ID", "Base"),
        ("User", "Secret", "Deep"),
        ("User", "Deep", "Base"),
        ("Alias", "Name", "User"),
    ],
)
def test_field(owner, name, want):
    """A field is the type's own, else one of an embedded or aliased type."""
    found = VIEW.field(number(owner), name)
    assert found is not None
    assert VIEW.field_owner(found) == number(want)
    assert VIEW.field_name(found) == name


@pytest.mark.parametrize(("owner", "name"), [("Deep", "Name"), ("Loop", "Name")])
def test_no_field(owner, name):
    """What no embedded type holds is not there, and circles end."""
    assert VIEW.field(number(owner), name) is None


def test_embedded():
    """Only types that lend their members count, not those that fields merely have."""
    assert names(VIEW.embedded(number("User"))) == ["Base"]
    assert names(VIEW.embedded(number("Base"))) == ["Deep"]
    assert names(VIEW.embedded(number("Alias"))) == ["User"]
    assert names(VIEW.embedded(number("Named"))) == []


def test_broken_declaration():
    """A syntax error breaks the declaration that holds its line, in its file alone."""
    view = sketch(
        {
            "a.go": "package a\n\nfunc f() {\n\tx :=\n\t//: error 7 no value\n}\n",
            "b.go": "package a\n\nfunc g() {\n\ty()\n}\n\nfunc h() {}\n",
        }
    ).view
    assert [view.is_broken(n) for n in range(3)] == [True, False, False]


PORT = sketch("""
package port

type Store interface {
	// Save(x) keeps it.
	Save(it Item) error // not Save(y)
	Get(id string) (*Item, error)
	Closer //: field Closer
}

type Closer interface{ Close() }

type Number interface{ int }

type Disk struct{}

func (d Disk) Save(it Item) error { return nil }

func (d *Disk) Get(
	id string,
) (*Item, error) {
	return nil, nil
}

type Tape struct{}

func (t Tape) Save(it Item) error { return nil }

func (t Tape) Get(id string) *Item

type Empty struct{}
""")


def test_characters():
    """Characters are counted as they are read, a byte that is none as one."""
    view = sketch(
        {
            "a.go": "package a // \u00e9\udcff\n",
            "a_test.go": "package a\n",
            "b_windows.go": "package a //: excluded by its name\n",
        }
    ).view
    assert view.characters(tests=False) == len("package a // ??\n")
    assert view.characters(tests=True) == len("package a // ??\npackage a\n")


def test_methods_of_an_interface():
    """An interface gives the methods that it lists itself, as it writes them."""
    methods = PORT.view.interface_methods
    assert methods(PORT.rows.number("Store")) == {
        "Save": "Save(it Item) error // not Save(y)",
        "Get": "Get(id string) (*Item, error)",
    }
    assert methods(PORT.rows.number("Closer")) == {"Close": "Close()"}
    assert methods(PORT.rows.number("Number")) == {}


@pytest.mark.parametrize(
    ("owner", "want"), [("Disk", True), ("Tape", False), ("Empty", False)]
)
def test_type_with_the_methods(owner, want):
    """A type has an interface's methods where it declares them all, as they are."""
    wanted = PORT.view.interface_methods(PORT.rows.number("Store"))
    assert want == PORT.view.has_methods(PORT.rows.number(owner), wanted)


def test_no_methods_are_had_by_none():
    """An interface that lists nothing says nothing of who implements it."""
    assert not PORT.view.has_methods(PORT.rows.number("Disk"), {})


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("Disk.Save", "Save(it Item) error "),
        ("Disk.Get", "Get(\n\tid string,\n) (*Item, error) "),
        ("Tape.Get", "Get(id string) *Item"),
    ],
)
def test_signature(name, want):
    """A method's signature goes from its name to its body."""
    assert want == PORT.view.signature(PORT.decl(name))


def test_words():
    """Identifiers of three letters and more count, once, outside of texts."""
    shop = sketch("""
package shop

func price(item string) int {
	total := lookup(item, "not this") // nor that
	return total + lookup(item, n)
}

func lookup(item string, n int) int { return n }
""")
    view = shop.view
    price, lookup = shop.decl("price"), shop.decl("lookup")

    def texts(words: list[int]) -> list[str]:
        return [view.table.text(word) for word in words]

    assert texts(view.words_of(price.id)) == ["price", "item", "total", "lookup"]
    assert texts(view.words_on(price, 5)) == ["item", "total", "lookup"]
    assert texts(view.words_on(price, 6)) == []
    assert view.with_word(view.table.number("item")) == [price.id, lookup.id]
    assert view.with_word(view.table.number("nowhere")) == []


@pytest.mark.parametrize("line", [0, 99])
def test_no_words_outside_the_file(line):
    """A line that the file does not have holds no words."""
    assert VIEW.words_on(SHOP.decl("User"), line) == []


@pytest.mark.parametrize(
    ("target", "want"),
    [
        ("<example.com/app/bank>.Account", ("example.com/app/bank", "Account", ())),
        ("<io>.Closer.Close", ("io", "Closer", (("Close", 0),))),
        (
            "<io>.Open()1.Next[].Name",
            ("io", "Open", (("", 2), ("Next", 0), ("", -1), ("Name", 0))),
        ),
    ],
)
def test_external(target, want):
    """A target of another package unrolls into path, name and the way on."""
    shop = sketch(f"package shop\n\nvar x = 1 //: use {target} read\n")
    [row] = shop.view.table.of("uses", 0)
    assert want == shop.view.external(row[1])
    assert row[1] != NONE
