"""A document seen past one per-line prefix."""

import re

from triage.core.panics.document import Document


class View:
    """The lines of a document as one sender wrote them.

    *prefix* matches what stands before each of its lines; None where nothing does.
    """

    def __init__(
        self, document: Document, prefix: re.Pattern[str] | None = None
    ) -> None:
        self.document = document
        self.prefix = prefix
        self.size = len(document.lines)

    def body(self, index: int) -> str | None:
        """Return line *index* without prefix and outer blanks; None if it is not ours."""
        line = self.document.lines[index]
        if self.prefix is None:
            return line.strip()
        found = self.prefix.match(line)
        return line[found.end() :].strip() if found else None

    def depth(self, index: int) -> int:
        """Return how far line *index* is indented behind the prefix."""
        line = self.document.lines[index]
        if self.prefix is not None:
            found = self.prefix.match(line)
            line = line[found.end() :] if found else ""
        return len(line) - len(line.lstrip())
