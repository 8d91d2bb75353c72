"""What stands above a dump."""

import pytest

from triage.core.panics import decipher

STACK = "goroutine 7 [running]:\nmain.main()\n\t/srv/shop/main.go:7 +0x1d\n"
BOUNDS = "runtime error: index out of range [1] with length 0"


@pytest.mark.parametrize(
    ("head", "kind", "message"),
    [
        (f"panic: {BOUNDS}\n\n", "index-range", BOUNDS),
        (f"panic: {BOUNDS} [recovered]\n\tpanic: {BOUNDS}\n\n", "index-range", BOUNDS),
        (f"panic: first [recovered]\n\tpanic: {BOUNDS}\n\n", "index-range", BOUNDS),
        (f"panic: {BOUNDS} [recovered, repanicked]\n\n", "index-range", BOUNDS),
        ("panic: first\n\tpanic: second\n\n", "custom-panic", "second"),
        ("panic: a\n\nb\n\ngoroutine count: 1\n\n", "custom-panic", "a\n\nb\n\ngoroutine count: 1"),
        ("--- FAIL: TestA (0.00s)\npanic: boom\n\n", "custom-panic", "boom"),
        ("It says panic: boom\n", "custom-panic", "boom"),
        (f"http: panic serving 127.0.0.1:80: {BOUNDS}\n", "index-range", BOUNDS),
        (f"http2: panic serving [::1]:80: {BOUNDS}\n", "index-range", BOUNDS),
        (f"http: panic serving @: {BOUNDS}\n", "index-range", BOUNDS),
        (f"[PANIC RECOVER] {BOUNDS}\n", "index-range", BOUNDS),
        (f"[PANIC RECOVER] {BOUNDS} ", "index-range", BOUNDS),
        (f"[negroni] PANIC: {BOUNDS}\n", "index-range", BOUNDS),
        (f"2026/03/14 09:26:53 [Recovery] panic recovered: {BOUNDS}\n", "index-range", BOUNDS),
        (f"suite.go:87: test panicked: {BOUNDS}\n", "index-range", BOUNDS),
        (
            ("2025-06-27 18:56:52.314 E | shop: Panic: no till\n"
            "2025-06-27 18:56:52.314 E | shop: Stack trace:\n"
            "2025-06-27 18:56:52.315 E | shop: "),
            "custom-panic",
            "no till",
        ),
        (f"panic during reconcile: {BOUNDS}\n", "index-range", BOUNDS),
        (f"Recovered from panic: {BOUNDS}\n", "index-range", BOUNDS),
        (f"(/orders - 127.0.0.1:80) {BOUNDS}\n", "index-range", BOUNDS),
        (f"[PANICKED] Test Panicked\n\n{BOUNDS}\n\nFull Stack Trace\n", "index-range", BOUNDS),
        (
            ("E0213 18:29:17.790744   14686 runtime.go:79] Observed a panic: "
            f"runtime.boundsError{{x:1, y:0}} ({BOUNDS})\n"),
            "index-range",
            BOUNDS,
        ),
        ('E0213 1 runtime.go:79] Observed a panic: "no" (no)\n', "custom-panic", "no"),
        ("E0213 1 runtime.go:79] Observed a panic: not (yet) done\n", "custom-panic", "not (yet) done"),
        (
            ('E0823 12:34:56.789012       1 runtime.go:142] "Observed a panic" '
            'panic="runtime error: \\"x\\"" panicGoValue="1" stacktrace=<\n'),
            "custom-panic",
            'runtime error: "x"',
        ),
        ('E0823 1 runtime.go:1] "Observed a panic" panic=boom stacktrace=<\n', "custom-panic", "boom"),
        (
            "F0314 09:26:53.589793   14686 main.go:45] no till\n",
            "klog-fatal",
            "no till",
        ),
        ("fatal error: concurrent map writes\n\n", "fatal-concurrent-map", "concurrent map writes"),
        ("SIGQUIT: quit\nPC=0x7ff8 m=0 sigcode=0\n\n", "sigquit", "SIGQUIT: quit"),
        (
            ("SIGSEGV: segmentation violation\nPC=0x48 m=0 sigcode=1 addr=0x0\n"
            "signal arrived during cgo execution\n\n"),
            "cgo-signal",
            "SIGSEGV: segmentation violation",
        ),
        (
            "W0627 10:46:34.954366   26638 x:0] Invalid request\n",
            "logged-stack",
            "Invalid request",
        ),
        ("2026/03/14 09:26:53 here:\n", "logged-stack", "here:"),
        ("2026-03-14T09:26:53Z\tWARN\ta.go:3\tslow\t{}\n", "logged-stack", "slow"),
        ("This is where it hangs:\n", "logged-stack", ""),
    ],
)  # fmt: skip
def test_heads(read, head, kind, message):
    """Kind and message of every form in which a panic is announced."""
    panic = read(head + STACK)
    assert (kind, message) == (panic.kind, panic.message)


