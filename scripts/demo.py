"""Explain the example service's panic, as a user would; --write updates the README."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "scripts" / "example"
PANIC = EXAMPLE / "panic.txt"
README = ROOT / "README.md"
BLOCK = re.compile(
    r"(<!-- example: written by scripts/demo --write -->\n```go\n)(.*?)(```\n)",
    re.DOTALL,
)


def main() -> int:
    """Print the context and how much smaller it is; returns the exit code."""
    parser = argparse.ArgumentParser(prog="scripts/demo", description=__doc__)
    parser.add_argument(
        "--write", action="store_true", help="put the output into README.md"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="triage-demo-") as directory:
        repository = Path(directory)
        make_repository(repository)
        text = explain(repository)
        stats = json.loads(explain(repository, "--format", "json"))["stats"]
    if options.write:
        write_readme(text)
    print(text, end="")
    print(
        f"\n{stats['context_bytes']:,} bytes of context"
        f" out of a package of {stats['package_bytes']:,}"
    )
    return 0


def make_repository(directory: Path) -> None:
    """Put the example service into a git repository of one commit."""
    shutil.copytree(
        EXAMPLE,
        directory,
        ignore=shutil.ignore_patterns(PANIC.name),
        dirs_exist_ok=True,
    )
    who = ("-c", "user.name=Triage", "-c", "user.email=triage@example.com")
    for command in (
        ("init", "-q"),
        ("add", "."),
        (*who, "commit", "-qm", "shop: first version"),
    ):
        # Hooks, templates and signing are the user's, not the example's.
        subprocess.run(
            ["git", *command],
            cwd=directory,
            env={
                "PATH": os.environ["PATH"],
                "GIT_CONFIG_GLOBAL": os.devnull,
                "GIT_CONFIG_NOSYSTEM": "1",
            },
            check=True,
        )


def explain(repository: Path, *options: str) -> str:
    """Run `triage context` on the example's panic; a failure of it is fatal."""
    command = [sys.executable, "-m", "triage", "context", str(PANIC)]
    done = subprocess.run(
        [*command, "--repo", str(repository), "--commit", "HEAD", *options],
        stdout=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        sys.exit(f"scripts/demo: triage ended with exit code {done.returncode}")
    return done.stdout.decode()


def readme_example() -> str:
    """Return what the README shows as the example's output."""
    block = BLOCK.search(README.read_text("utf-8"))
    if block is None:
        sys.exit(f"scripts/demo: {README} has no example block")
    return block[2]


def write_readme(text: str) -> None:
    """Replace the README's example."""
    old = README.read_text("utf-8")
    README.write_text(BLOCK.sub(lambda m: m[1] + text + m[3], old), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
