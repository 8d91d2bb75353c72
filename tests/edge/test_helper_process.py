"""One child process: a fake that misbehaves on order, or a command of the system's."""

import asyncio
import contextlib
import os
import resource
from collections.abc import Iterator

import pytest

from triage.core.wire import Hello, Request, SymbolsRequest
from triage.errors import (
    HelperDied,
    HelperError,
    HelperProtocolError,
    HelperStartFailed,
    HelperTimeout,
    HelperUnavailable,
    HelperVersionMismatch,
)
from triage.helper.launch import Launch, Limits, child_environment
from triage.helper.process import Child, _describe

LIMITS = Limits()


def order(what: str, text: bytes = b"") -> SymbolsRequest:
    """Tell the fake helper what to do; *text* comes back where it echoes."""
    return SymbolsRequest(what, "", "linux", "amd64", (), None, (("a.go", text),))


def gone(pid: int) -> bool:
    """Tell whether a process has ended and been waited for."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@contextlib.contextmanager
def descriptors(free: int) -> Iterator[None]:
    """Leave the process just *free* file descriptors to open."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = 0
    while free or _is_open(limit):
        free -= not _is_open(limit)
        limit += 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


class Nursery:
    """Makes children, and keeps what is told of their ends."""

    def __init__(self, clock, fake_helper) -> None:
        self._clock = clock
        self._fake_helper = fake_helper
        self.children: list[Child] = []
        self.deaths: list[tuple[HelperError, tuple[Request, ...]]] = []

    def __call__(self, start="good", command=None, environ=os.environ) -> Child:
        """Make a child that starts as told."""
        launch = Launch(
            command=tuple(command or self._fake_helper(start)),
            environment=child_environment(environ),
            version="0.1.0",
            schema=1,
            limits=LIMITS,
            clock=self._clock,
        )
        child = Child(launch, lambda *end: self.deaths.append(end))
        self.children.append(child)
        return child


@pytest.fixture
async def nursery(clock, fake_helper):
    """Start children by what they are to do; each is gone at the end."""
    nursery = Nursery(clock, fake_helper)
    yield nursery
    for child in nursery.children:
        child.kill()
        await child.life


async def started(child: Child) -> int:
    """Start a fake helper and return its process."""
    await child.start()
    return int((await child.call(order("pid"))).body)


async def test_start_and_close(nursery, clock):
    """A child says hello, answers, and ends by itself when its input ends."""
    child = nursery()

    pid = await started(child)
    usable = child.usable
    await child.close()

    assert Hello(2, 1, "0.1.0", "go1.27.3") == child.hello
    assert usable
    assert not child.usable
    assert gone(pid)
    assert nursery.deaths == []
    assert clock.running == []


async def test_host_names_its_versions(nursery):
    """The host's own versions stand on the command line."""
    script = 'echo "$@" >&2; exit 1'

    with pytest.raises(HelperStartFailed) as caught:
        await nursery(command=["/bin/sh", "-c", script, "helper"]).start()

    assert "-serve -protocol 2 -schema 1 -version 0.1.0" in str(caught.value)


async def test_environment_is_an_allow_list(nursery):
    """No token and no proxy reaches the child."""
    environ = {
        "PATH": "/usr/bin:/bin",
        "GOMEMLIMIT": "1GiB",
        "GITHUB_TOKEN": "secret",
        "HTTPS_PROXY": "http://proxy",
    }
    child = nursery(environ=environ)
    await child.start()

    names = (await child.call(order("environment"))).body.split()

    assert {b"GOMEMLIMIT", b"PATH"} == set(names) - {b"LC_CTYPE"}  # Python sets that


@pytest.mark.parametrize("command", [["/nonexistent/goparse-helper"], ["/etc/passwd"]])
async def test_command_that_does_not_start(nursery, command):
    """A missing or useless binary is named, with what to do."""
    child = nursery(command=command)

    with pytest.raises(HelperStartFailed, match=f"{command[0]}: .*pip install") as why:
        await child.start()
    await child.close()

    assert isinstance(why.value.__cause__, OSError)


