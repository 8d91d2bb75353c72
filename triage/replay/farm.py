"""A replay on many machines, by Dask distributed: an extra.

Workers of another machine use its own settings: no token goes over the network.
"""

import asyncio
import logging
from collections.abc import Iterable, Iterator
from contextlib import AsyncExitStack, ExitStack
from dataclasses import replace
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, cast

from triage.config import Settings
from triage.core.printed import shown
from triage.core.replay import Answer, failed
from triage.core.visible import printable
from triage.errors import ConfigError
from triage.replay.spool import Batch
from triage.replay.worker import SHARE

try:
    import dask
    from distributed import (
        Client,
        Future,
        KilledWorker,
        LocalCluster,
        Worker,
        WorkerPlugin,
        as_completed,
        get_worker,
    )
except ImportError as missing:
    raise ConfigError(
        "--dask needs the distributed package; run: pip install 'triage-go[dask]'"
    ) from missing

if TYPE_CHECKING:
    from triage.replay.desk import Desk

LOCAL: Final = "local"
"""Stands for a cluster on this machine, made for the run."""
_PLUGIN: Final = "triage"
_AHEAD: Final = 3
"""Batches under way for each thread of the workers, so that none waits for the next."""
_SECONDS: Final = "30s"
"""What a scheduler has to answer."""


class Farm:
    """Works on the cluster at *address*; use it as a context."""

    def __init__(self, settings: Settings, address: str, jobs: int) -> None:
        self._settings = settings
        self._address = address
        self._jobs = jobs
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Connect; raises `ConfigError` where no scheduler answers."""
        with ExitStack() as stack:
            self._client = self._connect(stack)
            own = self._settings if self._address == LOCAL else None
            office = Office(own, no_cache=self._settings.no_cache)
            self._client.register_plugin(office, name=_PLUGIN)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _connect(self, stack: ExitStack) -> Client:
        logging.getLogger("distributed").setLevel(logging.ERROR)  # it tells a lot
        place = self._made(stack) if self._address == LOCAL else self._address
        try:
            client: Client = stack.enter_context(Client(place, timeout=_SECONDS))
        except (OSError, ValueError) as error:
            told = shown(printable(self._address))
            raise ConfigError(
                f"no Dask scheduler answers at {told}; name one as tcp://HOST:PORT,"
                " or `local`"
            ) from error
        return client

    def _made(self, stack: ExitStack) -> LocalCluster:
        """Make a cluster on this machine."""
        # A task that ends a worker is not handed to three more.
        stack.enter_context(
            dask.config.set({"distributed.scheduler.allowed-failures": 1})
        )
        cluster: LocalCluster = stack.enter_context(
            LocalCluster(
                n_workers=self._jobs,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
        )
        return cluster

    def lines(self, batches: Iterable[Batch]) -> Iterator[Answer]:
        """Do all of *batches*; yield the answer to each item when it comes.

        A batch whose worker was lost too often is done again item by item.
        """
        left = iter(batches)
        given = dict[object, Batch]()
        under_way = as_completed()
        ahead = _AHEAD * max(sum(self._client.nthreads().values()), 1)

        def hand_out(some: Iterable[Batch]) -> None:
            for batch in some:
                future = self._client.submit(answer, batch, pure=False)
                given[future.key] = batch
                under_way.add(future)

        hand_out(islice(left, ahead))
        for future in under_way:
            batch = given.pop(future.key)
            done, again = _outcome(future, batch)
            yield from done
            hand_out(again)
            hand_out(islice(left, max(0, ahead - len(given))))


def _outcome(
    future: "Future[list[Answer]]", batch: Batch
) -> tuple[list[Answer], list[Batch]]:
    """Return the answers, and what is to be done again."""
    error = future.exception()
    if error is None:
        return future.result(), []
    if isinstance(error, KilledWorker) and len(batch) > 1:
        return [], [(item,) for item in batch]
    lost = isinstance(error, KilledWorker)
    said = "its workers were lost" if lost else f"{type(error).__name__}: {error}"
    return [failed(item.id, "internal", said) for item in batch], []


class Office(WorkerPlugin):
    """What a worker keeps from task to task: an engine, on its own event loop."""

    def __init__(self, settings: Settings | None, *, no_cache: bool) -> None:
        """Without *settings* the worker's machine has its own."""
        self._settings = settings
        self._no_cache = no_cache
        self._stack = AsyncExitStack()
        self.desk: Desk | None = None

    async def setup(self, worker: Worker) -> None:
        """Open the engine."""
        del worker  # its loop is the one that runs
        from triage.app import open_engine  # noqa: PLC0415 - whoever submits needs none
        from triage.replay.desk import Desk  # noqa: PLC0415 - likewise

        settings = self._settings or replace(
            Settings.from_env(), no_cache=self._no_cache
        )
        self._stack = AsyncExitStack()
        engine = await self._stack.enter_async_context(
            open_engine(settings, share=SHARE)
        )
        self.desk = Desk(engine, asyncio.get_running_loop())

    async def teardown(self, worker: Worker) -> None:
        """Close it."""
        del worker
        await self._stack.aclose()


async def answer(batch: Batch) -> list[Answer]:
    """Answer a batch, on a worker."""
    office = cast("Office", get_worker().plugins[_PLUGIN])
    desk = cast("Desk", office.desk)  # set up before any task comes
    return [await desk.answer(item) for item in batch]
