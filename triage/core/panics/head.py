"""What stands above a dump: why the program died, and by which signal.

Read upwards from the dump, so that of several lines that look like a panic the one
that belongs to it is taken.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from triage.core.panics import shapes
from triage.core.panics.unfold import margin_glue
from triage.core.panics.view import View

_FAR = 200
"""A message has at most so many lines."""
_STRANGERS = 3
"""So many lines without the dump's prefix may have its head among them."""
_TABS = ("\t", " " * 8, " " * 4)
"""A tab, and what forms make of it."""
_FAR_LOOSE = 40
"""At most so many where blank lines are among them."""

OPENERS = re.compile(
    r"(?P<panic>panic: )"
    r"|(?P<fatal>fatal error: )"
    r"|(?P<signal>SIG[A-Z0-9]+: |Exception 0x[0-9a-f]+ )"
)
"""How a head begins where the runtime itself wrote it."""
_INSIDE = re.compile(
    r"(?P<serving>https?2?: panic serving(?: \S+:(?: |$)|$))"
    r"|(?P<observed>\"?Observed a panic(?: in \w+)?(?:\"|: ))"
    r"|^(?P<klog>F\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ [^\]\s]+\] )"
)
"""Openers that loggers write, found anywhere in a line."""
_NEAR = re.compile(
    r"(?:^|(?<=[\s:=|>\"'\[\])`]))"
    r"(?:(?P<panic>[Pp]anic: )|(?P<fatal>fatal error: )"
    r"|(?P<recovered>\[PANIC RECOVER\]:? |PANIC: "
    r"|(?i:recovered (?:from )?(?:a )?(?:panic)?|panic (?:recovered|triggered|occurred"
    r"|caught|(?:in|during) \S+)|caught panic|panicked(?: with)?)(?:: |:$|= ?)|(?i:handler crashed with error )))"
    r"|(?P<named>(?=runtime error: ))"
)
"""Openers that count only right above a dump."""
_LOG_LINE = re.compile(
    r"\W{0,2}\d{4}[-/]\d\d[-/]\d\d[T ]|\d\d:\d\d:\d\d|[IWE]\d{4} |time=|level=|\{\""
)
_STAMP = re.compile(
    r"[IWE]\d{4} [^\]]{0,199}\] |\W{0,2}\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d[.,\d]*\S* ?"
)
_ZAP_MESSAGE = 3
"""zap's console form: time, level, caller, message, fields, with tabs between."""
_RECOVERED = re.compile(r"(?<!\s)\s+\[recovered(?:,\s+repanicked)?\]$")
_SIGNAL = re.compile(r"\[signal (?P<name>\w++)[^\]]*\]")
_REGISTERS = re.compile(r"PC=0x[0-9a-f]+ m=|PC=0x[0-9a-f]+$")
_ADDRESS = re.compile(r"\baddr=0x([0-9a-f]+)")
_NOTES = re.compile(
    r"\[signal |PC=0x|signal arrived during |runtime: |(?:[A-Za-z]:)?/\S+\.go:\d+$"
)
_TITLE = re.compile(
    r"(?i:(?:^|[\s:|\]])(?:stack ?trace|stack|trace ?back)\s*+(?:[:=]\s*+)?<?$)"
)
_NEXT_FIELD = re.compile(r"(?<!\s)\s+[\w.]+=\W{0,2}$")
_ADDRESSEE = re.compile(r"(?:[\d.]++|\[[^\]\s]*\]|@):?\d*+: ")
_FIELD = re.compile(r"\bpanic=(?:\"([^\"\\]*+(?:\\.[^\"\\]*+)*+)\"|(\S+))")
_PRINTED = re.compile(r"[\"&<{]|[\w.*]+\{|\d")
"""How a value begins that was printed with `%#v`, its words in brackets behind it."""


@dataclass(slots=True)
class Head:
    """The words above a dump; line indexes are those of the document."""

    first: int
    opener: str
    """The group of the pattern that found it; empty for a lone signal line."""
    message: str
    last: int = -1
    recovered: bool = False
    """The panic had been recovered once and was raised again."""
    signal: str | None = None
    address: int | None = None
    cgo: bool = False
    """The signal arrived in C code."""
    earlier: tuple[str, ...] = ()
    """What the panics above it in a chain said, the first first."""


def read_head(view: View, start: int, floor: int) -> Head | None:
    """Read the head of the dump that begins at line *start*; None if it has none.

    Lines before *floor* belong to an earlier crash.
    """
    near, blanks = True, 0
    strangers: list[int] = []
    for index in range(start - 1, max(floor, start - _FAR) - 1, -1):
        body = view.body(index)
        if not body:
            if body is None and near and len(strangers) < _STRANGERS:
                strangers.append(index)
            blanks += body == "" and not near
            if blanks and start - index > _FAR_LOOSE:
                break
            continue
        found = find_opener(body, near=near)
        if found:
            return finish(view, index, floor, start, found)
        note = _is_note(body)
        near = near and (note or view.depth(index) > 0)
        if _LOG_LINE.match(body) and not note:
            break
    return _bare(view, strangers) or _lone(view, start, floor)


def find_opener(body: str, *, near: bool) -> re.Match[str] | None:
    """Find where a head begins in a line; *near* ones stand right above a dump."""
    found = OPENERS.match(body) or _INSIDE.search(body)
    return found or (_NEAR.search(body) if near else None)


def _is_note(body: str) -> bool:
    """Tell whether a line stands between a message and the dump as a matter of form."""
    return bool(_NOTES.match(body) or _TITLE.search(body))


