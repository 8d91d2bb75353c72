"""What a grammar has read, made into a crash."""

from collections.abc import Sequence
from dataclasses import dataclass

from triage.core.model import Frame, Goroutine, Panic, Problem
from triage.core.panics import kinds
from triage.core.panics.document import Document
from triage.core.panics.head import Head


@dataclass(slots=True)
class Found:
    """A crash, and what only its neighbours in the text want to know of it."""

    panic: Panic
    opener: str = ""
    """How its head began; empty where nothing stood above the stack."""
    recovered: bool = False
    """Its head says that the panic had been recovered and was raised again."""


def make(
    document: Document,
    goroutines: Sequence[Goroutine],
    *,
    head: Head | None,
    span: tuple[int, int],
    form: str = "runtime",
    count: int = 0,
    problems: Sequence[Problem] = (),
) -> Found:
    """Make a crash; the first of *goroutines* is the one that crashed.

    *span* is its first and last line in the document, *count* how many goroutines
    the dump shows.
    """
    if head:
        for line in range(head.first, head.last + 1):
            document.taken[line] = 1
    crashed = goroutines[0] if goroutines else None
    message = head.message if head else document.hint.message if document.hint else ""
    panic = Panic(
        kind=_kind(document, head, crashed, form),
        message=message,
        crashed=crashed,
        goroutines=count,
        lines=(document.number(span[0]), document.number(span[1])),
        others=tuple(goroutines[1:]),
        signal=head.signal if head else None,
        address=head.address if head else None,
        earlier=head.earlier if head else (),
        problems=tuple(problems),
        form=form,
    )
    return Found(panic, head.opener if head else "", head.recovered if head else False)


def _kind(
    document: Document, head: Head | None, crashed: Goroutine | None, form: str
) -> str:
    frames = crashed.frames if crashed else ()
    if head and head.opener == "klog":
        return "klog-fatal"
    if head and head.opener in {"fatal", "signal"}:
        return kinds.fatal_kind(head.message, frames=frames, cgo=head.cgo)
    if head and head.opener not in {"", "logged"}:
        return kinds.panic_kind(head.message)
    hint = document.hint
    if hint:
        kind = kinds.panic_kind(hint.message)
        if hint.crash or kind != "custom-panic":
            return kind
    return _unnamed(head, crashed, form, frames)


def _unnamed(
    head: Head | None, crashed: Goroutine | None, form: str, frames: tuple[Frame, ...]
) -> str:
    """Name a kind where no words say it."""
    kind = kinds.frames_kind(frames)
    if kind:
        return kind
    if form == "errors":
        return "logged-error"
    if head and head.signal:
        return kinds.fatal_kind("unexpected signal", frames=frames, cgo=head.cgo)
    if crashed and crashed.elided and kinds.recursive(frames):
        return "stack-overflow"
    return kinds.dump_kind(crashed.state if crashed else "")
