"""Read panic texts from files and print what they hold: `triage parse`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import orjson

from triage.core.panics import decipher, limits
from triage.core.panics.show import to_json, to_text
from triage.core.printed import shown
from triage.core.render import printable
from triage.errors import BadInput

_AT_ONCE = 1 << 20


def parse_files(files: Sequence[str], fmt: str, out: BinaryIO) -> None:
    """Print the crashes of each file to *out* in UTF-8: one JSON line each, or text.

    *fmt* is `json` or `text`; `-` names standard input. Raises `BadInput` for a file
    that cannot be read, `TooLarge` for one that is too long.
    """
    for name in files:
        report = decipher(read_input(name))
        if fmt == "json":
            out.write(orjson.dumps(to_json(report, name)) + b"\n")
        else:
            out.write(to_text(report, name).encode())
    out.flush()


def read_input(name: str) -> bytes:
    """Read a file, or standard input as `-`; raises `BadInput` where that fails.

    `TooLarge` is one of these: for a text that is too long, or has no end.
    """
    if name == "-":
        return read_bounded(sys.stdin.buffer, "standard input")
    try:
        name.encode()  # it is printed, and bytes that are no text cannot be
        with Path(name).open("rb") as file:
            return read_bounded(file, shown(printable(name)))
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
    except ValueError:
        reason = "its name is not UTF-8, or is no path"
    raise BadInput(
        f"cannot read {shown(printable(name))}: {reason}; name a text file or -"
    )


def read_bounded(stream: BinaryIO, what: str) -> bytes:
    """Read all of *stream*; raises `TooLarge`, naming *what*, once it is too long."""
    parts: list[bytes] = []
    left = limits.MOST + 1
    while left and (part := stream.read(min(left, _AT_ONCE))):
        parts.append(part)
        left -= len(part)
    limits.refuse_large(limits.MOST + 1 - left, what)
    return b"".join(parts)
