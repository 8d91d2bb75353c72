"""Kill writers of a cache in the middle, again and again; see that the file is well.

Run as `killed_writers.py PATH TIMES`: a process of its own, without threads, so that
forking is safe. Each child writes values that say themselves what they have to be, and
is killed after a different number of them. Prints how many values were found whole.
"""

import asyncio
import hashlib
import os
import signal
import sys
from itertools import count
from pathlib import Path

import apsw

from triage.cache.schema import KINDS
from triage.cache.sqlite import SqliteTier

_KEYS = 40


def key(kind: str, number: int) -> bytes:
    """Return the key of value *number*."""
    return hashlib.blake2b(f"{kind} {number}".encode(), digest_size=20).digest()


def value(kind: str, number: int) -> bytes:
    """Return what has to stand under that key: about 20 KB."""
    return hashlib.sha256(f"{kind} {number}".encode()).digest() * 640


def write_for_ever(path: Path, ready: int) -> None:
    """Write, and say after each batch that it is written."""
    tier = SqliteTier(path)
    for turn in count():
        for kind in KINDS:
            number = turn % _KEYS
            tier.put(kind, {key(kind, number): value(kind, number)})
        tier.put_paths(key("commit", turn), {"a.go": "m/a.go"})
        tier._writer.drain()
        os.write(ready, b".")


def kill_one(path: Path, turn: int) -> None:
    """Let a child write a while and kill it at an odd moment."""
    ready, told = os.pipe()
    child = os.fork()
    if not child:
        write_for_ever(path, told)
    for _ in range(turn % 5):
        os.read(ready, 1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(ready)
    os.close(told)


async def found(path: Path) -> int:
    """Count the values that are there; exit where one is not what it has to be."""
    tier = SqliteTier(path)
    good = 0
    for kind in KINDS:
        numbers = {key(kind, number): number for number in range(_KEYS)}
        for name, data in (await tier.get(kind, list(numbers))).items():
            if data != value(kind, numbers[name]):
                sys.exit(f"{kind} {numbers[name]} is wrong")
            good += 1
    await tier.close()
    return good


def check(path: Path) -> None:
    """Exit where SQLite finds the file damaged."""
    db = apsw.Connection(str(path))
    verdict = db.pragma("quick_check")
    db.close()
    if verdict != "ok":
        sys.exit(f"the file is damaged: {verdict}")


def main() -> None:
    """Kill, look, and kill again."""
    path, times = Path(sys.argv[1]), int(sys.argv[2])
    good = 0
    for turn in range(times):
        kill_one(path, turn)
        if path.exists():
            check(path)
            good = asyncio.run(found(path))
    sys.stdout.write(f"{good}\n")


if __name__ == "__main__":
    main()
