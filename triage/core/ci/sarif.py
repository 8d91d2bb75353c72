"""What was found, as SARIF 2.1.0, within what GitHub's code scanning takes.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html; GitHub's limits:
https://docs.github.com/code-security/code-scanning/troubleshooting-sarif-uploads
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from urllib.parse import quote

import orjson

from triage.core.ci.model import Finding
from triage.core.model import ShownFrame, Symbol
from triage.core.panics import KINDS
from triage.core.render import markdown
from triage.core.visible import printable

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_MOST_RESULTS: Final = 5_000
_MOST_FRAMES: Final = 1_000
"""Locations of one flow that GitHub keeps."""
_MOST_RELATED: Final = 99
"""Of the 100 locations of one result that GitHub keeps, less the crash's own."""
_LONGEST: Final = 20_000
"""Characters of one message: the file may not be over 10 MB packed."""
_ROOT: Final = "SRCROOT"
_TOOL: Final = "Triage"

Object = dict[str, Any]


def sarif(findings: Sequence[Finding], *, version: str) -> bytes:
    """Write the file; *findings* come with the most valuable first.

    A crash that lies nowhere in the repository is told by the run's notifications: an
    alert has to have a place.
    """
    own = [one for one in findings if one.place and one.place.own][:_MOST_RESULTS]
    lost = [one for one in findings if not (one.place and one.place.own)]
    kinds = sorted({finding.kind for finding in own})
    run = {
        "tool": {
            "driver": {
                "name": _TOOL,
                "version": version,
                "semanticVersion": version,
                "rules": [_rule(kind) for kind in kinds],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": _text("The repository.")}},
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [_notification(one) for one in lost],
            }
        ],
        "results": [_result(one, kinds.index(one.kind)) for one in own],
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return orjson.dumps(
        document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    )


def _rule(kind: str) -> Object:
    told = KINDS.get(kind, kind)
    return {
        "id": kind,
        "name": "".join(word.capitalize() for word in kind.split("-")),
        "shortDescription": _text(f"Go crash: {told}"),
        "fullDescription": _text(f"A Go program crashed: {told}."),
        "help": _text("Triage shows the source that bears on the crash."),
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["go", "crash"], "precision": "very-high"},
    }


def _result(finding: Finding, rule: int) -> Object:
    place, found = finding.place, finding.result
    path, line = (place.path, place.line) if place else ("", 1)
    told: Object = {
        "ruleId": finding.kind,
        "ruleIndex": rule,
        "level": "error",
        "message": _message(finding),
        "locations": [_location(path, line, line)],
        "occurrenceCount": finding.count,
    }
    if found is not None:
        told["partialFingerprints"] = {"triageFingerprint/v1": found.fingerprint}
        told["relatedLocations"] = _related(found.symbols)
        frames = [frame for frame in found.panic.frames if frame.line][:_MOST_FRAMES]
        if frames:
            told["codeFlows"] = [_flow(frames)]
            told["stacks"] = [{"frames": [_frame(frame) for frame in frames]}]
    return told


def _message(finding: Finding) -> Object:
    said = f"{finding.title}: {finding.headline}"
    if finding.result is None:
        return _text(printable(said))
    shown = markdown(finding.result)
    return {**_text(printable(said)), "markdown": shown[:_LONGEST]}


def _related(symbols: Iterable[Symbol]) -> list[Object]:
    """Tell of each declaration but the crash's own where it is and why it is shown."""
    others = [symbol for symbol in symbols if symbol.section != "crash"]
    return [
        {
            "id": number,
            **_location(symbol.file, symbol.start_line, symbol.end_line),
            "message": _text(printable(f"{symbol.name}: {symbol.reason}")),
        }
        for number, symbol in enumerate(others[:_MOST_RELATED])
    ]


def _flow(frames: Sequence[ShownFrame]) -> Object:
    """Write the stack as the way that led to the crash: the outermost call first."""
    steps = [
        {"location": _called(frame), "executionOrder": number}
        for number, frame in enumerate(reversed(frames), 1)
    ]
    return {"threadFlows": [{"locations": steps}]}


def _called(frame: ShownFrame) -> Object:
    return {**_frame_location(frame), "message": _text(printable(frame.function))}


def _frame(frame: ShownFrame) -> Object:
    name = printable(frame.function)
    location = {
        **_frame_location(frame),
        "logicalLocations": [{"fullyQualifiedName": name, "kind": "function"}],
    }
    return {"location": location}


def _frame_location(frame: ShownFrame) -> Object:
    """Place a frame; what is not the repository's keeps its printed path."""
    line = frame.line or 1
    if frame.path is not None:
        return _location(frame.path, line, line)
    artifact = {"uri": _uri(frame.file or "unknown")}
    return _physical(artifact, line, line)


def _location(path: str, first: int, last: int) -> Object:
    return _physical({"uri": _uri(path), "uriBaseId": _ROOT}, first, last)


def _physical(artifact: Object, first: int, last: int) -> Object:
    region = {"startLine": max(first, 1), "endLine": max(last, first, 1)}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _uri(path: str) -> str:
    """Write a path as a reference; a colon in its first part would be a scheme."""
    absolute = path.replace("\\", "/").startswith("/")
    told = quote(printable(path.replace("\\", "/")), safe="/")
    return f"file://{told}" if absolute else told


def _notification(finding: Finding) -> Object:
    why = f"; no context: {finding.failure.message}" if finding.failure else ""
    said = printable(f"{finding.title}: {finding.headline}{why}")
    return {"level": "error", "message": _text(said)}


def _text(text: str) -> Object:
    return {"text": text[:_LONGEST]}
