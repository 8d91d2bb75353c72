"""What is kept of a delivery, and what is read out of it."""

from dataclasses import dataclass

from triage.core.model import Telemetry


@dataclass(frozen=True, slots=True)
class Head:
    """What is kept of a delivery beside its raw body."""

    sender: str
    """`panic`, `github`, `sentry`, `logs`, `alertmanager` or `datadog`."""
    content_type: str
    """In lower case, without parameters."""
    kind: str = ""
    """The event as its sender names it; empty where senders do not."""
    delivery: str | None = None
    """The sender's own id of the delivery; None: nothing is deduplicated."""
    query: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Fetch:
    """A text that has to be fetched first."""

    host_kind: str
    """`github-job-log` or `sentry-event`."""
    repo: str
    """OWNER/NAME; empty where only the text can tell."""
    job: int | None = None
    """Of `github-job-log`; each attempt of a job has its own."""
    url: str | None = None
    """Of `sentry-event`: a web address, as its sender signed it."""
    commit_sha: str | None = None
    root_dir: str | None = None
    attempt: int | None = None
    """Of `github-job-log`: which attempt of its run the job was part of, from 1."""
    sentry_project: tuple[str, ...] = ()
    """Of `sentry-event`: the names and numbers of its project."""
    observed_at: float | None = None
    """Seconds since the epoch, as the sender tells it."""


@dataclass(frozen=True, slots=True)
class Report:
    """One crash to explain, or a text to be fetched and searched."""

    telemetry: Telemetry | None = None
    fetch: Fetch | None = None
    observed_at: float | None = None
    """Seconds since the epoch, as the sender tells it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a body tells."""

    reports: tuple[Report, ...]
    ignored: str | None = None
    """Why there is nothing to do, or what was rejected."""
    rejected: int = 0
    """Crashes, or records that tell of one, that are not among the reports."""
