"""Do a piece of work once for all who want it at the same time."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(slots=True)
class _Flight(Generic[V]):
    """Work under way, and how many wait for it."""

    task: asyncio.Task[V]
    waiting: int = 0


class _Waiter(Coroutine[Any, Any, V]):
    """Waits for a task that belongs to others, and says when it no longer does.

    A plain coroutine that is cancelled before its first step never runs, not even its
    `finally`.
    """

    def __init__(self, task: asyncio.Task[V], leave: Callable[[], None]) -> None:
        self._waiting = _shielded(task)
        self._leave: Callable[[], None] | None = leave

    def __await__(self) -> Generator[Any, Any, V]:
        try:
            return (yield from self._waiting.__await__())
        finally:
            self._end()

    def send(self, value: Any) -> Any:
        """Go on; the first step begins to wait."""
        try:
            return self._waiting.send(value)
        except BaseException:
            self._end()
            raise

    def throw(self, *error: Any) -> Any:
        """Raise in it what ends the wait, begun or not."""
        try:
            return self._waiting.throw(*error)
        except BaseException:
            self._end()
            raise

    def close(self) -> None:
        """Give up waiting."""
        self._waiting.close()
        self._end()

    def _end(self) -> None:
        leave, self._leave = self._leave, None
        if leave is not None:
            leave()


async def _shielded(task: asyncio.Task[V]) -> V:
    return await asyncio.shield(task)


class Flights(Generic[K, V]):
    """Shares work under way by key; what is done is forgotten.

    The work belongs to nobody: who is cancelled leaves it to the others, and only
    when the last one has gone it is cancelled too.
    """

    def __init__(self) -> None:
        self._flights: dict[K, _Flight[V]] = {}

    def __contains__(self, key: K) -> bool:
        return key in self._flights

    def once(self, key: K, work: Callable[[], Awaitable[V]]) -> Coroutine[Any, Any, V]:
        """Return what *work* does, or what is already under way under *key*.

        The work is under way from the call on, not from when it is awaited.
        """
        flight = self._flights.get(key) or self._start(key, work)
        flight.waiting += 1
        return _Waiter(flight.task, lambda: self._leave(key, flight))

    def _leave(self, key: K, flight: _Flight[V]) -> None:
        flight.waiting -= 1
        if not flight.waiting and not flight.task.done():
            self._forget(key, flight)
            flight.task.cancel()

    def _start(self, key: K, work: Callable[[], Awaitable[V]]) -> _Flight[V]:
        async def run() -> V:
            return await work()

        flight = _Flight(asyncio.create_task(run()))
        self._flights[key] = flight
        flight.task.add_done_callback(lambda task: self._land(key, flight, task))
        return flight

    def _land(self, key: K, flight: _Flight[V], task: asyncio.Task[V]) -> None:
        self._forget(key, flight)
        if not task.cancelled():
            task.exception()  # looked at here: all who waited may have gone

    def _forget(self, key: K, flight: _Flight[V]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]
