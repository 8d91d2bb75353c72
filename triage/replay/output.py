"""The file of a replay's lines: appended to, and gone on with after an end of any kind."""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from triage.core.printed import shown
from triage.core.replay import Line, read_line
from triage.core.visible import printable
from triage.errors import BadInput, OutputFailed


class Output:
    """One process at a time writes to it."""

    def __init__(self, file: BinaryIO, name: str, *, resume: bool) -> None:
        self._file = file
        self._name = name
        self._is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
        self._end = 0
        if self._is_file:
            self._take_over(resume=resume)

    def _take_over(self, *, resume: bool) -> None:
        """Lock the file; what is in it is not to be lost."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BadInput(
                f"another replay writes to {self._name}; wait for it, or name another file"
            ) from error
        if os.fstat(self._file.fileno()).st_size and not resume:
            raise BadInput(
                f"{self._name} is there already; go on with it by --resume, or name"
                " another file"
            )

    def lines(self) -> Iterator[Line]:
        """Yield the lines that are there; what was torn off at the end is cut away.

        Raises `BadInput` where it holds what no replay writes.
        """
        if not self._is_file:
            return
        self._file.seek(0)
        number = 0
        while raw := self._file.readline():
            number += 1
            line = read_line(raw) if raw.endswith(b"\n") else None
            if line is not None:
                self._end += len(raw)
                yield line
            elif self._file.read(1):
                raise BadInput(
                    f"line {number} of {self._name} is none of a replay's; name"
                    " another file"
                )
        with self._translated():
            os.ftruncate(self._file.fileno(), self._end)

    def write(self, lines: bytes) -> None:
        """Append whole lines, at once; raises `OutputFailed` where that fails."""
        with self._translated():
            left = memoryview(lines)
            while left:
                left = left[os.write(self._file.fileno(), left) :]
            self._end += len(lines)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = (error.strerror or "it fails").lower()
            raise OutputFailed(
                f"cannot write to {self._name}: {reason}; mend that and go on with"
                " --resume"
            ) from error


@contextmanager
def open_output(path: Path, *, resume: bool) -> Iterator[Output]:
    """Open the file, made where it is not there; raises `BadInput` where it may not be."""
    name = shown(printable(str(path)))
    try:
        number = os.open(
            path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666
        )
    except OSError as error:
        reason = (error.strerror or "it fails").lower()
        raise BadInput(
            f"cannot write to {name}: {reason}; name another file"
        ) from error
    with os.fdopen(number, "rb", _BUFFER) as file:
        yield Output(file, name, resume=resume)


_BUFFER: Final = 1 << 20
