"""GitHub's refusals, read as Triage's errors. Pure; no message holds a secret.

https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
"""

import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus

import msgspec

from triage.core.visible import replaced
from triage.errors import (
    CommitMissing,
    NotFound,
    RepoBlocked,
    RepoEmpty,
    SourceError,
    Unauthorized,
)
from triage.sources.github.gate import EVERYTHING, limited
from triage.sources.github.wire import CORE, Answer

_UNSAID_WAIT = 60.0
"""Seconds to wait where a limit names none: GitHub asks for at least a minute."""
_SHOWN = 160
_LIMIT = re.compile(r"rate limit|abuse detection|try again later", re.IGNORECASE)
_PERMISSION = re.compile(
    r"resource not accessible|saml|ip allow list|must have|suspended|forbids",
    re.IGNORECASE,
)


class ServerTrouble(SourceError):
    """GitHub or the way to it failed; another try may succeed."""


class Absent(NotFound):
    """A 404 or 422: what is missing, repository, commit or path, it does not tell."""


class NoGitHub(SourceError):
    """What came is no answer of GitHub's to what was asked."""


class Forbidden(Unauthorized):
    """The credentials are good but may not do this; never tried again."""


_LIMITING = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS})
_ABSENT = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY})
_EMPTY = "the repository is empty; push a commit first"
_REFUSALS: Mapping[int, tuple[type[SourceError], str]] = {
    HTTPStatus.UNAUTHORIZED: (
        Unauthorized,
        "GitHub refuses the credentials; set a valid GITHUB_TOKEN or App",
    ),
    HTTPStatus.CONFLICT: (RepoEmpty, _EMPTY),
    HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS: (
        RepoBlocked,
        "GitHub has blocked the repository for legal reasons",
    ),
}


class _Body(msgspec.Struct):
    message: str = ""


def refusal(answer: Answer, now: float) -> SourceError:
    """Make the error for an answer of 400 or above; *now* as the gate's clock has it.

    An `Absent` among them is for the caller, who knows what was asked.
    """
    status, said = answer.status, _message(answer)
    if status in _LIMITING and _is_limit(answer, said):
        return limited(reset_at(answer, now))
    if status == HTTPStatus.FORBIDDEN:
        return Forbidden(_permission(answer, said))
    if status in _ABSENT:
        return Absent(f"GitHub has no such thing: {said or status}")
    if status in _REFUSALS:
        kind, text = _REFUSALS[status]
        return kind(text)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ServerTrouble(f"GitHub has trouble (status {status}); try again later")
    return SourceError(f"GitHub refuses the request (status {status}): {said}")


def resource_of(answer: Answer, asked: str) -> str:
    """Name what a limit is on: a secondary limit is on everything."""
    remaining = answer.headers.get("x-ratelimit-remaining")
    if remaining != "0" or "retry-after" in answer.headers:
        return EVERYTHING
    return answer.headers.get("x-ratelimit-resource", asked)


def remaining_of(answer: Answer, known: int | None) -> int | None:
    """Read what the primary limit of REST leaves, *known* where it says nothing."""
    left = answer.headers.get("x-ratelimit-remaining", "")
    core = answer.headers.get("x-ratelimit-resource", CORE) == CORE
    return int(left) if core and left.isascii() and left.isdigit() else known


def used_up_until(answer: Answer) -> float | None:
    """Read when the primary limit comes back, None while something is left of it."""
    if answer.headers.get("x-ratelimit-remaining") != "0":
        return None
    return _number(answer.headers.get("x-ratelimit-reset"))


def reset_at(answer: Answer, now: float) -> float:
    """Read when a limit ends, in seconds since the epoch.

    `Retry-After` counts first, as seconds or as a date, then the primary limit's own
    reset; a secondary limit may say nothing at all.
    """
    after = answer.headers.get("retry-after")
    if after is not None:
        return _moment(after, now)
    reset = used_up_until(answer)
    return now + _UNSAID_WAIT if reset is None else reset


def missing_repository(repository: str, *, anonymous: bool) -> str:
    """Say that a repository is not there, or not to be seen: GitHub tells no more."""
    cure = (
        "set GITHUB_TOKEN if it is private"
        if anonymous
        else "check the name, and that the credentials may read it"
    )
    return f"GitHub shows no repository {repository}; {cure}"


def empty_repository() -> RepoEmpty:
    """Make the error for a repository without a commit."""
    return RepoEmpty(_EMPTY)


def missing_commit(commit: str) -> CommitMissing:
    """Make the error for a revision that is not there."""
    return CommitMissing(f"GitHub has no commit {commit}; push it, or check the id")


def _is_limit(answer: Answer, said: str) -> bool:
    """Tell a limit from a missing permission: both are 403."""
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS or _LIMIT.search(said):
        return True
    if "retry-after" in answer.headers:
        return True
    exhausted = answer.headers.get("x-ratelimit-remaining") == "0"
    return exhausted and not _PERMISSION.search(said)


def _permission(answer: Answer, said: str) -> str:
    """Say which permission is missing, as far as GitHub tells."""
    wanted = answer.headers.get("x-accepted-github-permissions")
    grant = replaced(wanted, " ")[:_SHOWN] if wanted else "contents=read"
    return f"the GitHub credentials lack a permission; grant {grant}: {said}"


def _message(answer: Answer) -> str:
    """Take GitHub's own sentence out of the body, on one line and not too long."""
    try:
        body = msgspec.json.decode(answer.body, type=_Body)
    except msgspec.DecodeError:
        return ""
    return replaced(body.message, " ")[:_SHOWN].strip()


def _moment(after: str, now: float) -> float:
    """`120` or `Wed, 21 Oct 2026 07:28:00 GMT`, as RFC 9110 has it."""
    seconds = _number(after)
    if seconds is not None:
        return now + seconds
    try:
        date = parsedate_to_datetime(after)
    except ValueError:
        return now + _UNSAID_WAIT
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
