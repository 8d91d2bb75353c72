"""The names are what go1.27.3 printed for programs of each shape, and older forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.core.names import split_function

DECLARATIONS = [
    ("main.main", "main", "main"),
    ("example.com/shop/cart.New", "example.com/shop/cart", "New"),
    ("example.com/shop/cart.(*Cart).Add", "example.com/shop/cart", "Cart.Add"),
    ("example.com/shop/cart.Cart.Total", "example.com/shop/cart", "Cart.Total"),
    ("example.com/shop/cart.(*Box[...]).Put", "example.com/shop/cart", "Box.Put"),
    ("example.com/shop/cart.Box[...].Get", "example.com/shop/cart", "Box.Get"),
    ("example.com/shop/cart.Map[...]", "example.com/shop/cart", "Map"),
    (
        "example.com/shop/cart.Map[go.shape.map[string]struct { N example.org/n.Num }]",
        "example.com/shop/cart",
        "Map",
    ),
    ("main.(*Cart).Add-fm", "main", "Cart.Add"),
    ("main.Cart.Total-fm", "main", "Cart.Total"),
    ("main.Δελτα", "main", "Δελτα"),
    (
        "gopkg.in/yaml%2ev3.(*decoder).unmarshal",
        "gopkg.in/yaml.v3",
        "decoder.unmarshal",
    ),
    ("example.com/a%c3%a9/b.F", "example.com/aé/b", "F"),
    ("internal/poll.(*pollDesc).wait", "internal/poll", "pollDesc.wait"),
    ("runtime.goexit", "runtime", "goexit"),
    ("panic", "", "panic"),
    ("main._Cfunc_free", "main", "_Cfunc_free"),
    ("_cgoexp_1f2e_GoCallback", "", "_cgoexp_1f2e_GoCallback"),
    ("runtime_dopanic", "", "runtime_dopanic"),
    ("type:.eq.example.com/shop/cart.Key", "", "type:.eq.example.com/shop/cart.Key"),
    ("main.glob.Match", "main", "glob.Match"),
    ("main.func1", "main", "func1"),
    ("main.(*T).func1", "main", "T.func1"),
]

INITIALISERS = [
    ("example.com/shop/cart.init", False),
    ("example.com/shop/cart.init.0", False),
    ("example.com/shop/cart.map.init.1", False),
    ("example.com/shop/cart.init.0.func1", True),
    ("example.com/shop/cart.init.1.func2.1", True),
    ("example.com/shop/cart.init.func3", True),
    ("example.com/shop/cart.glob..func1", True),
    ("example.com/shop/cart.glob..func1.2", True),
]

LITERALS = [
    ("main.main.func1", "main"),
    ("main.main.func1.2", "main"),
    ("main.main.1", "main"),
    ("main.main..func1", "main"),
    ("main.(*Cart).Add.func1.gowrap2", "Cart.Add"),
    ("main.Walk.gowrap1", "Walk"),
    ("main.Walk.func2.deferwrap1", "Walk"),
    ("main.Walk-range1", "Walk"),
    ("main.(*Cart).All-range2.func1", "Cart.All"),
    ("main.Walk-range1-range1.1-range1", "Walk"),
    ("main.Walk.func1-range1", "Walk"),
    ("main.Walk[...].func1", "Walk"),
    ("main.(*Box[...]).Put.func1", "Box.Put"),
    ("main.(*T).func1.func1", "T.func1"),
]

INLINED = [
    ("main.Outer.(*Cart).Add.func1", "Cart.Add", ("Outer",)),
    ("main.(*Shop).Open.(*Cart).Add.func2", "Cart.Add", ("Shop.Open",)),
    ("main.(*Shop).Open.check.func1", "check", ("Shop.Open",)),
    ("main.(*Shop).Open.func1.check.func2", "check", ("Shop.Open",)),
    ("main.init.0.check.func1", "check", ("init",)),
    ("main.init.(*Cart).Add.func1", "Cart.Add", ("init",)),
    ("main.Shop.Open.WalkDir.func3", "WalkDir", ("Shop.Open",)),
]


@pytest.mark.parametrize(("printed", "package", "declaration"), DECLARATIONS)
def test_declaration(printed, package, declaration):
    """A declaration's name is split into import path, receiver and name."""
    name = split_function(printed)
    assert (name.package, name.declaration) == (package, declaration)
    assert not name.closure
    assert name.certain


@pytest.mark.parametrize(("printed", "closure"), INITIALISERS)
def test_initialiser(printed, closure):
    """Every form of an initialiser is called init, with its literals told apart."""
    name = split_function(printed)
    assert (name.package, name.receiver, name.name) == (
        "example.com/shop/cart",
        None,
        "init",
    )
    assert name.closure == closure


@pytest.mark.parametrize(("printed", "declaration"), LITERALS)
def test_literal(printed, declaration):
    """A literal, a wrapper or a range body counts to its declaration."""
    name = split_function(printed)
    assert (name.declaration, name.closure, name.outer) == (declaration, True, ())


@pytest.mark.parametrize(("printed", "declaration", "outer"), INLINED)
def test_inlined_literal(printed, declaration, outer):
    """A literal that was inlined stands in the declaration named last."""
    name = split_function(printed)
    assert (name.declaration, name.outer, name.closure) == (declaration, outer, True)


def test_bare_pair_is_open():
    """Two bare words before a literal are a method or two functions: both may be."""
    name = split_function("main.Cart.Total.func1")
    assert not name.certain
    assert name.may_be(receiver="Cart", name="Total")
    assert name.may_be(receiver=None, name="Total")
    assert not name.may_be(receiver="Cart", name="Add")


def test_written_receiver_is_certain():
    """A receiver in brackets leaves no doubt."""
    name = split_function("main.(*Cart).Total.func1")
    assert name.may_be(receiver="Cart", name="Total")
    assert not name.may_be(receiver=None, name="Total")


@given(st.text())
def test_any_text_is_split(text):
    """Whatever a log holds, splitting it raises nothing."""
    name = split_function(text)
    assert isinstance(name.declaration, str)


@given(st.lists(st.sampled_from([*".()[]*-/%", "a", "func1", "init", "glob"])))
def test_odd_names_are_split(pieces):
    """Pieces of names in any order raise nothing."""
    assert isinstance(split_function("".join(pieces)).declaration, str)
