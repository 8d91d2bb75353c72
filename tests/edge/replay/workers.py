"""Workers that misbehave on order: an item's id says how."""

import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path

from triage.config import Settings
from triage.core.replay import failed


def work(pipe: Connection, settings: Settings) -> None:
    """Answer each item with an error line; `die...` ends the process instead.

    `die-once` does so once, `die-late` after it has answered; `exit` ends in order.
    """
    while True:
        try:
            batch = pipe.recv()
        except EOFError:
            return
        for item in batch:
            if item.id.startswith("die-once"):
                _die_once(settings.data_dir / item.id)
            elif item.id.startswith("die"):
                os.kill(os.getpid(), signal.SIGKILL)
            elif item.id == "exit":
                raise SystemExit(5)
            told = f"{os.getpid()} {len(batch)}"
            pipe.send(failed(item.id, "no-panic", told))


def _die_once(mark: Path) -> None:
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)
