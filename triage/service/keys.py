"""What handlers find in the application."""

from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from triage.app import Works
from triage.core.projects import Project
from triage.service.auth import Gate
from triage.service.bodies import Bodies
from triage.service.limits import Limits
from triage.service.metrics import Metrics
from triage.service.rendered import Rendered
from triage.service.workers import Workers
from triage.store import Inbox


@dataclass(slots=True)
class Load:
    """What is under way in this process."""

    contexts: int = 0


BODIES = web.AppKey("BODIES", Bodies)
GATE = web.AppKey("GATE", Gate)
INBOX = web.AppKey("INBOX", Inbox)
LIMITS = web.AppKey("LIMITS", Limits)
LOAD = web.AppKey("LOAD", Load)
METRICS = web.AppKey("METRICS", Metrics)
PROJECTS = web.AppKey("PROJECTS", Sequence[Project])
RENDERED = web.AppKey("RENDERED", Rendered)
WORKERS = web.AppKey("WORKERS", Workers)
WORKS = web.AppKey("WORKS", Works)

REQUEST_ID = "request_id"
"""In a request: what its log lines, headers and problems call it."""