def log_message(line: str) -> str | None:
    """Return what a log line says, without its time and level; None if it is none."""
    if not _LOG_LINE.match(line):
        return None
    fields = line.split("\t")
    if len(fields) > _ZAP_MESSAGE:
        return fields[_ZAP_MESSAGE]
    return _STAMP.sub("", line)


def finish(view: View, index: int, floor: int, end: int, found: re.Match[str]) -> Head:
    """Read the head that opens at line *index* and ends before line *end*."""
    opener, body = found.lastgroup or "", found.string
    stop = index + 1
    while stop < end and not _is_note(view.body(stop) or ""):
        stop += 1
    notes = [body, *(view.body(i) or "" for i in range(stop, end))]
    if opener == "signal":
        raw, stop = body, index + 1
    else:
        lines = _lines(view, index, stop, body[found.end() :])
        if end + 1 < view.size and view.body(end + 1) == "" and not any(lines[1::2]):
            lines = lines[::2]  # the whole text is double-spaced
        raw = "\n".join(lines).strip()
    text = _RECOVERED.sub("", raw)
    if opener == "serving":
        addressee = _ADDRESSEE.match(text)
        text = text[addressee.end() :] if addressee else text
    top, chain = _chain(view, index, floor)
    head = Head(top, opener, _value(opener, text, body), stop - 1)
    head.recovered = head.first < index or text != raw
    head.earlier = tuple(_said(view, *lines) for lines in pairwise([*chain, index]))
    if raw.endswith("repanicked]"):
        head.earlier += (raw,)
    _note_signal(head, notes)
    return head


def _lines(view: View, index: int, stop: int, first: str) -> list[str]:
    """Put the lines of a message together, the first of which is *first*."""
    lines, depth, last = [first], view.depth(index), index
    for below in range(index + 1, stop):
        line = view.text(below)
        if line is None and not first:
            line = view.document.lines[below]
        if line is None:
            continue
        glue = margin_glue(view, last, line) if last == below - 1 else None
        if glue is None:
            lines.append(_outdented(line, depth))
        else:
            lines[-1] += glue + line.strip()
        last = below
    return lines


def _outdented(line: str, depth: int) -> str:
    """Take off the head's own indentation and the tab that the runtime adds."""
    bare = line.strip()
    indent = line[: len(line) - len(line.lstrip())][depth:]
    for tab in _TABS:
        if indent.startswith(tab):
            return (indent[len(tab) :] + bare) if bare else ""
    return (indent + bare) if bare else ""


def _value(opener: str, text: str, body: str) -> str:
    """Take the panic's own words out of what a logger put around them."""
    if opener != "observed":
        return text
    field = _FIELD.search(body)
    if field:
        return (field[1] or field[2] or "").replace('\\"', '"')
    printed = _PRINTED.match(text) if text.endswith(")") else None
    at = text.rfind(" (", printed.end()) if printed else -1
    return text[at + 2 : -1] if at >= 0 else text


def _chain(view: View, index: int, floor: int) -> tuple[int, list[int]]:
    """Go up a chain of panics to its first line, and find where the others begin.

    Each is indented below the one before.
    """
    top, depth = index, view.depth(index)
    chain: list[int] = []
    for above in range(index - 1, max(floor, index - _FAR_LOOSE) - 1, -1):
        body = view.body(above)
        if body is None:
            continue
        if (not body and depth == 0) or _LOG_LINE.match(body):
            break
        if body.startswith("panic: ") and view.depth(above) <= depth:
            top, depth = above, view.depth(above)
            chain.append(above)
        elif body.startswith(("unexpected fault address ", "runtime: ")):
            top = above
    return top, chain[::-1]


def _said(view: View, begin: int, end: int) -> str:
    """Return the message of a panic of a chain, up to the line where the next begins."""
    first = (view.body(begin) or "").removeprefix("panic: ")
    return "\n".join(_lines(view, begin, end, first)).strip()


def _note_signal(head: Head, lines: list[str]) -> None:
    for line in lines:
        found, at = _SIGNAL.match(line), _ADDRESS.search(line)
        if found or _REGISTERS.match(line):
            head.signal = found["name"] if found else head.signal
            head.address = shapes.number(at[1], 16) if at else head.address
        elif line.startswith("SIG"):
            head.signal = line.partition(":")[0]
        elif line.startswith("signal arrived during "):
            head.cgo = True


def _bare(view: View, strangers: list[int]) -> Head | None:
    """Read a head out of the lines above a dump that lack its prefix.

    A logger frames the stack and leaves the words above it as they are.
    """
    for index in strangers:
        line = view.words(index)
        head = head_before(line, index)
        if head or not _is_note(line):
            return head
    return None


def _lone(view: View, start: int, floor: int) -> Head | None:
    """Make a head of what is left where the line that opens one is not there.

    A signal line whose panic is cut off; the log line of a stack printed on purpose.
    """
    for index in range(start - 1, max(floor, start - 4) - 1, -1):
        line = view.body(index)
        if line and _SIGNAL.match(line):
            head = Head(index, "", line, index)
            _note_signal(head, [line])
            return head
    line = view.body(start - 1) if start > floor else None
    logged = log_message(line) if line else None
    return Head(start - 1, "logged", logged, start - 1) if logged else None


def head_before(lead: str, line: int) -> Head | None:
    """Read a head that goes with a dump as *lead*, out of line *line*."""
    found = find_opener(lead, near=True)
    if found is None:
        return None
    opener = found.lastgroup or ""
    text = _NEXT_FIELD.sub("", lead[found.end() :]).strip()
    return Head(line, opener, _value(opener, text, lead), line)
