"""Which files a proposed change touches."""

import re
from typing import Final

from triage.errors import BadInput

_HEAD: Final = re.compile(r"^(?:---|\+\+\+) (?P<name>[^\t\n]+)", re.MULTILINE)
_OTHER: Final = re.compile(
    r"^(?:GIT binary patch|Binary files |rename |copy |(?:old|new) mode |similarity )",
    re.MULTILINE,
)
_MOST: Final = 20


def changed_files(diff: str) -> tuple[str, ...]:
    """Return the files that *diff* changes, relative to the repository.

    Raises `BadInput` for a diff that does anything but change lines of files in it.
    """
    if _OTHER.search(diff):
        raise BadInput("the diff does more than change lines")
    names = dict.fromkeys(_plain(match["name"]) for match in _HEAD.finditer(diff))
    names.pop("/dev/null", None)
    if not names:
        raise BadInput("the diff names no file")
    if len(names) > _MOST:
        raise BadInput(f"the diff changes over {_MOST} files")
    for name in names:
        parts = name.split("/")
        if name.startswith("/") or ".." in parts or ".git" in parts or "\\" in name:
            raise BadInput("the diff names a file outside the repository")
    return tuple(names)


def _plain(name: str) -> str:
    """Take the a/ or b/ off."""
    name = name.strip()
    return name[2:] if name.startswith(("a/", "b/")) else name
