"""What a replay has come to, counted line by line, in bounded memory.

The same lines in any order give the same counts, as long as no bound is met.
"""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Final

from triage.core.replay.lines import Context, Line

_MOST: Final = 10_000
"""Names that are counted apart; of more, those seen least are counted together."""
_PER_DECADE: Final = 20
"""Steps of a duration per power of ten: 12 % each."""
_DAY: Final = 86_400
_STEPS: Final = 20
_LONGEST_MESSAGE: Final = 1_000
"""Characters of a message that are kept."""


class Names:
    """How often each of some names came; of too many the rare ones are dropped."""

    def __init__(self, most: int = _MOST) -> None:
        self._counts: Counter[str] = Counter()
        self._most = most
        self.dropped = 0
        """How many were counted under names that are not known any more."""

    def add(self, name: str) -> None:
        """Count one."""
        self._counts[name] += 1
        if len(self._counts) > self._most:
            kept = self._counts.most_common(self._most // 2)
            self.dropped += self._counts.total() - sum(count for _, count in kept)
            self._counts = Counter(dict(kept))

    def top(self, most: int | None = None) -> list[tuple[str, int]]:
        """Return the most frequent first; those that are equal by name."""
        return sorted(self._counts.items(), key=lambda one: (-one[1], one[0]))[:most]

    def __len__(self) -> int:
        return len(self._counts)


@dataclass(slots=True)
class Incident:
    """Crashes of one fingerprint."""

    fingerprint: str
    kind: str
    function: str
    repo: str
    message: str
    item: str
    """The item whose line has a context of it: the first by id."""
    count: int = 0
    first: float | None = None
    last: float | None = None

    def add(self, moment: float | None) -> None:
        """Count one, which crashed at *moment* if that is known."""
        self.count += 1
        if moment is not None:
            self.first = min(moment, moment if self.first is None else self.first)
            self.last = max(moment, moment if self.last is None else self.last)


class Durations:
    """Durations in ms, in steps of 12 %."""

    def __init__(self) -> None:
        self._steps: Counter[int] = Counter()

    def add(self, ms: float) -> None:
        """Count one."""
        self._steps[round(_PER_DECADE * math.log10(max(ms, 0.001)))] += 1

    def percentile(self, share: float) -> float:
        """Return what *share* of all are not above; 0 where there is none."""
        left = share * self._steps.total()
        for step, count in sorted(self._steps.items()):
            left -= count
            if left <= 0:
                return float(10 ** (step / _PER_DECADE))
        return 0.0

    def decades(self) -> list[tuple[float, float, int]]:
        """Return (from, to, how many) for each half of a power of ten."""
        width = _PER_DECADE // 2
        halves = Counter[int]()
        for step, count in self._steps.items():
            halves[step // width] += count
        if not halves:
            return []
        return [
            (10 ** (half / 2), 10 ** ((half + 1) / 2), halves[half])
            for half in range(min(halves), max(halves) + 1)
        ]


def _message(context: Context) -> str:
    return (context.panic.message or "")[:_LONGEST_MESSAGE]


class Tally:
    """All that is told of a replay in the end."""

    def __init__(self, *, most: int = _MOST) -> None:
        self._most = most
        self.explained = self.failed = 0
        self.codes, self.kinds, self.tiers = Names(most), Names(most), Names(most)
        self.sites = Names(most)
        """`path:line function`."""
        self.days: Counter[int] = Counter()
        """Days since the epoch on which something crashed."""
        self.days_unseen = 0
        """Crashes on further days, for which there was no room."""
        self.durations = Durations()
        self.reductions = [0] * _STEPS
        """Contexts by how much smaller than their package they are, in steps of 5 %."""
        self.package_tokens = self.context_tokens = 0
        self.incidents: dict[str, Incident] = {}
        self.unseen = 0
        """Crashes of further incidents, for which there was no room."""

    def add(self, line: Line, at: float | None = None) -> None:
        """Count a line of an item that crashed *at* that moment, if it is known."""
        if at is not None:
            self._add_day(int(at) // _DAY)
        self.durations.add(line.ms)
        if line.context is not None:
            self._add_context(line.id, line.context, at)
        else:
            self.failed += 1
            self.codes.add(line.error.code if line.error else "internal")

    def _add_day(self, day: int) -> None:
        if day in self.days or len(self.days) < self._most:
            self.days[day] += 1
        else:
            self.days_unseen += 1

    def _add_context(self, id_: str, context: Context, at: float | None) -> None:
        self.explained += 1
        crash, stats = context.crash, context.stats
        self.kinds.add(context.panic.kind or "no trace")
        self.tiers.add(context.served_from)
        self.sites.add(f"{crash.path}:{crash.line} {crash.function}")
        self.package_tokens += stats.package_tokens
        self.context_tokens += stats.context_tokens
        share = 1 - stats.context_tokens / max(stats.package_tokens, 1)
        self.reductions[min(max(int(share * _STEPS), 0), _STEPS - 1)] += 1
        self._add_incident(id_, context, at)

    def _add_incident(self, id_: str, context: Context, at: float | None) -> None:
        known = self.incidents.get(context.fingerprint)
        if known is None:
            if len(self.incidents) >= self._most:
                self.unseen += 1
                return
            known = self.incidents[context.fingerprint] = Incident(
                context.fingerprint,
                context.panic.kind or "",
                context.crash.function,
                context.crash.repo,
                _message(context),
                id_,
            )
        if id_ < known.item:  # in any order the same one speaks for all
            known.item, known.message = id_, _message(context)
        known.add(at)

    @property
    def reduction(self) -> float:
        """The share of the packages' tokens that the contexts save."""
        return 1 - self.context_tokens / max(self.package_tokens, 1)

    def top_incidents(self, most: int) -> list[Incident]:
        """Return the most frequent first; those that are equal by fingerprint."""
        every = self.incidents.values()
        return sorted(every, key=lambda one: (-one.count, one.fingerprint))[:most]
