"""What the tools answer: text for a model, and the same as values for its program."""

from typing import Final

from typing_extensions import TypedDict  # the SDK takes no other before Python 3.12

from triage.core.declared import Declared
from triage.core.masking import Found, mask, masked_result
from triage.core.model import Result

LONGEST: Final = 25_000
"""Characters of one answer: agents cut longer ones, and not where it makes sense."""
_ROOM: Final = 1_000
"""Characters kept for what is said beside the source."""


class MaskedSecret(TypedDict):
    """A secret that was taken out."""

    kind: str
    line: int


class SymbolPlace(TypedDict):
    """A declaration of the context: enough to ask for all of it."""

    kind: str
    name: str
    receiver: str | None
    file: str
    start_line: int
    end_line: int
    elided: bool


class PanicContext(TypedDict):
    """The context of a panic; its text stands in the answer's text."""

    repository: str
    commit: str | None
    kind: str | None
    message: str | None
    file: str
    line: int
    function: str
    fingerprint: str
    symbols: list[SymbolPlace]
    warnings: list[str]
    masked: list[MaskedSecret]
    truncated: bool


class DeclarationText(TypedDict):
    """One declaration, as written."""

    kind: str
    name: str
    receiver: str | None
    file: str
    start_line: int
    end_line: int
    text: str


class Declarations(TypedDict):
    """What was found under a name."""

    declarations: list[DeclarationText]
    masked: list[MaskedSecret]
    truncated: bool


def panic_context(result: Result) -> tuple[str, PanicContext]:
    """Write a context without secrets, cut where it is too long for an agent."""
    safe, found = masked_result(result)
    crash, panic = safe.crash, safe.panic
    values = PanicContext(
        repository=crash.repo,
        commit=crash.commit,
        kind=panic.kind,
        message=panic.message and panic.message[:_ROOM],
        file=crash.path,
        line=crash.line,
        function=crash.function,
        fingerprint=safe.fingerprint,
        symbols=[
            SymbolPlace(
                kind=one.kind,
                name=one.name,
                receiver=one.receiver,
                file=one.file,
                start_line=one.start_line,
                end_line=one.end_line,
                elided=one.elided,
            )
            for one in safe.symbols
        ],
        warnings=[warning[:_ROOM] for warning in safe.warnings[:20]],
        masked=_secrets(found),
        truncated=len(safe.context) > LONGEST - _ROOM,
    )
    return _cut(safe.context, LONGEST - _ROOM), values


def declarations(found: tuple[Declared, ...]) -> tuple[str, Declarations]:
    """Write declarations without secrets, as many as there is room for."""
    shown, secrets, left, cut = (
        list[DeclarationText](),
        list[Found](),
        LONGEST // 2,
        False,
    )
    for one in found:
        masked = mask(one.text, source=True)
        if left <= 0:
            cut = True
            break
        text = _cut(masked.text, left)
        cut = cut or text != masked.text
        left -= len(text)
        secrets += masked.found
        shown.append(
            DeclarationText(
                kind=one.kind,
                name=one.name,
                receiver=one.receiver,
                file=one.file,
                start_line=one.start_line,
                end_line=one.end_line,
                text=text,
            )
        )
    values = Declarations(
        declarations=shown, masked=_secrets(tuple(secrets)), truncated=cut
    )
    return "\n\n".join(map(_block, shown)), values


def _block(one: DeclarationText) -> str:
    return f"// File: {one['file']} (lines {one['start_line']}-{one['end_line']})\n{one['text']}"


def _secrets(found: tuple[Found, ...]) -> list[MaskedSecret]:
    return [MaskedSecret(kind=one.kind, line=one.line) for one in found]


def _cut(text: str, longest: int) -> str:
    """Cut at the end of a line, and say so."""
    if len(text) <= longest:
        return text
    head = text[:longest].rpartition("\n")[0]
    return f"{head}\n// ... cut here: ask with a smaller max_tokens, or for one declaration"
