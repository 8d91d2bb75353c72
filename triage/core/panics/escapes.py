r"""Stacks whose line ends were escaped, so that the whole stands on one line.

`stack="goroutine 1 [running]:\nmain.main()\n\t/a.go:7 +0x1d"` in logfmt, slog and
logrus text, `#012` by rsyslog, `%0A` and `|n` in messages to CI services, `↵` in
viewers, or nothing but a blank; once or oftener.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice

from triage.core.panics import shapes
from triage.core.panics.clean import clean, whole_characters
from triage.core.panics.document import Document, Hint
from triage.core.panics.head import find_opener

_TIMES = 5
"""So many times over a text may have been escaped."""
_ESCAPED = re.compile(r"\\[nru0x]|#012|%0A|\|n|↵")
_SIGNS = (("\\", "\\"), ("#", "#012"), ("%", "%0A"), ("|", "|n"), ("↵", "↵"))
"""What no escaped text lacks: a character, which is found fast, and the whole of it."""
_MOST = 1000
"""So many stacks are taken out of one line."""
_BACKSLASH = re.compile(
    r"\\(?:u(?P<u>[0-9a-fA-F]{4})|x(?P<x>[0-9a-fA-F]{2})|(?P<o>[0-7]{3})|(?P<c>.))"
)
_OCTAL = re.compile(r"#(0[0-3][0-7])")
_PERCENT = re.compile(r"%(0[AD9]|2[0-9A-F]|3A)")
_BAR = re.compile(r"\|(?:0x([0-9a-fA-F]{4})|([nrlxp|'\[\]]))")
_BAR_LETTERS = {"n": "\n", "r": "", "x": "\n", "l": "\n", "p": "\n"}
_FLAT = re.compile(
    r"(?P<header>goroutine \d+ \[[^][\n]*\]:) +(?=\S+\()"
    r"|(?<! ) +(?P<place>[^\s()]+\.(?:go|s|c):\d+(?: \+0x[0-9a-f]+)?"
    r"(?: fp=\S+ sp=\S+(?: pc=\S+)?)?)(?: +|$)"
    r"|(?<! ) +(?P<signal>\[signal )"
)
_FLATTENED = re.compile(r"goroutine \d+ \[[^][\n]*\]: +\S+\(")
_OFFSET = re.compile(r" \+0x[0-9a-f]")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": "", "a": "", "v": ""}
_QUOTED = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)("|\\?$)')
_FIELD = re.compile(
    r'(?<![\w.-])"?([\w.-]++)"?=(?:"([^"\\]*+(?:\\.[^"\\]*+)*+)"|([^\s"]+))'
)
_INTERESTING = re.compile(r"goroutine \d+ |\.(?:go|s):\d+|DATA RACE")
_CRASH_FIELDS = ("panic", "panicValue", "recover", "recovered", "r", "cause")
_FIELDS = (*_CRASH_FIELDS, "err", "error", "msg", "message")
_LEAST = 2
"""So many lines of a stack must come out of one."""


def unescape(text: str) -> str:
    """Undo one layer of escapes: of C, Go and JSON, rsyslog, a URL or TeamCity."""
    if "\\" in text:
        return _BACKSLASH.sub(_char, text)
    if "#012" in text:
        return _OCTAL.sub(lambda found: chr(int(found[1], 8)), text)
    if "%0A" in text:
        return _PERCENT.sub(lambda found: chr(int(found[1], 16)), text)
    return _BAR.sub(_bar, text.replace("↵", "\n"))


def unflatten(line: str) -> str:
    """Break a line in which blanks took the place of line ends.

    `goroutine 1 [running]: main.main() /a.go:7 +0x1d` -> three lines.
    """
    return _FLAT.sub(_broken, line)


def _broken(found: re.Match[str]) -> str:
    if found["place"]:
        return f"\n\t{found['place']}\n"
    return f"{found['header']}\n" if found["header"] else f"\n{found['signal']}"


def _bar(found: re.Match[str]) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    return _BAR_LETTERS.get(found[2], found[2])


def _char(found: re.Match[str]) -> str:
    if found["c"]:
        return _LETTERS.get(found["c"], found["c"])
    if found["o"]:
        return chr(int(found["o"], 8))
    return chr(int(found["u"] or found["x"], 16))


def hint_from(fields: Callable[[str], object]) -> Hint | None:
    """Make a hint of the field that says most about a crash, looked up by name."""
    for name in _FIELDS:
        value = fields(name)
        if isinstance(value, str) and value:
            return Hint(whole_characters(value), name in _CRASH_FIELDS)
    return None


def take_escaped(document: Document) -> tuple[list[Document], Document]:
    """Take the escaped stacks out of a document; the rest is the second value."""
    text = document.text
    signs = any(char in text and sign in text for char, sign in _SIGNS)
    if not signs and not (" +0x" in text and _FLATTENED.search(text)):
        return [], document
    inner: list[Document] = []
    kept: list[int] = []
    for index, line in enumerate(document.lines):
        found = []
        if _worth(line):
            found = list(islice(_stacks(line, document.number(index)), _MOST))
        inner += found
        if not found:
            kept.append(index)
    return (inner, document.only(kept)) if inner else ([], document)


def _worth(line: str) -> bool:
    if not _INTERESTING.search(line):
        return False
    return bool(_ESCAPED.search(line)) or _flattened(line)


def _flattened(line: str) -> bool:
    """Tell whether a header, a call and an offset stand on one line."""
    header = _FLATTENED.search(line)
    return header is not None and _OFFSET.search(line, header.end()) is not None


def _stacks(line: str, number: int) -> Iterator[Document]:
    """Yield the stacks of one line: of its quoted values, else of the whole line."""
    hint = _hint(line)
    quoted = False
    for found in _QUOTED.finditer(line):
        text = _unfolded(found[1]) if _worth(found[1]) else None
        if text:
            quoted = True
            yield _document(text, number, hint, whole=found[2] == '"')
    if not quoted:
        text = _unfolded(line)
        if text:
            yield _document(text, number, hint, whole=False)


def _unfolded(text: str) -> str | None:
    """Unescape until lines appear; None where they are not those of a stack."""
    for _ in range(_TIMES):
        text = unescape(text)
        if "\n" in text:
            return text if _shows_stack(text) else None
        if not _ESCAPED.search(text):
            break
    text = unflatten(text)
    return text if _shows_stack(text) else None


def _shows_stack(text: str) -> bool:
    known = 0
    for line in text.split("\n"):
        body = line.strip()
        known += bool(shapes.HEADER.search(body) or shapes.place(body))
        if known >= _LEAST:
            return True
    return False


def _document(text: str, number: int, hint: Hint | None, *, whole: bool) -> Document:
    return clean(text).within(number, hint, whole=whole)


def _hint(line: str) -> Hint | None:
    fields = {
        f[1]: unescape(f[2]) if f[3] is None else f[3] for f in _FIELD.finditer(line)
    }
    fields = {name: value for name, value in fields.items() if "\n" not in value}
    hint = hint_from(fields.get)
    if hint:
        return hint
    opened = find_opener(line.partition("goroutine ")[0], near=True)
    if opened is None:
        return None
    message = opened.string[opened.end() :]
    text = re.split(r"\s\w+=|\\n|#012|%0A", message)[0].strip()
    return Hint(whole_characters(text), crash=True)
