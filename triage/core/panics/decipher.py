"""From a text as people send it to the crashes that it holds."""

from triage.core.model import Report
from triage.core.panics.crash import Found
from triage.core.panics.details import Said
from triage.core.panics.document import Document
from triage.core.panics.dumps import read_dumps
from triage.core.panics.gin import read_gin
from triage.core.panics.heads import read_heads
from triage.core.panics.merge import merge
from triage.core.panics.race import read_races
from triage.core.panics.stacks import read_loose_stacks
from triage.core.panics.unwrap import unwrap


def decipher(text: bytes | str) -> Report:
    """Find every crash in *text*; bytes are read as UTF-8. Never raises."""
    unwrapped = unwrap(text)
    found = unwrapped.found
    for document in unwrapped.documents:
        found += _read(document)
    merged = merge(found)
    said = Said.from_text(unwrapped.text) if merged else None
    crashes = [said.add_to(panic) for panic in merged] if said else []
    problems = [problem for panic in crashes for problem in panic.problems]
    for document in unwrapped.documents:
        problems += document.problems
    return Report(tuple(crashes), tuple(sorted(problems, key=lambda p: p.line)))


def _read(document: Document) -> list[Found]:
    """Run every grammar; each takes the lines that it has read from those after it."""
    found = read_races(document)
    found += read_dumps(document)
    found += read_gin(document)
    found += read_loose_stacks(document)
    found += read_heads(document)
    return found
