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
        telemetry=told and Telemetry(**{**told, "tags": tuple(told["tags"])}),
        fetch=fetch and Fetch(**fetch),
        observed_at=parts["observed_at"],
    )
