"""Tell what was found, in the form and at the places that were asked for."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from triage._version import __version__
from triage.config import GitHubStep
from triage.core.ci import Finding, documents, github
from triage.core.ci.sarif import sarif
from triage.core.printed import shown
from triage.core.visible import printable
from triage.errors import OutputFailed

Form = Literal["text", "json", "sarif", "github"]

_LEAST_ROOM: Final = 1_000


@dataclass(frozen=True, slots=True)
class Report:
    """Where it is told."""

    form: Form
    write: Callable[[bytes], object]
    """Takes what goes to standard output."""
    out: Path | None = None
    """Takes the report in its place."""
    step: GitHubStep | None = None

    def tell(self, findings: Sequence[Finding], top: Path | None) -> None:
        """Tell of *findings*; *top* is where their repository lies, if it lies here.

        Raises `OutputFailed` where a file cannot be written.
        """
        if self.form == "github":
            self._tell_github(findings, top)
        else:
            self._put(_document(self.form, findings))

    def _tell_github(self, findings: Sequence[Finding], top: Path | None) -> None:
        step = self.step or GitHubStep(Path())
        self.write(github.annotations(findings, below=_below(step, top)).encode())
        if self.out is not None:
            _replace(self.out, github.summary(findings).encode())
        if step.summary is not None and findings:
            room = github.MOST_SUMMARY - _size(step.summary)
            if room > _LEAST_ROOM:
                text = github.summary(findings, room=room)
                _append(step.summary, text.encode())
        if step.output is not None:
            report = str(self.out.absolute()) if self.out else ""
            text = f"{github.outputs(findings)}report={printable(report)}\n"
            _append(step.output, text.encode())

    def _put(self, text: bytes) -> None:
        if self.out is None:
            self.write(text)
        else:
            _replace(self.out, text)


def _document(form: Form, findings: Sequence[Finding]) -> bytes:
    if form == "sarif":
        return sarif(findings, version=__version__)
    if form == "json":
        return documents.json(findings)
    return documents.text(findings).encode()


def _below(step: GitHubStep, top: Path | None) -> str:
    """Say where the repository lies in the workspace: annotations name paths from there."""
    if top is None:
        return ""
    try:
        below = top.resolve().relative_to(step.workspace.resolve()).as_posix()
    except (ValueError, OSError):
        return ""  # it lies elsewhere
    return "" if below == "." else f"{below}/"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _append(path: Path, text: bytes) -> None:
    try:
        with path.open("ab") as file:
            file.write(text)
    except OSError as error:
        raise _failed(path, error) from error


def _replace(path: Path, text: bytes) -> None:
    """Write a file, whole or not at all; a device or a pipe takes it as it is."""
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(text)
            return
        part = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            part.write_bytes(text)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise _failed(path, error) from error


def _failed(path: Path, error: OSError) -> OutputFailed:
    reason = (error.strerror or "it fails").lower()
    told = shown(printable(str(path)))
    return OutputFailed(f"cannot write to {told}: {reason}; name another file")
