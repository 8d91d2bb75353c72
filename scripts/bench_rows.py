"""The rows of the bench's result, and how they are laid out."""

import statistics
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the result. *samples* and *floor* pair up where both are there."""

    name: str
    samples: list[float]
    unit: str = "ms"
    floor: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The middle sample."""
        return statistics.median(self.samples)

    @property
    def ratios(self) -> list[float]:
        """Each sample as a multiple of the floor beside it, sorted."""
        return sorted(a / b for a, b in zip(self.samples, self.floor, strict=False))

    def percentile(self, share: float) -> float:
        """Return the sample that *share* of all samples are not above."""
        return sorted(self.samples)[
            min(int(len(self.samples) * share), -1 % len(self.samples))
        ]


def table(rows: list[Row]) -> str:
    """Lay the rows out for people; the first is the yardstick."""
    titles = f"{'median':>14}{'p99':>9}{'x floor':>9}{'p90':>6}{'x yardstick':>13}"
    lines = [f"{'':36}{titles}"]
    for row in rows:
        line = f"{row.name:36}{_number(row.median)} {row.unit}"
        line += _number(row.percentile(0.99)) if row.unit == "ms" else " " * 9
        if row.ratios:
            p90 = row.ratios[int(len(row.ratios) * 0.9)]
            line += f"{statistics.median(row.ratios):8.2f}{p90:6.2f}"
        else:
            line += " " * 14
        if row.unit == "ms":
            line += f"{row.median / rows[0].median:13.3f}"
        lines.append(line.rstrip())
    return "\n".join(lines)


def _number(value: float) -> str:
    """Show three digits behind the point where there are few before it."""
    digits = max(1, 3 - len(str(int(value))) + 1)
    return f"{value:11.{digits}f}"
