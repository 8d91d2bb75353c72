"""The composition root: the only place that names concrete adapters."""

from triage.app.caches import cache_stats, clear_cache, prune_cache
from triage.app.doctor import Check, examine
from triage.app.openers import CachingOpener, Opener, open_engine
from triage.app.works import Figures, ListedOpener, Works, open_works

__all__ = [
    "CachingOpener",
    "Check",
    "Figures",
    "ListedOpener",
    "Opener",
    "Works",
    "cache_stats",
    "clear_cache",
    "examine",
    "open_engine",
    "open_works",
    "prune_cache",
]
