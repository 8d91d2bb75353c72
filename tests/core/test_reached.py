"""Tests that call the crash function, told from their text."""

import pytest

from tests.core.tables import sketch
from triage.core.model import Package, SourceFile
from triage.core.notes import reached, size
from triage.core.reached import reaching
from triage.core.view import View

SHOP = sketch(
    "package shop\n\nfunc Run() {}\n\nfunc Map() {}\n\ntype Cart struct{}\n\n"
    "func (c *Cart) Add() {}\n\nfunc (c *Cart) Total() {}\n\n"
    "type Bag struct{}\n\nfunc (b *Bag) Total() {}\n\nfunc main() {}\n"
)
TESTS = b"""package shop

func TestRun(t *testing.T) {
	Run()
}

func helper() { Run() }

func BenchmarkRun(b *testing.B) { shop.Run() }

func TestOther(t *testing.T) {
	x.Run()
	Runs()
	ReRun()
	main()
}

func TestMap(t *testing.T) { Map[int](nil) }

func TestAdd(t *testing.T) { New().Add() }

func TestCart(t *testing.T) { (&Cart{}).Total() }

func TestBag(t *testing.T) { bag.Total(); Bag{} }
"""


def view(**files: bytes) -> View:
    """Put test files beside the shop's."""
    table, package = SHOP.view.table, SHOP.package
    more = [SourceFile(f"{name}_test.go", "", data) for name, data in files.items()]
    return View(
        Package(package.directory, (*package.files, *more)),
        table,
        import_path="example.com/app/shop",
    )


@pytest.mark.parametrize(
    ("function", "tests"),
    [
        ("Run", ("TestRun", "BenchmarkRun")),
        ("Map", ("TestMap",)),
        ("Cart.Add", ("TestAdd",)),
        ("main", ()),
        ("Cart", ()),
    ],
)
def test_reaching_a_function(function, tests):
    """A call by its name, or with the package's before it; of a type there is none."""
    shop = view(all=TESTS)
    assert reaching(shop, SHOP.decl(function)) == tests


@pytest.mark.parametrize("receiver", ["Cart", "Bag"])
def test_methods_of_one_name(receiver):
    """Where several types have it, the test names the type."""
    shop = view(all=TESTS)
    (total,) = (one for one in shop.named("Total") if one.receiver == receiver)
    assert reaching(shop, total) == (f"Test{receiver}",)


def test_files_without_a_call():
    """They are no matter, and a package may have no tests."""
    for text in (b"package shop\n", b"package shop\n\nvar run = Run\n"):
        assert reaching(view(none=text), SHOP.decl("Run")) == ()
    assert reaching(view(), SHOP.decl("Run")) == ()


def test_how_they_are_told():
    """As many as there is room for, the others counted; none where there is none."""
    names = [f"TestNumber{number:02}" for number in range(12)]
    (line,) = reached(names, 1000)
    assert line.endswith("TestNumber07 and 4 more")
    (short,) = reached(names, 80)
    assert size([short]) <= 80
    assert "TestNumber01" in short
    assert reached(names, 20) == []
    assert reached([], 1000) == []
