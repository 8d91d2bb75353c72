"""Read panic texts from files and print what they hold: `triage parse`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import orjson

from triage.core.panics import decipher
from triage.core.panics.show import to_json, to_text
from triage.errors import BadInput


def parse_files(files: Sequence[str], fmt: str, out: TextIO) -> None:
    """Print the crashes of each file to *out*: one JSON line each, or text.

    *fmt* is `json` or `text`; `-` names standard input. Raises `BadInput` for a file
    that cannot be read.
    """
    for name in files:
        report = decipher(_read(name))
        if fmt == "json":
            out.write(orjson.dumps(to_json(report, name)).decode() + "\n")
        else:
            out.write(to_text(report, name))


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise BadInput(
            f"cannot read {name}: {reason}; name a text file or -"
        ) from error
