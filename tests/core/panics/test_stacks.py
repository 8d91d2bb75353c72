"""Stacks that no goroutine header stands above."""

import pytest

from triage.core.panics import decipher
from triage.core.panics.document import Document
from triage.core.panics.stacks import read_loose_stacks

CALLS = """\
example.test/shop/orders.Pick[...](0x1)
\t/srv/shop/orders/orders.go:29 +0x25
main.main()
\t/srv/shop/main.go:80 +0x5f
"""
ERROR = """\
order is empty
load order 12
main.load
\t/srv/shop/main.go:24
main.main
\t/srv/shop/main.go:36
runtime.main
\t/usr/local/go/src/runtime/proc.go:302
"""
PATHS = """\
E1114 22:06:10.089481       1 runtime.go:67] Observed a panic: not yet
/go/pkg/mod/k8s.io/apimachinery@v0.1.0/pkg/util/runtime/runtime.go:76
/usr/local/go/src/runtime/panic.go:679
/srv/shop/worker.go:20
/usr/local/go/src/runtime/asm_amd64.s:1357
"""
CHI = """\
 panic: runtime error: index out of range [7] with length 0

 -> example.test/shop/cart.Cart.At
 ->   /srv/shop/cart/cart.go:31

    main.main.func1
      /srv/shop/main.go:30
    net/http.(*conn).serve
      /usr/local/go/src/net/http/server.go:2157
    created by net/http.(*Server).Serve in goroutine 21
      /usr/local/go/src/net/http/server.go:3604
"""


def test_calls_without_a_header(read, frames):
    """A stack printed by hand, below other lines."""
    panic = read("it hangs here:\n" + CALLS)
    assert (panic.kind, panic.form, panic.lines) == ("logged-stack", "calls", (2, 5))
    assert frames(panic) == [
        "example.test/shop/orders.Pick[...] /srv/shop/orders/orders.go:29",
        "main.main /srv/shop/main.go:80",
    ]


def test_the_head_above_calls(read):
    """A panic stands above a stack that lost its header."""
    panic = read("panic: boom\n\n" + CALLS)
    assert (panic.kind, panic.message, panic.lines) == ("custom-panic", "boom", (1, 6))


def test_calls_in_a_source_literal(read, frames):
    """The first line has the quote before it, the last behind it."""
    text = "\ttrace := `" + CALLS.replace("\n", "\n\t\t").rstrip() + "`\n"
    assert len(frames(read(text))) == 2


@pytest.mark.parametrize("prefix", ["   > ", "// ", "shop-1  | ", "09:26:53 shop | "])
def test_calls_behind_a_prefix(read, frames, prefix):
    """The prefix is found from the first file and the name above it."""
    text = "".join(f"{prefix}{line}\n" for line in CALLS.splitlines())
    assert frames(read("x:\n" + CALLS)) == frames(read(text))


def test_a_goroutine_that_lost_its_header_belongs_to_the_dump(read, frames):
    """The head of a long log was cut off; the goroutines below it go with it."""
    deep = "main.deep(0x1)\n\t/srv/shop/main.go:7 +0x1d fp=0x1 sp=0x2 pc=0x3\n"
    rest = (
        "...additional frames elided...\ncreated by main.main\n\t/srv/shop/main.go:3 +0x1\n"
        "goroutine 1 [chan receive]:\nmain.main()\n\t/srv/shop/main.go:9 +0x1\n"
    )
    panic = read(deep * 3 + rest)
    assert (
        panic.kind,
        panic.goroutines,
        panic.form,
    ) == ("stack-overflow", 1, "runtime")
    assert frames(panic) == ["main.deep /srv/shop/main.go:7"] * 3
    assert panic.lines == (1, 12)
    assert [goroutine.id for goroutine in panic.others] == [1]


def test_an_error_with_its_stack(read, frames):
    """The message stands above, and the stack has no arguments."""
    panic = read(ERROR)
    assert (panic.kind, panic.form) == ("logged-error", "errors")
    assert panic.message == "order is empty\nload order 12"
    assert frames(panic) == [
        "main.load /srv/shop/main.go:24",
        "main.main /srv/shop/main.go:36",
        "runtime.main /usr/local/go/src/runtime/proc.go:302",
    ]


def test_an_error_that_wraps_another_is_one(read, frames):
    """Each wrapping prints its own stack: the innermost is the one that matters."""
    panic = read(ERROR + "checkout failed\nmain.main\n\t/srv/shop/main.go:50\n")
    assert panic.message == "order is empty\nload order 12\ncheckout failed"
    assert frames(panic)[0] == "main.load /srv/shop/main.go:24"
    assert panic.lines == (1, 11)


def test_the_stack_of_a_console_logger(read):
    """A console logger writes the record's line, then the stack; fields are parted by tabs."""
    text = "2026-03-14T09:26:53Z\tERROR\tmain.go:3\tno till\t{}\n"
    panic = read("up\n" + text + ERROR.partition("12\n")[2])
    assert (
        panic.kind,
        panic.message,
        panic.lines,
    ) == ("logged-error", "no till", (2, 8))


