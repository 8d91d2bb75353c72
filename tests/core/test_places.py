"""Frames found in the repository."""

from typing import Any

import pytest

from triage.core.atlas import whole
from triage.core.model import Frame, Goroutine, Panic, Telemetry
from triage.core.names import split_function
from triage.core.places import find_places, fingerprinted, frame_sites, shown_panic
from triage.errors import BadInput, FileMissing

LAYOUT = whole(
    ["go.mod", "cart/cart.go", "cart/lexer.go", "main.go", "a/x.go", "b/x.go"],
    {"go.mod": b"module example.com/shop\n"},
).layout
ADD = Frame("example.com/shop/cart.(*Cart).Add.func1", "/app/cart/cart.go", 7)
MAIN = Frame("main.main", "/app/main.go", 9)
GOEXIT = Frame("runtime.goexit", "/usr/local/go/src/runtime/asm.s", 1)


def told(**options: Any) -> Telemetry:
    """Make telemetry of a trace."""
    return Telemetry(repo="acme/shop", trace="", **options)


def panic(*frames: Frame) -> Panic:
    """Make a crash with these frames."""
    return Panic("divide", "boom", Goroutine(1, "running", frames), 1, (1, 2))


def test_own_frames_are_found_and_others_left_out():
    """The crash comes first; a frame of the runtime has no place."""
    found = find_places(told(), (panic(ADD, GOEXIT, MAIN),), LAYOUT)
    assert [place.path for place in found.places] == ["cart/cart.go", "main.go"]
    shown = shown_panic(found)
    assert [frame.path for frame in shown.frames] == ["cart/cart.go", None, "main.go"]
    assert (shown.kind, shown.message) == ("divide", "boom")


def test_the_frames_below_the_crash_go_to_the_resolver():
    """Turn, directory, file, line and name are what it wants."""
    found = find_places(told(), (panic(ADD, MAIN),), LAYOUT)
    (site,) = frame_sites(found.places)
    assert (site.turn, site.directory, site.file, site.line) == (1, "", "main.go", 9)
    assert site.function == split_function("main.main")


def test_functions_for_the_fingerprint_stand_under_their_declaration():
    """A closure counts as the function around it."""
    found = find_places(told(), (panic(ADD, MAIN),), LAYOUT)
    assert fingerprinted(found) == ("example.com/shop/cart.Cart.Add", "main.main")


def test_a_file_alone_has_no_panic_to_show():
    """File and line give one place and nothing that a trace would tell."""
    place = Telemetry(repo="acme/shop", file="cart/cart.go", line=7)
    found = find_places(place, (), LAYOUT)
    assert [place.path for place in found.places] == ["cart/cart.go"]
    assert shown_panic(found).frames == ()
    assert fingerprinted(found) == ()


def test_the_first_crash_with_own_frames_is_taken():
    """A crash of somebody else's alone is passed over."""
    found = find_places(told(), (panic(GOEXIT), panic(MAIN)), LAYOUT)
    assert found.panic == panic(MAIN)


def test_a_generated_file_is_placed_in_its_package():
    """What `//line` names need not exist: the import path gives the directory."""
    frame = Frame("example.com/shop/cart.parse", "/gen/lexer.y", 3)
    found = find_places(told(), (panic(frame),), LAYOUT)
    assert (found.places[0].path, found.places[0].located) == ("cart/lexer.y", None)


def test_a_missing_file_is_missing():
    """Without a function nothing tells where a file that is not here would lie."""
    with pytest.raises(FileMissing):
        find_places(Telemetry(repo="r", file="none.go", line=1), (), LAYOUT)


def test_no_own_frame_says_what_to_do():
    """The message names the repository that was looked at."""
    with pytest.raises(FileMissing, match="acme/shop; name another"):
        find_places(told(), (panic(GOEXIT),), LAYOUT)


def test_the_first_failure_is_told_where_nothing_is_found():
    """An own frame that may be several files says which."""
    frame = Frame("example.com/shop/gone.F", "/app/gone/x.go", 3)
    with pytest.raises((BadInput, FileMissing)):
        find_places(told(), (panic(frame),), LAYOUT)


def test_a_repository_without_modules_is_learnt_from_the_trace():
    """What the trace tells of the root's import path goes into the layout."""
    bare = whole(["cart/cart.go", "main.go"], {}).layout
    found = find_places(told(), (panic(ADD),), bare)
    assert "example.com/shop" in found.layout.by_path
