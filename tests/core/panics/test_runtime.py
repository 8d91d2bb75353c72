"""The runtime's own dumps, of every age."""

import re

import orjson
import pytest

from triage.core.model import Frame, Goroutine
from triage.core.panics import decipher, shapes
from triage.core.panics.document import Document
from triage.core.panics.runtime import read_block, read_stack
from triage.core.panics.show import to_json
from triage.core.panics.view import View


def dump(state: str, *lines: str, head: str = "panic: boom\n\n") -> str:
    """Write a dump of one goroutine; the lines come as the runtime indents them."""
    return f"{head}goroutine 1 [{state}]:\n" + "".join(f"{line}\n" for line in lines)


FRAME = ("main.main()", "\t/srv/shop/main.go:7 +0x1d")


def test_a_crash_is_read_whole(sample, read):
    """Kind, message, signal, address, frames with their arguments, and lines."""
    panic = read(sample("nil"))
    assert panic.kind == "nil-deref"
    assert (
        panic.message
        == "runtime error: invalid memory address or nil pointer dereference"
    )
    assert (panic.signal, panic.address) == ("SIGSEGV", 8)
    assert panic.lines == (1, 10)
    assert panic.crashed == Goroutine(
        1,
        "running",
        (
            Frame(
                "example.test/shop/orders.(*Order).First",
                "/srv/shop/orders/orders.go",
                19,
                "0x30d034adfe78?",
            ),
            Frame("main.init.func1", "/srv/shop/main.go", 21, ""),
            Frame("main.main", "/srv/shop/main.go", 80, ""),
        ),
    )


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("map", "nil-map", "assignment to entry in nil map"),
        ("index", "index-range", "runtime error: index out of range [5] with length 1"),
        ("divide", "divide", "runtime error: integer divide by zero"),
        ("custom", "custom-panic", "order has no lines"),
        ("multiline", "custom-panic", "stock:\n  pears=2\n\n\tapples=3"),
        ("error", "custom-panic", "order has no lines\nno till"),
        (
            "assert",
            "interface-conversion",
            "interface conversion: interface {} is string, not int",
        ),
        ("closed", "closed-channel", "close of closed channel"),
        ("nilpanic", "nil-panic", "runtime error: panic called with nil argument"),
        ("logpanic", "custom-panic", "cannot open the till"),
        ("unlock", "fatal-unlock", "sync: unlock of unlocked mutex"),
        ("deadlock", "deadlock", "all goroutines are asleep - deadlock!"),
        ("overflow", "stack-overflow", "stack overflow"),
        (
            "timeout",
            "test-timeout",
            "test timed out after 1s\nrunning tests:\n\tTestSlow (1s)",
        ),
        ("stack", "logged-stack", ""),
        (
            "serving",
            "index-range",
            "runtime error: index out of range [1] with length 0",
        ),
    ],
)
def test_kind_and_message(sample, read, name, kind, message):
    """What the program printed names its kind, and the message is its own words."""
    panic = read(sample(name))
    assert (kind, message) == (panic.kind, panic.message)


def test_frames_of_a_re_panic_are_all_kept(sample, read, frames):
    """The closure that raised it again stands above, the origin below `panic`."""
    assert frames(read(sample("again"))) == [
        "example.test/shop/orders.Guard.func1 /srv/shop/orders/orders.go:45",
        "panic /usr/local/go/src/runtime/panic.go:859",
        "example.test/shop/orders.(*Order).First /srv/shop/orders/orders.go:19",
        "main.init.func9.1 /srv/shop/main.go:29",
        "example.test/shop/orders.Guard /srv/shop/orders/orders.go:48",
        "main.init.func9 /srv/shop/main.go:29",
        "main.main /srv/shop/main.go:80",
    ]


def test_the_last_of_several_panics_is_the_message(sample, read):
    """Below a recovered panic stands the one that ended the program."""
    panic = read(sample("wrapped"))
    assert panic.message.startswith("checkout: runtime error: invalid memory")
    assert panic.lines == (1, 15)


def test_every_goroutine_is_counted_and_kept(sample, read):
    """The crashed goroutine comes first; the others keep their order."""
    panic = read(sample("many"))
    assert panic.goroutines == 4
    assert [panic.crashed.id, *(g.id for g in panic.others)] == [1, 21, 22, 23]
    assert Frame("main.many", "/srv/shop/main.go", 53) == panic.others[0].created_by


