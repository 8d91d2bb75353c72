r"""Text of others made safe to show: control, direction and half characters.

These are what a terminal obeys or what makes text read otherwise than it is written:
C0 and C1 with DEL, the line and paragraph separators, the marks, embeddings,
overrides and isolates of bidirectional text, and surrogates, which no UTF-8 has.
"""

import re

_UNSEEN = (
    r"\x00-\x1f\x7f-\x9f"
    r"\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    r"\ud800-\udfff"
)
_ANY = re.compile(f"[{_UNSEEN}]")
_RUN = re.compile(f"[{_UNSEEN}]+")
_HALF = re.compile(r"[\ud800-\udfff]")
_IN_LINES = re.compile(rf"\r(?!\n)|(?![\t\n\r])[{_UNSEEN}]")


def is_plain(text: str) -> bool:
    """Tell whether *text* is one line of characters that can all be seen."""
    return not _ANY.search(text)


def replaced(text: str, by: str) -> str:
    """Put *by* in the place of each run of characters that cannot be seen."""
    return text if text.isprintable() else _RUN.sub(by, text)


def printable(text: str) -> str:
    """Replace runs of control, direction and half characters by one space."""
    return replaced(text, " ").strip()


def whole(text: str) -> str:
    """Put a replacement character for each half one: for each byte that is not UTF-8."""
    return _HALF.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped(text: str, *, lines: bool = False, form: str = "") -> str:
    r"""Write what cannot be seen as `\x1b`, or its number in the given *form*.

    With *lines* tabs and line ends stay.
    """
    written = (lambda found: form.format(ord(found[0]))) if form else _written
    return (_IN_LINES if lines else _ANY).sub(written, text)


def _written(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
