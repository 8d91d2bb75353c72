"""A real Redis server for tests, where one is installed."""

import asyncio
import shutil
from pathlib import Path

import pytest

BINARY = shutil.which("redis-server")
needs_server = pytest.mark.skipif(
    BINARY is None, reason="no redis-server: apt-get install -y redis-server"
)


class RedisServer:
    """A Redis server on a socket of its own, started and ended by the test."""

    def __init__(self, directory: Path) -> None:
        self.socket = directory / "redis.sock"
        self.url = f"unix://{self.socket}"
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it and wait until it says that it takes connections."""
        options = ["--port", "0", "--unixsocket", str(self.socket), "--save", ""]
        self._process = await asyncio.create_subprocess_exec(
            *(str(BINARY), *options, "--appendonly", "no", "--daemonize", "no"),
            cwd=self.socket.parent,
            stdout=asyncio.subprocess.PIPE,
        )
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            if b"ready to accept connections" in line.lower():
                break

    async def stop(self) -> None:
        """End it, and all that it held."""
        if self._process is not None:
            self._process.kill()
            await self._process.communicate()
            self._process = None