def test_headers_with_pointers_and_frames_with_registers(sample, read, frames):
    """GOTRACEBACK=system adds gp, m and mp, fp, sp and pc, and runtime frames."""
    panic = read(sample("system"))
    assert "runtime.sigpanic /usr/local/go/src/runtime/signal_unix.go:931" in frames(
        panic
    )
    assert (panic.others[0].state, panic.goroutines) == ("force gc (idle)", 7)


def test_elided_frames_are_noted(sample, read):
    """Of a deep stack the runtime prints both ends, and says so."""
    panic = read(sample("overflow"))
    assert (panic.crashed.elided, len(panic.crashed.frames)) == (True, 100)
    assert panic.lines[0] == 1


def test_ancestors_are_part_of_the_crash_but_no_frames(sample, read):
    """Where goroutines come from is printed below the one that made them."""
    panic = read(sample("ancestors"))
    assert len(panic.crashed.frames) == 5
    assert panic.goroutines == 1
    assert len(sample("ancestors").splitlines()) == panic.lines[1]


@pytest.mark.parametrize(
    "name", ["nil", "many", "again", "goroutine", "system", "trimpath", "serving"]
)
def test_reading_in_one_sweep_or_by_line_is_the_same(sample, name):
    """The fast way is only a faster way."""
    view = View(Document(sample(name)))
    for found in shapes.HEADER.finditer(view.document.text):
        line = view.document.index(found.start())
        block = read_block(view, found, line)
        assert block is not None
        assert read_stack(view, found, line) == block


@pytest.mark.parametrize(
    "text",
    [
        dump("running", *FRAME).removesuffix("\n"),
        dump("running", *FRAME, "exit status 2"),
        dump("running", "main.main()"),
        dump("running", *FRAME, "created by somebody"),
        dump("running", *FRAME) + "goroutine 2 [select]:\n\n",
    ],
)
def test_what_is_out_of_the_ordinary_is_left_to_the_closer_look(text):
    """In one sweep only a goroutine is read that stands as the runtime wrote it."""
    view = View(Document(text))
    found = shapes.HEADER.search(text)
    assert found is not None
    assert read_block(view, found, 2) is None


@pytest.mark.parametrize(
    ("printed", "state", "wait"),
    [
        ("running", "running", None),
        ("chan receive, 5 minutes", "chan receive", "5 minutes"),
        ("syscall, 10 minutes, locked to thread", "syscall, locked to thread", "10 minutes"),
        ("running, synctest bubble 1", "running, synctest bubble 1", None),
        ("chan receive (nil chan)", "chan receive (nil chan)", None),
    ],
)  # fmt: skip
def test_state_and_wait(read, printed, state, wait):
    """The waiting time is taken out of the state."""
    crashed = read(dump(printed, *FRAME)).crashed
    assert (state, wait) == (crashed.state, crashed.wait)


@pytest.mark.parametrize(
    "header",
    [
        "goroutine 7 gp=0xc000002380 m=nil [select]:",
        "goroutine 7 gp=0xc000002380 m=0 mp=0x5f [select, 2 minutes]:",
        'goroutine 7 [select] {job: nightly, "a b": "c"}:',
        "goroutine 7 [select (no cases), locked to thread]:",
    ],
)
def test_headers(read, header):
    """Every form of header that a Go version prints is one."""
    panic = read(f"fatal error: x\n\n{header}\nmain.main()\n\t/srv/main.go:7 +0x1d\n")
    assert (panic.crashed.id, len(panic.crashed.frames)) == (7, 1)


def test_old_dumps(read, frames):
    """Before Go 1.3 `panic` was C, files were too, and closures had a dot of their own."""
    text = dump(
        "running",
        "runtime.panic(0x9182e0, 0xdb281c)",
        "\t/home/ada/go/src/pkg/runtime/panic.c:279 +0xf5",
        "main.func·001()",
        "\t/home/ada/src/shop/main.go:10 +0x43",
        "runfinq()",
        "\t/home/ada/go/src/pkg/runtime/mgc0.c:2644",
        head="panic: runtime error: call of nil func value\n[signal 0xb code=0x1 addr=0x0 pc=0x0]\n\n",
    )
    panic = read(text)
    assert (panic.kind, panic.signal, panic.address) == ("nil-deref", "0xb", 0)
    assert frames(panic) == [
        "runtime.panic /home/ada/go/src/pkg/runtime/panic.c:279",
        "main.func·001 /home/ada/src/shop/main.go:10",
        "runfinq /home/ada/go/src/pkg/runtime/mgc0.c:2644",
    ]


