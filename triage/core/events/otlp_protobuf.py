"""OTLP's protobuf encoding, by OpenTelemetry's own definitions.

https://github.com/open-telemetry/opentelemetry-proto
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from triage.core.events.loose import seconds
from triage.core.events.otlp_values import Record, Stream
from triage.errors import BadInput

if TYPE_CHECKING:
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

_NANO = 10**9


def read(body: bytes) -> Iterator[Stream]:
    """Read an export request; raises `BadInput` for what is none."""
    # Heavy, and few senders speak it.
    from google.protobuf.message import DecodeError  # noqa: PLC0415
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (  # noqa: PLC0415
        ExportLogsServiceRequest,
    )

    try:
        request = ExportLogsServiceRequest.FromString(body)
    except DecodeError as error:
        raise BadInput("the body is no ExportLogsServiceRequest") from error
    for resource in request.resource_logs:
        shared = _read(resource.resource.attributes)
        for scope in resource.scope_logs:
            own = _read(scope.scope.attributes)
            yield Stream({**shared, **own}, tuple(map(_record, scope.log_records)))


def _record(record: "LogRecord") -> Record:
    moment = record.time_unix_nano or record.observed_time_unix_nano
    return Record(
        _read(record.attributes),
        _text(record.body),
        record.severity_number,
        seconds(moment / _NANO),
    )


def _read(attributes: "Iterable[KeyValue]") -> dict[str, str]:
    return {part.key: _text(part.value) for part in attributes}


def _text(value: "AnyValue") -> str:
    if value.HasField("string_value"):
        return value.string_value
    plain = _plain(value)
    return "" if plain is None else msgspec.json.encode(plain).decode()


def _plain(value: "AnyValue") -> object:
    """Return a value as JSON has it; bytes are not read."""
    match value.WhichOneof("value"):
        case "array_value":
            return [_plain(part) for part in value.array_value.values]
        case "kvlist_value":
            return {part.key: _plain(part.value) for part in value.kvlist_value.values}
        case None | "bytes_value":
            return None
        case name:
            return getattr(value, name)
