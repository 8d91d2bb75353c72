"""Every error that Triage raises on purpose, by whose fault it is.

    TriageError                 internal
    |-- BadInput                bad-request
    |   |-- NoPanic             no-panic
    |   |-- LineOutside         line-outside
    |   |-- TooLarge            too-large
    |   |-- BadSignature        bad-signature
    |   |-- NotAuthenticated    unauthorized
    |   |-- Unknown             not-found
    |   `-- Overloaded          busy
    |-- SourceError             source-failed
    |   |-- FileUnreadable
    |   |-- NotFound
    |   |   |-- FileMissing     file-not-found
    |   |   |-- CommitMissing   commit-not-found
    |   |   |   `-- RepoEmpty
    |   |   `-- RepoMissing     repo-not-found
    |   |       `-- RepoBlocked
    |   |-- Unauthorized        unauthorized
    |   |-- RepoNotAllowed      repo-not-allowed
    |   |-- RateLimited         rate-limited
    |   `-- SourceTimeout       timeout
    |-- HelperError             helper-failed
    |   |-- HelperStartFailed
    |   |-- HelperVersionMismatch
    |   |-- HelperDied
    |   |-- HelperFailed
    |   |-- HelperProtocolError
    |   |-- HelperQuarantined
    |   |-- HelperUnavailable   busy
    |   `-- HelperTimeout       timeout
    |-- ModelError              model-failed
    |   |-- ModelFailed
    |   |-- ModelRefused        unauthorized
    |   |-- ModelBusy           rate-limited
    |   `-- ModelTimeout        timeout
    |-- StoreError
    |   `-- StoreBusy           busy
    |-- ConfigError             bad-request
    |   `-- StoreUnusable
    `-- OutputFailed            bad-request
        `-- ReaderGone

A class carries its stable *code*; an instance carries fields. Callers read these,
never the message. The message is one line that says what to do.
"""

from typing import ClassVar


class TriageError(Exception):
    """Root of the tree; on its own it is a bug of ours."""

    code: ClassVar[str] = "internal"


class BadInput(TriageError):
    """The caller's panic, location or option cannot be used."""

    code = "bad-request"


class NoPanic(BadInput):
    """The text holds no crash."""

    code = "no-panic"


class LineOutside(BadInput):
    """The line lies past the end of the file or in no declaration."""

    code = "line-outside"


class TooLarge(BadInput):
    """The input is over a limit that its message names."""

    code = "too-large"


class BadSignature(BadInput):
    """The signature of a webhook is missing, wrong or too old."""

    code = "bad-signature"


class NotAuthenticated(BadInput):
    """The caller has not shown the service's token."""

    code = "unauthorized"


class Unknown(BadInput):
    """The service has nothing of that name or address."""

    code = "not-found"


class Overloaded(BadInput):
    """The service does too much already."""

    code = "busy"


class SourceError(TriageError):
    """The place that holds the repository did not give what was asked."""

    code = "source-failed"


class FileUnreadable(SourceError):
    """One file is there and cannot be read for *reason*; others may be."""

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class NotFound(SourceError):
    """Something named is not there; its subclasses say what."""


class FileMissing(NotFound):
    """No such file at that commit, or none that can be had.

    *reason* is set where it is there all the same, *passing* where that may change.
    """

    code = "file-not-found"

    def __init__(
        self, message: str, *, reason: str = "", passing: bool = False
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.passing = passing


class CommitMissing(NotFound):
    """No such commit in the repository."""

    code = "commit-not-found"


class RepoMissing(NotFound):
    """No such repository, or none that may be seen."""

    code = "repo-not-found"


class RepoEmpty(CommitMissing):
    """The repository holds no commit at all."""


class RepoBlocked(RepoMissing):
    """The repository may not be shown, for legal reasons."""


class Unauthorized(SourceError):
    """The credentials are missing, wrong or too weak."""

    code = "unauthorized"


class RepoNotAllowed(SourceError):
    """The repository is not on the list of those that may be read."""

    code = "repo-not-allowed"


class RateLimited(SourceError):
    """The source refuses until *reset_at* (seconds since the epoch), None if unsaid."""

    code = "rate-limited"

    def __init__(self, message: str, *, reset_at: float | None = None) -> None:
        super().__init__(message)
        self.reset_at = reset_at


class SourceTimeout(SourceError):
    """The source did not answer in time."""

    code = "timeout"


class HelperError(TriageError):
    """The Go helper did not do its part."""

    code = "helper-failed"


class HelperStartFailed(HelperError):
    """The helper's binary is missing or does not start."""


class HelperVersionMismatch(HelperError):
    """Host and helper were built from different versions."""


class HelperDied(HelperError):
    """The helper went away; *stderr* holds its last lines."""

    def __init__(self, message: str, *, stderr: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.stderr = stderr


class HelperFailed(HelperError):
    """The helper lives but could not answer; *stack* is Go's, where it has a bug."""

    def __init__(self, message: str, *, stack: str = "") -> None:
        super().__init__(message)
        self.stack = stack


class HelperProtocolError(HelperError):
    """The helper sent what the protocol does not allow."""


class HelperQuarantined(HelperError):
    """This very input has killed the helper twice and is not tried again."""


class HelperUnavailable(HelperError):
    """The helper died too often of late; new calls are refused for a while."""

    code = "busy"


class HelperTimeout(HelperError):
    """The helper took longer than the hard limit."""

    code = "timeout"


class ModelError(TriageError):
    """The model did not give what was asked."""

    code = "model-failed"


class ModelFailed(ModelError):
    """Its answer, or the way to it, is broken."""


class ModelRefused(ModelError):
    """The provider does not take the key, or the key may not use the model."""

    code = "unauthorized"


class ModelBusy(ModelError):
    """The provider takes no more for now: a rate limit, or too much load."""

    code = "rate-limited"


class ModelTimeout(ModelError):
    """The model did not answer in time."""

    code = "timeout"


class StoreError(TriageError):
    """The inbox cannot be read or written."""


class StoreBusy(StoreError):
    """The inbox takes nothing for now: it is full, locked, or its disk is."""

    code = "busy"


class ConfigError(TriageError):
    """A setting has a value that cannot be used."""

    code = "bad-request"


class StoreUnusable(ConfigError):
    """The inbox's file is damaged, another program's or another version's."""


class OutputFailed(TriageError):
    """Standard output cannot be written: the disk is full, or it is closed."""

    code = "bad-request"


class ReaderGone(OutputFailed):
    """Nobody reads standard output any more: it is no use to say anything."""