@pytest.mark.parametrize(
    ("start", "error", "says"),
    [
        ("old", HelperVersionMismatch, r"0\.1\.0 .*schema 1\).* 0\.0\.9 .*schema 7"),
        ("old", HelperVersionMismatch, "pip install --force-reinstall triage-go"),
        ("mismatch", HelperVersionMismatch, "triage is that, the helper is this"),
        ("garbage", HelperProtocolError, "no frame but b'usage: something"),
        ("half", HelperStartFailed, r"in the middle of a message \(exit status 0\)"),
        (
            "crash",
            HelperStartFailed,
            r"exit status 2\): fatal error: .* not said hello",
        ),
    ],
)
async def test_bad_hello(nursery, start, error, says):
    """Whatever comes in place of a good hello is an error that names it."""
    child = nursery(start)

    with pytest.raises(error, match=says):
        await child.start()
    await child.life

    assert [error] == [type(reason) for reason, _ in nursery.deaths]


async def test_no_hello(nursery, clock):
    """A child that says nothing is killed when its time is over."""
    child = nursery("silent")
    start = asyncio.create_task(child.start())

    await clock.expire(LIMITS.hello)

    with pytest.raises(HelperStartFailed, match="did not say hello within 10 s"):
        await start
    await child.life


async def test_cancelled_start(nursery):
    """A start that nobody waits for leaves no process behind, and is no death."""
    child = nursery("silent")
    start = asyncio.create_task(child.start())
    await asyncio.sleep(0)

    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    await child.life

    assert nursery.deaths == []


async def test_cancelled_start_after_the_spawn(nursery):
    """The same where the process is there already."""
    child = nursery("silent")
    start = asyncio.create_task(child.start())
    await child._spawned

    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    await child.life


async def test_death(nursery, clock):
    """A death fails the calls at once, with the exit status and the last words."""
    child = nursery()
    pid = await started(child)

    with pytest.raises(
        HelperDied, match=r"exit status 2\): fatal error: all"
    ) as caught:
        await child.call(order("crash"))

    assert caught.value.stderr == (
        "fatal error: all goroutines are asleep - deadlock!",
        "goroutine 1 [chan receive]:",
    )
    assert [(order("crash"),)] == [suspects for _, suspects in nursery.deaths]
    assert not child.usable
    await child.life
    assert gone(pid)
    assert clock.running == []


async def test_death_from_outside(nursery):
    """A child that somebody kills is a death without suspects."""
    child = nursery()
    pid = await started(child)
    hanging = asyncio.create_task(child.call(order("hang")))
    await child.call(order("echo"))

    os.kill(pid, 9)

    with pytest.raises(HelperDied, match=r"\(signal 9\)"):
        await hanging


async def test_death_in_the_middle_of_an_answer(nursery):
    """Half an answer is a death."""
    child = nursery()
    await child.start()

    with pytest.raises(HelperDied, match="in the middle of a message"):
        await child.call(order("half"))


@pytest.mark.parametrize("what", ["garbage", "unknown", "hello"])
async def test_protocol_faults_kill(nursery, what):
    """A child that lives but has lost its place is killed at once."""
    child = nursery()
    pid = await started(child)

    with pytest.raises(HelperProtocolError):
        await child.call(order(what))
    await child.life

    assert gone(pid)


async def test_call_over_its_limit(nursery, clock):
    """A hanging call ends its process, and says that it was the one."""
    child = nursery()
    pid = await started(child)
    call = asyncio.create_task(child.call(order("hang")))

    await clock.expire(LIMITS.call)

    with pytest.raises(HelperTimeout):
        await call
    await child.life
    assert gone(pid)


async def test_helper_that_stops_reading(nursery, clock):
    """A request that nobody reads ends with its limit, in the middle of writing."""
    child = nursery()
    await child.start()
    stuck = asyncio.create_task(child.call(order("stuck")))
    blocked = asyncio.create_task(child.call(order("echo", bytes(8 << 20))))

    await clock.expire(LIMITS.call)
    outcomes = await asyncio.gather(stuck, blocked, return_exceptions=True)

    assert [HelperTimeout, HelperDied] == [type(error) for error in outcomes]


async def test_closed_output(nursery, clock):
    """A child that closes its streams but lives on is killed before long."""
    child = nursery()
    pid = await started(child)
    call = asyncio.create_task(child.call(order("closed")))

    await clock.expire(LIMITS.reap)

    with pytest.raises(HelperDied, match=r"\(signal 9\)"):
        await call
    await child.life
    assert gone(pid)


