"""Crashes as the inbox keeps them."""

from typing import Any

import msgspec

from triage.core.events import Fetch, Report
from triage.core.model import Telemetry
from triage.core.packing import made


def pack(report: Report) -> bytes:
    """Write a crash down."""
    return msgspec.msgpack.encode(report)


def unpack(data: bytes) -> Report:
    """Read what `pack` has written."""
    parts: dict[str, Any] = msgspec.msgpack.decode(data)
    return Report(
        telemetry=made(Telemetry, parts["telemetry"]),
        fetch=made(Fetch, parts["fetch"]),
        observed_at=parts["observed_at"],
    )
