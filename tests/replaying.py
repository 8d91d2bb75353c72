"""A repository with a past, and what crashed in it, for tests of replays."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e.conftest import ADD, FILES, TOTAL, TRACE
from tests.gitrepo import GitRepo

ROOT = Path(__file__).parents[1]


def history(path: Path, commits: int) -> tuple[GitRepo, list[str]]:
    """Make the shop's repository, with commits that each change a file."""
    repo = GitRepo(path)
    repo.path.mkdir()
    repo.git("init", "--quiet")
    ids = []
    for number in range(commits):
        money = FILES["money/money.go"] + f"\n// Edition {number}.\n"
        ids.append(repo.commit(FILES | {"money/money.go": money}))
    return repo, ids


def items(repo: GitRepo, ids: list[str]) -> list[dict[str, Any]]:
    """Tell of crashes at each commit: by place, by trace, and some that fail."""
    told = []
    for number, sha in enumerate(ids):
        where = {"repo": str(repo.path), "commit_sha": sha}
        crashes: list[dict[str, Any]] = [
            {"file": "cart/cart.go", "line": ADD},
            {"file": "cart/cart.go", "line": TOTAL},
            {"file": "main.go", "line": 6},
            {"trace": TRACE, "at": f"2026-01-{number % 28 + 1:02}T03:04:05Z"},
            {"file": "cart/cart.go", "line": 9_999},
            {"file": "cart/nosuch.go", "line": 1},
        ]
        told += [
            {"id": f"{number}-{turn}", **where, **crash}
            for turn, crash in enumerate(crashes)
        ]
    return told


def write(path: Path, told: list[dict[str, Any]]) -> Path:
    """Write JSON lines."""
    path.write_text("".join(f"{json.dumps(one)}\n" for one in told), "utf-8")
    return path


def command(directory: Path, *arguments: str | Path) -> list[str]:
    """Name the command of a replay that keeps its cache in *directory*."""
    data = ("--data-dir", directory / "data")
    return list(map(str, (sys.executable, "-m", "triage", "replay", *data, *arguments)))


def run(
    directory: Path, *arguments: str | Path, **more: Any
) -> subprocess.CompletedProcess[bytes]:
    """Replay in *directory*, to the end."""
    given = {"cwd": directory, "capture_output": True, **more}
    return subprocess.run(command(directory, *arguments), check=False, **given)


def comparable(path: Path) -> list[dict[str, Any]]:
    """Read lines sorted by id, without what hangs on when and by whom they were made."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line in lines:
        del line["ms"]
        if line["context"]:
            del line["context"]["served_from"]
    return sorted(lines, key=lambda line: line["id"])
