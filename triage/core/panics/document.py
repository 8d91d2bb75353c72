"""A text under reading: its lines, and where they stood in the text as it came."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from triage.core.model import Problem


@dataclass(frozen=True, slots=True)
class Hint:
    """What the record around a stack says of it."""

    message: str
    crash: bool
    """The field was named as the value of a panic is."""


class Document:
    r"""Cleaned text with `\n` line ends; lines are counted from 0 here.

    *numbers* gives, for each line, its number in the text as it came; None means
    that line i stood on line i + 1. A *whole* text came out of a record that closed
    it, so that neither of its ends can be a cut.
    """

    def __init__(
        self,
        text: str,
        numbers: Sequence[int] | None = None,
        hint: Hint | None = None,
        *,
        whole: bool = False,
    ) -> None:
        self.text = text
        self.numbers = numbers
        self.hint = hint
        self.whole = whole
        self.problems: list[Problem] = []

    @cached_property
    def lines(self) -> list[str]:
        """Every line, without its end."""
        return self.text.split("\n")

    @cached_property
    def starts(self) -> "array[int]":
        """Offset of the first character of each line, and one behind the last."""
        lengths = [len(line) + 1 for line in self.lines]
        return array("Q", accumulate(lengths, initial=0))

    @cached_property
    def taken(self) -> bytearray:
        """One flag a line: a grammar has read it as part of a stack."""
        return bytearray(self.text.count("\n") + 1)

    def find_open(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Find *pattern* in the lines that no grammar has taken yet, in order.

        Lines that are taken while the caller goes on are still looked at.
        """
        taken = bytes(self.taken)
        if 1 not in taken:  # most texts need not be split at all
            yield from pattern.finditer(self.text)
            return
        starts, begin = self.starts, taken.find(0)
        while begin >= 0:
            end = taken.find(1, begin)
            end = len(taken) if end < 0 else end
            yield from pattern.finditer(self.text, starts[begin], starts[end] - 1)
            begin = taken.find(0, end)

    def span(self, found: re.Match[str]) -> tuple[int, int, int]:
        """Return the line in which a match begins, and its columns there."""
        line = self.index(found.start())
        start = self.starts[line]
        return line, found.start() - start, found.end() - start

    def index(self, offset: int) -> int:
        """Return the line that holds the character at *offset*."""
        return bisect_right(self.starts, offset) - 1

    def number(self, index: int) -> int:
        """Return the number, from 1, of line *index* in the text as it came."""
        return index + 1 if self.numbers is None else self.numbers[index]

    def note(self, index: int, text: str) -> None:
        """Note a problem about line *index*."""
        self.problems.append(Problem(self.number(index), text))

    def only(self, indexes: list[int]) -> "Document":
        """Return a document of these lines alone; they keep their numbers."""
        lines, numbers = self.lines, [self.number(index) for index in indexes]
        text = "\n".join([lines[index] for index in indexes])
        return Document(text, numbers, self.hint)

    def within(self, number: int, hint: Hint | None, *, whole: bool) -> "Document":
        """Return the same text as one that stood on line *number* of another."""
        numbers = [number] * len(self.lines)
        return Document(self.text, numbers, hint, whole=whole)