@pytest.mark.parametrize(
    ("line", "signal", "address"),
    [
        ("[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x4]", "SIGSEGV", 24),
        ("[signal SIGBUS: bus error code=0x2 addr=0xc420a00000 pc=0xef]", "SIGBUS", 0xC420A00000),
        ("[signal 0xb code=0x1 addr=0x0 pc=0x0]", "0xb", 0),
        ("[signal 0xc0000005 code=0x0 addr=0x68 pc=0xe1c56e]", "0xc0000005", 0x68),
        ("[signal SIGFPE: floating-point exception]", "SIGFPE", None),
    ],
)  # fmt: skip
def test_signals(read, line, signal, address):
    """A signal's name and the address that it was about."""
    panic = read(f"panic: boom\n{line}\n\n{STACK}")
    assert (signal, address) == (panic.signal, panic.address)
    assert panic.message == "boom"


def test_the_signal_of_a_program_counter_line(read):
    """Signals that end a program outside of Go say their address with the PC."""
    panic = read(f"SIGBUS: bus error\nPC=0x48 m=0 sigcode=1 addr=0x10\n\n{STACK}")
    assert (panic.signal, panic.address) == ("SIGBUS", 16)
    assert read(f"SIGQUIT: quit\nPC=0x48 m=0 sigcode=0\n\n{STACK}").address is None


def test_what_the_runtime_notes_is_no_message(read):
    """Notes stand between the message and the dump."""
    panic = read(f"fatal error: newosproc\n\nruntime: note: buy threads\n\n{STACK}")
    assert panic.message == "newosproc"


def test_lines_that_lead_up_to_a_fatal_error_belong_to_it(read):
    """The runtime explains before it gives up."""
    text = (
        "started\nunexpected fault address 0xc420a00000\nfatal error: fault\n"
        f"[signal SIGBUS: bus error code=0x2 addr=0xc420a00000 pc=0xef856]\n\n{STACK}"
    )
    panic = read(text)
    assert (panic.kind, panic.lines) == ("fatal-fault", (2, 8))
    text = (
        "started\nruntime: goroutine stack exceeds 1000000000-byte limit\n"
        f"runtime: sp=0x1 stack=[0x1, 0x2]\nfatal error: stack overflow\n\n{STACK}"
    )
    assert read(text).lines == (2, 8)


def test_a_lone_signal_is_a_head(read):
    """Where the panic line is cut off, the signal is what is left."""
    line = "[signal SIGSEGV: segmentation violation code=0x1 addr=0x8 pc=0x4]"
    panic = read(f"{line}\n\n{STACK}")
    assert ("fatal-signal", "SIGSEGV", line) == (
        panic.kind,
        panic.signal,
        panic.message,
    )


def test_a_panic_that_others_logged_long_before_is_another(read):
    """A log line between a panic and a dump parts them."""
    text = f"panic: old\n2026/03/14 09:26:53 restarted\n\n{STACK}"
    assert read(text).kind == "logged-stack"
    far = "panic: old\n" + "more\n\n" * 30 + STACK
    assert read(far).message == ""


def test_a_message_is_read_far_up(read):
    """A long message without blank lines still belongs to its dump."""
    lines = "".join(f"\ttask {n} is stuck\n" for n in range(150))
    panic = read(f"panic: stuck:\n{lines}\n{STACK}")
    assert len(panic.message.split("\n")) == 151
    assert decipher("panic: stuck:\n" + "\ttask\n" * 300).crashes == ()


def test_a_message_broken_by_a_form(read):
    """What a margin parted is put together; what the program parted is not."""
    broken = (
        "panic: checkout: runtime error: invalid memory address or nil pointer\n"
        "dereference [recovered,\nrepanicked]\n\n"
        "goroutine 7 [running]:\nexample.test/shop.(*Order).First(0xc0000123, 0x1,\n0x2)\n"
        "\t/srv/shop/orders.go:19 +0x1d\n"
    )
    panic = read(broken)
    assert (
        panic.message
        == "checkout: runtime error: invalid memory address or nil pointer dereference"
    )
    assert panic.crashed.frames[0].arguments == "0xc0000123, 0x1, 0x2"


