"""How kinds are told apart."""

import pytest

from triage.core.model import Frame
from triage.core.panics import KINDS, LOGGED, kinds
from triage.core.panics.kinds import (
    dump_kind,
    fatal_kind,
    frames_kind,
    is_panic,
    panic_kind,
    recursive,
)

CGO = (Frame("runtime.cgocall", "/usr/local/go/src/runtime/cgocall.go", 167),)
GO = (Frame("main.main", "/srv/main.go", 7),)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("all goroutines are asleep - deadlock!", "deadlock"),
        ("no goroutines (main called runtime.Goexit) - deadlock!", "deadlock"),
        ("stack overflow", "stack-overflow"),
        ("concurrent map read and map write", "fatal-concurrent-map"),
        ("concurrent map iteration and map write", "fatal-concurrent-map"),
        ("sync: unlock of unlocked mutex", "fatal-unlock"),
        ("sync: RUnlock of unlocked RWMutex", "fatal-unlock"),
        ("sync: Unlock of unlocked RWMutex", "fatal-unlock"),
        ("runtime: out of memory", "fatal-oom"),
        ("runtime: cannot allocate memory", "fatal-oom"),
        ("fault", "fatal-fault"),
        ("unexpected signal during runtime execution", "fatal-signal"),
        ("SIGABRT: abort", "fatal-signal"),
        ("Exception 0xc0000005 0x0 0x8 0x7ff6", "fatal-signal"),
        ("SIGQUIT: quit", "sigquit"),
        ("checkptr: unsafe pointer conversion", "fatal-runtime"),
    ],
)
def test_fatal_errors(message, kind):
    """The runtime's words name the kind."""
    assert kind == fatal_kind(message, frames=GO, cgo=False)


@pytest.mark.parametrize(
    "message", ["unexpected signal during runtime execution", "SIGQUIT: quit"]
)
def test_signals_in_c(message):
    """A signal that came through C is of that kind, whichever it was."""
    assert fatal_kind(message, frames=CGO, cgo=False) == "cgo-signal"
    assert fatal_kind(message, frames=GO, cgo=True) == "cgo-signal"
    call = (Frame("main._Cfunc_boom", "_cgo_gotypes.go", 48),)
    assert fatal_kind(message, frames=call, cgo=False) == "cgo-signal"


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("test timed out after 10m0s", "test-timeout"),
        ("runtime error: invalid memory address or nil pointer dereference", "nil-deref"),
        ("runtime error: call of nil func value", "nil-deref"),
        ("value method main.T.M called using nil *T pointer", "nil-deref"),
        ("assignment to entry in nil map", "nil-map"),
        ("panic called with nil argument (use GODEBUG=panicnil=1 to disable)", "nil-panic"),
        ("nil", "nil-panic"),
        ("runtime error: index out of range", "index-range"),
        ("runtime error: slice bounds out of range [:5] with capacity 3", "slice-bounds"),
        ("runtime error: cannot convert slice with length 2 to array", "slice-conversion"),
        ("runtime error: makeslice: len out of range", "makeslice"),
        ("runtime error: growslice: len out of range", "makeslice"),
        ("runtime error: integer divide by zero", "divide"),
        ("interface conversion: interface {} is nil, not string", "interface-conversion"),
        ("send on closed channel", "closed-channel"),
        ("close of nil channel", "closed-channel"),
        ("sync: negative WaitGroup counter", "custom-panic"),
        ("index out of range of my own", "custom-panic"),
    ],
)  # fmt: skip
def test_panics(message, kind):
    """A message that is not the runtime's is the program's own."""
    assert kind == panic_kind(message)


@pytest.mark.parametrize(
    ("functions", "kind"),
    [
        (("panic", "runtime.panicmem", "runtime.sigpanic", "main.f"), "nil-deref"),
        (("panic", "runtime.goPanicIndex", "main.f"), "index-range"),
        (("panic", "runtime.goPanicSliceB", "main.f"), "slice-bounds"),
        (("panic", "runtime.panicSliceConvert", "main.f"), "slice-conversion"),
        (("panic", "runtime.panicdivide", "main.f"), "divide"),
        (("panic", "runtime.panicdottypeE", "main.f"), "interface-conversion"),
        (("panic", "runtime.mapassign_faststr", "main.f"), "nil-map"),
        (("panic", "runtime.chansend1", "main.f"), "closed-channel"),
        (("panic", "runtime.panicmakeslicelen", "main.f"), "makeslice"),
        (("panic", "main.f", "runtime.mapassign"), None),
        (("panic", "runtime.gopark", "runtime.a", "runtime.b", "runtime.c"), None),
        (("main.f", "main.main"), None),
        ((), None),
    ],
)
def test_kinds_by_frames(functions, kind):
    """Where no words say it, the function that raised the panic does."""
    frames = [
        Frame(name, "/usr/local/go/src/runtime/panic.go", 1) for name in functions
    ]
    assert kind == frames_kind(frames)


@pytest.mark.parametrize(
    ("function", "file", "expected"),
    [
        ("panic", "/usr/local/go/src/runtime/panic.go", True),
        ("runtime.gopanic", "src/runtime/panic.go", True),
        ("runtime.sigpanic", "src/runtime/signal_unix.go", True),
        ("runtime.throw", None, True),
        ("internal/runtime/maps.fatal", None, True),
        ("internal/sync.fatal", None, True),
        ("sync.throw", None, True),
        ("sigpanic", "D:\\go\\src\\runtime\\signal_windows.go", True),
        ("gopanic", "runtime/panic.go", True),
        ("", "/usr/local/go/src/runtime/panic.go", True),
        ("", "/usr/local/go/src/runtime/proc.go", False),
        ("", None, False),
        ("throw", "/srv/shop/main.go", False),
        ("main.panic", "/srv/shop/main.go", False),
        ("log.Panic", "/usr/local/go/src/log/log.go", False),
        ("runtime.panicIndex", "src/runtime/panic.go", False),
    ],
)
def test_panic_frames(function, file, expected):
    """The runtime raises panics under a few names, with and without a package."""
    assert expected == is_panic(Frame(function, file, 1))


def test_every_kind_is_described():
    """Whatever is told apart stands in the table, in the order in which it is tried."""
    told = [kind for kind, _ in (*kinds._FATAL, *kinds._PANIC, *kinds._RAISERS)]
    assert set(told) <= set(KINDS)
    assert set(KINDS) >= LOGGED


def test_recursion():
    """A few functions over and over are recursion; two frames are not."""
    deep = Frame("main.deep", "/srv/main.go", 7)
    assert recursive([deep] * 3)
    assert not recursive([deep] * 2)
    assert not recursive([deep, *GO, deep])


def test_dumps():
    """A stack that runs was printed on purpose; goroutines that wait are a dump."""
    states = ["running, locked to thread", "", "select"]
    assert [dump_kind(state) for state in states] == [
        "logged-stack",
        "logged-stack",
        "goroutine-dump",
    ]
