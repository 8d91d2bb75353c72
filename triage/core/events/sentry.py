"""`/webhooks/sentry`: events with their stacks, and issues whose event is elsewhere.

https://docs.sentry.io/organization/integrations/integration-platform/webhooks/
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from triage.core.events.clues import MOST_LINES, Clues, from_labels, is_commit
from triage.core.events.crashes import Told, likely
from triage.core.events.loose import (
    Object,
    at,
    decode,
    objects,
    seconds,
    strings,
    text,
)
from triage.core.events.meant import find_project
from triage.core.events.values import Fetch, Head, Reading, Report
from triage.core.projects import Project
from triage.core.visible import is_plain
from triage.errors import BadInput

HOST_KIND: Final = "sentry-event"

_EVENTS: Final = {"event_alert": "event", "error": "error"}
"""Which part of `data` is the event, by resource."""
_NEW: Final = frozenset({"created", "unresolved"})
"""What is said of an issue when it has crashed just now."""
_PLATFORMS: Final = frozenset({"go", "native", "other"})
_STACKS: Final = ("exception", "threads", "stacktrace", "entries")
_COMMITS: Final = ("commit", "commit_sha", "git.commit.sha", "vcs.revision", "revision")
_PROJECT: Final = re.compile(r"/projects/[^/?#]+/(?P<slug>[^/?#]+)/")
_MOST_FRAMES: Final = 500
_LONGEST_ADDRESS: Final = 2_000


def read_sentry(
    head: Head, body: bytes, projects: Sequence[Project]
) -> Reading | Iterator[Told]:
    """Read a delivery: what it tells, or what is to be fetched; raises `BadInput`."""
    sent: dict[str, Any] = decode(body, dict[str, Any])
    if head.kind == "issue":
        return _issue(sent, projects)
    name = _EVENTS.get(head.kind)
    if name is None:
        return Reading((), f"Sentry's {head.kind or 'unnamed'} hooks tell of no crash")
    event = at(sent, "data", name)
    if not isinstance(event, dict):
        raise BadInput(f"the body has no object data.{name}; send it as Sentry does")
    if _foreign(event):
        return Reading((), "the event is no Go program's")
    address = text(event, "url")
    if address and not any(name in event for name in _STACKS):
        return _fetch(address, _projects(event), _observed_at(event), projects)
    return iter([_told(event)])


def read_event(fetch: Fetch, body: bytes) -> Iterator[Told]:
    """Yield an event as Sentry's API answers it; raises `BadInput`."""
    told = _told(decode(body, dict[str, Any]))
    clues = told.clues
    own = clues.sentry_project + fetch.sentry_project
    moment = clues.observed_at or fetch.observed_at
    yield replace(told, clues=replace(clues, sentry_project=own, observed_at=moment))


def _issue(sent: Object, projects: Sequence[Project]) -> Reading:
    """Name the newest event of an issue that came, or came back."""
    issue = at(sent, "data", "issue")
    if not isinstance(issue, dict):
        raise BadInput("the body has no object data.issue; send it as Sentry does")
    if text(sent, "action") not in _NEW:
        return Reading((), "the issue is neither new nor unresolved again")
    if _foreign(issue):
        return Reading((), "the issue is no Go program's")
    address = text(issue, "url")
    if address is None:
        raise BadInput("the issue has no url; send it as Sentry does")
    address = f"{address.rstrip('/')}/events/latest/"
    return _fetch(address, _projects(issue), seconds(at(issue, "lastSeen")), projects)


def _fetch(
    address: str,
    own: tuple[str, ...],
    observed_at: float | None,
    projects: Sequence[Project],
) -> Reading:
    if not _is_address(address):
        raise BadInput("the event's url is no https address; send it as Sentry does")
    project = find_project(Clues(sentry_project=own), None, projects)
    fetch = Fetch(
        HOST_KIND,
        project.repo if project else "",
        url=address,
        root_dir=project.root_dir or None if project else None,
        sentry_project=own,
        observed_at=observed_at,
    )
    return Reading((Report(fetch=fetch, observed_at=observed_at),))


def _is_address(address: str) -> bool:
    """Refuse what leads elsewhere than it seems: credentials, odd characters."""
    if len(address) > _LONGEST_ADDRESS or not is_plain(address) or " " in address:
        return False
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return False
    return parts.scheme in {"https", "http"} and bool(host) and "@" not in parts.netloc


def _foreign(value: Object) -> bool:
    platform = text(value, "platform")
    return platform is not None and platform not in _PLATFORMS