def test_a_message_broken_behind_a_prefix(read):
    """The journal prefixes the first part only; the other stands bare below it."""
    prefix = "Apr 05 04:48:35 node-7 shop[15819]: "
    text = f"{prefix}http: panic serving\n127.0.0.1:53499: {BOUNDS}\n" + "".join(
        prefix + line + "\n" for line in STACK.splitlines()
    )
    panic = read(text)
    assert (panic.kind, panic.message) == ("index-range", BOUNDS)


def test_a_head_that_lacks_the_prefix_of_its_stack(read):
    """A logger frames the stack and leaves the words above it bare."""
    stack = "".join(f"  | {line}\n" for line in STACK.splitlines())
    panic = read(f"[ERROR] shop: request panicked: {BOUNDS}\n  stacktrace=\n{stack}")
    assert (panic.kind, panic.message) == ("index-range", BOUNDS)
    assert read(f"nothing to say\n{stack}").message == ""
    assert read(f"panicked: x\nnothing to say\n{stack}").message == ""


def test_a_screen_without_carriage_returns(read):
    """In a frame of k9s each line begins where the one before it ended."""
    lines = [
        "Stream closed (shop)panic: send on closed channel",
        "",
        *STACK.splitlines(),
    ]
    rows, column = [], 0
    for line in lines:
        rows.append(f"│{' ' * column}{line.strip()}")
        column += len(line)
    width = max(map(len, rows)) + 2
    text = "".join(f"{row:<{width}}│\n" for row in rows).removeprefix("│")
    panic = read(text)
    assert (panic.kind, panic.message) == ("closed-channel", "send on closed channel")
    assert len(panic.crashed.frames) == 1


def test_what_a_neighbour_says_is_no_head(read):
    """With a prefix, the lines of another sender are passed."""
    text = f"web | panic: {BOUNDS}\nweb |\ndb | panic: mine\n" + "".join(
        f"web | {line}\n" for line in STACK.splitlines()
    )
    assert read(text).kind == "index-range"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("7777: boom", "boom"),
        ("1.2.3.4:5: at 6.7.8.9:1: boom", "at 6.7.8.9:1: boom"),
        ("[::1]:80: boom", "boom"),
        ("@: boom", "boom"),
        ("boom 1.2.3.4:5: x", "boom 1.2.3.4:5: x"),
    ],
)
def test_the_addressee_on_a_line_of_its_own(read, said, message):
    """Only what a server puts before the message is taken off it."""
    assert read(f"http: panic serving\n{said}\n{STACK}").message == message


@pytest.mark.parametrize(
    ("printed", "message"),
    [
        ('"no till" (no till)', "no till"),
        ("&errors.errorString{s:1} (no (big) till)", "big) till"),
        ("main.T{a: 1} (no till) x", "main.T{a: 1} (no till) x"),
        ("no till (x)", "no till (x)"),
        ('"x"', '"x"'),
    ],
)
def test_values_that_are_printed_with_their_words(read, printed, message):
    """The words are what stands in the last brackets."""
    assert read(f"Observed a panic: {printed}\n{STACK}").message == message


def test_an_address_that_no_machine_has(read):
    """More than 64 bits are not an address."""
    signal = "[signal SIGSEGV: segmentation violation code=0x1 addr=0x{} pc=0x1]"
    panic = read(f"panic: x\n{signal.format('f' * 9000)}\n\n{STACK}")
    assert (panic.signal, panic.address) == ("SIGSEGV", None)
    panic = read(f"panic: x\n{signal.format('f' * 16)}\n\n{STACK}")
    assert panic.address == 2**64 - 1


@pytest.mark.parametrize(
    ("name", "message", "earlier"),
    [
        ("onpanic", "till is open:\n  drawer 2", ("no pears",)),
        (
            "three",
            "no change: till is open:\n  drawer 2",
            ("no pears", "till is open:\n  drawer 2 [recovered]"),
        ),
        ("fatal", "sync: unlock of unlocked mutex", ("no pears",)),
        ("goexit", "till is open:\n  drawer 2", ()),
        ("custom", "example.test/shop/orders: empty order", ()),
    ],
)
def test_a_chain_of_panics(read, sample, name, message, earlier):
    """The last one's words are the crash's; what came before is kept, in order."""
    panic = read(sample(name))
    assert panic.earlier == earlier
    if earlier:
        assert panic.message == message


def test_a_value_that_was_raised_again(read, sample):
    """The runtime prints it once, and says so."""
    panic = read(sample("again"))
    assert panic.earlier == (f"{panic.message} [recovered, repanicked]",)
