"""Crashes cut out of a text that comes in pieces."""

import pytest

from triage.core.panics import decipher
from triage.core.replay import Cut, Cutter


def crash(number: int, frames: int = 2) -> str:
    """Write a crash as the runtime prints it."""
    return f"panic: number {number}\n\ngoroutine {number} [running]:\n" + "".join(
        f"example.com/shop.f{n}()\n\t/app/shop/f{n}.go:{number} +0x1d\n"
        for n in range(frames)
    )


LOG = "2026/01/02 03:04:05 http: served /cart in 3ms\n"
LOGGED = (
    "2026/01/02 03:04:05 cannot read: the file is not there\n"
    "example.com/shop.read\n\t/app/shop/read.go:8\n"
    "main.main\n\t/app/main.go:9\n"
    "runtime.main\n\t/usr/local/go/src/runtime/proc.go:250\n"
)


def cut(text: str, size: int = 1 << 20, **bounds: int) -> list[Cut]:
    """Feed *text* in pieces of *size* bytes."""
    cutter, data = Cutter(**bounds), text.encode()
    found = list[Cut]()
    for start in range(0, len(data), size):
        found += cutter.feed(data[start : start + size])
    return found + cutter.end()


def numbers(cuts: list[Cut]) -> list[int | None]:
    """Tell which crash each part holds, by the line of its first frame."""
    parts = [decipher(part.text).crashes for part in cuts]
    assert all(len(crashes) == 1 for crashes in parts)
    return [
        crashes[0].crashed.frames[0].line for crashes in parts if crashes[0].crashed
    ]


def test_each_crash_once_and_in_order():
    """Between the crashes of a log stands what nobody asked for."""
    text = LOG * 3 + crash(1) + LOG + crash(2) + crash(3) + LOG
    assert numbers(cut(text)) == [1, 2, 3]


@pytest.mark.parametrize("size", [100, 1_000, 7_777])
def test_windows_change_nothing(size):
    """A long log gives the same crashes in small windows as in one piece."""
    text = "".join(LOG * (n % 50) + crash(n, frames=1 + n % 40) for n in range(1, 60))
    whole = cut(text)
    assert numbers(whole) == list(range(1, 60))
    assert cut(text, size, window=4_000) == whole


def test_a_crash_longer_than_a_window():
    """The window grows until the crash is whole."""
    text = LOG + crash(1, frames=2_000) + LOG * 300 + crash(2)
    found = cut(text, 1_000, window=4_000)
    assert numbers(found) == [1, 2]
    (panic,) = decipher(found[0].text).crashes
    assert panic.crashed is not None
    assert len(panic.crashed.frames) == 2_000


def test_a_crash_without_end_is_cut():
    """What is held is bounded: the beginning of a crash explains it."""
    found = cut(crash(1, frames=5_000), 1_000, window=4_000, longest=50_000)
    (panic, *_) = decipher(found[0].text).crashes
    assert panic.crashed is not None
    assert 500 < len(panic.crashed.frames) < 5_000


def test_a_stack_that_was_logged_is_marked():
    """It counts only where nothing else crashed, which the text's end tells."""
    assert [part.logged for part in cut(LOGGED + LOG + crash(1))] == [True, False]


@pytest.mark.parametrize("text", ["", "\n", LOG * 1_000, "panic: x\n"])
def test_no_crash(text):
    """A text without a stack gives nothing."""
    assert cut(text, 1_000, window=4_000) == []


def test_bytes_that_are_no_text():
    """Noise around a crash does not hide it."""
    cutter = Cutter()
    noise = bytes(range(256)) * 10 + b"\n"
    found = cutter.feed(noise + crash(1).encode() + noise) + cutter.end()
    assert numbers(found) == [1]
