"""How long a text may be."""

from triage.errors import TooLarge

MOST = 256 << 20
"""Bytes or characters.

Logs that people keep in one file are shorter. Reading one takes six times as much memory,
and thirty times where it is nothing but crashes: that has to fit into a machine.
"""


def refuse_large(size: int, what: str) -> None:
    """Raise `TooLarge` where *what* has more than `MOST` bytes."""
    if size > MOST:
        raise TooLarge(f"{what} is over {MOST >> 20} MiB; cut the crash out of it")
