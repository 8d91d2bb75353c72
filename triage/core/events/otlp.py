"""OTLP log records that carry a crash.

https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-logs/
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson

from triage.core.events.crashes import reports
from triage.core.events.values import Head, Reading, Report
from triage.core.keys import is_full_id
from triage.core.model import Telemetry
from triage.core.panics import decipher
from triage.core.places import explainable
from triage.core.projects import Names, Project, find_project
from triage.core.remote import repository_name
from triage.errors import BadInput

PROTOBUF: Final = "application/x-protobuf"
_SIGNS: Final = re.compile(r"goroutine \d|panic|fatal error|\.go:\d")
"""What no text without one of is a crash."""
_UNKNOWN: Final = (
    "no repository: set vcs.repository.url.full, or match the service in triage.toml"
)
Attributes = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Record:
    """One log record; its attributes come before its resource's."""

    attributes: Attributes
    body: str
    nanoseconds: int

    def text(self, *names: str) -> str | None:
        """Return the first of the attributes that is a text."""
        for name in names:
            value = self.attributes.get(name)
            if isinstance(value, str) and value:
                return value
        return None


def read_logs(head: Head, body: bytes, projects: Sequence[Project]) -> Reading:
    """Find the records with a crash; those that name no code base are rejected."""
    records = _protobuf(body) if head.content_type == PROTOBUF else _json(body)
    found, rejected = list[Report](), 0
    for record in records:
        told = _crash(record)
        if told is None:
            continue
        placed = _placed(record, told, projects)
        if placed is None:
            rejected += 1
        else:
            found += _reports(placed, record.nanoseconds)
    return Reading(tuple(found), _UNKNOWN if rejected else None, rejected)


def _crash(record: _Record) -> Telemetry | None:
    """Read what a record tells of a crash, without where its code is kept."""
    for text in (record.text("exception.stacktrace", "code.stacktrace"), record.body):
        if text and _SIGNS.search(text) and explainable(decipher(text).crashes):
            return Telemetry("", trace=text)
    file = record.text("code.file.path", "code.filepath")
    line = _number(record.attributes, "code.line.number", "code.lineno")
    if file and line and record.text("exception.type", "exception.message"):
        return Telemetry("", file=file, line=line)
    return None


def _placed(
    record: _Record, told: Telemetry, projects: Sequence[Project]
) -> Telemetry | None:
    """Add repository and commit; None where nothing names the repository."""
    project = find_project(projects, _names(record, told))
    address = record.text("vcs.repository.url.full") or ""
    repo = project.repo if project else _repository(address)
    if repo is None:
        return None
    revision = record.text("vcs.ref.head.revision", "vcs.repository.ref.revision")
    return replace(
        told,
        repo=repo,
        commit_sha=revision if is_full_id(revision) else _released(project, record),
        root_dir=(project.root_dir or None) if project else None,
    )


def _repository(address: str) -> str | None:
    try:
        return repository_name(address) if address else None
    except ValueError:
        return None


def _released(project: Project | None, record: _Record) -> str | None:
    """Read the commit out of the version, as the project says."""
    version = record.text("service.version")
    if project is None or project.release is None or version is None:
        return None
    found = re.search(project.release, version)
    return found["sha"] if found else None


def _names(record: _Record, told: Telemetry) -> Names:
    labels = {k: v for k, v in record.attributes.items() if isinstance(v, str)}
    modules = list[str]()
    if told.trace is not None:
        for panic in explainable(decipher(told.trace).crashes):
            frames = panic.crashed.frames if panic.crashed else ()
            modules += [frame.function for frame in frames]
    return Names(record.text("service.name"), tuple(modules), labels=labels)


def _reports(told: Telemetry, nanoseconds: int) -> Iterator[Report]:
    observed = nanoseconds / 1e9 if nanoseconds > 0 else None
    if told.trace is None:
        yield Report(told, observed_at=observed)
        return
    for report in reports(told, told.trace):
        yield replace(report, observed_at=observed)


def _number(attributes: Attributes, *names: str) -> int | None:
    for name in names:
        value = attributes.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return None


def _json(body: bytes) -> Iterator[_Record]:
    """Read JSON's form; what is unknown or of another type is passed over."""
    try:
        whole = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadInput(f"the body is no JSON: {error}") from error
    if not isinstance(whole, dict):
        raise BadInput("the body is no ExportLogsServiceRequest")
    for resource in _objects(whole, "resourceLogs"):
        outer = _attributes(_object(resource, "resource"))
        for scope in _objects(resource, "scopeLogs"):
            for record in _objects(scope, "logRecords"):
                yield _from_json(outer, record)


def _from_json(outer: Attributes, record: Mapping[str, Any]) -> _Record:
    moment = record.get("timeUnixNano") or record.get("observedTimeUnixNano") or 0
    body = _value(_object(record, "body"))
    return _Record(
        {**outer, **_attributes(record)},
        body if isinstance(body, str) else "",
        _integer(moment),
    )


def _objects(of: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    items = of.get(name)
    return [i for i in items if isinstance(i, dict)] if isinstance(items, list) else []


def _object(of: Mapping[str, Any], name: str) -> dict[str, Any]:
    item = of.get(name)
    return item if isinstance(item, dict) else {}


def _attributes(of: Mapping[str, Any]) -> dict[str, Any]:
    return {
        str(item.get("key")): _value(_object(item, "value"))
        for item in _objects(of, "attributes")
    }


def _value(value: Mapping[str, Any]) -> Any:
    """Read an AnyValue: a text, a number, or None for what is of no use here."""
    text, number = value.get("stringValue"), value.get("intValue")
    if isinstance(text, str):
        return text
    return None if number is None else _integer(number)


def _integer(value: object) -> int:
    """Read a number that may be written as a string, as 64 bits are in JSON."""
    try:
        return int(value) if isinstance(value, int | str) else 0
    except ValueError:
        return 0


def _protobuf(body: bytes) -> Iterator[_Record]:
    """Read protobuf's form."""
    # Heavy, and few senders speak it.
    from google.protobuf.message import DecodeError  # noqa: PLC0415
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (  # noqa: PLC0415
        ExportLogsServiceRequest,
    )

    try:
        message = ExportLogsServiceRequest.FromString(body)
    except DecodeError as error:
        raise BadInput("the body is no ExportLogsServiceRequest") from error
    for resource in message.resource_logs:
        outer = {a.key: _plain(a.value) for a in resource.resource.attributes}
        for scope in resource.scope_logs:
            for record in scope.log_records:
                own = {a.key: _plain(a.value) for a in record.attributes}
                yield _Record(
                    {**outer, **own},
                    record.body.string_value,
                    record.time_unix_nano or record.observed_time_unix_nano,
                )


def _plain(value: Any) -> Any:
    """Read an AnyValue as `_value` does."""
    kind = value.WhichOneof("value")
    if kind == "string_value":
        return value.string_value
    return value.int_value if kind == "int_value" else None
