"""Where Go source is text of its own: literals and comments."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_TOKEN: Final = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    |"(?P<string>(?:[^"\\\n]|\\.)*)"?
    |`(?P<raw>[^`]*)`?
    |'(?:[^'\\\n]|\\.){1,12}'
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Region:
    """From *start* up to *end*, as offsets."""

    start: int
    end: int


def regions(source: str) -> Sequence[Region]:
    """Return the insides of literals, and comments, in order.

    Of source that is cut, a raw string without an end reaches to the end of the text.
    """
    found = list[Region]()
    for match in _TOKEN.finditer(source):
        if match.lastgroup is not None:
            found.append(Region(*match.span(match.lastgroup)))
    return found
