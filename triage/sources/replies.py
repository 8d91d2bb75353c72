"""Read the output of `git cat-file --batch-command`: pure, over bytes.

https://git-scm.com/docs/git-cat-file#_batch_output
"""

import re
from collections import deque
from dataclasses import dataclass, replace

_HEADER = re.compile(r"([0-9a-f]{40,64}) (blob|tree|commit|tag) (\d{1,15})")
_LONGEST_LINE = 1 << 12


@dataclass(frozen=True, slots=True)
class GitObject:
    """One object; *data* is None where it was not asked for or is over the limit."""

    oid: str
    kind: str
    """`blob`, `tree`, `commit` or `tag`."""
    size: int
    data: bytes | None = None


class ReplyDecoder:
    """Cut git's output into replies, however the bytes arrive.

    Objects over *limit* bytes are dropped as they come, so that none fills memory.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._expected = deque[bool]()
        self._open: GitObject | None = None
        self._skip = 0

    def expect(self, *, contents: bool) -> None:
        """Announce the next reply, in the order of the requests."""
        self._expected.append(contents)

    def feed(self, data: bytes) -> list[GitObject | None]:
        """Take bytes, return the replies that are whole; None is "no such object".

        Raises `ValueError` on what is no answer of git's.
        """
        self._buffer += data
        replies: list[GitObject | None] = []
        while self._step(replies):
            pass
        return replies

    def _step(self, replies: list[GitObject | None]) -> bool:
        """Move one state on; False where more bytes are needed."""
        if self._skip:
            dropped = min(self._skip, len(self._buffer))
            del self._buffer[:dropped]
            self._skip -= dropped
            return dropped > 0 and not self._skip
        if self._open:
            return self._take_contents(self._open, replies)
        return self._take_header(replies)

    def _take_header(self, replies: list[GitObject | None]) -> bool:
        """`<oid> <kind> <size>`, or `<what was asked> missing`."""
        end = self._buffer.find(b"\n")
        if end < 0:
            if len(self._buffer) > _LONGEST_LINE:
                raise ValueError("a line of git's is too long")
            return False
        line = bytes(self._buffer[:end]).decode("utf-8", "replace")
        del self._buffer[: end + 1]
        if not self._expected:
            raise ValueError("git answered what was not asked")
        contents = self._expected.popleft()
        if line.endswith((" missing", " ambiguous")):
            replies.append(None)
            return True
        match = _HEADER.fullmatch(line)
        if not match:
            raise ValueError("git gave no answer that is known")
        found = GitObject(match[1], match[2], int(match[3]))
        if not contents:
            replies.append(found)
        elif found.size > self._limit:
            replies.append(found)
            self._skip = found.size + 1
        else:
            self._open = found
        return True

    def _take_contents(self, found: GitObject, replies: list[GitObject | None]) -> bool:
        """Take the object's bytes and the line end behind them."""
        if len(self._buffer) <= found.size:
            return False
        replies.append(replace(found, data=bytes(self._buffer[: found.size])))
        del self._buffer[: found.size + 1]
        self._open = None
        return True
