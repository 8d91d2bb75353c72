"""Which target a crash was built for, as far as its trace shows it."""

import re
from collections.abc import Iterable
from posixpath import basename

from triage.core.model import BuildContext, Panic, Telemetry

_SYSTEMS = frozenset(
    [
        "aix",
        "android",
        "darwin",
        "dragonfly",
        "freebsd",
        "illumos",
        "ios",
        "js",
        "linux",
        "netbsd",
        "openbsd",
        "plan9",
        "solaris",
        "wasip1",
        "windows",
    ]
)
_ARCHITECTURES = frozenset(
    {"386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le"}
    | {"mipsle", "ppc64", "ppc64le", "riscv64", "s390x", "wasm"}
)
_WINDOWS_FAULT = re.compile(r"Exception 0x|0xc0000005\b", re.IGNORECASE)
"""What the runtime prints of a fault on Windows."""
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def hinted(telemetry: Telemetry, panic: Panic | None) -> BuildContext:
    """Return the target: hints in the trace, then the caller's, then linux/amd64.

    The crash file's own constraints come before all of these; the helper sees to it.
    """
    goos, goarch = _hints(_files(panic))
    if goos is None and panic and _on_windows(panic):
        goos = "windows"
    return BuildContext(
        goos or telemetry.goos or "linux",
        goarch or telemetry.goarch or "amd64",
        telemetry.tags,
    )


def _on_windows(panic: Panic) -> bool:
    """Tell by the fault, else by drive letters where no Unix signal says otherwise."""
    signal = panic.signal or ""
    if _WINDOWS_FAULT.search(signal):
        return True
    return "SIG" not in signal and any(map(_DRIVE.match, _files(panic)))


def _files(panic: Panic | None) -> Iterable[str]:
    if panic is None or panic.crashed is None:
        return ()
    return [frame.file for frame in panic.crashed.frames if frame.file]


def _hints(files: Iterable[str]) -> tuple[str | None, str | None]:
    """`.../runtime/sys_darwin_arm64.s` -> darwin, arm64."""
    goos: str | None = None
    goarch: str | None = None
    for file in files:
        name = basename(file.replace("\\", "/"))
        stem = name.rpartition(".")[0].removesuffix("_test")
        parts = stem.split("_")[1:]
        if parts and parts[-1] in _ARCHITECTURES:
            last = parts.pop()
            goarch = goarch or last
        if parts and parts[-1] in _SYSTEMS:
            goos = goos or parts[-1]
    return goos, goarch
