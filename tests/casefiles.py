"""Crash cases: small Go modules that crashed, and what their context has to hold.

Each is one txtar file below `tests/data/cases`, whose README describes the form.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

import msgspec

DIRECTORY: Final = Path(__file__).parent / "data" / "cases"

Form = Literal["trace", "fileline"]

_MARKER = re.compile(rb"^-- (.+) --\r?\n", re.MULTILINE)


class Declaration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A declaration that a context must hold, or must not."""

    kind: Literal["func", "method", "type", "var", "const"]
    name: str
    receiver: str | None
    file: str
    """Relative to the repository."""
    form: Form | None = None
    """The only form of telemetry in which it counts; None for both."""

    def __str__(self) -> str:
        owner = f"{self.receiver}." if self.receiver else ""
        return f"{self.kind} {owner}{self.name} ({self.file})"


class Position(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file and a line, as a repository or a sender of telemetry writes them."""

    file: str
    line: int


class Site(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where it crashed."""

    file: str
    line: int
    function: str
    """Of the enclosing declaration; a variable's name for an initialiser."""
    receiver: str | None
    reported: Position | None = None
    """What the trace says, where a `//line` comment changes it."""


class Expectation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `expect.json`."""

    crash: Site
    must: tuple[Declaration, ...]
    must_not: tuple[Declaration, ...]
    note: str
    command: str
    crash_alt: Site | None = None
    """The second frame, where the first is a helper and either may be named."""
    must_text: tuple[str, ...] = ()
    must_not_text: tuple[str, ...] = ()
    args: Position | None = None
    """The position that telemetry gives, where it is not the repository's."""
    root_dir: str = "."
    repo_layout: str = ""


@dataclass(frozen=True)
class Case:
    """One crash: the files of a commit, the trace, and what is expected."""

    name: str
    files: Mapping[str, bytes]
    trace: bytes
    expect: Expectation

    @property
    def position(self) -> Position:
        """The file and line that telemetry without a trace gives."""
        crash = self.expect.crash
        return self.expect.args or crash.reported or Position(crash.file, crash.line)

    def musts(self, form: Form) -> tuple[Declaration, ...]:
        """List what has to be there in one form of telemetry."""
        return tuple(want for want in self.expect.must if want.form in {None, form})

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """The Go files as text; bytes that are no UTF-8 are replaced."""
        return {
            name: data.decode(errors="replace").replace("\r\n", "\n")
            for name, data in self.files.items()
            if name.endswith(".go")
        }


def read_case(path: Path) -> Case:
    """Read one txtar file."""
    _, *parts = _MARKER.split(path.read_bytes())
    files = {
        name.decode(): data for name, data in zip(parts[::2], parts[1::2], strict=True)
    }
    trace, expect = files.pop("trace.txt"), files.pop("expect.json")
    decoded = msgspec.json.decode(expect, type=Expectation)
    return Case(path.stem, files, trace, decoded)


def read_cases() -> tuple[Case, ...]:
    """Read every case, by name."""
    return tuple(map(read_case, sorted(DIRECTORY.glob("*.txtar"))))
