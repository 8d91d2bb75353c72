"""What a sender says of where a crash belongs: repository, commit, service, place."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from triage.core.remote import repository_name

MOST_LINES: Final = 100_000_000
"""No file is longer."""

_REPO: Final = (
    "vcs.repository.url.full",
    "git.repository_url",
    "repository_url",
    "repository",
    "repo",
)
_COMMIT: Final = (
    "vcs.ref.head.revision",
    "vcs.repository.ref.revision",
    "vcs.revision",
    "git.commit.sha",
    "git_commit",
    "git_sha",
    "commit_sha",
    "commit",
    "revision",
)
_SERVICE: Final = ("service.name", "service_name", "service", "app")
_VERSION: Final = ("service.version", "service_version", "version", "release")
_FILE: Final = ("code.file.path", "code.filepath", "file", "filename")
_LINE: Final = ("code.line.number", "code.lineno", "line", "lineno")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")
_WHOLE: Final = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})", re.IGNORECASE)
# A number alone may be a date or a build's count: a short one needs both sorts.
_SHORT: Final = re.compile(
    r"(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,39}", re.IGNORECASE
)
_RELEASE: Final = re.compile(
    # 93c1f92, shop@1.4.2+93c1f92, shop@93c1f92, v0.0.0-20220629090431-93c1f92c7353
    r"(?:^|[@+]|[-.]\d{14}-)(?P<sha>[0-9a-f]{7,64})(?:\+incompatible|[-+.]dirty)?$"
    # What `git describe` says: v1.2.3-5-g93c1f92
    r"|-g(?P<described>[0-9a-f]{7,64})(?:-dirty)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clues:
    """What was said of one crash; all of it may be missing."""

    repo: str | None = None
    """OWNER/NAME; out of *labels* only where GitHub's own host or none is named."""
    commit_sha: str | None = None
    root_dir: str | None = None
    service: str | None = None
    versions: tuple[str, ...] = ()
    """Names of the release, the surest first."""
    sentry_project: tuple[str, ...] = ()
    """Names and numbers of a project at Sentry, one project's."""
    labels: Mapping[str, str] = field(default_factory=dict)
    observed_at: float | None = None
    """Seconds since the epoch."""


def from_labels(labels: Mapping[str, str], observed_at: float | None = None) -> Clues:
    """Read labels, tags or attributes by the names that are usual for them."""
    return Clues(
        repo=labelled_repository(labels),
        commit_sha=next(
            (labels[name] for name in _COMMIT if is_commit(labels.get(name, ""))), None
        ),
        service=_first(labels, _SERVICE),
        versions=tuple(labels[name] for name in _VERSION if labels.get(name)),
        labels=labels,
        observed_at=observed_at,
    )


def place(labels: Mapping[str, str]) -> tuple[str, int] | None:
    """Return the file and line that labels name, None where they do not."""
    file, line = _first(labels, _FILE), _first(labels, _LINE)
    if file is None or line is None or not _NUMBER.fullmatch(line):
        return None
    number = int(line)
    return (file, number) if number <= MOST_LINES else None


def is_commit(text: str) -> bool:
    """Tell whether *text* is a commit's id, whole or short; a branch is none."""
    return bool(_WHOLE.fullmatch(text) or _SHORT.fullmatch(text))


def released_commit(version: str) -> str | None:
    """Return the commit in a release's name, None where none is seen."""
    found = _RELEASE.search(version)
    sha = found and (found["sha"] or found["described"])
    return sha if sha and is_commit(sha) else None


def told_repository(text: str, hosts: Sequence[str] = ()) -> str | None:
    """Read OWNER/NAME or an address; None for what is neither, a path too."""
    try:
        return repository_name(text, hosts)
    except ValueError:  # an address that is none: `https://[`
        return None


def labelled_repository(
    labels: Mapping[str, str], hosts: Sequence[str] = ()
) -> str | None:
    """Return what labels name as the repository; *hosts* are others than GitHub's."""
    for name in _REPO:
        found = told_repository(labels.get(name, ""), hosts)
        if found:
            return found
    owner, named = labels.get("vcs.owner.name"), labels.get("vcs.repository.name")
    hosted = labels.get("vcs.provider.name", "github") == "github"
    return told_repository(f"{owner}/{named}") if owner and named and hosted else None


def _first(labels: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((labels[name] for name in names if labels.get(name)), None)
