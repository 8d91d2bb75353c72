"""From a text as people send it to the crashes that it holds."""

from dataclasses import replace

from triage.core.model import Panic, Report
from triage.core.panics.crash import Found
from triage.core.panics.details import Said
from triage.core.panics.document import Document
from triage.core.panics.dumps import read_dumps
from triage.core.panics.gin import read_gin
from triage.core.panics.heads import read_heads
from triage.core.panics.merge import merge
from triage.core.panics.origin import overlaid
from triage.core.panics.race import read_races
from triage.core.panics.stacks import read_loose_stacks
from triage.core.panics.unwrap import unwrap
from triage.core.panics.witness import silence


def decipher(text: bytes | str) -> Report:
    """Find every crash in *text*; bytes are read as UTF-8. Never raises."""
    unwrapped = unwrap(text)
    found = unwrapped.found
    for document in unwrapped.documents:
        found += _read(document)
    merged = merge(found)
    said = Said.from_text(unwrapped.text) if merged else None
    crashes = [_judged(said.add_to(panic)) for panic in merged] if said else []
    problems = [problem for panic in crashes for problem in panic.problems]
    for document in unwrapped.documents:
        problems += document.problems
    return Report(tuple(crashes), tuple(sorted(problems, key=lambda p: p.line)))


def _judged(panic: Panic) -> Panic:
    """Note what is odd about a crash as a whole."""
    odd = [problem for problem in (silence(panic), overlaid(panic)) if problem]
    return replace(panic, problems=(*panic.problems, *odd)) if odd else panic


def _read(document: Document) -> list[Found]:
    """Run every grammar; each takes the lines that it has read from those after it."""
    found = read_races(document)
    found += read_dumps(document)
    found += read_gin(document)
    found += read_loose_stacks(document)
    found += read_heads(document)
    return found
