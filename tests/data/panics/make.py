"""Build the program `shop` and keep what it prints when it crashes.

Run by hand after a new Go release: `python tests/data/panics/make.py`. Paths of the
machine are replaced, so that the texts do not depend on where they were made.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
PLAIN = (
    "nil", "map", "index", "divide", "custom", "multiline", "assert", "closed",
    "again", "wrapped", "goroutine", "overflow", "logpanic", "unlock", "serving",
    "slogjson", "slogtext", "stack", "nilpanic", "error",
)  # fmt: skip
CHAINS = "onpanic", "three", "fatal", "goexit"
GO = shutil.which("go") or sys.exit("make.py: no go on the path")


def run(argv: list[str], cwd: Path, **environment: str) -> str:
    """Run a command that is meant to fail; return all that it printed."""
    done = subprocess.run(
        argv,
        cwd=cwd,
        env={**os.environ, "GOFLAGS": "", "GOPROXY": "off", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    return done.stdout


def stopped(argv: list[str], cwd: Path) -> str:
    """Run a command that waits for ever; return what it prints when told to quit."""
    with subprocess.Popen(argv, cwd=cwd, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(1)
        process.send_signal(signal.SIGQUIT)
        return process.communicate(timeout=60)[1]


def main() -> None:
    """Write one text a crash beside this file."""
    root = run([GO, "env", "GOROOT"], HERE).strip()
    with tempfile.TemporaryDirectory() as scratch:
        shop = Path(scratch) / "shop"
        shutil.copytree(HERE / "shop", shop)
        texts = {}
        run([GO, "build", "-o", "shop", "."], shop)
        for name in PLAIN:
            texts[name] = run(["./shop", name], shop)
        run([GO, "build", "-o", "chain", "./chains"], shop)
        for name in CHAINS:
            texts[name] = run(["./chain", name], shop)
        texts["quit"] = stopped(["./chain", "quit"], shop)
        texts["deadlock"] = run([GO, "run", "./stuck"], shop)
        texts["many"] = run(["./shop", "many"], shop, GOTRACEBACK="all")
        texts["system"] = run(["./shop", "nil"], shop, GOTRACEBACK="system")
        texts["ancestors"] = run(
            ["./shop", "goroutine"], shop, GODEBUG="tracebackancestors=3"
        )
        run([GO, "build", "-trimpath", "-o", "shop", "."], shop)
        texts["trimpath"] = run(["./shop", "index"], shop)
        test = [GO, "test", "-count=1", "-vet=off", "./orders"]
        texts["test"] = run([*test, "-run=TestFirst"], shop)
        texts["testjson"] = run([*test, "-json", "-run=TestFirst"], shop)
        texts["timeout"] = run([*test, "-run=TestSlow", "-timeout=1s"], shop)
        texts["race"] = run([*test, "-race", "-run=TestRace"], shop)
        for name, text in texts.items():
            plain = text.replace(root, "/usr/local/go").replace(scratch, "/srv")
            (HERE / f"{name}.txt").write_text(plain)


if __name__ == "__main__":
    main()
