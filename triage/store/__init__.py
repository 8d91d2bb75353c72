"""What must not be lost: the inbox of events, and the incidents made of them.

`inbox.db` is durable: what was acknowledged is on disk, and a file that cannot be used
is an error, never thrown away. The tables are in `schema`, what is written in `events`
and `incidents`, what is read in `reading`; `writer` is the one thread that writes, and
`inbox` brings it all together.
"""

from triage.store.inbox import INBOX, Inbox
from triage.store.outbox import Parcel
from triage.store.reading import EVENT_CURSOR, INCIDENT_CURSOR, Filter
from triage.store.values import (
    Arrival,
    Event,
    Incident,
    Job,
    Page,
    Receipt,
    Sighting,
    State,
)

__all__ = [
    "EVENT_CURSOR",
    "INBOX",
    "INCIDENT_CURSOR",
    "Arrival",
    "Event",
    "Filter",
    "Inbox",
    "Incident",
    "Job",
    "Page",
    "Parcel",
    "Receipt",
    "Sighting",
    "State",
]
