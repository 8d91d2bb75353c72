"""Child processes, and event loops that end while they run."""

import asyncio
import subprocess
import threading

import pytest

from triage.spawning import spawn

NULL = subprocess.DEVNULL


def start(*command):
    """Start a command that has nothing to read and nobody to talk to."""
    return spawn(command, stdin=NULL, stdout=NULL, stderr=NULL, env=None)


async def test_a_process():
    """All that wait are told how it ended, later ones as well."""
    process = start("sh", "-c", "exit 3")
    codes = await asyncio.gather(process.wait(), process.wait())
    assert tuple(codes) == (3, 3)
    assert (await process.wait(), process.returncode) == (3, 3)


async def test_no_such_program():
    """The system's own error comes through."""
    with pytest.raises(FileNotFoundError):
        start("/nonexistent/program")


async def test_a_wait_that_is_given_up():
    """It keeps nobody else from waiting."""
    process = start("sleep", "60")
    first, second = (asyncio.create_task(process.wait()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait({first})
    assert process.returncode is None
    process.send_signal(9)
    assert await second == -9


def test_the_end_of_everything():
    """An event loop ends whatever runs still, and the child is reaped after it."""

    async def interrupted():
        process = start("sleep", "0.1")
        waiting = asyncio.create_task(process.wait())
        await asyncio.sleep(0)
        return process, waiting

    with asyncio.Runner() as runner:
        process, waiting = runner.run(interrupted())
    assert waiting.cancelled()
    for thread in threading.enumerate():
        if thread.name == f"reap-{process.pid}":
            thread.join()
    assert process.returncode == 0
