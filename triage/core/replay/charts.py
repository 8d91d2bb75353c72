"""The figures of a replay as pictures: where each bar stands, and what it says."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from triage.core.replay.tally import Tally

WIDTH, HEIGHT = 520, 160
"""Of a picture's field, in its own units."""
_GAP: Final = 2
_MOST_BARS: Final = 60
_DAY: Final = 86_400
_SECOND: Final = 1_000
"""In ms."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, from its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    label: str
    count: int


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture with its title; *first* and *last* stand below its ends."""

    title: str
    bars: tuple[Bar, ...]
    first: str
    last: str


def charts(tally: Tally) -> tuple[Chart, ...]:
    """Draw all that there is something to draw of."""
    drawn = (
        _chart("Tokens saved, by crash", _reductions(tally)),
        _chart("Time an answer took", _durations(tally)),
        _chart("Served from", tally.tiers.top(_MOST_BARS)),
        _chart("Crashes over time", _days(tally)),
    )
    return tuple(chart for chart in drawn if chart.bars)


def _chart(title: str, counted: Sequence[tuple[str, int]]) -> Chart:
    most = max((count for _, count in counted), default=0)
    if not most:
        return Chart(title, (), "", "")
    step = WIDTH / len(counted)
    width = max(step - _GAP, 1.0)
    bars = (
        Bar(
            round(number * step, 2),
            round(HEIGHT * (1 - count / most), 2),
            round(width, 2),
            round(HEIGHT * count / most, 2),
            label,
            count,
        )
        for number, (label, count) in enumerate(counted)
    )
    return Chart(title, tuple(bars), counted[0][0], counted[-1][0])


def _reductions(tally: Tally) -> list[tuple[str, int]]:
    step = 100 // len(tally.reductions)
    return [
        (f"{n * step}-{(n + 1) * step} %" if n else f"under {step} %", count)
        for n, count in enumerate(tally.reductions)
    ]


def _durations(tally: Tally) -> list[tuple[str, int]]:
    return [
        (f"{_ms(start)}-{_ms(end)}", count)
        for start, end, count in tally.durations.decades()
    ]


def _ms(value: float) -> str:
    if value >= _SECOND:
        return f"{value / _SECOND:.3g} s"
    return f"{value:.3g} ms"


def _days(tally: Tally) -> list[tuple[str, int]]:
    """Count by day, or by as many days as leave room for the bars."""
    if not tally.days:
        return []
    first, last = min(tally.days), max(tally.days)
    step = -(-(last - first + 1) // _MOST_BARS)
    counts = [0] * ((last - first) // step + 1)
    for day, count in tally.days.items():
        counts[(day - first) // step] += count
    return [(_date(first + n * step), count) for n, count in enumerate(counts)]


def _date(day: int) -> str:
    return datetime.fromtimestamp(day * _DAY, UTC).date().isoformat()
