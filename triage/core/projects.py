"""The registered projects: which code base a telemetry's names mean."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Match:
    """What telemetry has to say for a project to be meant; empty parts say nothing."""

    service: tuple[str, ...] = ()
    module: tuple[str, ...] = ()
    sentry_project: tuple[str, ...] = ()
    labels: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Project:
    """One `[[project]]` table: a code base and how to know its telemetry."""

    name: str
    repo: str
    """OWNER/NAME."""
    root_dir: str = ""
    """Where the Go code lies in the repository; empty for its root."""
    match: Match = field(default_factory=Match)
    release: str | None = None
    """A regular expression that finds the commit in a release's name."""

    def __post_init__(self) -> None:
        """Refuse a *release* that could never give a commit."""
        if self.release is None:
            return
        try:
            groups = re.compile(self.release).groupindex
        except re.error as error:
            raise ValueError(f"`release` is no regular expression: {error}") from error
        if "sha" not in groups:
            raise ValueError("`release` has no group (?P<sha>...)")


@dataclass(frozen=True, slots=True)
class Names:
    """What telemetry calls the program that it is of."""

    service: str | None = None
    modules: tuple[str, ...] = ()
    """Import paths of frames; a module's is a prefix of its packages'."""
    sentry_project: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)


def find_project(projects: Sequence[Project], names: Names) -> Project | None:
    """Return the project that is meant: by module first, then service, then the rest.

    Among those that match in the same way the first one of the file counts.
    """
    for matches in (_by_module, _by_service, _by_sentry, _by_labels):
        for project in projects:
            if matches(project.match, names):
                return project
    return None


def _by_module(match: Match, names: Names) -> bool:
    return any(
        path == module or path.startswith((f"{module}/", f"{module}."))
        for module in match.module
        for path in names.modules
    )


def _by_service(match: Match, names: Names) -> bool:
    return names.service in match.service


def _by_sentry(match: Match, names: Names) -> bool:
    return names.sentry_project in match.sentry_project


def _by_labels(match: Match, names: Names) -> bool:
    """All labels of the table have to be there."""
    return bool(match.labels) and match.labels.items() <= names.labels.items()
