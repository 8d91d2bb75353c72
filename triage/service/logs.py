"""`POST /v1/logs`: OTLP/HTTP logs. What carries a crash is on disk before the answer.

https://opentelemetry.io/docs/specs/otlp/#otlphttp
"""

import asyncio
from typing import Final

import msgspec
from aiohttp import web

from triage.core.events import Reading, read, receive
from triage.errors import BadInput, NoPanic
from triage.service.hooks import arrival
from triage.service.keys import BODIES, HOSTS, INBOX, LIMITS, PROJECTS, WORKERS

JSON: Final = "application/json"
PROTOBUF: Final = "application/x-protobuf"


class PartialSuccess(msgspec.Struct, rename="camel", omit_defaults=True):
    """What of the batch could not be used."""

    rejected_log_records: str | None = None
    """A number, as a string."""
    error_message: str | None = None


class Taken(msgspec.Struct, rename="camel"):
    """OTLP's ExportLogsServiceResponse."""

    partial_success: PartialSuccess


async def take(request: web.Request) -> web.Response:
    """Take a batch of log records."""
    app = request.app
    headers = {name.lower(): value for name, value in request.headers.items()}
    head = receive("logs", headers, ())
    if head.content_type not in {JSON, PROTOBUF}:
        raise BadInput(f"logs come as {JSON} or {PROTOBUF}")
    async with app[BODIES].read(request, app[LIMITS].hook_body) as body:
        text = await body.expanded()
        try:
            reading = await asyncio.to_thread(
                read, head, text, app[PROJECTS], app[HOSTS]
            )
        except NoPanic:
            reading = Reading(())
        if reading.reports:
            await app[INBOX].receive([await arrival(head, text)])
            app[WORKERS].wake()
    return _answer(head.content_type, reading)


def _answer(media: str, reading: Reading) -> web.Response:
    """Write the answer in the request's own encoding."""
    rejected, reason = reading.rejected, reading.ignored
    if media == JSON:
        said = PartialSuccess(str(rejected), reason) if rejected else PartialSuccess()
        return web.Response(body=msgspec.json.encode(Taken(said)), content_type=JSON)
    # Heavy, and few senders speak it.
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (  # noqa: PLC0415
        ExportLogsServiceResponse,
    )

    message = ExportLogsServiceResponse()
    if rejected:
        message.partial_success.rejected_log_records = rejected
        message.partial_success.error_message = reason or ""
    return web.Response(body=message.SerializeToString(), content_type=PROTOBUF)
