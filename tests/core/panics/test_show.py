"""A report as people and programs read it."""

from typing import Any

import orjson
import pytest

from triage.core.panics import decipher
from triage.core.panics.show import to_json, to_text
from triage.core.visible import escaped


def as_json(text: str) -> Any:
    """Return what is printed of a text, through JSON and back."""
    return orjson.loads(orjson.dumps(to_json(decipher(text), "log")))


NIL = "runtime error: invalid memory address or nil pointer dereference"


def test_json_of_a_crash(sample):
    """Every key of the contract, in values that JSON knows."""
    shown = as_json(sample("many"))
    first = {
        "function": "example.test/shop/orders.(*Order).First",
        "file": "/srv/shop/orders/orders.go",
        "line": 19,
    }
    frames = shown["crashed"].pop("frames")
    assert first == frames[0]
    assert len(frames) == 3
    assert shown == {
        "file": "log",
        "kind": "nil-deref",
        "message": NIL,
        "goroutines": 4,
        "crashed": {"id": 1, "state": "running", "created_by": None, "elided": False},
        "origin": first,
        "lines": [1, 34],
        "details": {"signal": "SIGSEGV", "address": "0x8"},
        "others": [],
        "problems": [],
    }


def test_json_of_nothing():
    """A text without a crash has its line too."""
    assert as_json("all is well\n") == {
        "file": "log",
        "kind": None,
        "message": None,
        "crashed": None,
        "origin": None,
        "goroutines": 0,
        "others": [],
        "problems": [],
    }


def test_json_of_several(sample):
    """Further crashes have the same shape, each with its lines and its count."""
    text = sample("nil") + "restarting\n" * 60 + sample("many")
    shown = as_json(text)
    assert (shown["goroutines"], shown["lines"]) == (5, [1, 10])
    (other,) = shown["others"]
    assert (
        other["kind"],
        other["lines"],
        other["goroutines"],
    ) == ("nil-deref", [71, 104], 4)
    assert {
        "kind",
        "message",
        "goroutines",
        "crashed",
        "origin",
        "lines",
        "details",
    } == set(other)


def test_json_of_a_race_and_what_came_of_it(sample):
    """Goroutines are counted in dumps of the kind that the crash has."""
    shown = as_json(sample("race") + sample("map"))
    assert (shown["kind"], shown["goroutines"]) == ("data-race", 0)
    assert shown["others"][0]["goroutines"] == 1


def test_json_of_a_logged_error():
    """Nothing crashed; where the error arose is known all the same."""
    text = "no till\nmain.load\n\t/srv/a.go:24\nmain.main\n\t/srv/a.go:36\n"
    shown = as_json(text)
    assert (
        shown["kind"],
        shown["crashed"],
        shown["origin"]["line"],
    ) == ("logged-error", None, 24)


def test_json_of_frames_without_names():
    """What is not known is null."""
    text = "/usr/local/go/src/runtime/panic.go:679\n/srv/a.go:20\n/srv/b.go:30\n"
    shown = as_json(text)
    assert shown["origin"] == {"function": None, "file": "/srv/a.go", "line": 20}


def test_json_of_makers_waits_and_problems():
    """Who made the goroutine, how long it waited, and what was left out."""
    text = (
        "fatal error: x\n\ngoroutine 7 [select, 5 minutes]:\nmain.half(0x1)\nmain.f(0x1)\n"
        "\t/srv/a.go:7 +0x1\ncreated by main.g in goroutine 1\n\t/srv/a.go:3 +0x1\n"
    )
    shown = as_json(text)
    assert shown["crashed"]["created_by"] == {
        "function": "main.g",
        "file": "/srv/a.go",
        "line": 3,
    }
    assert shown["details"] == {"wait": "5 minutes"}
    assert shown["problems"] == [
        {"line": 4, "text": "a function without its file is left out"}
    ]


def test_text_at_a_glance(sample):
    """Kind and message, signal, goroutine, frames with the one that matters marked."""
    assert to_text(decipher(sample("again")), "again.txt") == (
        f"again.txt: nil-deref: {NIL}\n"
        "  signal SIGSEGV at address 0x8: a field 8 bytes into a nil pointer\n"
        "  goroutine 1 [running], lines 1-18\n"
        "  + example.test/shop/orders.Guard.func1() /srv/shop/orders/orders.go:45\n"
        "    panic({0xa62818?, 0xaed820?}) /usr/local/go/src/runtime/panic.go:859\n"
        "  > example.test/shop/orders.(*Order).First(0x3?) /srv/shop/orders/orders.go:19\n"
        "  * main.init.func9.1() /srv/shop/main.go:29\n"
        "  * example.test/shop/orders.Guard(0x5?) /srv/shop/orders/orders.go:48\n"
        "  * main.init.func9() /srv/shop/main.go:29\n"
        "  * main.main() /srv/shop/main.go:80\n"
    )


