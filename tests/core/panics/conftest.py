"""What the tests of panic texts share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from triage.core.model import Goroutine, Panic
from triage.core.panics import decipher, primary

DATA = Path(__file__).parents[2] / "data" / "panics"


@pytest.fixture
def sample() -> Callable[[str], str]:
    """Return a text that the program in tests/data/panics printed, by its name."""
    return lambda name: (DATA / f"{name}.txt").read_text()


@pytest.fixture
def read() -> Callable[[bytes | str], Panic]:
    """Return the crash that a text is about; there must be one."""

    def read_one(text: bytes | str) -> Panic:
        panic = primary(decipher(text).crashes)
        assert panic is not None
        return panic

    return read_one


@pytest.fixture
def frames() -> Callable[[Panic | Goroutine], list[str]]:
    """Return the frames of a crash, each as `function file:line`."""

    def list_frames(of: Panic | Goroutine) -> list[str]:
        stack = of.crashed if isinstance(of, Panic) else of
        assert stack is not None
        return [f"{f.function} {f.file}:{f.line}" for f in stack.frames]

    return list_frames
