"""What a child is started with: command line, environment, versions, limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from triage.core.wire import PROTOCOL, Hello
from triage.errors import HelperStartFailed, HelperVersionMismatch
from triage.ports import Clock

_PASSED_ON: Final = ("PATH", "HOME", "GOMAXPROCS", "GOMEMLIMIT")
_REBUILD: Final = "pip install --force-reinstall triage-go"


@dataclass(frozen=True, slots=True)
class Limits:
    """How many calls at a time, and the seconds that may pass."""

    slots: int = 2
    """Calls at a time; the helper works on no more (main.go)."""
    hello: float = 10.0
    """From the start of a child to its hello."""
    call: float = 30.0
    """For one call; past it the child is killed."""
    finish: float = 2.0
    """From the end of a child's input to its own end; past it comes SIGTERM."""
    terminate: float = 5.0
    """From SIGTERM to SIGKILL."""
    reap: float = 1.0
    """From the first sign of a child's end to the last of its output."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What every generation of the helper has in common."""

    command: tuple[str, ...]
    """The words in front of the flags."""
    environment: Mapping[str, str]
    version: str
    schema: int
    limits: Limits
    clock: Clock

    def arguments(self) -> tuple[str, ...]:
        """Return the whole command line, which names the host's own versions."""
        flags = ("-serve", "-protocol", str(PROTOCOL), "-schema", str(self.schema))
        return (*self.command, *flags, "-version", self.version)

    def check(self, hello: Hello) -> None:
        """Raise `HelperVersionMismatch` where the helper was built from other code."""
        ours = (PROTOCOL, self.schema, self.version)
        if ours != (hello.protocol, hello.schema, hello.version):
            raise HelperVersionMismatch(
                f"triage is version {self.version} (protocol {PROTOCOL}, schema "
                f"{self.schema}), the helper is version {hello.version} (protocol "
                f"{hello.protocol}, schema {hello.schema}); rebuild both with: "
                f"{_REBUILD}"
            )


def binary_path() -> str:
    """Return where the helper's binary is; raises `HelperStartFailed` without it."""
    path = Path(__file__).parent / "bin" / "goparse-helper"
    if not path.is_file():
        raise HelperStartFailed(
            f"there is no {path}; build it with `pip install .` or `pip install -e .`"
        )
    return str(path)


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Pick what a child may know: no token and no proxy reaches it."""
    return {name: environ[name] for name in _PASSED_ON if name in environ}
