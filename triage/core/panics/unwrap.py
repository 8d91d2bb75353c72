"""A text taken out of everything that was put around it on its way."""

from dataclasses import dataclass, field

from triage.core.panics.clean import clean
from triage.core.panics.crash import Found
from triage.core.panics.document import Document
from triage.core.panics.escapes import take_escaped
from triage.core.panics.records import unpack

_DEEP = 5
"""Records may lie in records so many times."""


@dataclass(slots=True)
class Unwrapped:
    """The documents that a text holds, and crashes that stood ready-made in records."""

    text: str
    """The whole, cleaned."""
    documents: list[Document] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)


def unwrap(text: bytes | str) -> Unwrapped:
    """Take every document out of *text*."""
    document = clean(text)
    unwrapped = Unwrapped(document.text)
    _open(document, unwrapped, 0)
    return unwrapped


def _open(document: Document, unwrapped: Unwrapped, depth: int) -> None:
    if depth == _DEEP:
        unwrapped.documents.append(document)
        return
    unpacked = unpack(document)
    unwrapped.found += unpacked.found
    escaped, rest = take_escaped(unpacked.rest)
    unwrapped.documents.append(rest)
    for inner in unpacked.inner + escaped:
        _open(inner, unwrapped, depth + 1)
