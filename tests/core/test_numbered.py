"""Numbers of the lines of a text that was cut."""

from dataclasses import dataclass

import pytest

from triage.core.numbered import line_numbers


@dataclass(frozen=True)
class Text:
    """What tells the numbers."""

    text: str
    start_line: int
    end_line: int


@pytest.mark.parametrize(
    ("text", "start", "end", "numbers"),
    [
        ("func f() {\n\tx()\n}", 7, 9, [7, 8, 9]),
        ("// f does.\n// And more.\nfunc f() {\n}", 7, 8, [5, 6, 7, 8]),
        ("/* f\ndoes */\nfunc f() {\n}", 7, 8, [5, 6, 7, 8]),
        ("func f() {\n\t// ... 41 lines elided (8-48)\n}", 7, 49, [7, None, 49]),
        ("func f() {\n\t// ... 1 line elided (8)\n}", 7, 9, [7, None, 9]),
        ("func f() {\n\t// ... 3 lines elided (20-22)\n}", 7, 9, [7, 8, 9]),
        ("type T struct {\n\tA int\n}", 7, 30, [None, None, None]),
        ("// only", 7, 7, [7]),
    ],
)
def test_numbers(text, start, end, numbers):
    """Cut lines have none, comments stand above, and what is printed anew has none."""
    assert line_numbers(Text(text, start, end)) == numbers
