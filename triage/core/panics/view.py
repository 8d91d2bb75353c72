"""A document seen past what one sender put around each of its lines."""

from collections.abc import Callable

from triage.core.panics.document import Document

Strip = Callable[[str], str | None]
"""Takes the prefix off a line; None where the line has another one."""


class View:
    """The lines of a document as one sender wrote them.

    *strip* is None where lines stand bare; *suffix* is what closes each line.
    """

    def __init__(
        self, document: Document, strip: Strip | None = None, suffix: str = ""
    ) -> None:
        self.document = document
        self.strip = strip
        self.suffix = suffix
        self.size = len(document.lines)

    def rest(self, index: int) -> str | None:
        """Return line *index* without its prefix, indented as it was; None if not ours."""
        line = self.document.lines[index]
        return line if self.strip is None else self.strip(line)

    def text(self, index: int) -> str | None:
        """Return line *index* without prefix and suffix, indented as it was."""
        rest = self.rest(index)
        return rest if rest is None or not self.suffix else self._unclose(rest)

    def body(self, index: int) -> str | None:
        """Return line *index* without prefix, suffix and outer blanks; None if not ours."""
        text = self.text(index)
        return None if text is None else text.strip()

    def words(self, index: int) -> str:
        """Return line *index* as `body`, or as it stands where it is not ours."""
        body = self.body(index)
        if body:
            return body
        line = self.document.lines[index].strip()
        return self._unclose(line).strip() if self.suffix else line

    def depth(self, index: int) -> int:
        """Return how far line *index* is indented behind the prefix."""
        rest = self.rest(index) or ""
        return len(rest) - len(rest.lstrip())

    def _unclose(self, text: str) -> str:
        r"""Take the suffix off: a table's border, or `\n" +` of a source literal."""
        mark, text = self.suffix, text.rstrip()
        if text.endswith(mark):
            text = text[: -len(mark)]
        elif mark[-1] in "+,;":
            text = text.removesuffix(mark[:-1].rstrip())
        if '"' in mark:
            text = text.replace("\\t", "\t").replace('\\"', '"')
        return text
