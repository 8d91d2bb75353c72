"""Triage: the smallest piece of source that explains a Go panic."""

from importlib import import_module

from triage._version import __version__

TYPE_CHECKING = False  # as in `typing`, which takes longer to import than all of this
if TYPE_CHECKING:
    from triage.app import open_engine
    from triage.config import Settings
    from triage.core.model import Result, Telemetry

__all__ = ["Result", "Settings", "Telemetry", "__version__", "open_engine"]

_HOMES = {
    "Result": "triage.core.model",
    "Settings": "triage.config",
    "Telemetry": "triage.core.model",
    "open_engine": "triage.app",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for: the command starts lean."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
