"""The values that go into the inbox and come out of it."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

T = TypeVar("T")

State = Literal["received", "working", "waiting", "done", "failed"]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A delivery as it came; *head* is JSON of what is kept beside the raw body."""

    sender: str
    delivery: str | None
    """The sender's own id of it; None where there is none: nothing is deduplicated."""
    head: bytes
    body: bytes
    window: float | None = None
    """Seconds for which *delivery* means the same delivery; None: as long as it is
    known."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The event that a delivery became; not *new* where it had come before."""

    id: str
    new: bool


@dataclass(frozen=True, slots=True)
class Job:
    """An event that a worker has taken."""

    seq: int
    id: str
    attempt: int
    """Counted from 1; what is written for an older one is not taken any more."""
    head: bytes
    body: bytes
    """Empty where *report* says it all."""
    report: bytes | None
    """The one crash that the event stands for, once its body has been read."""
    received_at: float


@dataclass(frozen=True, slots=True)
class Sighting:
    """One crash as an incident counts it. *fingerprint* is the incident's id."""

    fingerprint: str
    repo: str
    kind: str
    function: str
    message: str
    commit: str | None
    seen_at: float
    """Seconds since the epoch."""
    context: bytes
    """JSON of the result."""
    digest: bytes
    """Equal for contexts that say the same: one of them is kept."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event as it is shown."""

    id: str
    sender: str
    state: State
    received_at: float
    attempts: int
    retry_at: float | None
    parent: str | None
    incident: str | None
    code: str | None
    message: str | None
    context: bytes | None
    """JSON of the result; None where it was not asked for."""


@dataclass(frozen=True, slots=True)
class Incident:
    """Crashes of one fingerprint; the lists hold the latest, not all of many."""

    id: str
    repo: str
    kind: str
    function: str
    message: str
    count: int
    first_seen: float
    last_seen: float
    commits: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    contexts: tuple[bytes, ...] = ()
    """JSON of different results, the latest first; only where one is asked for."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some of a list; *next* is the cursor to go on with, None at the end."""

    items: tuple[T, ...]
    next: str | None
