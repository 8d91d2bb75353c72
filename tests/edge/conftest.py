from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from triage.sources.git import GitSource


@pytest.fixture
def opened():
    """Open a source on a repository's commits; it is closed after its block."""

    @asynccontextmanager
    async def open_source(path, **options):
        source = GitSource(Path(path), **options)
        try:
            yield source
        finally:
            await source.close()

    return open_source
