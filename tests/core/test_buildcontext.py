import pytest

from triage.core.buildcontext import hinted
from triage.core.model import BuildContext, Frame, Goroutine, Panic, Telemetry


def panic(*files: str | None, signal: str | None = None) -> Panic:
    """Make a panic whose crashed goroutine ran through *files*."""
    frames = tuple(Frame("f", file, 1) for file in files)
    crashed = Goroutine(1, "running", frames)
    return Panic("nil-deref", "", crashed, 1, (1, 9), signal=signal)


NOTHING = Telemetry("acme/shop")
TOLD = Telemetry("acme/shop", goos="darwin", goarch="arm64", tags=("e2e", "pro"))


@pytest.mark.parametrize(
    ("files", "want"),
    [
        (["/go/src/runtime/sys_darwin_arm64.s"], ("darwin", "arm64")),
        (["/go/src/runtime/signal_unix.go"], ("linux", "amd64")),
        (["/app/watch_windows.go"], ("windows", "amd64")),
        (["/app/watch_windows_test.go"], ("windows", "amd64")),
        (["/go/src/runtime/asm_s390x.s"], ("linux", "s390x")),
        ([r"C:\Go\src\runtime\sys_windows_386.s"], ("windows", "386")),
        (["/app/linux.go", "/app/arm64.go"], ("linux", "amd64")),
        (["/app/a_freebsd.go", "/app/b_netbsd.go"], ("freebsd", "amd64")),
        ([None, "/app/a_js_wasm.go"], ("js", "wasm")),
        (["/app/no_suffix", "/app/x_darwin/main.go"], ("linux", "amd64")),
    ],
)
def test_file_names_tell_the_target(files, want):
    """The names of a trace's files say what it was built for, the first one first."""
    assert BuildContext(*want) == hinted(NOTHING, panic(*files))


@pytest.mark.parametrize(
    ("file", "signal", "want"),
    [
        ("/app/main.go", "Exception 0xc0000005 0x0 0x8 0x1234", "windows"),
        ("/app/main.go", "signal 0xC0000005 code=0x0 addr=0x8 pc=0x1234", "windows"),
        ("/app/main.go", "SIGSEGV: segmentation violation", "linux"),
        ("C:/app/main.go", None, "windows"),
        ("c:\\app\\main.go", None, "windows"),
        ("C:/app/main.go", "SIGSEGV: segmentation violation", "linux"),
        ("/c:/app/main.go", None, "linux"),
    ],
)
def test_windows_tells_itself(file, signal, want):
    """Its exception's number is sure; its drives too, unless Unix sent a signal."""
    crash = panic(file, signal=signal)
    assert BuildContext(want, "amd64") == hinted(NOTHING, crash)


def test_trace_comes_before_the_caller():
    """What the trace shows beats what the caller believes; tags are the caller's."""
    crash = panic("/go/src/runtime/sys_linux_riscv64.s")
    assert BuildContext("linux", "riscv64", ("e2e", "pro")) == hinted(TOLD, crash)


@pytest.mark.parametrize(
    "crash", [None, panic("/app/main.go"), Panic("deadlock", "", None, 0, (1, 1))]
)
def test_caller_comes_before_the_default(crash):
    """Where the trace shows nothing, or there is none, the caller's word holds."""
    assert BuildContext("darwin", "arm64", ("e2e", "pro")) == hinted(TOLD, crash)


def test_default_is_linux():
    """The host that Triage runs on plays no part."""
    assert BuildContext("linux", "amd64", ()) == hinted(NOTHING, None)


def test_system_behind_a_known_architecture():
    """Once the architecture is known, later names still tell the system."""
    files = ["/go/src/runtime/asm_arm64.s", "/go/src/runtime/sys_darwin_arm64.s"]
    assert BuildContext("darwin", "arm64") == hinted(NOTHING, panic(*files))