async def test_grandchild_holds_the_streams(nursery, clock):
    """A child's end is seen although something of its own keeps its streams open."""
    child = nursery()
    await child.start()

    answered = await child.call(order("orphan", b"answer"))
    for _ in range(2):
        await clock.expire(LIMITS.reap)
    await child.life

    assert answered.body == b"answer"
    (end,) = [str(reason) for reason, _ in nursery.deaths]
    assert end.startswith("the helper ended (exit status 2): fatal error: ")


async def test_flood_of_standard_error(nursery):
    """However much a child complains, it is not held up, and its end is kept."""
    child = nursery()
    await child.start()

    answered = await child.call(order("flood", b"answer"))
    with pytest.raises(HelperDied) as caught:
        await child.call(order("crash"))

    assert answered.body == b"answer"
    lines = caught.value.stderr
    assert len(lines) == 64
    assert [len(line) for line in lines[-3:]] == [1_000, 50, 27]
    assert [int(lines[at].split()[1]) for at in (0, 7, 8)] == [0, 7, 19_947]


async def test_large_bodies(nursery):
    """The largest package goes through both ways, two at a time."""
    child = nursery()
    await child.start()
    text = os.urandom(1 << 20) * 8
    request = SymbolsRequest(
        "echo", "", "linux", "amd64", (), None, (("a.go", text),) * 4
    )

    replies = await asyncio.gather(child.call(request), child.call(request))

    assert [text * 4] * 2 == [reply.body for reply in replies]


async def test_close_answers_what_is_in_work(nursery):
    """A polite end lets a call finish that has been sent."""
    child = nursery()
    await child.start()
    call = asyncio.create_task(child.call(order("echo", bytes(4 << 20))))
    await asyncio.sleep(0)

    await child.close()

    assert len((await call).body) == 4 << 20
    with pytest.raises(HelperDied):
        await child.call(order("echo"))


async def test_close_fails_what_does_not_end(nursery):
    """A call that is not answered before the end fails with it."""
    child = nursery()
    await child.start()
    call = asyncio.create_task(child.call(order("hang")))
    await asyncio.sleep(0)

    await child.close()

    with pytest.raises(HelperDied, match="exit status 0"):
        await call
    assert nursery.deaths == []


async def test_close_terminates(nursery, clock):
    """A child that ignores the end of its input gets SIGTERM after 2 s."""
    child = nursery("deaf")
    pid = await started(child)
    closing = asyncio.create_task(child.close())

    await clock.expire(LIMITS.finish)
    await closing

    assert clock.now == 1_002.0
    assert gone(pid)


async def test_close_kills(nursery, clock):
    """A child that ignores SIGTERM too is killed 5 s later."""
    child = nursery("stubborn")
    pid = await started(child)
    closing = asyncio.create_task(child.close())

    await clock.expire(LIMITS.finish)
    await clock.expire(LIMITS.terminate)
    await closing

    assert clock.now == 1_007.0
    assert gone(pid)


async def test_cancelled_close_kills(nursery):
    """Whoever cannot wait for a polite end gets a quick one."""
    child = nursery("deaf")
    pid = await started(child)
    closing = asyncio.create_task(child.close())
    await asyncio.sleep(0)

    closing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await closing
    await child.life

    assert gone(pid)


async def test_close_before_the_spawn(nursery):
    """A child that is closed before it was spawned ends all the same."""
    child = nursery()

    await child.close()

    assert child.life.done()


async def test_call_after_close(nursery):
    """A child that is being closed takes no more calls."""
    child = nursery("deaf")
    await child.start()
    closing = asyncio.create_task(child.close())
    await asyncio.sleep(0)

    with pytest.raises(HelperUnavailable):
        await child.call(order("echo"))
    child.kill()
    await closing


@pytest.mark.parametrize(
    ("status", "words"),
    [(0, "exit status 0"), (-6, "signal 6"), (None, "it does not exit")],
)
def test_exit_statuses(status, words):
    """How a process ended is said in words, and also that it has not."""
    assert words == _describe(status)


@pytest.mark.parametrize("free", [0, 1, 2, 3, 4, 5])
async def test_no_descriptors_left(nursery, free):
    """Wherever the start runs out of descriptors, it fails and says what helps."""
    child = nursery()

    with descriptors(free), pytest.raises(HelperStartFailed) as caught:
        await child.start()

    assert "Too many open files; close files, or" in str(caught.value)
    await child.life
