"""What handlers find in the application."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

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
    remote: int = 0
    """Contexts among them whose repository is not on disk."""


class Names:
    """Names for requests, told apart over processes and restarts."""

    def __init__(self) -> None:
        self._start = secrets.token_hex(4)
        self._count = count(1)

    def next(self) -> str:
        """Return a name that no other request has."""
        return f"{self._start}-{next(self._count):x}"


BODIES = web.AppKey("BODIES", Bodies)
GATE = web.AppKey("GATE", Gate)
HOSTS = web.AppKey("HOSTS", Sequence[str])
INBOX = web.AppKey("INBOX", Inbox)
LIMITS = web.AppKey("LIMITS", Limits)
LOAD = web.AppKey("LOAD", Load)
NAMES = web.AppKey("NAMES", Names)
METRICS = web.AppKey("METRICS", Metrics)
PROJECTS = web.AppKey("PROJECTS", Sequence[Project])
RENDERED = web.AppKey("RENDERED", Rendered)
WORKERS = web.AppKey("WORKERS", Workers)
WORKS = web.AppKey("WORKS", Works)

REQUEST_ID = web.RequestKey("REQUEST_ID", str)
"""In a request: what its log lines, headers and problems call it."""
