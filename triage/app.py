"""The composition root: the only place that names concrete adapters."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from triage.config import Settings
from triage.engine import Engine
from triage.helper.process import HelperProcess


@asynccontextmanager
async def open_engine(settings: Settings | None = None) -> AsyncIterator[Engine]:
    """Open an engine on *settings*, by default the environment's; closed on leaving."""
    engine = Engine(HelperProcess(), _open_repository)
    try:
        yield engine
    finally:
        await engine.close()
