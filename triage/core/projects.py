"""The registered projects: which code base a telemetry's names mean."""

import re
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

    def commit_of(self, version: str) -> str | None:
        """Return what *release* finds in a release's name, None where it finds none."""
        found = re.search(self.release, version) if self.release else None
        return found["sha"] if found else None
