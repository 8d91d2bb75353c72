"""The lines at the end of a text: warnings, and what was left out. They have to be paid.

Warnings are bounded in number and length, since a hostile repository can make as many
and as long ones as it likes.
"""

from collections.abc import Iterable, Sequence
from posixpath import basename

from triage.core.model import Change
from triage.core.narrow import shortened
from triage.core.picks import Pick
from triage.core.site import title
from triage.core.visible import printable

NOTE = "Note: "
"""Begins the line of a warning."""
TESTS = "Tests that call it: "
_NAMED_TESTS = 8
LEFT_OUT = "Left out"
"""Begins the last line of a text that does not hold all that was found."""
HISTORY = "History: "
"""Begins the line of a change."""
_HISTORY_SHARE = 8
"""The history takes at most a budget divided by this."""
_HISTORY_ROOM = 1_200
LONGEST_WARNING = 300
MOST_WARNINGS = 8
_SHARE = 7
"""Warnings may take a budget divided by this."""
_NAMED_LEFT_OUT = 8
"""How many of what was left out are named; the rest is counted."""
_LONGEST_NAME = 100
_SHORT_BUDGET = 1000
"""Under so many characters, every one of a note counts."""
_LEAST = 60
"""A warning is not cut to fewer characters: it is counted."""


def bounded(warnings: Iterable[str]) -> tuple[str, ...]:
    """Return the warnings, each once and none too long."""
    return tuple(dict.fromkeys(shortened(text, LONGEST_WARNING) for text in warnings))


def size(notes: Iterable[str]) -> int:
    """Return the characters that notes take as comment lines."""
    return sum(len(f"// {note}\n") for note in notes)


def few(warnings: Sequence[str]) -> list[str]:
    """Return the first of some warnings, and how many more there are."""
    told, more = list(warnings[:MOST_WARNINGS]), len(warnings) - MOST_WARNINGS
    return [*told, f"and {_count(more, 'more warning')}"] if more > 0 else told


def warned(warnings: Iterable[str], budget: int) -> list[str]:
    """Make notes of warnings in their share of *budget* characters, if only a count."""
    clean = [printable(warning) for warning in bounded(warnings)]
    notes: list[str] = []
    for warning in clean[:MOST_WARNINGS]:
        more = len(clean) - len(notes) - 1
        room = budget // _SHARE - size(notes) - size(_more([*notes, warning], more))
        note = shortened(f"{NOTE}{warning}", max(_LEAST, room - size([""])))
        if size([note]) > room:
            break
        notes.append(note)
    return notes + _more(notes, len(clean) - len(notes))


def _more(notes: Sequence[str], more: int) -> list[str]:
    """Count the warnings that are not told."""
    if not more:
        return []
    count = _count(more, "more warning") if notes else _count(more, "warning")
    return [f"{NOTE}{'and ' if notes else ''}{count}"]


def history_room(budget: int) -> int:
    """Return the characters of a budget that the history may take."""
    return min(_HISTORY_ROOM, budget // _HISTORY_SHARE)


def history(changes: Iterable[Change], budget: int) -> list[str]:
    """Make a note of each change, as many as their part of *budget* holds."""
    told, left = list[str](), history_room(budget)
    for one in changes:
        note = f"{HISTORY}{change(one)}"
        left -= size([note])
        if left < 0:
            break
        told.append(note)
    return told


def change(one: Change) -> str:
    """Say in a line what a commit did."""
    author = shortened(printable(one.author), _LONGEST_NAME)
    subject = shortened(printable(one.subject), _LONGEST_NAME)
    did = shortened(", ".join(dict.fromkeys(one.did)), _LONGEST_NAME)
    return f"{one.commit[:12]} {one.date} {author}: {subject} ({printable(did)})"


def left_out(picks: Sequence[Pick], room: int, budget: int) -> list[str]:
    """Say what the budget left no room for, by name as far as *room* goes."""
    if not picks:
        return []
    named, spent = list[str](), size([f"{_beginning(budget)} and {len(picks)} more"])
    for pick in picks[:_NAMED_LEFT_OUT]:
        name = shortened(title(pick.decl), _LONGEST_NAME)
        file = shortened(basename(pick.view.path(pick.decl)), _LONGEST_NAME)
        words = f"{name} ({file})"
        spent += len(words) + len(", ")
        if spent > room:
            break
        named.append(words)
    more = len(picks) - len(named)
    if not named:
        return counted_out(more, budget)
    tail = f" and {more} more" if more else ""
    return [f"{_beginning(budget)}{', '.join(named)}{tail}"]


def reached(tests: Sequence[str], room: int) -> list[str]:
    """Name tests that call the crash function, as far as *room* goes."""
    named, spent = list[str](), size([f"{TESTS} and {len(tests)} more"])
    for test in tests[:_NAMED_TESTS]:
        name = shortened(printable(test), _LONGEST_NAME)
        spent += len(name) + len(", ")
        if spent > room:
            break
        named.append(name)
    more = len(tests) - len(named)
    tail = f" and {more} more" if more else ""
    return [f"{TESTS}{', '.join(named)}{tail}"] if named else []


def counted_out(number: int, budget: int) -> list[str]:
    """Say how many declarations were left out: the least that there is room for."""
    return [f"{_beginning(budget)}{_count(number, 'declaration')}"] if number else []


def _beginning(budget: int) -> str:
    return (
        f"{LEFT_OUT}: " if budget < _SHORT_BUDGET else f"{LEFT_OUT} for want of room: "
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
