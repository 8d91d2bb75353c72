"""Declarations asked for by name."""

import pytest

from tests.core.tables import sketch
from triage.core.declared import declarations

SHOP = sketch(
    {
        "shop.go": """
package shop

// Cart holds items.
type Cart struct{}

// Add adds.
func (c *Cart) Add() {}

type List struct{}

func (l List) Add() {}

func New() *Cart { return nil }

var limit, total = 1, 2
"""
    }
)


def places(asked: str) -> list[tuple[str, str | None]]:
    """Tell which declarations a name finds."""
    return [(one.name, one.receiver) for one in declarations(SHOP.view, asked)]


@pytest.mark.parametrize(
    "asked",
    [
        "(*Cart).Add",
        "(Cart).Add",
        "Cart.Add",
        " Cart.Add ",
        "example.com/shop.(*Cart).Add",
        "example.com/shop.Cart.Add",
        "(*Cart[T]).Add",
    ],
)
def test_a_method_by_its_type(asked):
    """As a trace prints it, as Go writes it, with a package before it."""
    assert places(asked) == [("Add", "Cart")]


def test_a_methods_plain_name():
    """All that have it are found."""
    assert places("Add") == [("Add", "Cart"), ("Add", "List")]


@pytest.mark.parametrize("asked", ["New", "shop.New", "example.com/shop.New"])
def test_a_function(asked):
    """What stands before the dot may be the package."""
    assert places(asked) == [("New", None)]


def test_one_variable_of_several():
    """Its text is the spec's."""
    (one,) = declarations(SHOP.view, "total")
    assert (one.kind, one.text) == ("var", "var limit, total = 1, 2")


def test_the_text_is_as_written():
    """With its doc comment; its lines are the declaration's own."""
    (one,) = declarations(SHOP.view, "Cart")
    assert one.text == "// Cart holds items.\ntype Cart struct{}"
    assert (one.kind, one.start_line, one.end_line) == ("type", 4, 4)
    assert one.file.endswith("shop.go")


@pytest.mark.parametrize(
    "asked", ["", "nosuch", "Cart.nosuch", "a b", "*", "Add()", "x" * 9_999]
)
def test_nothing(asked):
    """A name that is none, or not there, finds nothing."""
    assert places(asked) == []
