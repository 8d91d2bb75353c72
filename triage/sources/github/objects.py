"""Git's entries and ids, as every way to GitHub delivers them. Pure."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

_KIND = 0o170000
_FILE = 0o100000
_LINK = 0o120000
_TREE = 0o040000
_SUBMODULE = 0o160000
_SHA256_DIGITS = 64


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a directory and the object behind it."""

    name: str
    mode: int
    """As git has it: 0o100644, 0o120000 for a link, 0o160000 for a submodule, ..."""
    oid: str
    size: int
    """In bytes; 0 for what is no blob."""

    @property
    def is_file(self) -> bool:
        """Tell whether it is a regular file, executable or not."""
        return self.mode & _KIND == _FILE

    @property
    def is_link(self) -> bool:
        """Tell whether it is a symbolic link, whose blob is the target's path."""
        return self.mode & _KIND == _LINK

    @property
    def is_tree(self) -> bool:
        """Tell whether it is a directory."""
        return self.mode & _KIND == _TREE

    @property
    def is_submodule(self) -> bool:
        """Tell whether it is a commit of another repository."""
        return self.mode & _KIND == _SUBMODULE


type_modes: Mapping[str, int] = {
    "file": _FILE | 0o644,
    "symlink": _LINK,
    "dir": _TREE,
    "submodule": _SUBMODULE,
}
"""The modes for the words of the Contents API, which names none."""

FILE_MODE = _FILE | 0o644

Listing = Mapping[str, Entry]
"""A directory: its entries by name."""


def is_intact(data: bytes, oid: str) -> bool:
    """Tell whether *data* is the blob *oid*, bit by bit."""
    digest = hashlib.sha256() if len(oid) == _SHA256_DIGITS else _sha1()
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest() == oid


def _sha1() -> "hashlib._Hash":
    return hashlib.sha1(usedforsecurity=False)


def join(directory: str, name: str) -> str:
    """Put a name below a directory: `` and `a` give `a`."""
    return f"{directory}/{name}" if directory else name


def split(path: str) -> tuple[str, str]:
    """Take a path apart into directory and name: `a` gives `` and `a`."""
    directory, _, name = path.rpartition("/")
    return directory, name


def upwards(directory: str) -> list[str]:
    """List *directory* and all above it: `a/b` gives `a/b`, `a` and the root."""
    found = [directory]
    while directory:
        directory = split(directory)[0]
        found.append(directory)
    return found
