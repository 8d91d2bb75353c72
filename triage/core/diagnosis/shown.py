"""A diagnosis as people and programs read it."""

from dataclasses import dataclass

import msgspec
import orjson

from triage.core.diagnosis.answer import Diagnosis
from triage.core.masking import Found
from triage.core.model import Result
from triage.core.visible import escaped


@dataclass(frozen=True, slots=True)
class Checked:
    """Whether the proposed change can be made; None: there is none, or it was not tried."""

    applies: bool | None = None
    parses: bool | None = None
    problem: str = ""
    """Why not."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What the question cost, in tokens as the provider counts them."""

    model: str
    input: int
    output: int
    cached: int = 0
    """Of the input, what the provider knew again."""


def shown_text(
    told: Diagnosis, checked: Checked, spent: Spent, masked: tuple[Found, ...]
) -> str:
    """Write it for a terminal: what a model says holds nothing that one obeys."""
    place = (
        f"{told.where.file}:{told.where.line}" if told.where.line else told.where.file
    )
    parts = [
        f"Cause: {told.cause}",
        f"Where: {place}",
        f"How sure: {told.confidence:.0%}",
    ]
    if told.symbols:
        parts.append(f"Went by: {', '.join(told.symbols)}")
    if told.diff.strip():
        parts += [f"Proposed change ({_verdict(checked)}):", "", told.diff.rstrip("\n")]
    else:
        parts.append("Proposed change: none")
    if masked:
        parts.append(f"Masked before it was sent: {_kinds(masked)}")
    parts.append(
        f"Spent: {spent.input:,} tokens in ({spent.cached:,} cached),"
        f" {spent.output:,} out, {spent.model}"
    )
    return escaped("\n".join(parts) + "\n", lines=True)


def shown_json(
    result: Result,
    told: Diagnosis,
    checked: Checked,
    spent: Spent,
    masked: tuple[Found, ...],
) -> bytes:
    """Write it for programs: `{"schema", "diagnosis", "checked", "spent", ...}`."""
    return orjson.dumps(
        {
            "schema": "triage.diagnosis/1",
            "diagnosis": msgspec.to_builtins(told),
            "checked": checked,
            "spent": spent,
            "masked": masked,
            "fingerprint": result.fingerprint,
            "crash": result.crash,
        },
        option=orjson.OPT_APPEND_NEWLINE,
    )


def _verdict(checked: Checked) -> str:
    if checked.applies is None:
        return f"not checked: {checked.problem}" if checked.problem else "not checked"
    if not checked.applies:
        return f"FAILS to apply: {checked.problem}"
    if checked.parses is False:
        return f"applies, but FAILS to parse: {checked.problem}"
    return "applies and parses"


def _kinds(masked: tuple[Found, ...]) -> str:
    return ", ".join(sorted({one.kind for one in masked}))
