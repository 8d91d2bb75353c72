"""Read panic texts from files and print what they hold: `triage parse`."""

from collections.abc import Callable, Sequence
from pathlib import Path

import orjson

from triage.core.panics import decipher
from triage.core.panics.show import to_json, to_text
from triage.core.printed import shown
from triage.core.visible import printable, whole
from triage.errors import BadInput
from triage.streams import read_all, read_bounded


def parse_files(
    files: Sequence[str], fmt: str, write: Callable[[bytes], object]
) -> None:
    """Print the crashes of each file with *write*, in UTF-8: one JSON line each, or text.

    *fmt* is `json` or `text`; `-` names standard input. A name that is not UTF-8 is
    printed with replacement characters. Raises `BadInput` for a file that cannot be
    read, `TooLarge` for one that is too long.
    """
    for name in files:
        report, title = decipher(read_input(name)), whole(name)
        if fmt == "json":
            write(orjson.dumps(to_json(report, title)) + b"\n")
        else:
            write(to_text(report, title).encode())


def read_input(name: str) -> bytes:
    """Read a file, or standard input as `-`; raises `BadInput` where that fails.

    `TooLarge` is one of these: for a text that is too long, or has no end.
    """
    if name == "-":
        return read_all()
    try:
        with Path(name).open("rb") as file:
            return read_bounded(file, shown(printable(name)))
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
    except ValueError:
        reason = "no file has such a name"
    raise BadInput(
        f"cannot read {shown(printable(name))}: {reason}; name a text file or -"
    )
