"""Crashes out of a log that comes in pieces."""

import json

import pytest

from triage.core.ci import Crash, Unweaver

LOGGED = (
    "cannot read: the file is not there\nexample.com/shop.read\n\t/app/shop/read.go:8\n"
    "main.main\n\t/app/main.go:9\nruntime.main\n\t/usr/local/go/src/runtime/proc.go:250\n"
)


def crash(name: str) -> str:
    """Write a crash as the runtime prints it."""
    return (
        f"panic: {name}\n\ngoroutine 7 [running]:\n"
        f"example.com/shop.{name}()\n\t/app/shop/{name}.go:8 +0x1d\n"
    )


def event(package: str, output: str = "", action: str = "output", **more: str) -> str:
    """Write what test2json prints."""
    told = {"Action": action, "Package": package, **more}
    return json.dumps(told | ({"Output": output} if output else {})) + "\n"


def found(text: str, size: int = 1 << 20) -> list[Crash]:
    """Feed *text* in pieces of *size* bytes."""
    unweaver, data, crashes = Unweaver(), text.encode(), list[Crash]()
    for start in range(0, len(data), size):
        crashes += unweaver.feed(data[start : start + size])
    return crashes + unweaver.end()


def test_a_plain_log():
    """Each crash is found, whatever stands around it."""
    text = "=== RUN TestA\n" + crash("a") + "FAIL\n" + crash("b")
    assert [one.text for one in found(text)] == [crash("a"), crash("b")]


@pytest.mark.parametrize("size", [1, 7, 100, 10_000])
def test_packages_woven_together(size):
    """Events of packages that run at once are put together again by package."""
    lines = zip(crash("a").splitlines(True), crash("b").splitlines(True), strict=True)
    text = "".join(event("p/a", a) + event("p/b", b) for a, b in lines)
    text += event("p/a", action="fail") + event("p/b", action="pass")
    assert found(text, size) == [Crash(crash("a"), "p/a"), Crash(crash("b"), "p/b")]


def test_a_package_that_never_ends():
    """A log that is cut off tells of what it has."""
    text = "".join(event("p/a", line) for line in crash("a").splitlines(True))
    assert found(text) == [Crash(crash("a"), "p/a")]


def test_the_end_of_a_test_is_not_that_of_its_package():
    """The crash of one test is told with what follows in its package."""
    first, *rest = crash("a").splitlines(True)
    text = event("p", first) + event("p", action="fail", Test="TestA")
    text += "".join(event("p", line) for line in rest)
    assert found(text) == [Crash(crash("a"), "p")]


def test_a_build_that_fails():
    """What the compiler says belongs to a package too, and is no crash."""
    text = event("", "# p\n", action="build-output", ImportPath="p [p.test]")
    text += event("", action="build-fail", ImportPath="p [p.test]")
    assert found(text) == []


def test_plain_lines_between_events():
    """A program's own standard error may stand among the events."""
    head, tail = crash("a").split("\n\n")
    text = head + "\n" + event("p", "ok\n") + "\n" + tail
    assert [one.text for one in found(text)] == [crash("a")]


def test_a_time_stamp_before_an_event():
    """A runner's log has one on each line."""
    lines = crash("a").splitlines(True)
    text = "".join(f"2026-01-02T03:04:05.6Z {event('p', line)}" for line in lines)
    assert found(text) == [Crash(crash("a"), "p")]


def test_what_was_merely_logged():
    """A stack that was printed is no crash."""
    assert found(LOGGED) == []


@pytest.mark.parametrize(
    "text", ["", "\n", '{"Action":1}\n', '{"Action":"output"}\n', "x" * 3_000_000]
)
def test_nothing(text):
    """What is no crash gives none."""
    assert found(text, 100_000) == []


def test_many_packages_at_once():
    """What is held is bounded; no crash is lost for it."""
    names = [f"p{number}" for number in range(200)]
    text = "".join(event(name, crash(name)) for name in names)
    assert sorted(one.package for one in found(text)) == sorted(names)