def test_gccgo(read, frames):
    """The other compiler prints names without arguments, and frames that have no name at all."""
    text = dump(
        "running",
        "runtime_panicstring", "\t/opt/gcc/libgo/runtime/panic.c:121",
        "main.pick", "\t/srv/shop/main.go:6",
        "", "\t:0",
        "main.main", "\t/srv/shop/main.go:10",
        "", "\t:0",
        "created by runtime_main", "\t/opt/gcc/libgo/runtime/proc.c:520",
    )  # fmt: skip
    panic = read(text)
    assert frames(panic) == [
        "runtime_panicstring /opt/gcc/libgo/runtime/panic.c:121",
        "main.pick /srv/shop/main.go:6",
        "main.main /srv/shop/main.go:10",
    ]
    assert panic.crashed.created_by.function == "runtime_main"


@pytest.mark.parametrize(
    "function",
    [
        "main.F[...]",
        "main.(*T[...]).M.func1",
        "example.test/a%2eb/pkg.(*T).M-fm",
        "type:.eq.[2]interface {}",
        "main.F[go.shape.struct { X int }]",
        "main.init.0",
        "main.Walk.func1.gowrap2",
        "main.Each-range1",
    ],
)
def test_functions_as_the_linker_names_them(read, function):
    """A function's name is kept as printed."""
    panic = read(dump("running", f"{function}(0x1, {{0x2?, ...}})", FRAME[1]))
    frame = panic.crashed.frames[0]
    assert (function, "0x1, {0x2?, ...}") == (frame.function, frame.arguments)


@pytest.mark.parametrize(
    "file",
    [
        "/srv/shop/main.go",
        "C:/Program Files (x86)/shop/main.go",
        r"C:\shop\main.go",
        "main.go",
        "<autogenerated>",
        "_cgo_gotypes.go",
        "/srv/shop/grammar.y",
        "github.com/Acme/shop@v1.2.3/main.go",
        "/srv/my shop/main.go",
    ],
)
def test_files_as_the_compiler_names_them(read, file):
    """A file's path is kept as printed, with blanks, drives and versions."""
    panic = read(dump("running", "main.main()", f"\t{file}:7 +0x1d"))
    assert (file, 7) == (panic.crashed.frames[0].file, panic.crashed.frames[0].line)


def test_lines_of_others_between_frames_are_passed(read, frames):
    """What another goroutine logs in the middle of a dump is no frame."""
    text = dump(
        "running",
        "main.first(0x1)",
        "2026/03/14 09:26:53 still alive",
        "\t/srv/shop/main.go:3 +0x1d",
        "2026/03/14 09:26:53 GET /health (200)",
        *FRAME,
        "exit status 2",
    )
    assert frames(read(text)) == [
        "main.first /srv/shop/main.go:3",
        "main.main /srv/shop/main.go:7",
    ]


def test_a_function_that_lost_its_file_is_left_out_and_named(read, frames):
    """Nothing is invented: half a frame becomes a problem."""
    text = dump("running", "main.first(0x1)", "main.second(0x2)", "", "", "", *FRAME)
    panic = read(dump("running", "main.first(0x1)", *FRAME))
    assert frames(panic) == ["main.main /srv/shop/main.go:7"]
    assert [(p.line, p.text) for p in panic.problems] == [
        (4, "a function without its file is left out")
    ]
    assert frames(read(text)) == []


def test_many_foreign_lines_end_a_dump(read, frames):
    """A dump does not reach over whatever else is in a log."""
    noise = [f"line {n} of something else" for n in range(12)]
    text = dump("running", *FRAME, *noise, "main.late(0x1)", "\t/srv/a.go:1 +0x1")
    assert frames(read(text)) == ["main.main /srv/shop/main.go:7"]


def test_hex_dumps_of_a_broken_stack_are_passed(read, frames):
    """The runtime prints the words of a stack that it cannot unwind, however many."""
    words = [f"0x00007ffeefbfe{n:03x}:  0x01007ffeefbfee68  0x4" for n in range(64)]
    text = dump(
        "running",
        "runtime: unexpected return pc for runtime.sigpanic called from 0x7fff",
        "stack: frame={sp:0x7ffeefbfef48, fp:0x7ffeefbfef98} stack=[0x7f,0x7f)",
        *words,
        *FRAME,
    )
    assert frames(read(text)) == ["main.main /srv/shop/main.go:7"]


