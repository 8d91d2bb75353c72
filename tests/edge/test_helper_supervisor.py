"""The helper over its generations: replay, quarantine, refusal, shutdown."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from triage.core.model import BuildContext, Package, Snippet, SourceFile
from triage.core.wire import Hello
from triage.errors import (
    HelperDied,
    HelperFailed,
    HelperProtocolError,
    HelperQuarantined,
    HelperStartFailed,
    HelperTimeout,
    HelperUnavailable,
    HelperVersionMismatch,
    TooLarge,
)
from triage.helper import Helper, Limits, launch

LIMITS = Limits()
LINUX = BuildContext()


def package(directory: str, text: bytes = b"package p") -> Package:
    """Make a package of one file; its directory tells the fake helper what to do."""
    return Package(directory, (SourceFile("a.go", "", text),))


@pytest.fixture
async def make(clock, fake_helper):
    """Make helpers whose children start as told; all are closed at the end."""
    helpers = []

    def make(start="good", **options):
        options = {"clock": clock, "version": "0.1.0", "schema": 1, **options}
        helpers.append(Helper(fake_helper(start), **options))
        return helpers[-1]

    yield make
    for helper in helpers:
        for child in helper._children:
            child.kill()  # one that a test left hanging would not end by itself
        await helper.close()


@pytest.fixture
def helper(make):
    """Make a helper whose children start as they should."""
    return make()


async def ask(helper: Helper, what: str, text: bytes = b"package p") -> bytes:
    """Tell the fake helper what to do and return its answer."""
    return await helper.symbols(package(what, text), LINUX, None)


async def test_one_child_for_many_calls(helper, generations):
    """A child is started by the first call and serves those that follow."""
    before = generations()

    answers = await asyncio.gather(*(ask(helper, "echo", b"%d" % i) for i in range(9)))

    assert before == 0
    assert [b"%d" % i for i in range(9)] == answers
    assert generations() == 1
    assert repr(helper) == "<Helper, 1 children>"


async def test_hello(helper, generations):
    """The versions can be asked for, which starts a child."""
    assert Hello(2, 1, "0.1.0", "go1.27.3") == await helper.hello()
    await ask(helper, "echo")
    assert generations() == 1


async def test_print(helper):
    """Snippets go out and printed texts come back; nothing asked is nothing sent."""
    texts = await helper.print([Snippet("spec", b"const a = 1", 0)])

    assert texts == ["const a = 1"]
    assert await helper.print([]) == []


async def test_print_with_too_few_texts(helper):
    """An answer of another length than the question is not taken."""
    with pytest.raises(HelperProtocolError, match="2 texts"):
        await helper.print([Snippet("spec", b"a"), Snippet("spec", b"b")])


async def test_failures_are_not_tried_again(helper, generations):
    """What the helper answers with an error is no death."""
    with pytest.raises(TooLarge, match="over 2"):
        await ask(helper, "refuse")
    with pytest.raises(HelperFailed, match="boom"):
        await ask(helper, "fail")
    assert generations() == 1


async def test_limits_are_checked_before_sending(helper, generations):
    """A package over a limit costs no child."""
    files = (SourceFile("a.go", "", b""),) * 2_001

    with pytest.raises(TooLarge, match="2001 Go files"):
        await helper.symbols(Package("d", files), LINUX, None)
    assert generations() == 0


async def test_death_is_replayed(helper, generations):
    """A call whose child died is tried again in a new one, and nobody notices."""
    answer = await ask(helper, "crash*1", b"answer")

    assert answer == b"answer"
    assert generations() == 2


@pytest.mark.parametrize("how", ["garbage*1", "unknown*1", "half*1"])
async def test_protocol_fault_is_replayed(helper, generations, how):
    """So is one whose child lost its place in the protocol."""
    assert await ask(helper, how, b"answer") == b"answer"
    assert generations() == 2


async def test_next_call_gets_a_new_generation(helper):
    """A death while nobody waits is made good by the next call."""
    first = int(await ask(helper, "pid"))

    os.kill(first, signal.SIGKILL)
    second = int(await ask(helper, "pid"))

    assert first != second


async def test_poison_is_quarantined(helper, generations):
    """An input that ends two generations is refused from then on; others are not."""
    with pytest.raises(HelperQuarantined, match=r"twice.*fatal error") as caught:
        await ask(helper, "crash", b"poison")
    with pytest.raises(HelperQuarantined):
        await ask(helper, "crash", b"poison")
    answer = await ask(helper, "echo", b"good")

    assert isinstance(caught.value.__cause__, HelperDied)
    assert answer == b"good"
    # Twice with types, twice without, and one for all that follow.
    assert generations() == 5


async def test_poison_of_the_type_checker_is_answered(helper, generations):
    """An input that ends the helper only with its types is answered without them.

    That is remembered: the second time it costs nobody a death.
    """
    first = await ask(helper, "crash:echo", b"poison")
    before = generations()
    second = await ask(helper, "crash:echo", b"poison")

    assert (first, second) == (b"poison", b"poison")
    assert (before, generations()) == (3, 3)


async def test_endless_types_are_answered(helper, clock, generations):
    """An input whose types take too long costs one death, and is remembered."""
    call = asyncio.create_task(ask(helper, "hang:echo", b"endless"))
    await clock.expire(LIMITS.call)

    assert await call == b"endless"
    assert await ask(helper, "hang:echo", b"endless") == b"endless"
    assert generations() == 2


async def test_without_types_is_forgotten(helper, clock):
    """After an hour the types are tried again: the machine may have been at fault."""
    assert await ask(helper, "crash*2:pid", b"once") != b"once"
    clock.move(clock.now + 3_600)

    assert await ask(helper, "crash*2:pid", b"once") == b"once"


async def test_answered_poison_is_no_reason_to_refuse(helper):
    """However many inputs are answered without types, others are served meanwhile."""
    poisons = [b"%d" % number for number in range(6)]

    answers = await asyncio.gather(
        *(ask(helper, "crash:echo", text) for text in poisons)
    )

    assert poisons == answers
    assert await ask(helper, "echo", b"good") == b"good"


async def test_print_has_no_types(helper, clock):
    """A request of another kind that takes too long is not asked in another way."""
    call = asyncio.create_task(helper.print([Snippet("spec", b"")]))
    await clock.expire(LIMITS.call)

    with pytest.raises(HelperTimeout):
        await call


async def test_bystanders_are_not_lost(helper, generations):
    """Who was in work beside the poison is answered, and is free of suspicion."""
    bystander = asyncio.create_task(ask(helper, "hold*1", b"bystander"))
    await ask_is_held(helper)

    with pytest.raises(HelperQuarantined):
        await ask(helper, "crash", b"poison")
    answer = await bystander
    before = generations()
    await ask(helper, "hold*1", b"bystander")
    await ask(helper, "echo")

    assert answer == b"bystander"
    # Poison, poison alone, both without types, bystander alone, and one for all that
    # follow.
    assert (before, generations()) == (5, 6)


async def ask_is_held(helper: Helper) -> None:
    """Wait until a request that was made before has been read by the child."""
    await ask(helper, "echo")


async def test_slow_input_is_timed_out_and_quarantined(helper, clock, generations):
    """A hanging input is tried without types, the second time so alone, then never."""
    for limits, generation in ((2, 2), (1, 3)):
        call = asyncio.create_task(ask(helper, "hang", b"endless"))
        for _ in range(limits):
            await clock.expire(LIMITS.call)
        with pytest.raises(HelperTimeout):
            await call
        assert generations() == generation

    with pytest.raises(HelperQuarantined):
        await ask(helper, "hang", b"endless")
    assert generations() == 3


async def test_bystanders_of_a_timeout_are_not_lost(helper, clock):
    """Who was in work beside a hanging call is answered by another generation."""
    hanging = asyncio.create_task(ask(helper, "hang:fail"))
    await clock.until_set(LIMITS.call)
    clock.move(clock.now + 1)
    bystander = asyncio.create_task(ask(helper, "hold*1", b"bystander"))
    await clock.until_set(LIMITS.call, 2)

    await clock.expire(LIMITS.call)

    with pytest.raises(HelperFailed):
        await hanging
    assert await bystander == b"bystander"


async def test_circuit_breaker(helper, clock, generations):
    """Three deaths within a minute refuse new calls, until the first is a minute old."""
    with pytest.raises(HelperQuarantined):
        await ask(helper, "crash", b"1")
    clock.move(clock.now + 20)
    # The third death; the call itself has been let in and is tried to its end.
    with pytest.raises(HelperQuarantined):
        await ask(helper, "crash", b"2")
    before = generations()

    with pytest.raises(HelperUnavailable, match="try again in 40 s"):
        await ask(helper, "echo")
    with pytest.raises(HelperUnavailable):
        await helper.hello()
    refused = generations()
    clock.move(clock.now + 60)
    answer = await ask(helper, "echo", b"again")

    assert (before, refused) == (8, 8)
    assert answer == b"again"


async def test_waiting_calls_are_refused_too(helper):
    """Calls that wait for a slot while the helper dies do not add to it."""
    calls = [
        asyncio.create_task(ask(helper, "crash", b"%d" % number)) for number in range(9)
    ]

    outcomes = [
        type(error) for error in await asyncio.gather(*calls, return_exceptions=True)
    ]

    assert HelperUnavailable in outcomes
    assert set(outcomes) <= {HelperQuarantined, HelperUnavailable}


@pytest.mark.parametrize(
    ("start", "error"),
    [
        ("old", HelperVersionMismatch),
        ("mismatch", HelperVersionMismatch),
        ("crash", HelperStartFailed),
        ("garbage", HelperProtocolError),
    ],
)
async def test_bad_start(make, start, error):
    """A child that does not start fails the call with what is wrong."""
    with pytest.raises(error):
        await ask(make(start), "echo")


async def test_mismatch_is_no_death(make):
    """A wrong version stays a wrong version, however often it is tried."""
    helper = make("mismatch")

    for _ in range(5):
        with pytest.raises(HelperVersionMismatch):
            await ask(helper, "echo")


async def test_missing_command(clock):
    """A command that is not there is named."""
    helper = Helper(["/nonexistent/helper"], clock=clock)

    with pytest.raises(HelperStartFailed, match="/nonexistent/helper"):
        await ask(helper, "echo")
    await helper.close()


async def test_missing_binary(clock, monkeypatch, tmp_path):
    """Without its binary a helper can be made, and says what is missing when used."""
    monkeypatch.setattr(launch, "__file__", str(tmp_path / "launch.py"))
    helper = Helper(clock=clock)

    with pytest.raises(HelperStartFailed, match="pip install"):
        await ask(helper, "echo")
    await helper.close()


async def test_slots(helper, clock):
    """No more calls than there are slots are at the helper at a time."""
    held = [asyncio.create_task(ask(helper, "hold", b"%d" % i)) for i in range(2)]
    await clock.until_set(LIMITS.call, 2)
    waiting = asyncio.create_task(ask(helper, "release", b"released"))
    for _ in range(20):
        await asyncio.sleep(0)

    sent = clock.running.count(LIMITS.call)
    held[0].cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await held[0]

    assert sent == 2
    assert await waiting == b"released"
    assert await held[1] == b"released"


async def test_cancelled_at_every_step_frees_the_slot(helper):
    """Wherever a call is cancelled on its way, its slot and its id are given back."""
    await helper.hello()
    for steps in range(40):
        call = asyncio.create_task(ask(helper, "echo", b"%d" % steps))
        for _ in range(steps):
            await asyncio.sleep(0)
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await call

    answers = await asyncio.gather(*(ask(helper, "echo", b"%d" % i) for i in range(5)))

    assert [b"%d" % i for i in range(5)] == answers
    assert helper._slots._value == LIMITS.slots


async def test_cancelled_while_waiting_for_a_slot(helper, clock):
    """A call that gives up its place in the queue does not take a slot with it."""
    held = [asyncio.create_task(ask(helper, "hold", b"%d" % i)) for i in range(2)]
    await clock.until_set(LIMITS.call, 2)
    waiting = [asyncio.create_task(ask(helper, "echo")) for _ in range(3)]
    await asyncio.sleep(0)

    # A slot is handed to the first in the queue in the moment that it is cancelled.
    held[0].cancel()
    await asyncio.sleep(0)
    waiting[0].cancel()
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    await ask(helper, "release", b"released")

    assert [asyncio.CancelledError, bytes, bytes] == [type(each) for each in answers]
    assert await held[1] == b"released"
    assert helper._slots._value == LIMITS.slots


async def test_cancelled_start_does_not_hurt_others(helper):
    """A call that is cancelled while the child starts leaves the others to theirs."""
    first = asyncio.create_task(ask(helper, "echo", b"first"))
    second = asyncio.create_task(ask(helper, "echo", b"second"))
    await asyncio.sleep(0)

    first.cancel()

    assert await second == b"second"


async def test_cancelled_start_of_a_replay(helper, clock):
    """A call that is cancelled while its own child starts leaves none behind."""
    call = asyncio.create_task(ask(helper, "crash*1"))
    await clock.until_set(LIMITS.call)
    await clock.until_set(LIMITS.hello)  # of the second generation

    call.cancel()
    await asyncio.wait([call, *(child.life for child in helper._children)])

    assert call.cancelled()


async def test_cancelled_replay(helper, clock, generations):
    """A call that is cancelled while it is tried alone ends the child it had."""
    call = asyncio.create_task(ask(helper, "crash*1/hang"))
    await clock.until_set(LIMITS.call)
    await clock.until_set(LIMITS.hello)  # of the second generation
    await clock.until_set(LIMITS.call)

    call.cancel()
    await asyncio.wait([call, *(child.life for child in helper._children)])

    assert call.cancelled()
    assert generations() == 2


async def test_close(helper):
    """A closed helper has no processes and takes no calls; closing twice is fine."""
    pid = int(await ask(helper, "pid"))

    await asyncio.gather(helper.close(), helper.close())
    await helper.close()

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(HelperUnavailable, match="shut down"):
        await ask(helper, "echo")
    with pytest.raises(HelperUnavailable, match="shut down"):
        await helper.hello()


async def test_close_without_a_start(helper, generations):
    """A helper that was never used has nothing to end."""
    await helper.close()

    assert generations() == 0


async def test_close_with_calls_in_work(helper, clock):
    """Every call ends when the helper is closed: in work, in the queue, on its way."""
    calls = [asyncio.create_task(ask(helper, "hold", b"%d" % i)) for i in range(4)]
    await clock.until_set(LIMITS.call, 2)

    await helper.close()
    outcomes = await asyncio.gather(*calls, return_exceptions=True)

    assert {HelperUnavailable} == {type(error) for error in outcomes}


async def test_close_while_starting(make):
    """Closing during a start ends both."""
    helper = make("silent")
    call = asyncio.create_task(ask(helper, "echo"))
    await asyncio.sleep(0)

    await helper.close()

    with pytest.raises((HelperStartFailed, HelperUnavailable)):
        await call


LOOP_OF_ITS_OWN = """
import asyncio, gc, logging, sys
sys.path.insert(0, {root!r})
from triage.core.model import BuildContext, Package, Snippet, SourceFile
from triage.errors import TriageError
from triage.helper import Helper, Limits, launch

async def use(directory):
    limits = Limits(call=0.1, reap=0.1)
    helper = Helper({command!r}, version="0.1.0", schema=1, limits=limits)
    package = Package(directory, (SourceFile("a.go", "", b"package p"),))
    try:
        await helper.symbols(package, BuildContext(), None)
    except TriageError:
        pass
    await helper.close()

logging.getLogger("triage").addHandler(logging.NullHandler())
for directory in ("echo", "crash", "garbage", "hang", "closed"):
    loop = asyncio.new_event_loop()
    loop.slow_callback_duration = 60  # a busy machine is no fault
    loop.run_until_complete(use(directory))
    loop.close()
    gc.collect()
print("done")
"""


def test_loop_closed_right_after_close(fake_helper):
    """Nothing is left on a loop that is closed at once, and nothing is warned of."""
    root = str(Path(__file__).parents[2])
    script = LOOP_OF_ITS_OWN.format(root=root, command=fake_helper())

    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
