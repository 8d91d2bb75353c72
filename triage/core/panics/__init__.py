"""Texts of Go crashes, wrapped, cut, escaped or quoted, to values; pure and total.

It never raises on odd input, returns what it found beside a list of problems, and
never invents a frame.
"""

from triage.core.panics.decipher import decipher
from triage.core.panics.kinds import KINDS, LOGGED
from triage.core.panics.merge import primary
from triage.core.panics.origin import Ownership, is_own, origin, own_frames, sites
from triage.core.panics.witness import stand_ins

__all__ = [
    "KINDS",
    "LOGGED",
    "Ownership",
    "decipher",
    "is_own",
    "origin",
    "own_frames",
    "primary",
    "sites",
    "stand_ins",
]
