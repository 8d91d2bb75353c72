"""What is kept of one directory of a commit: names, object ids, modules above."""

from collections.abc import Mapping

import msgspec

from triage.core.model import Package, Unread
from triage.core.modules import parse_go_work


class Record(msgspec.Struct, array_like=True, frozen=True):
    """A directory as it is at a commit, for ever."""

    files: tuple[tuple[str, str], ...] | None
    """Name and git object id of each Go file; None where there is no such directory."""
    problems: tuple[str, ...]
    modules: dict[str, bytes]
    """The go.mod and go.work files in it and on the way up, by path."""
    hidden: dict[str, str] = {}
    """Those of them that could not be read, and why."""
    unread: tuple[str, ...] = ()
    """Names of Go files that are there and could not be read."""
    passing: bool = False
    """What could not be read may be there the next time: not to be kept."""

    def above(self) -> dict[str, bytes | Unread]:
        """Return the module files as a source gives them."""
        unread = {path: Unread(why, self.passing) for path, why in self.hidden.items()}
        return {**self.modules, **unread}

    def names(self) -> list[str]:
        """Return the names of all Go files that are there."""
        return [*(name for name, _ in self.files or ()), *self.unread]


_DECODER = msgspec.msgpack.Decoder(Record)
_ENCODER = msgspec.msgpack.Encoder()


def record_of(
    directory: str, package: Package | None, modules: Mapping[str, bytes | Unread]
) -> Record:
    """Make the record of what a look at *directory* brought."""
    above = {
        path: found
        for path, found in modules.items()
        if is_above(path.rpartition("/")[0], directory)
    }
    record = record_of_files(above)
    if package is None:
        return record
    return msgspec.structs.replace(
        record,
        files=tuple((file.name, file.oid) for file in package.files),
        problems=package.problems,
        unread=package.unread,
        passing=record.passing or package.passing,
    )


def record_of_files(modules: Mapping[str, bytes | Unread]) -> Record:
    """Make a record of module files alone."""
    contents, hidden, passing = dict[str, bytes](), dict[str, str](), False
    for path, found in modules.items():
        if isinstance(found, Unread):
            hidden[path] = found.reason
            passing = passing or found.passing
        else:
            contents[path] = found
    return Record(None, (), contents, hidden, passing=passing)


def encode(record: Record) -> bytes:
    """Return the bytes that are kept."""
    return _ENCODER.encode(record)


def decode(data: bytes) -> Record | None:
    """Read what was kept; None where it is something else."""
    try:
        return _DECODER.decode(data)
    except msgspec.DecodeError:
        return None


def path_forms(directory: str, record: Record) -> dict[str, str]:
    """Give the paths of a directory's files, each under both forms that it goes by.

    The one relative to the module is left out where it may mean another file: one of
    a module further up, or of another module that a go.work names.
    """
    module_directory = _module_of(record)
    unique = module_directory and not _has_others(module_directory, record)
    found = dict[str, str]()
    for name in record.names():
        path = f"{directory}/{name}" if directory else name
        found[path] = path
        if unique:
            found[path.removeprefix(f"{module_directory}/")] = path
    return found


def is_above(directory: str, other: str) -> bool:
    """Tell whether *directory* is *other* or one above it."""
    return not directory or other == directory or other.startswith(directory + "/")


def _module_of(record: Record) -> str:
    """Return the directory of the nearest module; empty for the root, or for none."""
    found = [path.rpartition("/") for path in record.above()]
    return max((d for d, _, name in found if name == "go.mod"), key=len, default="")


def _has_others(module_directory: str, record: Record) -> bool:
    for path, data in record.above().items():
        directory, _, name = path.rpartition("/")
        if name == "go.mod" and directory != module_directory:
            return True
        if name == "go.work" and (
            isinstance(data, Unread) or len(set(parse_go_work(data))) > 1
        ):
            return True
    return False
