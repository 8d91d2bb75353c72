"""`/webhooks/alertmanager`: alerts of Prometheus, Loki and Grafana.

https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
"""

from collections.abc import Iterator

import msgspec

from triage.core.events.clues import from_labels, place
from triage.core.events.crashes import Told, likely
from triage.core.events.loose import decode, seconds

_Pairs = dict[str, str] | None


class _Alert(msgspec.Struct, rename="camel"):
    status: str | None = None
    labels: _Pairs = None
    annotations: _Pairs = None
    starts_at: str | None = None


class _Batch(msgspec.Struct, rename="camel"):
    alerts: list[_Alert]
    common_labels: _Pairs = None
    common_annotations: _Pairs = None


def read_alerts(body: bytes) -> Iterator[Told]:
    """Yield the alerts that still fire; raises `BadInput`.

    A panic stands in an annotation or a label, as the rule puts it there; without one
    the labels may name file and line.
    """
    batch = decode(body, _Batch)
    for alert in batch.alerts:
        if alert.status == "resolved":
            continue
        labels = (batch.common_labels or {}) | (alert.labels or {})
        notes = (batch.common_annotations or {}) | (alert.annotations or {})
        told = notes | labels
        texts = likely((*notes.values(), *labels.values()))
        yield Told(from_labels(told, seconds(alert.starts_at)), texts, place(told))