def test_frames_that_somebody_set_apart_are_one_stack(read, frames):
    """Blank lines between calls do not end a goroutine; a new header does."""
    text = dump(
        "running",
        "main.first(0x1)",
        "\t/srv/shop/main.go:3 +0x1d",
        "",
        "main.second(...)",
        "\t/srv/shop/main.go:5",
        "",
        "created by",
        "main.main",
        "\t/srv/shop/main.go:7 +0x1d",
    )
    panic = read(text)
    assert len(frames(panic)) == 2
    assert panic.crashed.created_by.function == "main.main"


def test_names_whose_arguments_somebody_took_away(read, frames):
    """A bare name with its file right below it is a frame."""
    text = dump(
        "running",
        "panic({0x1, 0x2})",
        "\t/usr/local/go/src/runtime/panic.go:500 +0x1a1",
        "shop/orders.(*Order).First",
        "\t/srv/shop/orders.go:19",
    )
    assert frames(read(text))[1] == "shop/orders.(*Order).First /srv/shop/orders.go:19"


def test_lines_cut_at_the_edge_of_a_terminal(read):
    """Where both lines end at the same column, the name is still whole."""
    width = 80
    lines = [
        "example.test/shop/orders.(*Order).First(0xc000012345, 0xc000067890, 0xc0000abcdef)",
        "\t/srv/example.test/shop/orders/with/a/rather/long/directory/orders.go:19 +0x1d23",
        "example.test/shop/orders.(*Order).Again(0xc000012345, 0xc000067890, 0xc0000abcdef)",
        "\t/srv/example.test/shop/orders/with/a/rather/long/directory/orders.go:21 +0x1d23",
    ]
    panic = read(dump("running", *(line[:width] for line in lines)))
    assert [frame.line for frame in panic.crashed.frames] == [19, 21]


def test_only_the_first_of_two_headers_on_a_line_counts():
    """What stands behind a header on its line is somebody's words."""
    assert decipher("goroutine 1 [running]: goroutine 2 [running]:\n").crashes == ()


def test_a_goroutine_on_another_thread_has_no_frames(read):
    """Its stack is not available; who made it may be."""
    text = dump(
        "running",
        "\tgoroutine running on other thread; stack unavailable",
        "created by main.start in goroutine 1",
        "\t/srv/shop/main.go:3 +0x1",
    )
    crashed = read(text).crashed
    assert (crashed.frames, crashed.created_by.function) == ((), "main.start")


def test_a_runtime_stack_stands_before_the_goroutine_that_crashed(sample, read):
    """The crashed goroutine is the first real one."""
    panic = read(sample("overflow"))
    assert (panic.crashed.id, panic.goroutines) == (1, 7)


def test_a_runtime_stack_alone_is_a_crash(read, frames):
    """Before the first goroutine exists, there is nothing else to show."""
    text = (
        "fatal error: bcryptprimitives.dll not found\n"
        "runtime: panic before malloc heap initialized\n\nruntime stack:\n"
        "runtime.throw({0x7ff6?, 0x4e4c?})\n"
        "\tC:/Program Files/Go/src/runtime/panic.go:1229 +0x4d fp=0x4e sp=0x4e pc=0x7f\n"
    )
    panic = read(text)
    assert (panic.kind, panic.goroutines) == ("fatal-runtime", 0)
    assert frames(panic) == [
        "runtime.throw C:/Program Files/Go/src/runtime/panic.go:1229"
    ]


def test_dumps_far_apart_are_two(sample):
    """A text may hold several crashes: all are found, in order, with their lines."""
    text = sample("nil") + "restarting\n" * 60 + sample("map")
    crashes = decipher(text).crashes
    assert [(panic.kind, panic.lines) for panic in crashes] == [
        ("nil-deref", (1, 10)),
        ("nil-map", (71, 79)),
    ]


def test_stacks_logged_one_after_another_are_each_a_dump(sample):
    """Without a head, a running goroutine after other lines begins a new dump."""
    text = sample("stack") + "and again:\n" + sample("stack")
    assert len(decipher(text).crashes) == 2
    waiting = "goroutine 9 [select]:\nmain.wait()\n\t/srv/shop/main.go:9 +0x1\n"
    (panic,) = decipher(sample("stack") + "\n// more of the same\n\n" + waiting).crashes
    assert panic.goroutines == 2


def test_goroutines_without_a_crash(read):
    """A dump whose first goroutine waits is a dump, not a crash."""
    panic = read(dump("chan receive", *FRAME, head=""))
    assert panic.kind == "goroutine-dump"


