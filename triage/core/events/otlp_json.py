"""OTLP's JSON encoding: lowerCamelCase names, 64-bit numbers as strings.

https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from triage.core.events.loose import decode, seconds
from triage.core.events.otlp_values import Record, Stream

_NANO = 10**9
_WHOLE = re.compile(r"[0-9]{1,20}")


class _Value(msgspec.Struct, rename="camel", omit_defaults=True):
    string_value: str | None = None
    bool_value: bool | None = None
    int_value: int | str | None = None
    double_value: float | str | None = None
    array_value: "_Values | None" = None
    kvlist_value: "_Attributes | None" = None
    bytes_value: str | None = None


class _Values(msgspec.Struct):
    values: list[_Value] | None = None


class _Attribute(msgspec.Struct):
    key: str = ""
    value: _Value | None = None


class _Attributes(msgspec.Struct):
    values: list[_Attribute] | None = None


class _Record(msgspec.Struct, rename="camel"):
    time_unix_nano: int | str | None = None
    observed_time_unix_nano: int | str | None = None
    severity_number: int | str | None = None
    body: _Value | None = None
    attributes: list[_Attribute] | None = None


class _Source(msgspec.Struct):
    attributes: list[_Attribute] | None = None


class _Scope(msgspec.Struct, rename="camel"):
    scope: _Source | None = None
    log_records: list[_Record] | None = None


class _Resource(msgspec.Struct, rename="camel"):
    resource: _Source | None = None
    scope_logs: list[_Scope] | None = None


class _Request(msgspec.Struct, rename="camel"):
    resource_logs: list[_Resource] | None = None


def read(body: bytes) -> Iterator[Stream]:
    """Read an export request; raises `BadInput` for what is none."""
    request = decode(body, _Request)
    for resource in request.resource_logs or ():
        shared = _read(resource.resource.attributes if resource.resource else None)
        for scope in resource.scope_logs or ():
            own = _read(scope.scope.attributes if scope.scope else None)
            records = tuple(map(_record, scope.log_records or ()))
            yield Stream({**shared, **own}, records)


def _record(record: _Record) -> Record:
    moment = _whole(record.time_unix_nano) or _whole(record.observed_time_unix_nano)
    return Record(
        _read(record.attributes),
        _text(record.body),
        _whole(record.severity_number),
        seconds(moment / _NANO),
    )


def _whole(value: int | str | None) -> int:
    """Read a whole number that may be a string; 0 for what is none."""
    if isinstance(value, str):
        return int(value) if _WHOLE.fullmatch(value) else 0
    return value if value is not None and 0 <= value < 1 << 64 else 0


def _read(attributes: Sequence[_Attribute] | None) -> dict[str, str]:
    return {part.key: _text(part.value) for part in attributes or ()}


def _text(value: _Value | None) -> str:
    if value is None:
        return ""
    if value.string_value is not None:
        return value.string_value
    plain = _plain(value)
    return "" if plain is None else msgspec.json.encode(plain).decode()


def _plain(value: _Value | None) -> object:
    """Return a value as JSON has it by itself."""
    if value is None:
        return None
    if value.array_value is not None:
        return [_plain(part) for part in value.array_value.values or ()]
    if value.kvlist_value is not None:
        parts = value.kvlist_value.values or ()
        return {part.key: _plain(part.value) for part in parts}
    if value.int_value is not None:
        return _whole(value.int_value)
    simple = (value.string_value, value.bool_value, value.double_value)
    return next((part for part in simple if part is not None), None)
