"""Read panic texts from files and print what they hold: `triage parse`."""

from collections.abc import Callable, Sequence
from pathlib import Path

import orjson

from triage.core.panics import decipher
from triage.core.panics.show import to_json, to_text
from triage.core.printed import shown
from triage.core.visible import printable
from triage.errors import BadInput
from triage.streams import read_all, read_bounded


def parse_files(
    files: Sequence[str], fmt: str, write: Callable[[bytes], object]
) -> None:
    """Print the crashes of each file with *write*, in UTF-8: one JSON line each, or text.

    *fmt* is `json` or `text`; `-` names standard input. Raises `BadInput` for a file
    that cannot be read, `TooLarge` for one that is too long.
    """
    for name in files:
        report = decipher(read_input(name))
        if fmt == "json":
            write(orjson.dumps(to_json(report, name)) + b"\n")
        else:
            write(to_text(report, name).encode())


def read_input(name: str) -> bytes:
    """Read a file, or standard input as `-`; raises `BadInput` where that fails.

    `TooLarge` is one of these: for a text that is too long, or has no end.
    """
    if name == "-":
        return read_all()
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
