"""Which repositories the service may read, and which of them lie on disk."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from triage.core.printed import shown
from triage.core.visible import replaced
from triage.errors import ConfigError, RepoNotAllowed

_NAME: Final = re.compile(r"(?!\.\.?/)[\w.-]+/(?!\.\.?$)[\w.-]+", re.ASCII)
_PATTERN: Final = re.compile(r"(?!\.\.?/)[\w.*-]+/(?!\.\.?$)[\w.*-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Permission:
    """One entry of the list: `acme/shop`, `acme/*`, or `acme/shop=PATH`."""

    pattern: str
    path: str | None = None
    """The git repository to read in place of GitHub's."""

    @property
    def is_name(self) -> bool:
        """Tell whether it means one repository alone."""
        return "*" not in self.pattern

    def allows(self, name: str) -> bool:
        """Tell whether *name* is meant; GitHub does not tell cases apart."""
        return fnmatchcase(name.lower(), self.pattern.lower())


@dataclass(frozen=True, slots=True)
class Allowed:
    """The list, in its order."""

    permissions: tuple[Permission, ...]

    def find(self, name: str) -> tuple[str, str | None]:
        """Return the repository's name as the list has it, and its path on disk.

        Raises `RepoNotAllowed`.
        """
        found = [p for p in self.permissions if p.allows(name)]
        if not found or not _NAME.fullmatch(name):
            raise RepoNotAllowed(
                f"{shown(replaced(name, ' '))} is not one of the repositories that may"
                " be read; TRIAGE_REPOS lists these"
            )
        best = min(found, key=lambda permission: not permission.is_name)
        return (best.pattern if best.is_name else name), best.path


def read_allowed(told: str | Sequence[str]) -> Allowed:
    """Read `TRIAGE_REPOS`; raises `ConfigError` for an entry that means nothing."""
    return Allowed(tuple(_permission(entry) for entry in several(told)))


def _permission(entry: str) -> Permission:
    pattern, equals, path = entry.partition("=")
    pattern = pattern.strip()
    named = _NAME.fullmatch(pattern)
    if equals and not (named and path.strip()):
        raise _wrong(entry)
    if not named and not _PATTERN.fullmatch(pattern):
        raise _wrong(entry)
    return Permission(pattern, path.strip() or None)


def _wrong(entry: str) -> ConfigError:
    return ConfigError(
        f"TRIAGE_REPOS: {entry!r} is not OWNER/NAME, OWNER/* or OWNER/NAME=PATH"
    )


def several(told: str | Sequence[str] | None) -> tuple[str, ...]:
    """Split a setting that may hold several values: commas part them, or a list does.

    What stands in a list may hold commas.
    """
    parts = told.split(",") if isinstance(told, str) else told or ()
    return tuple(part.strip() for part in parts if part.strip())
