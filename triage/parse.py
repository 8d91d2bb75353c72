"""Read panic texts from files and print what they hold: `triage parse`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import orjson

from triage.core.panics import decipher
from triage.core.panics.show import to_json, to_text
from triage.core.printed import shown
from triage.core.visible import printable
from triage.errors import BadInput


def parse_files(files: Sequence[str], fmt: str, out: BinaryIO) -> None:
    """Print the crashes of each file to *out* in UTF-8: one JSON line each, or text.

    *fmt* is `json` or `text`; `-` names standard input. Raises `BadInput` for a file
    that cannot be read.
    """
    for name in files:
        report = decipher(read_input(name))
        if fmt == "json":
            out.write(orjson.dumps(to_json(report, name)) + b"\n")
        else:
            out.write(to_text(report, name).encode())
    out.flush()


def read_input(name: str) -> bytes:
    """Read a file, or standard input as `-`; raises `BadInput` where that fails."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        name.encode()  # it is printed, and bytes that are no text cannot be
        return Path(name).read_bytes()
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
    except ValueError:
        reason = "its name is not UTF-8, or is no path"
    raise BadInput(
        f"cannot read {shown(printable(name))}: {reason}; name a text file or -"
    )