@pytest.mark.parametrize(
    "text",
    ["", "\n", "goroutine 1 [running]:\n", "runtime stack:\n", "goroutine 1 [running"],
)
def test_headers_alone_are_nothing(text):
    """Somebody quoted a header: no crash."""
    assert decipher(text).crashes == ()


def test_a_dump_whose_frames_were_taken_out_still_crashed(read):
    """The head and the header say that it did."""
    panic = read(
        "panic: runtime error: index out of range [-1]\n\ngoroutine 1 [running]:\n...\n"
    )
    assert (panic.kind, panic.crashed.frames) == ("index-range", ())


@pytest.mark.parametrize("cut", range(0, 700, 7))
def test_a_cut_text_gives_the_beginning_of_its_frames(sample, frames, cut):
    """Whatever is missing at the end, what is read is true."""
    text = sample("again")
    whole = frames(decipher(text).crashes[0])
    (line,) = re.findall(r"[^\n]*$", text[:cut])[:1]
    if re.search(r":\d+$", line) and text[cut : cut + 1].isdigit():
        return  # half a line number cannot be told from a whole one
    crashes = decipher(text[:cut]).crashes
    got = frames(crashes[0]) if crashes and crashes[0].crashed else []
    assert whole[: len(got)] == got


def test_a_file_line_that_may_be_cut_is_left_out(read, frames):
    """At the very end of a text a line number may lack digits, unless all look so."""
    first = ("main.first(0x1)", "\t/srv/shop/main.go:3 +0x1d")
    cut = dump("running", *first, "main.main()", "\t/srv/shop/main.go:7")
    assert len(frames(read(cut.removesuffix("\n")))) == 1
    assert len(frames(read(cut))) == 2
    inlined = dump("running", *first, "main.main(...)", "\t/srv/shop/main.go:7")
    assert len(frames(read(inlined.removesuffix("\n")))) == 2
    alone = dump("running", "main.main()", "\t/srv/shop/main.go:7")
    assert len(frames(read(alone.removesuffix("\n")))) == 1


@pytest.mark.parametrize("digits", ["1" * 20, "1" * 25, "1" * 5000])
@pytest.mark.parametrize(
    "text",
    [
        "goroutine {} [running]:\nmain.f(0x1)\n\t/srv/a.go:7 +0x1\n",
        "goroutine 1 [running, {} minutes]:\nmain.f(0x1)\n\t/srv/a.go:7 +0x1\n",
        "goroutine 1 [running]:\nmain.f(0x{})\n\t/srv/a.go:7 +0x{}\n",
        "goroutine 1 [running]:\nmain.f(0x1)\n\t/srv/a.go:{} +0x1\n",
        "goroutine 1 [running]:\nmain.f(0x1)\n\t/srv/a.go:7 +0x1\n...{} frames elided...\n",
        "goroutine 1 [idle]:\ncreated by main.g in goroutine {}\n\t/srv/a.go:9 +0x1\n",
        "panic: x\n/srv/a.go:{} (0x1)\n\tf: x\n/srv/a.go:7 (0x1)\n\tf: x\n",
        "Write at 0x1 by goroutine {}:\n  main.f()\n      /srv/a.go:7 +0x1\n",
        '{{"level":"fatal","stack":[{{"func":"a","line":{},"source":"x.go"}}]}}',
        '{{"level":"fatal","stack":[{{"func":"a","line":"{}","source":"x.go"}}]}}',
    ],
)
def test_numbers_of_any_length(digits, text):
    """They are read, and what is read can be written as JSON."""
    report = decipher(text.replace("{}", digits).replace("{{", "{").replace("}}", "}"))
    orjson.dumps(to_json(report, "x"))


def test_a_header_behind_words_ends_the_stack_above():
    """Stacks that are logged one behind the other are two."""
    stack = "goroutine {} [running]:\nmain.f(0x1)\n\t/srv/a.go:{} +0x1\n"
    text = f"log: {stack.format(1, 7)}log: {stack.format(2, 9)}"
    crashed, other = (
        goroutine
        for panic in decipher(text).crashes
        for goroutine in (panic.crashed, *panic.others)
        if goroutine
    )
    assert [(crashed.id, crashed.frames[0].line)] == [(1, 7)]
    assert [(other.id, other.frames[0].line)] == [(2, 9)]
    assert (len(crashed.frames), len(other.frames)) == (1, 1)
