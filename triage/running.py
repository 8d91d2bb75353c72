"""Run what a command does asynchronously; an interrupt ends it in order."""

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run *work*; an interrupt cancels it, so that what it opened is closed."""
    before = signal.getsignal(signal.SIGINT)
    if callable(before):
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return asyncio.run(work)
    finally:
        work.close()  # an interrupt may come before it has begun
        signal.signal(signal.SIGINT, before)
