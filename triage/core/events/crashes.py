"""Texts with several crashes, cut into one report a crash."""

from collections.abc import Sequence
from dataclasses import replace

from triage.core.events.values import Report
from triage.core.model import Panic, Telemetry
from triage.core.panics import decipher
from triage.core.places import explainable
from triage.errors import NoPanic


def reports(told: Telemetry, text: str | bytes) -> tuple[Report, ...]:
    """Make one report a crash; a text with one is handed on whole."""
    found = explainable(decipher(text).crashes)
    if not found:
        raise NoPanic("the text holds no Go panic with a stack; send the whole output")
    if len(found) == 1:
        return (Report(replace(told, trace=text)),)
    lines = text.splitlines(keepends=True)
    cut = [_between(lines, panic) for panic in found]
    if not all(explainable(decipher(part).crashes) for part in cut):
        return (Report(replace(told, trace=text)),)
    return tuple(Report(replace(told, trace=part)) for part in dict.fromkeys(cut))


def _between(lines: Sequence[str] | Sequence[bytes], panic: Panic) -> bytes:
    """Cut out the lines of one crash."""
    first, last = panic.lines
    chosen = lines[first - 1 : last]
    return b"".join(
        line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
        for line in chosen
    )
