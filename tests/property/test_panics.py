"""What holds for the reading of any text."""

import json
import time
from pathlib import Path

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from triage.core.panics import decipher, primary
from triage.core.panics.show import to_json, to_text

DATA = Path(__file__).parents[1] / "data" / "panics"
NAMES = (
    "nil",
    "index",
    "goroutine",
    "serving",
    "wrapped",
    "unlock",
    "again",
    "deadlock",
)
TEXTS = {name: (DATA / f"{name}.txt").read_text() for name in NAMES}
PIECES = (
    "goroutine 1 [running]:", "main.main()", "\t/a.go:1 +0x1", "panic: x", "\n", "fatal error: y",
    "Write at 0x00c by goroutine 1:", "Goroutine 1 (running) created at:", '{"a":"', '"}', "\\n",
    '\\"', "| ", "> ", "created by m.x", "/a.go:1 (0x1)", "\tf: x", "x.go:1", '"', "\t", " ", ":0",
    "...additional frames elided...", "runtime stack:", "-> ", "[signal SIGSEGV: x addr=0x0]",
    "http: panic serving ", "Observed a panic: ", "#012", "%0A", "<br>", "&lt;", "\x1b[31m", "\r",
    '{"log":"', '[{"func":"a","line":1,"source":"x.go"}]', "F0314 09:26:53.1 1 a.go:1] x",
    "\ud800", "\\ud800", "=09x.go:1=", "|n", "goroutine 1 [running]: main.main() /a.go:7 +0x1d ",
    "SIGQUIT: quit", "PC=0x1 m=0", "[originating from goroutine 1]:", "09:26:53 ", "a.F(0x1,",
    f"goroutine {'9' * 25} [a]:", "9" * 25, "7" * 5000, 'user="" ', 'stack="', "panic: y [recovered]",
    '{"stack":[{"file":"x.go","line":' + "9" * 25 + "}]}", "Write by goroutine " + "9" * 25 + ":", "\u0661",
    f"[signal SIGSEGV: x addr=0x{'f' * 25}]", "goroutine 1 [a] {b: c}:", "/x.org/a@v1.2.3/b.go:1 +0x1", "\xb2",
)  # fmt: skip
SOME = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def frames(text: bytes | str) -> list[tuple[str, str | None, int | None]]:
    """Return the frames of the crash that a text is about."""
    panic = primary(decipher(text).crashes)
    stack = panic.crashed.frames if panic and panic.crashed else ()
    return [(frame.function, frame.file, frame.line) for frame in stack]


names = st.sampled_from(NAMES)


@SOME
@given(st.binary(max_size=400))
def test_any_bytes_are_read(data):
    """Noise raises nothing."""
    decipher(data)


@SOME
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=40))
def test_any_mixture_of_what_is_looked_for_is_read(pieces):
    """Pieces of dumps in any order raise nothing, and what comes out can be shown."""
    report = decipher("".join(pieces))
    orjson.dumps(to_json(report, "x"))
    assert to_text(report, "x").endswith("\n")
    assert all(1 <= p.lines[0] <= p.lines[1] for p in report.crashes)


@SOME
@given(
    names,
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=25)
    | st.text(
        "{}[]()\"'\\#|>/*-: \t0123456789abcdefgox=<&%ntrupm;.,@~`!?", max_size=12
    ),
)
def test_any_prefix_before_each_line_gives_the_same_frames(name, prefix):
    """Whatever a sender chooses to write there."""
    lines = TEXTS[name].removesuffix("\n").split("\n")
    assert frames(TEXTS[name]) == frames("".join(f"{prefix}{line}\n" for line in lines))


@SOME
@given(names, st.data())
def test_a_cut_at_the_end_gives_the_first_frames(name, data):
    """What is missing is missing, and nothing else changes."""
    text = TEXTS[name]
    cut = data.draw(st.integers(0, len(text)))
    within = text[:cut].rpartition("\n")[2]
    if (
        text[:cut][-1:].isdigit()
        and text[cut : cut + 1].isdigit()
        and "+0x" not in within
    ):
        return  # half a line number cannot be told from a whole one
    whole, got = frames(text), frames(text[:cut])
    assert whole[: len(got)] == got


@SOME
@given(names, st.data())
def test_a_cut_at_the_beginning_gives_the_last_frames(name, data):
    """Half a name is never taken for a whole one."""
    text = TEXTS[name]
    whole, got = frames(text), frames(text[data.draw(st.integers(0, len(text))) :])
    assert whole[len(whole) - len(got) :] == got


@SOME
@given(names, st.integers(1, 3), st.text(max_size=8), st.booleans())
def test_a_text_escaped_over_and_over_gives_the_same_frames(
    name, times, beside, pretty
):
    """In records within records, with anything beside it."""
    text = TEXTS[name]
    for _ in range(times):
        text = json.dumps({"msg": beside, "stack": text}, indent=2 if pretty else None)
    assert frames(TEXTS[name]) == frames(text)


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("end", ["", "\n"])
def test_time_grows_with_the_text_and_no_faster(piece, end):
    """Twice the text takes about twice the time, on one line or on many.

    The bound is wide, for machines that do other things too: what is not linear
    takes a hundred times as long here, or never ends.
    """

    def seconds(size: int) -> float:
        text = (piece + end) * (size // len(piece + end))
        begin = time.process_time()
        decipher(text)
        return time.process_time() - begin

    small = min(seconds(5_000) for _ in range(2))
    assert seconds(50_000) < 30 * small + 0.1
