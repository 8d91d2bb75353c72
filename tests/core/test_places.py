"""Frames found in the repository."""

from dataclasses import replace
from typing import Any

import pytest

from triage.core.atlas import whole
from triage.core.model import Frame, Goroutine, Panic, Problem, Report, Telemetry
from triage.core.names import split_function
from triage.core.panics import show
from triage.core.places import (
    explainable,
    find_places,
    fingerprinted,
    frame_sites,
    guesses,
    oddities,
    shown_panic,
)
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


@pytest.mark.parametrize("file", ["cart/parse.y/", "cart\\parse.y", "cart/parse.y/."])
def test_a_file_of_no_repository_has_a_name_all_the_same(file):
    """What `//line` names is looked for by its name, however it is written."""
    place = Telemetry(repo="acme/shop", file=file, line=7)
    assert find_places(place, (), LAYOUT).places[0].path == "cart/parse.y"


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
    """An own frame whose path can be none says so."""
    frame = Frame("example.com/shop/cart.F", "../../x.go", 3)
    with pytest.raises(BadInput, match="leads out of the repository"):
        find_places(told(), (panic(frame),), LAYOUT)


def test_a_repository_without_modules_is_learnt_from_the_trace():
    """What the trace tells of the root's import path goes into the layout."""
    bare = whole(["cart/cart.go", "main.go"], {}).layout
    found = find_places(told(), (panic(ADD),), bare)
    assert "example.com/shop" in found.layout.by_path


def logged(kind: str, *frames: Frame) -> Panic:
    """Make what was merely logged, with a stack of these frames."""
    return replace(panic(*frames), kind=kind)


def test_real_crashes_come_before_what_was_logged():
    """Real crashes are tried first, in their order; logged stacks are kept behind."""
    error, stack = logged("logged-error", MAIN), logged("logged-stack", MAIN)
    first, second = panic(ADD), panic(MAIN)
    assert explainable([error, first, stack, second]) == (first, second, error, stack)


@pytest.mark.parametrize(
    "kinds",
    [
        ("logged-error", "divide"),
        ("logged-error", "logged-stack"),
        ("divide", "nil-deref"),
        ("goroutine-dump", "custom-panic"),
    ],
)
def test_the_first_to_be_tried_is_the_one_that_parse_shows(kinds):
    """The engine explains the crash that `triage parse` puts first."""
    crashes = tuple(logged(kind, MAIN) for kind in kinds)
    shown = show.to_json(Report(crashes), "crash.txt")
    assert explainable(crashes)[0].kind == shown["kind"]


def test_what_was_logged_is_explained_alone():
    """Where nothing else has a stack, a logged error is tried."""
    error = logged("logged-error", MAIN)
    headless = replace(panic(ADD), crashed=None)
    assert explainable([headless, panic(), error]) == (error,)


@pytest.mark.parametrize(
    ("lines", "want"),
    [
        ((), ()),
        ((4,), ("line 4 of the trace: odd",)),
        ((4, 6, 9), ("line 4 of the trace: odd (and 2 more)",)),
    ],
)
def test_what_is_odd_in_the_text_is_told_in_a_sentence(lines, want):
    """The first problem of the crash's text stands for all."""
    problems = tuple(Problem(line, "odd") for line in lines)
    crash = replace(panic(MAIN), problems=problems)
    assert oddities(find_places(told(), (crash,), LAYOUT)) == want


def at(file: str) -> Frame:
    """Make a frame of a program."""
    return Frame("main.F", file, 3)


@pytest.mark.parametrize(
    ("files", "named"),
    [
        (["/b/main.go", "/b/main.go"], []),
        (["/b/cart/cart.go", "/c/main.go"], ["/c/main.go"]),
        (["/b/main.go", "/b/cart/cart.go", "/c/main.go", "/c/a/x.go"], ["/c/main.go"]),
        (["/b/main.go", "/c/main.go", "/d/main.go", "/e/main.go"], ["/c", "/d"]),
        (["main.go", "cart/cart.go"], []),
    ],
)
def test_a_guess_below_the_crash_is_told_once_a_build_directory(files, named):
    """The crash's own is told with it; two directories stand for all."""
    found = find_places(told(), (panic(*map(at, files)),), LAYOUT)
    said = guesses(found, 3)
    assert len(said) == len(named)
    assert all(f"`{name}" in text for name, text in zip(named, said, strict=True))


def test_file_and_line_alone_are_never_odd():
    """Without a trace there is no text to find fault with."""
    place = Telemetry(repo="acme/shop", file="cart/cart.go", line=7)
    assert oddities(find_places(place, (), LAYOUT)) == ()


def test_a_goroutine_stands_in_for_one_that_says_nothing():
    """What stopped the whole program is told by others where its own has no code."""
    stopped = replace(
        panic(GOEXIT),
        kind="sigquit",
        others=(Goroutine(2, "sleep", (GOEXIT,)), Goroutine(3, "select", (ADD,))),
    )
    first, second = explainable([stopped])
    assert first == stopped
    assert second.crashed == stopped.others[1]
    found = find_places(told(), explainable([stopped]), LAYOUT)
    assert found.places[0].frame is ADD
    assert "goroutine 3 [select] stands in" in oddities(found)[0]
