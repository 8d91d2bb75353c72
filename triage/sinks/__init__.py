"""Places that are told of incidents, each behind the port `Sink`."""

from triage.sinks.webhook import Webhook

__all__ = ["Webhook"]