def test_an_error_without_a_message(read):
    """Above the stack stands nothing, or what belongs to others."""
    assert read("\n\n" + ERROR.partition("12\n")[2]).message == ""
    below = CALLS + ERROR.partition("12\n")[2]
    assert decipher("x\n" + below).crashes[-1].message == ""


def test_paths_alone(read, frames):
    """Older versions of klog print neither names nor offsets."""
    panic = read(PATHS)
    assert (
        panic.kind,
        panic.message,
        panic.form,
    ) == ("custom-panic", "not yet", "paths")
    assert frames(panic)[2] == " /srv/shop/worker.go:20"
    assert panic.lines == (1, 5)


def test_paths_are_believed_with_the_runtime_among_them():
    """A list of places is no stack, and neither are two paths."""
    paths = PATHS.partition("yet\n")[2]
    assert len(decipher(paths).crashes) == 1
    assert decipher(paths.replace("/runtime/", "/other/")).crashes == ()
    assert decipher("\n".join(paths.splitlines()[:2]) + "\n").crashes == ()


def test_what_a_middleware_logs_and_raises_again_is_one(read, frames):
    """The stack comes from the log, the last word from the panic."""
    panic = read(PATHS + "panic: not yet [recovered]\n\tpanic: not yet\n")
    assert (
        panic.kind,
        panic.message,
        panic.lines,
    ) == ("custom-panic", "not yet", (1, 7))
    assert len(frames(panic)) == 4


@pytest.mark.parametrize("prefix", ["", "shop-1  | "])
def test_chi(read, frames, prefix):
    """Arrows stand before the frame that panicked, the others below a blank line."""
    text = "".join(f"{prefix}{line}".rstrip() + "\n" for line in CHI.splitlines())
    panic = read(text)
    assert (panic.kind, panic.form) == ("index-range", "chi")
    assert frames(panic) == [
        "example.test/shop/cart.Cart.At /srv/shop/cart/cart.go:31",
        "main.main.func1 /srv/shop/main.go:30",
        "net/http.(*conn).serve /usr/local/go/src/net/http/server.go:2157",
    ]
    assert panic.crashed.created_by.function == "net/http.(*Server).Serve"


@pytest.mark.parametrize(
    ("first", "kept"),
    [
        ("main.first(0x1)\n\t/srv/shop/main.go:3 +0x1\n", True),
        ("panic(0x1)\n\t/usr/local/go/src/runtime/panic.go:3 +0x1\n", True),
        ("github.com/ada/lib.F(0x1)\n\t/srv/lib/f.go:3 +0x1\n", True),
        ("example.test/shop/a.F(0x1)\n\t/srv/shop/a/a.go:3 +0x1\n", True),
        ("strconv.Itoa(0x1)\n\t/usr/local/go/src/strconv/itoa.go:3 +0x1\n", True),
        ("conv.Itoa(0x1)\n\t/usr/local/go/src/strconv/itoa.go:3 +0x1\n", False),
        ("hub.com/ada/lib.F(0x1)\n\t/srv/lib/f.go:3 +0x1\n", False),
        ("  hub.com/ada/lib.F(0x1)\n\t/srv/lib/f.go:3 +0x1\n", True),
    ],
)
def test_a_name_that_begins_the_text_may_be_cut(read, frames, first, kept):
    """It is trusted where something else bears it out."""
    assert kept + 2 == len(frames(read(first + CALLS)))
    noted = [(p.line, p.text) for p in decipher(first + CALLS).problems]
    left_out = (1, "a name that may lack its beginning is left out")
    assert noted == ([] if kept else [left_out])


def test_a_whole_record_is_never_cut():
    """What came out of a record that was closed begins where it begins."""
    text = "hub.com/ada/lib.F(0x1)\n\t/srv/lib/f.go:3 +0x1\n"
    assert len(read_loose_stacks(Document(text, whole=True))) == 1
    assert read_loose_stacks(Document(text)) == []


@pytest.mark.parametrize("cut", range(0, 320, 7))
def test_a_text_whose_beginning_is_cut_gives_the_end_of_its_frames(frames, cut):
    """Whatever is missing at the beginning, what is read is true."""
    text = CALLS.replace("main.main", "example.test/shop/cmd.Run") * 2
    whole = frames(decipher("x\n" + text).crashes[0])
    crashes = decipher(text[cut:]).crashes
    got = frames(crashes[0]) if crashes else []
    assert whole[len(whole) - len(got) :] == got


@pytest.mark.parametrize(
    "text",
    [
        "main.go:12\n",
        "see\n/srv/shop/main.go:12\n",
        "TEXT main.main(SB)\nmain.go:6\n",
        "call(me)\n\t/srv/shop/main.go:6 +0x1\n",
        "x\nmain.main()\n\t/srv/shop/main.go:7\n",
        "x\nmain.main\n/srv/shop/main.go:7\n",
        "created by main.main\n\t/srv/shop/main.go:7 +0x1\n",
        "x\n\n\n\n\t/srv/shop/main.go:7 +0x1\n",
        "/srv/a.go:1 +0x1\n/srv/b.go:2 +0x1\n/srv/c.go:3 +0x1\n",
        "caller=a:b:main.go:7\nx\n",
    ],
)
def test_what_is_no_stack(text):
    """Half frames, listings and prose give nothing."""
    assert decipher(text).crashes == ()
