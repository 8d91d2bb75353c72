"""Processes of this machine that share the work; one that dies is replaced.

Batches go to workers by pipes, lines come back one by one. A batch whose worker died is
done again item by item, and an item that ends two workers is left with an error.
"""

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Final, Self

from triage.config import Settings
from triage.core.replay import Answer, Item, failed
from triage.replay.spool import Batch
from triage.replay.worker import AHEAD, work

_DEATHS: Final = 2
"""Workers that one item may end."""
_SECONDS: Final = 10.0
"""A worker has these to end by itself."""


@dataclass(eq=False, slots=True)
class _Worker:
    process: BaseProcess
    pipe: Connection
    batches: list[dict[str, Item]] = field(default_factory=list)
    """What it works on: the items that have no line yet, by id, batch for batch."""


class Crew:
    """Works with *jobs* processes; use it as a context."""

    def __init__(
        self,
        settings: Settings,
        jobs: int,
        work: Callable[[Connection, Settings], None] = work,
    ) -> None:
        self._settings = settings
        self._jobs = jobs
        self._work = work
        self._workers: list[_Worker] = []
        self._again: deque[Batch] = deque()
        self._deaths: dict[str, int] = {}

    def __enter__(self) -> Self:
        """Start the workers: they get ready while the inputs are read."""
        self._workers += [self._started() for _ in range(self._jobs)]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the workers: by themselves where all is done, at once where it is not."""
        for worker in self._workers:
            worker.pipe.close()
            if error is not None:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join(_SECONDS)
            worker.process.kill()
            worker.process.join()

    def lines(self, batches: Iterable[Batch]) -> Iterator[Answer]:
        """Do all of *batches*; yield the answer to each item when it comes."""
        left = iter(batches)
        while self._hand_out(left):
            pipes = {worker.pipe: worker for worker in self._workers if worker.batches}
            for pipe in wait(list(pipes)):
                yield from self._received(pipes[pipe])  # type: ignore[index] # of our own

    def _hand_out(self, left: Iterator[Batch]) -> bool:
        """Keep the workers busy; False where there is nothing under way any more."""
        while worker := self._free():
            batch = self._again.popleft() if self._again else next(left, None)
            if batch is None:
                break
            worker.batches.append({item.id: item for item in batch})
            try:
                worker.pipe.send(batch)
            except OSError:
                break  # it died; its pipe tells so
        return any(worker.batches for worker in self._workers)

    def _free(self) -> _Worker | None:
        """Return a worker that takes a batch, the least busy."""
        worker = min(self._workers, key=lambda one: len(one.batches))
        return worker if len(worker.batches) < AHEAD else None

    def _started(self) -> _Worker:
        context = multiprocessing.get_context("spawn")  # no thread of ours lives there
        ours, theirs = context.Pipe()
        process = context.Process(
            target=self._work, args=(theirs, self._settings), daemon=True
        )
        process.start()
        theirs.close()  # so that its end is seen
        return _Worker(process, ours)

    def _received(self, worker: _Worker) -> Iterator[Answer]:
        try:
            answer: Answer = worker.pipe.recv()
        except (EOFError, OSError):
            yield from self._buried(worker)
            return
        for batch in worker.batches:
            batch.pop(answer.line.id, None)
        worker.batches = [batch for batch in worker.batches if batch]
        yield answer

    def _buried(self, worker: _Worker) -> Iterator[Answer]:
        """Do again, one by one, what a dead worker had not done; by another one."""
        worker.pipe.close()
        worker.process.join()
        self._workers[self._workers.index(worker)] = self._started()
        for item in (item for batch in worker.batches for item in batch.values()):
            deaths = self._deaths.get(item.id, 0) + 1
            if deaths < _DEATHS:
                self._deaths[item.id] = deaths
                self._again.append((item,))
            else:
                how = _ended(worker.process.exitcode)
                said = f"its process {how}, twice"
                yield failed(item.id, "internal", said)


def _ended(code: int | None) -> str:
    if code is not None and code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with {code}"
