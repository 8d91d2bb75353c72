"""The order of work: what lies in one package is done together."""

import re
from typing import Final

from triage.core.model import Telemetry
from triage.core.names import split_function
from triage.core.standard import is_standard

_FRAME: Final = re.compile(
    rb"^[ \t]*([\w.%/~*()\[\]{}-]+)\([^\n]*\)[ \t]*\n", re.MULTILINE
)
_SEARCHED: Final = 65_536
"""Bytes of a trace in which its first frame of anyone's own is looked for."""


def place(telemetry: Telemetry) -> str:
    """Return what sorts items by repository, commit and package.

    The package is a guess where there is a trace, for the repository has not been
    read: one that is wrong costs time alone.
    """
    commit = telemetry.commit_sha or ""
    return "\0".join(
        (telemetry.repo, commit, telemetry.root_dir or "", _package(telemetry))
    )


def _package(telemetry: Telemetry) -> str:
    if telemetry.trace is None:
        return (telemetry.file or "").rpartition("/")[0]
    return _first_package(telemetry.trace)


def _first_package(trace: str | bytes) -> str:
    """Name the package of the first frame that is not the standard library's."""
    head = trace[:_SEARCHED]
    text = head.encode(errors="replace") if isinstance(head, str) else head
    for found in _FRAME.finditer(text):
        package = split_function(found[1].decode(errors="replace")).package
        if package and not is_standard(package):
            return package
    return ""
