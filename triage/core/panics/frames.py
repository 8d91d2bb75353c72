"""The frames of one stack, read line by line past what does not belong.

A frame is a function and, below it, its file:

    main.(*T).F(0x1, {0x2, ...})
            /src/a.go:12 +0x1d
"""

import re

from triage.core.model import Frame, Problem
from triage.core.panics import kinds, shapes
from triage.core.panics.head import OPENERS
from triage.core.panics.unfold import at_edge, whole
from triage.core.panics.view import View

_BETWEEN = 3
"""So many foreign lines may stand between a function and its file."""
_APART = 8
"""So many may stand between two frames of a dump that has no prefix."""
_APART_PREFIXED = 64
"""So many where a prefix tells the dump's lines from others."""
_NOISE = re.compile(r"0x[0-9a-f]{8,}:|stack: frame=|runtime: |:0$")
"""What the runtime itself prints in between: hex dumps, notes, gccgo's blank frames."""
_CUT_CALL = re.compile(r"(?P<function>[^\s(].*)\((?P<arguments>[0-9a-fx, .{}?]*)$")

Place = tuple[str, int, bool]
Call = tuple[str, str | None]


class StackReader:
    """Reads one stack out of a view.

    *most* is how many frames are wanted, None for all; *apart* how many foreign lines
    may stand between two of them, None for what is usual in such a view.
    """

    def __init__(
        self, view: View, most: int | None = None, apart: int | None = None
    ) -> None:
        self.view = view
        self.frames: list[Frame] = []
        self.created_by: Frame | None = None
        self.elided = False
        self.problems: list[Problem] = []
        self.used: list[int] = []
        self._most = most
        usual = _APART if view.strip is None else _APART_PREFIXED
        self._apart = usual if apart is None else apart
        self._spaced = False
        self._ancestors = False
        self._offsets = 0

    def begin(self, frame: Frame, lines: range) -> None:
        """Take a first frame that was read elsewhere, on *lines*."""
        self.frames.append(frame)
        self.used += lines

    def read(self, index: int) -> int:
        """Read frames from line *index* on; return the last line that is part of them."""
        last, strangers = index - 1, 0
        while index < self.view.size and strangers <= self._apart:
            if self._done(index):
                break
            body, after = whole(self.view, index)
            if body == "":
                if self._ends_at_blank(after):
                    break
                index = after
                continue
            if body is not None and _stops(body):
                break
            behind = self._take(body, index, after) if body else 0
            if body and not behind and shapes.mentions(body):
                break
            strangers = 0 if behind or _NOISE.match(body or "") else strangers + 1
            last = behind - 1 if behind else last
            index = behind or index + 1
        return last

    def take(self, line: int) -> None:
        """Mark the header at *line* and every line read below it as taken."""
        for index in (line, *self.used):
            self.view.document.taken[index] = 1

    def _done(self, index: int) -> bool:
        """Tell whether enough was read; ancestors may follow the goroutine's maker."""
        if self.created_by and not self._ancestors:
            return not shapes.ORIGIN.match(self.view.body(index) or "")
        return self._most is not None and len(self.frames) >= self._most

    def _ends_at_blank(self, after: int) -> bool:
        """Tell whether a blank line ends the stack, by the line *after* it.

        It does not in text that is double-spaced.
        """
        body = self.view.body(after) if after < self.view.size else None
        if not body:
            return True
        if not self.frames and not self.created_by:
            self._spaced = True
        return not self._spaced and not goes_on(body)

    def _take(self, body: str, index: int, after: int) -> int:
        """Take what begins at *index*; return the line after it, 0 if it is nothing."""
        if shapes.ELIDED.match(body) or shapes.ORIGIN.match(body):
            self._ancestors = self._ancestors or not shapes.ELIDED.match(body)
            self.elided = self.elided or not self._ancestors
            self.used += range(index, after)
            return after
        maker = shapes.created(body)
        split = (maker, None) if maker else self._call(body, index, after)
        found = self._place_below(after, split[1]) if split else None
        if split and found:
            self._add(shapes.frame(split[0], found[0], split[1]), maker=bool(maker))
            self.used += range(index, found[1])
            return found[1]
        if split and split[1] is not None:
            number = self.view.document.number(index)
            self.problems.append(
                Problem(number, "a function without its file is left out")
            )
        return 0

    def _call(self, body: str, index: int, after: int) -> Call | None:
        """Read a function's line: whole, cut at the terminal's edge, or a bare name."""
        split: Call | None = shapes.call(body)
        if split:
            return split
        cut = _CUT_CALL.match(body)
        if cut and at_edge(self.view, index):
            return cut["function"], cut["arguments"]
        if not shapes.bare(body) or after >= self.view.size:
            return None
        # gccgo prints names alone, and so do people who took the arguments away
        bare = not self.frames or self.frames[0].arguments is None
        named = bare or "." in body
        return (body, None) if named and shapes.place(self.view.words(after)) else None

    def _place_below(self, index: int, words: str | None) -> tuple[Place, int] | None:
        """Find the file line that belongs to a function, and the line after it."""
        for below in range(index, min(index + 1 + _BETWEEN, self.view.size)):
            line, after = whole(self.view, below)
            at = shapes.place(line) if line else None
            if at:
                return None if self._may_be_cut(at, after, words) else (at, after)
            if line == "" and not self._spaced:
                return None
            if line and (shapes.call(line) or _stops(line)):
                return None
        return None

    def _may_be_cut(self, at: Place, behind: int, words: str | None) -> bool:
        """Tell whether a file line at the very end of the text may lack digits.

        The runtime writes an offset behind the line number of a call that was not
        inlined. Where no frame but the runtime's came before it is kept: people cut
        traces down to the frame that matters.
        """
        if at[2]:
            self._offsets += 1
            return False
        if behind < self.view.size or self.view.document.whole or not self._offsets:
            return False
        others = any(not kinds.in_runtime(frame) for frame in self.frames)
        return words is not None and words != "..." and others

    def _add(self, frame: Frame, *, maker: bool) -> None:
        if self._ancestors:
            return
        if maker:
            self.created_by = self.created_by or frame
        else:
            self.frames.append(frame)


def goes_on(body: str) -> bool:
    """Tell whether the stack above a blank line goes on with *body* below it.

    Somebody set its frames apart, or it is a frame of gccgo without name and file.
    """
    if body == ":0" or body.startswith("created by"):
        return True
    split = shapes.call(body)
    return split is not None and ("0x" in split[1] or "..." in split[1])


def _stops(body: str) -> bool:
    return shapes.begins(body) or OPENERS.match(body) is not None
