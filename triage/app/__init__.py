"""The composition root: the only place that names concrete adapters."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triage.app.caches import cache_stats, clear_cache, prune_cache
    from triage.app.doctor import Check, examine
    from triage.app.openers import CachingOpener, Opener, open_engine, repository_top
    from triage.app.works import Figures, ListedOpener, Works, open_works
    from triage.sources.patches import apply_patch

__all__ = [
    "CachingOpener",
    "Check",
    "Figures",
    "ListedOpener",
    "Opener",
    "Works",
    "apply_patch",
    "cache_stats",
    "clear_cache",
    "examine",
    "open_engine",
    "open_works",
    "prune_cache",
    "repository_top",
]

_HOMES = {
    "CachingOpener": "triage.app.openers",
    "Check": "triage.app.doctor",
    "Figures": "triage.app.works",
    "ListedOpener": "triage.app.works",
    "Opener": "triage.app.openers",
    "Works": "triage.app.works",
    "apply_patch": "triage.sources.patches",
    "cache_stats": "triage.app.caches",
    "clear_cache": "triage.app.caches",
    "examine": "triage.app.doctor",
    "open_engine": "triage.app.openers",
    "open_works": "triage.app.works",
    "prune_cache": "triage.app.caches",
    "repository_top": "triage.app.openers",
}


def __getattr__(name: str) -> object:
    """Import a name when it is first asked for: a command needs few of the adapters."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
