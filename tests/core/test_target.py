import pytest

from triage.core.model import BuildContext, Panic, Telemetry
from triage.core.panics import decipher
from triage.core.target import hinted, of_stack

NOTHING = Telemetry("acme/shop")
TOLD = Telemetry("acme/shop", goos="darwin", goarch="arm64", tags=("e2e", "pro"))


def panic(goos: str | None = None, goarch: str | None = None) -> Panic:
    """Make a panic of a program for this target."""
    return Panic("nil-deref", "", None, 1, (1, 9), goos=goos, goarch=goarch)


@pytest.mark.parametrize(
    ("files", "want"),
    [
        (["/go/src/runtime/sys_darwin_arm64.s"], ("darwin", "arm64")),
        (["/go/src/runtime/signal_unix.go"], (None, None)),
        (["/app/watch_windows.go"], ("windows", None)),
        (["/app/watch_windows_test.go"], ("windows", None)),
        (["/go/src/runtime/asm_s390x.s"], (None, "s390x")),
        ([r"C:\Go\src\runtime\sys_windows_386.s"], ("windows", "386")),
        (["/app/linux.go", "/app/arm64.go"], (None, None)),
        (["/app/a_linux_arm64_old.go"], (None, None)),
        (["/app/a_freebsd.go", "/app/b_netbsd.go"], ("freebsd", None)),
        (["/app/a_js_wasm.go"], ("js", "wasm")),
        (["/app/no_suffix", "/app/x_darwin/main.go"], (None, None)),
        (["/src/asm_arm64.s", "/src/sys_darwin_arm64.s"], ("darwin", "arm64")),
    ],
)
def test_file_names_tell_the_target(files, want):
    """The names of a trace's files say what it was built for, the first one first."""
    assert of_stack(files, "") == want


@pytest.mark.parametrize(
    ("file", "signal", "want"),
    [
        ("/app/main.go", "Exception 0xc0000005 0x0 0x8 0x1234", "windows"),
        ("/app/main.go", "signal 0xC0000005 code=0x0 addr=0x8 pc=0x1234", "windows"),
        ("/app/main.go", "SIGSEGV: segmentation violation", None),
        ("C:/app/main.go", "", "windows"),
        ("c:\\app\\main.go", "", "windows"),
        ("C:/app/main.go", "SIGSEGV: segmentation violation", None),
        ("/c:/app/main.go", "", None),
    ],
)
def test_windows_tells_itself(file, signal, want):
    """Its exception's number is sure; its drives too, unless Unix sent a signal."""
    assert of_stack([file], signal) == (want, None)


CRASH = """\
panic: runtime error: invalid memory address or nil pointer dereference
[signal {signal} code=0x1 addr=0x0 pc=0x47f2a1]

goroutine 1 [running]:
main.main()
\tC:/app/{file}:9 +0x1d
"""


@pytest.mark.parametrize(
    ("signal", "file", "want"),
    [
        ("SIGSEGV: segmentation violation", "main.go", ("linux", "amd64")),
        ("SIGSEGV: segmentation violation", "main_netbsd.go", ("netbsd", "amd64")),
        ("0xc0000005", "main_arm64.go", ("windows", "arm64")),
    ],
)
def test_target_of_a_text(signal, file, want):
    """A program that Windows built and Unix ran counts as what it was built for."""
    [crash] = decipher(CRASH.format(signal=signal, file=file)).crashes
    assert hinted(NOTHING, crash) == BuildContext(*want)


def test_trace_comes_before_the_caller():
    """What the trace shows beats what the caller believes; tags are the caller's."""
    want = BuildContext("linux", "riscv64", ("e2e", "pro"))
    assert hinted(TOLD, panic("linux", "riscv64")) == want


@pytest.mark.parametrize("crash", [None, panic()])
def test_caller_comes_before_the_default(crash):
    """Where the trace shows nothing, or there is none, the caller's word holds."""
    assert hinted(TOLD, crash) == BuildContext("darwin", "arm64", ("e2e", "pro"))


def test_default_is_linux():
    """The host that Triage runs on plays no part."""
    assert hinted(NOTHING, None) == BuildContext("linux", "amd64", ())
