"""What is counted and measured, for Prometheus.

With several processes prometheus-client keeps the numbers in files that all of them
share (its multiprocess mode); labels have few values: no repository is among them.
"""

from collections.abc import Mapping
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

from triage._version import __version__
from triage.app import Figures
from triage.core.model import Result

_TIERS: Final = ("memory", "sqlite", "redis")
_SECONDS: Final = (0.001, 0.005, 0.02, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_TOKENS: Final = (100, 300, 1000, 2000, 3000, 5000, 10_000, 30_000)


class Metrics:
    """The service's numbers; *shared* is the directory that processes share."""

    def __init__(self, shared: str | None = None) -> None:
        self._shared = shared
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "triage_requests",
            "Requests answered.",
            ("route", "code"),
            registry=registry,
        )
        self._seconds = Histogram(
            "triage_request_duration_seconds",
            "Time from a request's head to its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._cache = Counter(
            "triage_cache_requests",
            "Contexts looked for in a tier.",
            ("tier", "result"),
            registry=registry,
        )
        self._tokens = Histogram(
            "triage_context_tokens",
            "Tokens of contexts answered.",
            buckets=_TOKENS,
            registry=registry,
        )
        self._events = Counter(
            "triage_events",
            "Events worked on, by what came of it.",
            ("result",),
            registry=registry,
        )
        self._depth = self._gauge(
            "triage_inbox_depth", "Events not done yet.", "mostrecent", ("state",)
        )
        self._remaining = self._gauge(
            "triage_github_rate_limit_remaining",
            "Requests that GitHub still allows, as it last told.",
            "mostrecent",
        )
        self._deaths = Counter(
            "triage_helper_restarts", "Deaths of the Go helper.", registry=registry
        )
        self._known_deaths = 0
        build = self._gauge(
            "triage_build_info", "The version that runs.", "max", ("version",)
        )
        build.labels(__version__).set(1)
        self._looked = [
            (tier, self._cache.labels(tier, "hit"), self._cache.labels(tier, "miss"))
            for tier in _TIERS
        ]
        self._answered: dict[tuple[str, int], Counter] = {}
        self._timed: dict[str, Histogram] = {}

    def _gauge(
        self, name: str, text: str, mode: str, labels: tuple[str, ...] = ()
    ) -> Gauge:
        return Gauge(
            name,
            text,
            labels,
            registry=self._registry,
            multiprocess_mode=mode,  # type: ignore[arg-type] # a literal type of its own
        )

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request; its children are kept at hand, as looking them up is slow."""
        counter = self._answered.get((route, status))
        if counter is None:
            counter = self._requests.labels(route, str(status))
            self._answered[route, status] = counter
        timer = self._timed.get(route)
        if timer is None:
            timer = self._timed[route] = self._seconds.labels(route)
        counter.inc()
        timer.observe(seconds)

    def explained(self, result: Result) -> None:
        """Count a context, and in which tier it was found."""
        self._tokens.observe(result.stats.context_tokens)
        for tier, hit, miss in self._looked:
            if result.served_from == tier:
                hit.inc()
                break
            miss.inc()

    def worked(self, result: str) -> None:
        """Count what came of an event."""
        self._events.labels(result).inc()

    def update(self, depth: Mapping[str, int], figures: Figures) -> None:
        """Take what is measured when it is asked for."""
        for state, count in depth.items():
            self._depth.labels(state).set(count)
        self._deaths.inc(figures.helper_deaths - self._known_deaths)
        self._known_deaths = figures.helper_deaths
        if figures.github_remaining is not None:
            self._remaining.set(figures.github_remaining)

    def text(self) -> bytes:
        """Write all of it in Prometheus' text form, over all processes."""
        if self._shared is None:
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=self._shared)  # type: ignore[no-untyped-call] # theirs
        return generate_latest(registry)
