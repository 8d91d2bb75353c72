"""The kinds of crashes, and how one is told from another."""

import re
from collections.abc import Sequence

from triage.core.model import Frame

KINDS = {
    "data-race": "a report of the race detector",
    "deadlock": "all goroutines are asleep, or there is none",
    "stack-overflow": "a goroutine's stack exceeds the limit",
    "fatal-concurrent-map": "a map is read, written or ranged over concurrently",
    "fatal-unlock": "an unlocked mutex is unlocked",
    "fatal-oom": "the system has no more memory",
    "fatal-fault": "memory is accessed that is not there",
    "cgo-signal": "a signal arrived in C code or through calls of C",
    "fatal-signal": "an unexpected signal",
    "fatal-runtime": "another fatal error of the runtime",
    "sigquit": "a dump asked for by SIGQUIT",
    "test-timeout": "a test ran longer than allowed",
    "nil-deref": "a nil pointer is followed or a nil function called",
    "nil-map": "an entry of a nil map is assigned to",
    "nil-panic": "panic(nil)",
    "index-range": "an index is out of range",
    "slice-bounds": "bounds of a slice are out of range",
    "slice-conversion": "a slice is too short for its array",
    "makeslice": "a length or capacity is out of range",
    "divide": "an integer is divided by zero",
    "interface-conversion": "an interface holds another type",
    "closed-channel": "a closed or nil channel is sent to or closed",
    "klog-fatal": "a fatal line of klog or glog",
    "custom-panic": "a panic with the program's own value",
    "logged-error": "an error printed with its stack: nothing crashed",
    "logged-stack": "a stack printed on purpose, without words that say why",
    "goroutine-dump": "goroutines without a crash",
}
"""Every kind, with what it is; the first that fits, from the top."""

_FATAL = (
    ("deadlock", re.compile(r"all goroutines are asleep|no goroutines \(main called")),
    ("stack-overflow", re.compile(r"stack overflow|stack exceeds")),
    ("fatal-concurrent-map", re.compile(r"concurrent map ")),
    ("fatal-unlock", re.compile(r"sync: R?[Uu]n?[Ll]ock of unlocked")),
    ("fatal-oom", re.compile(r"out of memory|cannot allocate memory")),
    ("fatal-fault", re.compile(r"fault$")),
)
_PANIC = (
    ("test-timeout", re.compile(r"test timed out after ")),
    (
        "nil-deref",
        re.compile(
            r"nil pointer dereference|call of nil func value"
            r"|value method .{1,499} called using nil \*"
        ),
    ),
    ("nil-map", re.compile(r"assignment to entry in nil map")),
    ("nil-panic", re.compile(r"panic called with nil argument|nil$")),
    ("index-range", re.compile(r"runtime error[^:]{0,99}: index out of range")),
    ("slice-bounds", re.compile(r"runtime error[^:]{0,99}: slice bounds out of range")),
    (
        "slice-conversion",
        re.compile(r"runtime error[^:]{0,99}: cannot convert slice with length"),
    ),
    (
        "makeslice",
        re.compile(r"runtime error[^:]{0,99}: (?:make(?:slice|chan|map)|growslice): "),
    ),
    ("divide", re.compile(r"runtime error[^:]{0,99}: integer divide by zero")),
    ("interface-conversion", re.compile(r"interface conversion: ")),
    ("closed-channel", re.compile(r"(?:send on|close of) (?:closed|nil) channel")),
)
_UNEXPECTED = re.compile(r"unexpected signal|SIG[A-Z0-9]+: |Exception 0x")
LOGGED = frozenset({"logged-error", "logged-stack", "goroutine-dump"})
"""Kinds of texts in which nothing crashed."""


ENDED = frozenset({
    "deadlock", "stack-overflow", "fatal-concurrent-map", "fatal-unlock", "fatal-oom",
    "fatal-fault", "cgo-signal", "fatal-signal", "fatal-runtime", "sigquit",
})  # fmt: skip
"""Kinds of what ends a program at once: no deferred call comes after it."""


def fatal_kind(message: str, *, frames: Sequence[Frame], cgo: bool) -> str:
    """Name the kind of a `fatal error:` or of a signal that ended the program."""
    for kind, pattern in _FATAL:
        if pattern.search(message):
            return kind
    if not _UNEXPECTED.match(message):
        return "fatal-runtime"
    if cgo or any(through_cgo(frame) for frame in frames):
        return "cgo-signal"
    return "sigquit" if message.startswith("SIGQUIT") else "fatal-signal"


def panic_kind(message: str) -> str:
    """Name the kind of a panic by the runtime's words in its message."""
    for kind, pattern in _PANIC:
        if pattern.search(message):
            return kind
    return "custom-panic"


_RAISERS = (
    ("slice-conversion", re.compile(r"(?:goP|p)anicSliceConvert")),
    ("slice-bounds", re.compile(r"(?:goP|p)anicSlice|panicslice$")),
    ("index-range", re.compile(r"(?:goP|p)anicIndex|panicindex$|panicBounds")),
    ("divide", re.compile(r"panicdivide$")),
    ("interface-conversion", re.compile(r"panic(?:nil)?dottype|assertE2I|assertI2I")),
    ("nil-deref", re.compile(r"panicmem|sigpanic$|panicwrap$")),
    ("nil-map", re.compile(r"mapassign")),
    ("closed-channel", re.compile(r"closechan$|chansend")),
    ("makeslice", re.compile(r"panicmakeslice|makeslice|growslice$|makechan")),
)
_NEAR = 4


def frames_kind(frames: Sequence[Frame]) -> str | None:
    """Name the kind by the runtime's function that raised the panic, if one shows."""
    last = max((i for i, frame in enumerate(frames) if is_panic(frame)), default=None)
    if last is None:
        return None
    for frame in frames[last : last + _NEAR]:
        name = frame.function.rpartition(".")[2]
        if not in_runtime(frame):
            break
        for kind, pattern in _RAISERS:
            if pattern.match(name):
                return kind
    return None


def recursive(frames: Sequence[Frame]) -> bool:
    """Tell whether a few functions call each other over and over."""
    top = [frame.function for frame in frames[:12]]
    return len(top) >= 3 and len(set(top)) <= len(top) // 3  # noqa: PLR2004 - a third


_PANICS = re.compile(
    r"(?:(?:internal/)?runtime(?:/maps)?\.|(?:internal/)?sync\.)?"
    r"(?:panic|gopanic|sigpanic\d?|panicmem|panicmemAddr|throw|fatal|fatalthrow)$"
)


def is_panic(frame: Frame) -> bool:
    """Tell whether *frame* is the runtime raising a panic, a signal or a throw."""
    if not frame.function:  # paths alone
        return (frame.file or "").endswith("/runtime/panic.go")
    if not _PANICS.match(frame.function):
        return False
    return "." in frame.function or frame.function == "panic" or in_runtime(frame)


def in_runtime(frame: Frame) -> bool:
    """Tell whether *frame* lies in a runtime package, by name or by path."""
    if frame.function.startswith(("runtime.", "internal/runtime/")):
        return True
    path = f"/{frame.file or ''}".replace("\\", "/")
    return "/runtime/" in path and "." not in frame.function


def through_cgo(frame: Frame) -> bool:
    """Tell whether a frame is a call into C or one that came back from it."""
    return frame.function.startswith(("runtime.cgocall", "runtime.cgocallback")) or (
        "._Cfunc_" in frame.function
    )


def dump_kind(state: str) -> str:
    """Name the kind of a dump that no panic stands above."""
    logged = not state or state.startswith("running")
    return "logged-stack" if logged else "goroutine-dump"
