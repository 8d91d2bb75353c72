"""Deliveries for tests: recorded bodies, the made-up service's project, short reading."""

from collections.abc import Sequence
from pathlib import Path

from triage.core.events import Head, Reading, read
from triage.core.projects import Match, Project

DATA = Path(__file__).parent / "data" / "events"
SHA = "4c1d5f0e9b7a3826d0c4e5f6a7b8c9d0e1f2a3b4"
JSON = "application/json"
SHOP = Project(
    "shop",
    "acme/shop",
    root_dir="backend",
    match=Match(
        module=("example.com/shop",),
        service=("shop",),
        sentry_project=("go-shop",),
        labels={"team": "shop"},
    ),
)
DUMP = (
    "goroutine 7 [running]:\nexample.com/shop/handler.Load(...)\n"
    "\t/src/backend/handler/load.go:11 +0x1d\n"
)
PANIC = f"panic: boom\n\n{DUMP}"


def body(name: str) -> bytes:
    """Return a recorded body."""
    return (DATA / name).read_bytes()


def text(name: str) -> str:
    """Return a recorded body that is text."""
    return body(name).decode()


def reading(
    sender: str,
    sent: bytes,
    *,
    kind: str = "",
    media: str = JSON,
    query: tuple[tuple[str, str], ...] = (),
    projects: Sequence[Project] = (SHOP,),
    hosts: Sequence[str] = (),
) -> Reading:
    """Read a body as if it had just come."""
    return read(Head(sender, media, kind, None, query), sent, projects, hosts)
