"""From a delivery to the crashes in it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from triage.core.events.crashes import reports
from triage.core.events.otlp import read_logs
from triage.core.events.values import Fetch, Head, Reading, Report
from triage.core.events.wanted import decode, telemetry
from triage.core.model import Telemetry
from triage.core.projects import Project
from triage.errors import BadInput


def read(head: Head, body: bytes, projects: Sequence[Project]) -> Reading:
    """Find the crashes in *body*; raises `BadInput`, `NoPanic`."""
    reader = _READERS.get(head.sender)
    if reader is None:
        raise BadInput(f"nothing is known of the sender {head.sender}")
    return reader(head, body, projects)


def read_fetched(fetch: Fetch, text: bytes) -> Reading:
    """Find the crashes in a text that was fetched; raises `NoPanic`."""
    told = Telemetry(
        repo=fetch.repo, commit_sha=fetch.commit_sha, root_dir=fetch.root_dir
    )
    return Reading(reports(told, text))


def _panic(head: Head, body: bytes, projects: Sequence[Project]) -> Reading:
    """Read our own form: the telemetry object, or raw text named by the query."""
    del projects
    if head.content_type == "application/json" or head.content_type.endswith("+json"):
        told = telemetry(decode(body))
    else:
        told = _from_query(dict(head.query), body)
    if told.trace is None:
        return Reading((Report(told),))
    return Reading(reports(told, told.trace))


def _from_query(query: Mapping[str, str], body: bytes) -> Telemetry:
    if not query.get("repo"):
        raise BadInput("raw text needs ?repo=OWNER/NAME&commit_sha=SHA")
    return Telemetry(
        repo=query["repo"],
        commit_sha=query.get("commit_sha") or query.get("commit") or None,
        root_dir=query.get("root_dir"),
        trace=body,
    )


class _Job(msgspec.Struct):
    id: int
    head_sha: str
    conclusion: str | None = None


class _Named(msgspec.Struct):
    full_name: str


class _JobEvent(msgspec.Struct):
    action: str
    workflow_job: _Job
    repository: _Named


def _github(head: Head, body: bytes, projects: Sequence[Project]) -> Reading:
    """Read a finished job: its log has to be fetched."""
    if head.kind != "workflow_job":
        return Reading((), f"GitHub's {head.kind or 'unnamed'} events tell of no crash")
    try:
        event = msgspec.json.decode(body, type=_JobEvent)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"the body is no workflow_job event: {error}") from error
    if (event.action, event.workflow_job.conclusion) != ("completed", "failure"):
        return Reading((), "the job did not fail")
    repo = event.repository.full_name
    root_dir = next((p.root_dir for p in projects if p.repo == repo), None)
    job = event.workflow_job
    fetch = Fetch(
        "github-job-log", repo, job=job.id, commit_sha=job.head_sha, root_dir=root_dir
    )
    return Reading((Report(fetch=fetch),))


_READERS: Final[Mapping[str, Callable[[Head, bytes, Sequence[Project]], Reading]]] = {
    "panic": _panic,
    "github": _github,
    "logs": read_logs,
}
