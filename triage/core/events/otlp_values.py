"""Log records of OpenTelemetry, whatever their encoding was."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Record:
    """One log record."""

    attributes: Mapping[str, str]
    body: str
    """A body that is no string is written as JSON."""
    severity: int
    """From 1 (trace) to 24 (fatal); 0 where it is not told."""
    observed_at: float | None
    """Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Stream:
    """The records of one scope of one resource, in their order."""

    attributes: Mapping[str, str]
    """The resource's and the scope's."""
    records: tuple[Record, ...]
