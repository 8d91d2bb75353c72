"""How long a text may be."""

from triage.errors import TooLarge

MOST = 256 << 20
"""Bytes or characters.

Logs that people keep in one file are shorter; reading takes up to ten times as much
memory, and what is made of this many has to fit into a machine that does other things.
"""


def refuse_large(size: int, what: str) -> None:
    """Raise `TooLarge` where *what* has more than `MOST` bytes."""
    if size > MOST:
        raise TooLarge(f"{what} is over {MOST >> 20} MiB; cut the crash out of it")
