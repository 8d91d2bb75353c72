"""The cache on disk, looked after beside whatever uses it."""

from triage.cache import care
from triage.cache.care import Holdings
from triage.cache.sqlite import CACHE, LIMIT
from triage.config import Settings


def cache_stats(settings: Settings) -> Holdings:
    """Count what the cache on disk holds; raises `ConfigError`."""
    return care.stats(settings.data_dir / CACHE)


def prune_cache(settings: Settings) -> int:
    """Shrink the cache on disk to its bound; returns how many rows went."""
    return care.prune(settings.data_dir / CACHE, LIMIT)


def clear_cache(settings: Settings) -> None:
    """Empty the cache on disk."""
    care.clear(settings.data_dir / CACHE)
