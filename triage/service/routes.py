"""Every route of the service, with what its documentation says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from triage.core.events.wanted import Wanted
from triage.core.model import Result
from triage.service import answers, context, health, hooks, listing, logs
from triage.service.around import Handler, guarded
from triage.service.openapi import describe

Access = Literal["open", "token", "signed"]


@dataclass(frozen=True, slots=True)
class Route:
    """One route and what it is described by."""

    method: str
    path: str
    handler: Handler
    access: Access
    summary: str
    answers: Mapping[int, Any]
    """Types by status; a string is the media type of an answer that is no JSON."""
    codes: tuple[str, ...] = ()
    """Errors, besides those that every route has."""
    body: type[msgspec.Struct] | str | None = None
    """A type, or the name of the form whose sender documents it."""
    query: type[msgspec.Struct] | None = None


_MADE: Final = (
    "bad-request",
    "no-panic",
    "file-not-found",
    "line-outside",
    "commit-not-found",
    "repo-not-found",
    "repo-not-allowed",
    "too-large",
    "slow-body",
    "busy",
    "rate-limited",
    "source-failed",
    "timeout",
    "helper-failed",
)
_TAKEN: Final = ("bad-request", "too-large", "slow-body", "busy")


def _hook(sender: str, form: str) -> Route:
    signed = sender in hooks.SIGNED
    return Route(
        "POST",
        f"/webhooks/{sender}",
        hooks.hook(sender),
        "signed" if signed else "token",
        f"Take {form}; acknowledged once it is on disk.",
        {202: answers.Accepted, 200: answers.Accepted},
        (*_TAKEN, *(("bad-signature",) if signed else ())),
        body=form,
    )


ROUTES: Final = (
    Route(
        "POST",
        "/v1/context",
        guarded(context.explain),
        "token",
        "Explain a crash at once.",
        {200: Result},
        _MADE,
        body=Wanted,
    ),
    _hook("panic", "a panic's text, or the object of /v1/context"),
    _hook("github", "GitHub's workflow_job events"),
    _hook("sentry", "Sentry's events"),
    _hook("alertmanager", "Alertmanager's notifications"),
    _hook("datadog", "Datadog's notifications"),
    Route(
        "POST",
        "/v1/logs",
        guarded(logs.take),
        "token",
        "Take OTLP/HTTP logs, as JSON or protobuf.",
        {200: logs.Taken},
        _TAKEN,
        body="OTLP's ExportLogsServiceRequest",
    ),
    Route(
        "GET",
        "/v1/events",
        guarded(listing.list_events),
        "token",
        "List events, the newest first.",
        {200: answers.EventPage},
        ("bad-request", "busy"),
        query=listing.EventsQuery,
    ),
    Route(
        "GET",
        "/v1/events/{id}",
        guarded(listing.show_event),
        "token",
        "Show one event and what came of it.",
        {200: answers.EventAnswer},
        ("not-found", "busy"),
    ),
    Route(
        "GET",
        "/v1/incidents",
        guarded(listing.list_incidents),
        "token",
        "List incidents, the last seen first.",
        {200: answers.IncidentPage},
        ("bad-request", "busy"),
        query=listing.IncidentsQuery,
    ),
    Route(
        "GET",
        "/v1/incidents/{id}",
        guarded(listing.show_incident),
        "token",
        "Show one incident with its contexts.",
        {200: answers.IncidentDetail},
        ("not-found", "busy"),
    ),
    Route(
        "GET",
        "/healthz",
        health.healthz,
        "open",
        "Say that the service is there.",
        {200: answers.Health},
    ),
    Route(
        "GET",
        "/readyz",
        health.readyz,
        "open",
        "Say whether the service can do its work.",
        {200: answers.Readiness, 503: answers.Readiness},
    ),
    Route(
        "GET",
        "/metrics",
        guarded(health.metrics),
        "token",
        "Give the numbers for Prometheus.",
        {200: "text/plain"},
        ("busy",),
    ),
)


def routes() -> tuple[Route, ...]:
    """Return all routes, the description of the others among them."""
    description = Route(
        "GET",
        "/openapi.json",
        guarded(describe(ROUTES)),
        "token",
        "Describe the service.",
        {200: "application/json"},
    )
    return (*ROUTES, description)
