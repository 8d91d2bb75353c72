"""Crashes as the inbox keeps them: MessagePack, which takes text and bytes as they are."""

from typing import Any

import msgspec

from triage.core.events import Fetch, Report
from triage.core.model import Telemetry


def pack(report: Report) -> bytes:
    """Write a crash down."""
    return msgspec.msgpack.encode(report)


def unpack(data: bytes) -> Report:
    """Read what `pack` has written."""
    # Untyped: msgspec reads no field that may be text or bytes.
    parts: dict[str, Any] = msgspec.msgpack.decode(data)
    told, fetch = parts["telemetry"], parts["fetch"]
    return Report(
        telemetry=told and Telemetry(**_with_tuples(told)),
        fetch=fetch and Fetch(**_with_tuples(fetch)),
        observed_at=parts["observed_at"],
    )


def _with_tuples(parts: dict[str, Any]) -> dict[str, Any]:
    """Make the lists tuples again."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in parts.items()}
