"""What one caller may take of the service."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes, seconds and counts; over them 413, 408, 503 or 504."""

    context_body: int = 10 << 20
    hook_body: int = 25 << 20
    """GitHub sends up to 25 MiB."""
    expanded: int = 32 << 20
    """Of a compressed body, once it is not."""
    bodies: int = 256 << 20
    """Of all bodies that are being read or worked on."""
    body_seconds: float = 30.0
    """Until a body has to be there."""
    context_seconds: float = 60.0
    contexts: int = 64
    """Contexts that are made at once."""
    remote_contexts: int = 48
    """Of these, contexts whose repository is not on disk: a source that does not answer
    leaves room for the others."""
    connections: int = 4_096
    """Of one process; over them who has been idle longest has to go."""
    idle_seconds: float = 75.0
    """Until a connection that sends no whole request is closed."""
    request_line: int = 64 << 10
    """Filters in a query may be long once they are escaped."""
    header_line: int = 8190
    headers: int = 128


@dataclass(frozen=True, slots=True)
class Pace:
    """How the workers go on. Times are in seconds."""

    jobs: int = 4
    """Events worked on at once, for each process, those that take long apart."""
    patience: float = 1.0
    """After which an event that waits for a host holds up no other."""
    most_jobs: int = 32
    """Events worked on at once, those that take long among them."""
    most_attempts: int = 12
    oldest: float = 86_400.0
    """Age of an event after which what is transient is final."""
    first_pause: float = 5.0
    longest_pause: float = 3_600.0
    poll: float = 1.0
    """Between looks for events that another process took in."""
    job_seconds: float = 300.0
    stopping: float = 8.0
    """That events under way have once the service is told to stop."""
    housekeeping: float = 600.0
    """Between looks for what has been kept long enough."""
