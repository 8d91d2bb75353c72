"""The recovery format of gin and of go-errors."""

import pytest

from triage.core.panics import decipher, origin

STACK = """\
/usr/local/go/src/runtime/panic.go:261 (0xe24be6)
\tpanicmem: panic(memoryError)
/usr/local/go/src/runtime/signal_unix.go:401 (0xe24bb6)
\tsigpanic: panicmem()
/srv/shop/whois.go:36 (0x142844a)
\t(*Shop).Whois: _, _ = conn.Write([]byte(host))
/go/pkg/mod/github.com/gin-gonic/gin@v1.9.1/context.go:174 (0x157b28a)
\t(*Context).Next: c.handlers[c.index](c)
"""
NIL = "runtime error: invalid memory address or nil pointer dereference"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (f"GET / HTTP/1.1\nHost: x\n\n\n{NIL}\n", ("nil-deref", NIL, 5)),
        (f"{NIL}\n", ("nil-deref", NIL, 1)),
        ("2026/03/14 09:26:53 [Recovery] panic recovered:\nno till\n", ("custom-panic", "no till", 1)),
        ("2026/03/14 09:26:53 no till\n", ("custom-panic", "no till", 1)),
        ("*errors.errorString no till\n", ("custom-panic", "*errors.errorString no till", 1)),
        (
            (f"  Test Panicked\n  {NIL}\n  /usr/src/go/src/runtime/panic.go:387\n\n"
            "  Full Stack Trace\n"),
            ("nil-deref", NIL, 2),
        ),
        ("up\n\na\n", ("custom-panic", "a", 3)),
        ("a\nb\n", ("custom-panic", "a\nb", 1)),
        ("", ("nil-deref", "", 1)),
    ],
)  # fmt: skip
def test_gin(read, frames, head, expected):
    """Paths with program counters, functions without packages, lines of source."""
    panic = read(head + STACK)
    assert (panic.kind, panic.message, panic.lines[0]) == expected
    assert frames(panic) == [
        "panicmem /usr/local/go/src/runtime/panic.go:261",
        "sigpanic /usr/local/go/src/runtime/signal_unix.go:401",
        "(*Shop).Whois /srv/shop/whois.go:36",
        "(*Context).Next /go/pkg/mod/github.com/gin-gonic/gin@v1.9.1/context.go:174",
    ]
    assert (origin(panic), panic.goroutines, panic.form) == (2, 0, "gin")


@pytest.mark.parametrize("prefix", ["// ", "shop-1  | ", "> ", "   "])
def test_behind_a_prefix(read, frames, prefix):
    """Comments and collectors put something before each line."""
    text = "".join(f"{prefix}{line}\n" for line in f"{NIL}\n{STACK}".splitlines())
    panic = read(text)
    assert frames(read(STACK)) == frames(panic)
    assert (panic.kind, panic.lines) == ("nil-deref", (1, 9))


def test_paths_whose_source_was_not_at_hand(read, frames):
    """In production the source is elsewhere, and gin names no function."""
    paths = "".join(line for line in STACK.splitlines(keepends=True) if line[0] == "/")
    assert frames(read(paths))[2] == " /srv/shop/whois.go:36"


def test_windows(read, frames):
    """Drives begin paths there."""
    text = "D:/go/src/shop/whois.go:36 (0x142844a)\n        whois: x()\n"
    assert frames(read(text)) == ["whois D:/go/src/shop/whois.go:36"]


def test_two_requests_are_two_crashes():
    """Each has its own head."""
    assert len(decipher(f"{NIL}\n{STACK}\n\n{NIL}\n{STACK}").crashes) == 2


def test_what_only_looks_like_it():
    """A path in the middle of a line, or half of one, is nothing."""
    assert decipher("at /srv/a.go:36 (0x14 and so on\n").crashes == ()
    assert decipher("x/srv/a.go:36 (0x14)\n").crashes == ()
    assert decipher("see /srv/a.go:36 (0x14) there\n").crashes == ()


def test_a_path_that_is_read_once_a_line(read):
    """Of several on one line the first can be a frame's; the others are words."""
    line = "/srv/a.go:1 (0x1) /srv/b.go:2 (0x2)\n"
    panic = read(line * 3)
    assert [frame.file for frame in panic.crashed.frames] == ["/srv/a.go"] * 3


def test_words_with_several_paths(read, frames):
    """A line that is no frame's hides none below it."""
    words = "see /srv/a.go:1 (0x1) or /srv/b.go:2 (0x2)\n"
    stack = "/srv/c.go:3 (0x3)\n\tmain.C: x()\n/srv/d.go:4 (0x4)\n\tmain.D: y()\n"
    expected = ["main.C /srv/c.go:3", "main.D /srv/d.go:4"]
    assert frames(read(words + stack)) == expected


def test_a_drive_behind_words(read, frames):
    """A path begins at its drive, whatever stands before it."""
    text = "".join(
        f"log: C:/srv/a b/x.go:{n} (0x1)\nlog: \tmain.F{n}: x()\n" for n in (1, 2)
    )
    panic = read(text)
    assert frames(panic) == ["main.F1 C:/srv/a b/x.go:1", "main.F2 C:/srv/a b/x.go:2"]
