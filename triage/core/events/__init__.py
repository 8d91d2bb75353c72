"""Webhooks: who sent them, what they are, and the crashes that they tell of. Pure."""

from triage.core.events.read import read, read_fetched
from triage.core.events.values import Fetch, Head, Reading, Report
from triage.core.events.verify import Secrets, receive, verify

__all__ = [
    "Fetch",
    "Head",
    "Reading",
    "Report",
    "Secrets",
    "read",
    "read_fetched",
    "receive",
    "verify",
]