def test_text_of_a_long_stack(sample):
    """A screen is enough: what is left out is said."""
    text = to_text(decipher(sample("overflow")), "log")
    assert "    ... 80 more frames\n" in text
    assert "    ... frames in the middle were left out by the runtime\n" in text
    assert ", 7 goroutines\n" in text


def test_text_of_several(sample):
    """The others are named with their lines."""
    text = to_text(decipher(sample("nil") + "\n" * 9 + sample("map")), "log")
    assert "  also lines 20-28: nil-map: assignment to entry in nil map\n" in text


def test_text_of_what_else_is_known():
    """Version, target, commit, modules, and what was left out."""
    text = (
        "go version go1.22.2 linux/amd64\nvcs.revision=0123456789ab\n"
        "panic: first:\n\tsecond\n\ngoroutine 1 [running]:\nmain.half(0x1)\nmain.f(0x1)\n"
        "\t/go/pkg/mod/example.test/x@v1.0.0/f.go:7 +0x1\ncreated by main.g\n\t/srv/a.go:3 +0x1\n"
    )
    shown = to_text(decipher(text), "log").splitlines()
    assert shown[0] == "log: custom-panic: first:"
    assert shown[1] == "  | second"
    assert "    created by main.g /srv/a.go:3" in shown
    assert (
        "  go1.22.2, linux/amd64, commit 0123456789ab, example.test/x@v1.0.0" in shown
    )
    assert shown[-1] == "  problem in line 7: a function without its file is left out"


@pytest.mark.parametrize(
    ("signal", "address", "expected"),
    [
        ("SIGSEGV", "0x0", "signal SIGSEGV at address 0x0: a nil pointer"),
        ("SIGSEGV", "0xc420a00000", "signal SIGSEGV at address 0xc420a00000"),
        ("SIGFPE", "0x8", "signal SIGFPE at address 0x8"),
        ("SIGABRT", "", "signal SIGABRT"),
    ],
)
def test_text_of_addresses(signal, address, expected):
    """A small address of a memory fault is where a nil pointer was followed."""
    at = f" addr={address}" if address else ""
    text = f"panic: runtime error: x\n[signal {signal}: x code=0x1{at} pc=0x1]\n"
    assert f"  {expected}\n" in to_text(decipher(text), "log")


def test_text_of_stacks_without_a_header():
    """Without number and state it is a stack; names may be missing."""
    text = "/usr/local/go/src/runtime/panic.go:679\n/srv/a.go:20\n/srv/b.go:30\n"
    shown = to_text(decipher(text), "log")
    assert "log: logged-stack\n  stack, lines 1-3\n" in shown
    assert "  > ? /srv/a.go:20\n" in shown


def test_text_of_nothing():
    """It is said that there is none."""
    assert to_text(decipher(""), "log") == "log: no crash found\n"


def test_text_of_one_line():
    """A crash in a record stands on one line."""
    line = '{"stack": "goroutine 1 [running]:\\nmain.f(0x1)\\n\\t/srv/a.go:7 +0x1\\n"}'
    assert "lines 1\n" in to_text(decipher(line), "log")


def test_no_control_character_reaches_a_terminal():
    """Whatever a panic says, the terminal stays as it is."""
    text = "panic: \x07\x9b31m\u202ea\x7f\n\ngoroutine 1 [running]:\nmain.f\x08(0x1)\n\t/srv/\x1ba.go:7 +0x1\n"
    shown = to_text(decipher(text), "a\x1b[2J")
    assert [char for char in shown if ord(char) < 32 and char != "\n"] == []
    assert "\\x07\\x9b31m\\u202ea\\x7f" in shown
    assert escaped("tab\t \u2028é") == "tab\\t \\u2028é"


def test_a_chain_of_panics_is_shown_whole(sample):
    """Each panic's words and the place where it was raised, in JSON and as text."""
    shown = as_json(sample("onpanic"))
    assert shown["details"]["earlier"] == ["no pears"]
    assert [site["function"] for site in shown["details"]["sites"]] == [
        "main.settle",
        "main.order",
    ]
    assert shown["origin"] == shown["details"]["sites"][-1]
    lines = to_text(decipher(sample("onpanic")), "x").split("\n")
    assert lines[:3] == [
        "x: custom-panic: till is open:",
        "  |   drawer 2",
        "  after no pears",
    ]
    marks = [line[:4] for line in lines if "/srv/shop/chains/" in line]
    assert marks == ["  + ", "  > ", "  * ", "  * "]


def test_a_chain_whose_stack_is_missing():
    """No place is made up."""
    shown = as_json("panic: runtime error: a\n\tpanic: runtime error: b\n")
    assert shown["details"] == {"earlier": ["runtime error: a"]}