def _told(event: Object) -> Told:
    """Read an event; its stacks count before what its words may hold."""
    stacks = _stacks(event)
    texts = (_record(event, stacks),) if stacks else ()
    said = (at(event, name) for name in ("logentry", "message", "exception", "extra"))
    words = (
        word for part in (*said, *_entries(event, "message")) for word in strings(part)
    )
    return Told(_clues(event), (*texts, *likely(words)))


def _clues(event: Object) -> Clues:
    tags = _tags(event)
    clues = from_labels(tags, _observed_at(event))
    release = text(event, "release") or text(event, "release", "version")
    versions = tuple(filter(None, (release, *clues.versions)))
    tagged = (tags[name] for name in _COMMITS if is_commit(tags.get(name, "")))
    return replace(
        clues,
        commit_sha=next(tagged, None),
        versions=versions,
        sentry_project=_projects(event),
    )


def _tags(event: Object) -> dict[str, str]:
    """Read tags in any of their forms: pairs, objects with key and value, an object."""
    tags = at(event, "tags")
    if isinstance(tags, dict):
        return {name: said for name in tags if (said := text(tags, name))}
    found = dict[str, str]()
    for tag in tags if isinstance(tags, list) else ():
        if isinstance(tag, list) and len(tag) == 2:  # noqa: PLR2004 - a pair
            tag = {"key": tag[0], "value": tag[1]}  # noqa: PLW2901 - the other form
        key, said = text(tag, "key"), text(tag, "value")
        if key and said:
            found[key] = said
    return found


def _projects(value: Object) -> tuple[str, ...]:
    """List what names the project: its slug, number and name."""
    found = [text(value, "project_slug"), text(value, "projectSlug")]
    found += [text(value, "project"), text(value, "projectID")]
    found += [text(value, "project", name) for name in ("slug", "id", "name")]
    for name in ("url", "project_url"):
        address = _PROJECT.search(text(value, name) or "")
        found.append(address["slug"] if address else None)
    return tuple(dict.fromkeys(filter(None, found)))


def _observed_at(event: Object) -> float | None:
    names = ("timestamp", "datetime", "dateCreated", "received")
    moments = (seconds(at(event, name)) for name in names)
    return next((moment for moment in moments if moment is not None), None)


def _entries(event: Object, kind: str) -> Iterator[object]:
    """Yield the parts of one kind, which the API's form keeps in an array."""
    for entry in objects(event, "entries"):
        if text(entry, "type") == kind:
            yield at(entry, "data")


def _stacks(event: Object) -> list[dict[str, object]]:
    """Return the exceptions that have frames of Go, else the threads that have."""
    for kind in ("exception", "threads", "stacktrace"):
        found = list[dict[str, object]]()
        for part in (at(event, kind), *_entries(event, kind)):
            values = at(part, "values")
            for value in objects(part if values is None else values):
                held = value if kind == "stacktrace" else at(value, "stacktrace")
                frames = _frames(held)
                if frames:
                    found.append(_stack(value, frames))
        if found:
            return found
    return []


def _stack(value: Object, frames: list[dict[str, object]]) -> dict[str, object]:
    return {
        "type": text(value, "type") or "",
        "value": text(value, "value") or "",
        "mechanism": {"handled": at(value, "mechanism", "handled") is not False},
        "stacktrace": {"frames": frames},
    }


def _frames(stack: object) -> list[dict[str, object]]:
    """Return frames of Go, oldest first as Sentry has them.

    Whether they are marked as the application's own is the sender's guess: not read.
    """
    frames = (_frame(part) for part in objects(stack, "frames")[-_MOST_FRAMES:])
    return [frame for frame in frames if frame]


def _frame(part: Object) -> dict[str, object] | None:
    paths = [text(part, name) for name in ("abs_path", "absPath", "filename")]
    path = next((p for p in paths if p and p.endswith((".go", ".s"))), None)
    line = at(part, "lineno") or at(part, "lineNo")
    if path is None or isinstance(line, bool) or not isinstance(line, int):
        return None
    if not 0 < line <= MOST_LINES:
        return None
    return {
        "function": text(part, "function") or "",
        "module": text(part, "module") or "",
        "abs_path": path,
        "lineno": line,
    }


def _record(event: Mapping[str, object], stacks: list[dict[str, object]]) -> str:
    """Write stacks as one line of JSON, which the reader of panics knows."""
    title = text(event, "title") or text(event, "message") or ""
    record = {
        "level": text(event, "level") or "",
        "message": title,
        "exception": {"values": stacks},
    }
    return msgspec.json.encode(record).decode()
