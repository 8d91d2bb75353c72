"""What single lines of Go's own reports look like.

Each pattern is anchored and free of nested repetition, so that a line costs time in
proportion to its length. Lines are given without their prefix and indentation: mail,
journald and web forms lose tabs, so no shape leans on them.
"""

import re

from triage.core.model import Frame

NUMBER = r"[0-9]{1,19}(?![0-9])"
"""So many digits fit into 64 bits, and Go prints no number with more."""
_MOST = {10: 19, 16: 16}
"""By the base, so many digits fit into 64 bits."""

HEADER = re.compile(
    rf"goroutine (?P<id>{NUMBER})(?: gp=[0-9a-fx]+ m=\w+(?: mp=[0-9a-fx]+)?)?"
    r" \[(?P<state>[^][\n]*)\](?: \{[^\n]{0,999}\})?:"
)
"""`goroutine 7 gp=0xc0 m=nil [chan receive, 5 minutes] {job: a}:`, see
https://github.com/golang/go/blob/master/src/runtime/traceback.go (goroutineheader)."""

RUNTIME_STACK = re.compile(r"runtime stack:[ \t]*$", re.MULTILINE)

ACCESS = re.compile(
    r"(?P<previous>Previous )?(?:[Aa]tomic )?(?:[Rr]ead|[Ww]rite)(?: at 0x[0-9a-f]+)?"
    rf" by (?:goroutine (?P<id>{NUMBER})|main goroutine)[^:\n]{{0,99}}:"
)
"""A section of a race report: `Previous write at 0x00c0 by goroutine 9:`."""
BORN = re.compile(rf"Goroutine (?P<id>{NUMBER}) \((?P<state>\w+)\) created at:")
_RACE_EDGE = re.compile(r"={18}|WARNING: DATA RACE")

_CALL = re.compile(r"(?P<function>[^\s(].*)\((?P<arguments>[^()]*)\)$")
_NAME = re.compile(r"(?:[^\s(){]++|\(\*?[^\s()]++\)|\{[^{}]*+\}| (?=\{))++$")
_WORDS = re.compile(r"[\w\s,.{}?…]*$")
_BARE = re.compile(r"[\w./*()\[\]{},%~·@$-]+$")
_FILE = re.compile(
    r"(?P<file>(?:[A-Za-z]:(?=[/\\]))?[^\s:\"'`](?:[^:\"`\n]*[^\s:\"'`])?)"
    r":(?P<line>[0-9]{1,7})(?P<offset>\s*\+0x[0-9a-f]+)?(?:\s+(?:fp|sp|pc)=0x.*)?(?:[\"'`,;|)]{0,4}|\s+\.\.\.|\s+\+)$"
)
_SOURCE = re.compile(r"\.[A-Za-z]{1,4}$|>$|^\?\?$")
_CREATED = re.compile(r"created by (?P<function>\S.*?)(?: in goroutine (?P<id>\d+))?$")
ELIDED = re.compile(r"\.\.\.(?:additional|\d+) frames elided\.\.\.$")
ORIGIN = re.compile(r"\[originating from goroutine \d+\]:$")


def call(line: str) -> tuple[str, str] | None:
    """Split `main.(*T).F(0x1, {0x2, ...})` into name and arguments."""
    if not line.endswith(")"):
        return None
    found = _CALL.match(line)
    if found is None or not _WORDS.match(found["arguments"]):
        return None
    return (found["function"], found["arguments"]) if _NAME.match(found[1]) else None


def number(digits: str, base: int = 10) -> int | None:
    """Return the number that *digits* write; None where 64 bits may not hold it.

    Every number of a crash that comes out of text is made here.
    """
    return int(digits, base) if len(digits) <= _MOST[base] else None


def bare(line: str) -> bool:
    """Tell whether *line* can be a function's name without arguments (gccgo)."""
    return bool(_BARE.match(line)) and not line.isdigit()


def place(line: str) -> tuple[str, int, bool] | None:
    """Split `/src/a.go:12 +0x1d` into file, line and whether an offset follows."""
    found = _FILE.match(line)
    if found is None:
        return None
    offset, at = found["offset"] is not None, number(found["line"])
    if at is None or not (offset or _SOURCE.search(found["file"])):
        return None
    return found["file"], at, offset


def created(line: str) -> str | None:
    """Return the function of `created by main.F in goroutine 7`."""
    found = _CREATED.match(line)
    return found["function"] if found else None


def state_and_wait(printed: str) -> tuple[str, str | None]:
    """Take the waiting time out of a header's brackets: `select, 5 minutes`."""
    if "," not in printed:
        return printed, None
    parts = printed.split(", ")
    waits = [part for part in parts if part.endswith(" minutes")]
    rest = ", ".join(part for part in parts if not part.endswith(" minutes"))
    return rest, waits[0] if waits else None


def frame(function: str, at: tuple[str, int, bool], arguments: str | None) -> Frame:
    """Make a frame of a function line and the file line below it."""
    return Frame(function, at[0], at[1], arguments)


def mentions(line: str) -> bool:
    """Tell whether what begins a goroutine or a section stands anywhere in *line*."""
    return bool(HEADER.search(line) or ACCESS.search(line) or BORN.search(line))


def begins(line: str) -> bool:
    """Tell whether *line* begins a goroutine, a section or a report of its own."""
    return bool(
        HEADER.match(line)
        or RUNTIME_STACK.match(line)
        or ACCESS.match(line)
        or BORN.match(line)
        or _RACE_EDGE.match(line)
    )
