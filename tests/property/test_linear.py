"""Reading takes time in proportion to the text, whatever stands in it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = ROOT / "triage" / "core"
MODULES = sorted(
    ".".join(path.relative_to(CORE).with_suffix("").parts)
    for path in [*CORE.glob("panics/*.py"), CORE / "names.py", CORE / "target.py"]
    if "re.compile" in path.read_text("utf-8")
)
pytestmark = pytest.mark.timeout(120)  # the kernel ends what takes too long

SETTINGS = (
    "alone",
    "above",
    "escaped",
    "quoted",
    "file",
    "function",
    "state",
    "prefixed",
)


def last_job(*arguments: str) -> tuple[int, str]:
    """Run `tests/linear.py`; return how it ended and what it was at."""
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "linear.py", *arguments],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.rstrip("\n").rpartition("\n")[2] + done.stderr


@pytest.mark.parametrize("module", MODULES)
def test_no_expression_can_be_driven_wild(module):
    """None takes more than its text, repeated on and on, is worth."""
    code, at = last_job("patterns", module)
    assert code == 0, at


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_text_takes_more_than_its_length(setting):
    """Eight times the text takes about eight times as long: each line, each piece."""
    code, at = last_job("texts", setting)
    assert code == 0, at
