"""Kill a replay again and again, resume it, and see that nothing is lost or doubled.

`python -m tests.killed_replay [ROUNDS] [SEED]` kills twenty times; the tests do it less.
Each kill takes `triage replay --resume` with all its processes at a random moment. An
output that comes to its end has to equal what one unbroken run writes, but for order,
time and who served it; then another one is begun.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.replaying import command, comparable, history, items, run, write

_COMMITS = 60
_ROUNDS = 20


def rounds(directory: Path, times: int, chance: random.Random) -> int:
    """Kill *times* times, each time resumed; return how many outputs came to their end.

    Raises `AssertionError` where one is not the unbroken run's.
    """
    repo, ids = history(directory / "shop", _COMMITS)
    told = write(directory / "in.jsonl", items(repo, ids))
    whole = directory / "whole.jsonl"
    assert run(directory, told, "--out", whole, "--no-cache").returncode == 0
    kills = ended = 0
    while kills < times:
        out = directory / f"out{ended}.jsonl"
        if _killed(_resumed(directory, told, out), chance):
            kills += 1
        else:
            assert comparable(out) == comparable(whole)
            ended += 1
    out = directory / f"out{ended}.jsonl"
    subprocess.run(_resumed(directory, told, out), check=True, capture_output=True)
    assert comparable(out) == comparable(whole)
    return ended + 1


def _resumed(directory: Path, told: Path, out: Path) -> list[str]:
    return command(directory, told, "--out", out, "--resume", "--no-cache")


def _killed(line: list[str], chance: random.Random) -> bool:
    """Run a command for a random while; tell whether it had to be killed."""
    process = subprocess.Popen(line, stderr=subprocess.PIPE, start_new_session=True)
    try:
        process.communicate(timeout=chance.uniform(0.3, 2.0))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return True
    return False


def main() -> None:
    """Do the rounds and print what came of them."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else _ROUNDS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)  # noqa: S311 - no secret hangs on it
    sys.stdout.write(f"seed {seed}\n")
    with tempfile.TemporaryDirectory() as directory:
        ended = rounds(Path(directory), times, random.Random(seed))  # noqa: S311 - likewise
    sys.stdout.write(
        f"{times} kills, {ended} outputs, each equal to an unbroken run's\n"
    )


if __name__ == "__main__":
    main()
