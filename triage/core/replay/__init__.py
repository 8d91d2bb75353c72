"""Replays of historical panics: items read, put in order, answered by lines.

Pure; files, processes and the engine stand in `triage.replay`.
"""

from triage.core.replay.cutter import Cut, Cutter
from triage.core.replay.items import Failure, Given, Item, is_item, read_item, text_item
from triage.core.replay.lines import Answer, Line, explained, failed, read_line
from triage.core.replay.order import place

__all__ = [
    "Answer",
    "Cut",
    "Cutter",
    "Failure",
    "Given",
    "Item",
    "Line",
    "explained",
    "failed",
    "is_item",
    "place",
    "read_item",
    "read_line",
    "text_item",
]
