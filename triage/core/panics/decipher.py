"""From a text as people send it to the crashes that it holds."""

from triage.core.model import Report
from triage.core.panics.clean import clean
from triage.core.panics.dumps import read_dumps, to_panic
from triage.core.panics.race import read_races


def decipher(text: bytes | str) -> Report:
    """Find every crash in *text*; bytes are read as UTF-8. Never raises."""
    document = clean(text)
    found = read_races(document)
    found += [to_panic(document, dump) for dump in read_dumps(document)]
    return Report(tuple(sorted(found, key=lambda panic: panic.lines)))
