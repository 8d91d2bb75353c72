"""The lines of a shown text with their numbers in the file."""

import re
from collections.abc import Sequence
from typing import Protocol

_CUT = re.compile(r"^\s*// \.\.\. \d+ lines? elided \((\d+)(?:-(\d+))?\)$")


class Numbered(Protocol):
    """What of a symbol tells the numbers."""

    @property
    def text(self) -> str:
        """What is shown."""

    @property
    def start_line(self) -> int:
        """The first line."""

    @property
    def end_line(self) -> int:
        """The last line."""


def line_numbers(symbol: Numbered) -> list[int | None]:
    """Give each line of a text its number; None to what stands for lines that were cut.

    A doc comment stands above the first line. Where the count does not come out, as in
    a struct that was printed anew, no line has a number.
    """
    lines = symbol.text.split("\n")
    above = _comment_lines(lines)
    for start in (symbol.start_line, symbol.start_line - above):
        numbers, last = _counted(lines, start)
        if last == symbol.end_line:
            return numbers
    return [None] * len(lines)


def _comment_lines(lines: Sequence[str]) -> int:
    """Count the lines of the comment that a text begins with."""
    if lines[0].startswith("/*"):
        return 1 + next((n for n, line in enumerate(lines) if "*/" in line), 0)
    return next(
        (n for n, line in enumerate(lines) if not line.startswith("//")), len(lines)
    )


def _counted(lines: Sequence[str], number: int) -> tuple[list[int | None], int]:
    """Count from *number* on; returns the last number too."""
    found: list[int | None] = []
    for line in lines:
        cut = _CUT.match(line)
        if cut and int(cut[1]) == number:
            found.append(None)
            number = int(cut[2] or cut[1]) + 1
        else:
            found.append(number)
            number += 1
    return found, number - 1
