"""`/webhooks/datadog`: what the user's own template makes of an event.

https://docs.datadoghq.com/integrations/webhooks/ promises no shape: a panic is looked
for in every string; tags, and fields that are no objects, serve as labels.
"""

from collections.abc import Iterator
from typing import Any

from triage.core.events.clues import from_labels, place
from triage.core.events.crashes import Told, likely
from triage.core.events.loose import Object, at, decode, seconds, strings, text

_TAGS = ("tags", "alert_scope")
_MOMENTS = ("date", "last_updated", "timestamp")
_MILLISECONDS = 1000
_LATE = 1e11
"""What is above it counts milliseconds."""


def read_datadog(body: bytes) -> Iterator[Told]:
    """Yield the one event of a body; raises `BadInput`."""
    event: dict[str, Any] = decode(body, dict[str, Any])
    labels = _labels(event)
    texts = likely(strings(event))
    yield Told(from_labels(labels, _observed_at(event)), texts, place(labels))


def _labels(event: Object) -> dict[str, str]:
    """Join fields and tags, `service:shop,env:prod`; tags are stronger."""
    fields = {name: found for name in event if (found := text(event, name))}
    for name in _TAGS:
        value = at(event, name)
        tags = value.split(",") if isinstance(value, str) else strings(value)
        for tag in tags:
            key, colon, said = tag.strip().partition(":")
            if colon and said:
                fields[key] = said.strip()
    return fields


def _observed_at(event: Object) -> float | None:
    """Read the first moment; Datadog's `$DATE` counts milliseconds, as a string."""
    for name in _MOMENTS:
        value = at(event, name)
        if isinstance(value, str) and value.isascii() and value.isdigit():
            value = int(value[:20])
        if isinstance(value, int | float) and value > _LATE:
            value /= _MILLISECONDS
        found = seconds(value)
        if found is not None:
            return found
    return None
