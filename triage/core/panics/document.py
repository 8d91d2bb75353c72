"""A text under reading: its lines, and where they stood in the text as it came."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Hint:
    """What the record around a stack says of it."""

    message: str
    crash: bool
    """The field was named as the value of a panic is."""


class Document:
    """Cleaned text with `\\n` line ends; lines are counted from 0 here.

    *numbers* gives, for each line, its number in the text as it came; None means
    that line i stood on line i + 1.
    """

    def __init__(
        self,
        text: str,
        numbers: Sequence[int] | None = None,
        hint: Hint | None = None,
    ) -> None:
        self.text = text
        self.numbers = numbers
        self.hint = hint

    @cached_property
    def lines(self) -> list[str]:
        """Every line, without its end."""
        return self.text.split("\n")

    @cached_property
    def starts(self) -> list[int]:
        """Offset of the first character of each line, and one behind the last."""
        return list(accumulate((len(line) + 1 for line in self.lines), initial=0))

    @cached_property
    def taken(self) -> bytearray:
        """One flag a line: a grammar has read it as part of a stack."""
        return bytearray(len(self.lines))

    def index(self, offset: int) -> int:
        """Return the line that holds the character at *offset*."""
        return bisect_right(self.starts, offset) - 1

    def number(self, index: int) -> int:
        """Return the number, from 1, of line *index* in the text as it came."""
        return index + 1 if self.numbers is None else self.numbers[index]
