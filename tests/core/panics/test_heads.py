"""Panics and fatal errors without a dump."""

import pytest

from triage.core.panics import decipher


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (
            (
                "runtime: failed to create new OS thread (have 25 already; errno=11)\n"
                "fatal error: newosproc\nexecuting program\n"
            ),
            "fatal-runtime",
            "newosproc",
        ),
        ("panic: boom [recovered]\n\tpanic: boom\n", "custom-panic", "boom"),
        ("panic: first [recovered]\n\tpanic: second\n", "custom-panic", "second"),
        ("panic: boom\nexit status 2\n", "custom-panic", "boom"),
        ("panic: boom\n\ngoroutine 1 [runn", "custom-panic", "boom"),
        (
            "panic: runtime error: index out of range [3] with length 0\n",
            "index-range",
            "runtime error: index out of range [3] with length 0",
        ),
        (
            "panic: runtime error at 0x0000: nil pointer dereference\n",
            "nil-deref",
            "runtime error at 0x0000: nil pointer dereference",
        ),
        (
            "fatal error: all goroutines are asleep - deadlock!\n",
            "deadlock",
            "all goroutines are asleep - deadlock!",
        ),
        (
            "F0314 09:26:53.589793   23142 main.go:45] failed to start: no till\n",
            "klog-fatal",
            "failed to start: no till",
        ),
        (
            "panic: boom\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x8 pc=0x4]\n",
            "custom-panic",
            "boom",
        ),
    ],
)
def test_heads_alone(read, text, kind, message):
    """What only Go's runtime prints is believed, and so is what stands beside it."""
    panic = read(text)
    assert (kind, message, None) == (panic.kind, panic.message, panic.crashed)


@pytest.mark.parametrize(
    "text",
    [
        "panic: at the disco\n",
        "do not panic: stay calm\n",
        "a.c:1:10: fatal error: a.h: No such file or directory\n",
        "fatal error: a.h: No such file or directory\n",
        "Kernel panic - not syncing: VFS\n",
        "thread 'main' panicked at src/main.rs:2:5:\nboom\n",
        "F0314 09:26:53.589793   23142 a].go:45] odd\n",
        "I0314 09:26:53.589793   23142 main.go:45] started\n",
        'Traceback (most recent call last):\n  File "/a.py", line 3, in <module>\nE: x\n',
        "java.lang.Error\n\tat a.B.c(B.java:12)\n\tat a.B.main(B.java:5)\n",
        "TypeError: x\n    at f (/app/x.js:12:3)\n    at g (/app/y.js:3:1)\n",
        "/src/a.go:12\n/src/b.go:13\n/src/c.go:14\n",
        "./a.go:12:3: undefined: x\n",
        "ok  \texample.test/shop\t0.012s\n",
    ],
)
def test_what_others_print_is_no_crash(text):
    """Nothing is invented out of compilers, other languages, music or prose."""
    assert decipher(text).crashes == ()


def test_the_lines_of_a_head(read):
    """From the first panic of a chain to the last line that goes on with it."""
    text = "started\npanic: a [recovered]\n\tpanic: b:\n\t  c\nbye\n"
    panic = read(text)
    assert (panic.lines, panic.message) == ((2, 4), "b:\n  c")
