"""Mask an answer: every text of it, in the same way."""

from dataclasses import replace

from triage.core.masking.mask import Found, mask
from triage.core.model import Change, Result, ShownPanic, Symbol


def masked_result(result: Result) -> tuple[Result, tuple[Found, ...]]:
    """Return *result* without secrets, and those that stood in its context.

    Names, places and reasons stay as they are; the lines are counted in the context.
    """
    context = result.context
    symbols = tuple(map(_symbol, result.symbols))
    for before, after in zip(result.symbols, symbols, strict=True):
        if before.text != after.text:
            context = context.replace(before.text, after.text)
    panic = _panic(result.panic)
    if result.panic.message and panic.message != result.panic.message:
        first = result.panic.message.split("\n", 1)[0]
        context = context.replace(first, mask(first).text)
    plain = mask(context, source=True)
    masked = replace(
        result,
        panic=panic,
        crash=replace(
            result.crash,
            expressions=tuple(
                mask(one, source=True).text for one in result.crash.expressions
            ),
        ),
        symbols=symbols,
        context=plain.text,
        warnings=tuple(mask(warning).text for warning in result.warnings),
        history=tuple(map(_change, result.history)),
    )
    return masked, _found(result.context, plain.text)


def _symbol(symbol: Symbol) -> Symbol:
    return replace(symbol, text=mask(symbol.text, source=True).text)


def _panic(panic: ShownPanic) -> ShownPanic:
    message = panic.message and mask(panic.message).text
    return replace(panic, message=message)


def _change(change: Change) -> Change:
    return replace(change, subject=mask(change.subject).text)


def _found(before: str, after: str) -> tuple[Found, ...]:
    """Tell what was masked, by the marks that stand where nothing stood before."""
    lines = zip(before.split("\n"), after.split("\n"), strict=True)
    return tuple(
        Found(kind, number)
        for number, (old, new) in enumerate(lines, 1)
        if old != new
        for kind in _marks(new)
    )


def _marks(line: str) -> list[str]:
    return [part.partition("]")[0] for part in line.split("[masked: ")[1:]]
