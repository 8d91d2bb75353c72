"""Reports of the race detector."""

from triage.core.model import Frame
from triage.core.panics import decipher

REPORT = """\
==================
WARNING: DATA RACE
Write at 0x00c000010010 by goroutine 8:
  main.write()
      /srv/shop/main.go:9 +0x33

Previous read at 0x00c000010010 by main goroutine:
  main.main()
      /srv/shop/main.go:14 +0x64

Goroutine 8 (running) created at:
  main.main()
      /srv/shop/main.go:12 +0x5a
==================
"""


def test_a_report_is_one_crash(read, frames):
    """The first access crashed; the other one and who made them stand beside it."""
    panic = read(REPORT)
    assert (
        panic.kind,
        panic.message,
        panic.goroutines,
    ) == ("data-race", "DATA RACE", 0)
    assert frames(panic) == ["main.write /srv/shop/main.go:9"]
    assert (
        panic.crashed.id,
        panic.crashed.state,
    ) == (8, "Write at 0x00c000010010 by goroutine 8")
    assert Frame("main.main", "/srv/shop/main.go", 12, "") == panic.crashed.created_by
    assert [access.id for access in panic.others] == [None]
    assert panic.lines == (2, 13)


def test_a_real_report(sample, read, frames):
    """What go test -race prints of two goroutines that write."""
    panic = read(sample("race"))
    assert frames(panic) == [
        "example.test/shop/orders.TestRace.func1 /srv/shop/orders/orders_test.go:20"
    ]
    assert [access.id for access in panic.others] == [8]


def test_reports_without_their_warning_are_told_apart():
    """As people paste them, each begins with an access that is not the previous one."""
    body = REPORT.partition("RACE\n")[2]
    assert len(decipher(body + "\n" + body).crashes) == 2


def test_reports_of_old_versions(read, frames):
    """Before Go 1.7 the detector did not say at which address."""
    panic = read(REPORT.replace(" at 0x00c000010010", ""))
    assert frames(panic) == ["main.write /srv/shop/main.go:9"]
    assert panic.crashed.state == "Write by goroutine 8"
    assert len(panic.others) == 1


def test_reports_that_were_double_spaced(read, frames):
    """Web forms put a blank line after each line."""
    panic = read(REPORT.replace("\n", "\n\n"))
    assert frames(panic) == ["main.write /srv/shop/main.go:9"]
    assert len(panic.others) == 1


def test_a_race_and_the_panic_after_it_are_two(sample):
    """The detector goes on after its report; what happens then is another crash."""
    crashes = decipher(REPORT + sample("map")).crashes
    assert [panic.kind for panic in crashes] == ["data-race", "nil-map"]


def test_half_a_report(read):
    """Where its head is cut off, the other access is what is left; a birth is not."""
    text = "Previous" + REPORT.partition("Previous")[2]
    assert read(text).crashed.state.startswith("Previous read at ")
    assert decipher("Goroutine" + text.partition("Goroutine")[2]).crashes == ()
    assert (
        decipher("Write at 0x0 by goroutine 1: Write at 0x0 by goroutine 2:").crashes[
            1:
        ]
        == ()
    )


def test_makers_that_cannot_be_shown(read):
    """The detector may have forgotten where a goroutine came from."""
    text = REPORT.replace(
        "  main.main()\n      /srv/shop/main.go:12 +0x5a\n", "  [failed]\n"
    )
    assert read(text).crashed.created_by is None


def test_a_race_behind_a_prefix(read, frames):
    """Sections are found behind whatever stands before each line."""
    text = "".join(f"shop-1  | {line}\n" for line in REPORT.splitlines())
    panic = read(text)
    assert frames(panic) == ["main.write /srv/shop/main.go:9"]
    assert panic.lines == (2, 13)


def test_a_section_behind_words_ends_the_one_above(read):
    """Frames belong to the access right above them."""
    text = (
        "log: Write at 0x1 by goroutine 7:\n  main.f()\n      /srv/a.go:7 +0x1\n"
        "log: Previous read at 0x1 by goroutine 8:\n  main.g()\n      /srv/a.go:9 +0x1\n"
    )
    panic = read(text)
    assert [frame.line for frame in panic.crashed.frames] == [7]
    assert [frame.line for frame in panic.others[0].frames] == [9]
