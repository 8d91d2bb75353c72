"""What was found, as a text and as JSON."""

from collections.abc import Sequence
from typing import Final

import orjson

from triage.core.ci.model import Finding
from triage.core.visible import printable

SCHEMA: Final = "triage.ci/1"


def text(findings: Sequence[Finding]) -> str:
    """Write the contexts one below the other, each under what crashed."""
    return "".join(map(_block, findings))


def _block(finding: Finding) -> str:
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    head = printable(f"triage: {finding.title}: {finding.headline}{times}")
    if finding.result is not None:
        return f"{head}\n{finding.result.context}\n"
    if finding.failure is None:
        return f"{head}\n\n"
    return f"{head}\ntriage: no context: {printable(finding.failure.message)}\n\n"


def json(findings: Sequence[Finding]) -> bytes:
    """Write `{"schema", "crashes": [{"kind", "message", ..., "context"}]}`."""
    told = {"schema": SCHEMA, "crashes": [_object(finding) for finding in findings]}
    return orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE)


def _object(finding: Finding) -> dict[str, object]:
    place, result = finding.place, finding.result
    return {
        "kind": finding.kind,
        "message": finding.message,
        "package": finding.package or None,
        "test": finding.test or None,
        "count": finding.count,
        "path": place.path if place else None,
        "line": place.line if place else None,
        "function": place.function if place else None,
        "own": bool(place and place.own),
        "fingerprint": result.fingerprint if result else None,
        "error": finding.failure,
        "context": orjson.Fragment(result.to_json()) if result else None,
    }
