"""From a delivery to the crashes in it."""

from collections.abc import Iterable, Sequence

from triage.core.events import github, sentry
from triage.core.events.alertmanager import read_alerts
from triage.core.events.crashes import Told, collect
from triage.core.events.datadog import read_datadog
from triage.core.events.otlp import read_logs
from triage.core.events.panic import read_panic
from triage.core.events.values import Fetch, Head, Reading
from triage.core.projects import Project
from triage.errors import BadInput, NoPanic


def read(
    head: Head,
    body: bytes,
    projects: Sequence[Project],
    hosts: Sequence[str] = (),
) -> Reading:
    """Find the crashes in *body*; raises `BadInput`, `NoPanic`.

    *hosts* are those besides GitHub's own whose addresses name a repository.

    Without any report the reading says why there is nothing to do; for `logs` it may
    also be that no crash has a repository.
    """
    found = _found(head, body, projects)
    if isinstance(found, Reading):
        return found
    return _reading(found, projects, hosts, partial=head.sender == "logs")


def read_fetched(
    fetch: Fetch,
    text: bytes,
    projects: Sequence[Project] = (),
    hosts: Sequence[str] = (),
) -> Reading:
    """Find the crashes in a text that was fetched; raises `BadInput`, `NoPanic`."""
    if fetch.host_kind == sentry.HOST_KIND:
        return _reading(sentry.read_event(fetch, text), projects, hosts)
    return _reading(github.read_log(fetch, text), projects, hosts)


def _found(
    head: Head, body: bytes, projects: Sequence[Project]
) -> Reading | Iterable[Told]:
    match head.sender:
        case "panic":
            return read_panic(head, body)
        case "github":
            return github.read_github(head, body, projects)
        case "sentry":
            return sentry.read_sentry(head, body, projects)
        case "logs":
            return read_logs(head, body)
        case "alertmanager":
            return read_alerts(body)
        case "datadog":
            return read_datadog(body)
        case _:
            raise BadInput(f"nothing is known of the sender {head.sender}")


def _reading(
    told: Iterable[Told],
    projects: Sequence[Project],
    hosts: Sequence[str],
    *,
    partial: bool = False,
) -> Reading:
    reading = collect(told, projects, hosts)
    if reading.reports or (partial and reading.rejected):
        return reading
    if reading.rejected:
        raise BadInput(
            "no repository is told, and no [[project]] of triage.toml matches: tell"
            " OWNER/NAME, or register the project"
        )
    raise NoPanic("there is no Go panic with a stack in it; send the whole output")
