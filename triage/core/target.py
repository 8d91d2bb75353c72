"""Go's targets, and for which of them a crashed program was built."""

import re
from collections.abc import Sequence

from triage.core.model import BuildContext, Panic, Telemetry
from triage.core.printed import last_element

SYSTEMS = frozenset(
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
"""The values of GOOS."""
ARCHITECTURES = frozenset(
    {"386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le"}
    | {"mipsle", "ppc64", "ppc64le", "riscv64", "s390x", "wasm"}
)
"""The values of GOARCH."""
_WINDOWS_FAULT = re.compile(r"Exception 0x|0xc0000005\b", re.IGNORECASE)
"""What the runtime prints of a fault on Windows."""
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def hinted(telemetry: Telemetry, panic: Panic | None) -> BuildContext:
    """Return the target: as the trace says, then the caller, then linux/amd64.

    The crash file's own constraints come before all of these; the helper sees to it.
    """
    goos, goarch = (panic.goos, panic.goarch) if panic else (None, None)
    return BuildContext(
        goos or telemetry.goos or "linux",
        goarch or telemetry.goarch or "amd64",
        telemetry.tags,
    )


def of_stack(files: Sequence[str], signal: str) -> tuple[str | None, str | None]:
    """Tell GOOS and GOARCH by the paths of a crash's frames and by its signal.

    None for what they do not tell; *signal* is empty where there was none.
    """
    goos, goarch = _by_names(files)
    if goos is None and _on_windows(files, signal):
        goos = "windows"
    return goos, goarch


def _on_windows(files: Sequence[str], signal: str) -> bool:
    """Tell by the fault, else by drive letters where no Unix signal says otherwise."""
    if _WINDOWS_FAULT.search(signal):
        return True
    return "SIG" not in signal and any(map(_DRIVE.match, files))


def _by_names(files: Sequence[str]) -> tuple[str | None, str | None]:
    """`.../runtime/sys_darwin_arm64.s` -> darwin, arm64."""
    goos: str | None = None
    goarch: str | None = None
    for file in files:
        name = last_element(file)
        stem = name.rpartition(".")[0].removesuffix("_test")
        parts = stem.split("_")[1:]
        if parts and parts[-1] in ARCHITECTURES:
            last = parts.pop()
            goarch = goarch or last
        if parts and parts[-1] in SYSTEMS:
            goos = goos or parts[-1]
    return goos, goarch
