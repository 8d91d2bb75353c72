"""From a text as people send it to the crashes that it holds."""

from triage.core.model import Report
from triage.core.panics.document import Document
from triage.core.panics.dumps import read_dumps


def decipher(text: bytes | str) -> Report:
    """Find every crash in *text*; bytes are read as UTF-8. Never raises."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    document = Document(text.replace("\r\n", "\n"))
    return Report(tuple(read_dumps(document)))
