"""`triage serve` as a process: kills, signals, its end, several processes, its words."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import FILES, TRACE
from tests.killed_service import check, rounds
from tests.serving import ROOT, TOKEN, calling
from tests.serving import start as start_service

REPO = "acme/shop"


@pytest.fixture
def told(repo):
    """Commit the shop and give its crash."""
    return {"repo": REPO, "commit_sha": repo.commit(FILES), "trace": TRACE}


@pytest.fixture
def data(tmp_path):
    """Where the service keeps what it has taken."""
    return tmp_path / "data"


@pytest.fixture
async def start():
    """Start services; none of them outlives its test."""
    started = []

    async def run(*options, **variables):
        started.append(await start_service(*options, **variables))
        return started[-1]

    yield run
    for served in started:
        if served.process.returncode is None:
            await served.end(signal.SIGKILL)


def run(*words, **variables):
    """Run a command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "triage", *words],
        cwd=ROOT,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


async def test_killed_under_load(tmp_path):
    """Whatever the moment, what was acknowledged is done, and counted once."""
    check(await rounds(tmp_path, 4, random.Random(5)))  # noqa: S311 - no secret hangs on it


async def test_told_to_stop(start, data, repo, told):
    """Callers under way are answered, it ends in time, and nothing is lost."""
    served = await start(data, TRIAGE_REPOS=f"{REPO}={repo.path}")
    async with calling(served.port) as caller:
        replies = await asyncio.gather(*(caller.panic(told) for _ in range(40)))
        async with asyncio.timeout(15):
            assert await served.end() == 0
    names = {reply.json["events"][0] for reply in replies}
    listed = run("inbox", "--data-dir", str(data), "list", "--limit", "100")
    states = {line.split()[0]: line.split()[1] for line in listed.stdout.splitlines()}
    assert set(states) == names
    assert set(states.values()) <= {"received", "done"}
    assert not [line for line in served.said if "Traceback" in line]


async def test_interrupted(start, data):
    """Control-C ends it as a signal to end does, and it says what it may not read."""
    served = await start(data)
    assert await served.end(signal.SIGINT) == 0
    assert served.said[0] == (
        "triage: warning: no repository may be read; list them in TRIAGE_REPOS"
    )
    assert served.said[1] == f"triage: serving on http://127.0.0.1:{served.port}"
    assert served.said[2:] == []


async def test_only_one_service_in_a_directory(start, data):
    """A second one is told so, and the first one goes on."""
    served = await start(data)
    second = run("serve", "--port", "0", "--data-dir", str(data))
    async with calling(served.port) as caller:
        assert (await caller.get("/healthz")).status == 200
    await served.end()
    assert (second.returncode, second.stdout) == (1, "")
    assert "another triage serve works in" in second.stderr


async def test_a_port_that_is_taken(start, data, tmp_path):
    """It is one line that says what to choose."""
    served = await start(data)
    taken = str(served.port)
    second = run("serve", "--port", taken, "--data-dir", str(tmp_path / "other"))
    await served.end()
    assert second.returncode == 1
    (line,) = second.stderr.splitlines()
    assert line.startswith(
        "triage: error: bad-request: cannot listen on 127.0.0.1 port"
    )
    assert "--port" in line


@pytest.mark.parametrize(
    ("options", "variables", "said"),
    [
        (("--host", "0.0.0.0"), {}, "TRIAGE_TOKEN"),  # noqa: S104 - refused
        (("--host", "no such host"), {"TRIAGE_TOKEN": TOKEN}, "cannot listen on"),
        ((), {"TRIAGE_REPOS": "shop"}, "TRIAGE_REPOS"),
        ((), {"TRIAGE_RETENTION_DAYS": "-1"}, "TRIAGE_RETENTION_DAYS"),
    ],
)
def test_settings_that_cannot_be(data, options, variables, said):
    """The service does not start, and says which one."""
    done = run("serve", "--port", "0", "--data-dir", str(data), *options, **variables)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert said in line


def test_a_directory_that_cannot_be_written(tmp_path):
    """It is told, whatever stands in its way."""
    (tmp_path / "file").write_text("x")
    done = run("serve", "--port", "0", "--data-dir", str(tmp_path / "file" / "data"))
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "--data-dir" in done.stderr


def test_an_inbox_that_is_damaged(data):
    """The service does not start on it, and leaves it alone."""
    data.mkdir()
    (data / "inbox.db").write_bytes(b"noise" * 1_000)
    done = run("serve", "--port", "0", "--data-dir", str(data))
    assert done.returncode == 1
    assert "damaged" in done.stderr
    assert (data / "inbox.db").read_bytes() == b"noise" * 1_000


async def test_people_look_after_the_inbox(start, data, repo, told):
    """What failed is listed, and tried again beside the running service."""
    inbox = ("inbox", "--data-dir", str(data))
    assert "there is no" in run(*inbox, "list").stderr
    served = await start(data, TRIAGE_REPOS=f"{REPO}={repo.path}")
    async with calling(served.port) as caller:
        (name,) = (await caller.panic({**told, "trace": "x\x1b[31m"})).json["events"]
        await caller.ended(name)
        (good,) = (await caller.panic(told)).json["events"]
        await caller.ended(good)
        failed = run(*inbox, "list", "--status", "failed").stdout.splitlines()
        everything = run(*inbox, "list").stdout.splitlines()
        again = run(*inbox, "retry", name)
        none = run(*inbox, "retry", good)
        await caller.ended(name)
    await served.end()
    (line,) = failed
    assert line.split()[:3] == [name, "failed", "1"]
    assert "no-panic: " in line
    assert [row.split()[0] for row in everything] == [good, name]
    assert again.stdout == "1 events will be tried again\n"
    assert none.stdout == "0 events will be tried again\n"


async def test_its_log(start, data, repo, told):
    """A JSON object a line: requests with their id, without what they carry."""
    served = await start(
        data, TRIAGE_REPOS=f"{REPO}={repo.path}", TRIAGE_LOG_LEVEL="info"
    )
    async with calling(served.port) as caller:
        reply = await caller.post("/v1/context?x=hush", told)
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(b"hush \x1b[31m\r\n\r\n")
        await reader.read()
        writer.close()
    await served.end()
    lines = [json.loads(line) for line in served.said if line.startswith("{")]
    (asked,) = [line for line in lines if line["event"] == "request"]
    assert (asked["route"], asked["status"]) == ("/v1/context", 200)
    assert asked["request_id"] == reply.headers["X-Request-ID"]
    assert not [line for line in served.said if "hush" in line or "\x1b" in line]


async def until(condition):
    """Wait for what is about to be true."""
    async with asyncio.timeout(20):
        while not await condition():  # noqa: ASYNC110 - of another process
            await asyncio.sleep(0.05)


async def test_several_processes(start, data, repo, told):
    """They share port, inbox and numbers; one that dies is replaced, nothing is lost."""
    variables = {"TRIAGE_REPOS": f"{REPO}={repo.path}"}
    served = await start(data, "--workers", "2", **variables)
    children = await _children(served.process.pid)
    assert len(children) == 2
    names = []

    async def deliver(times):
        for _ in range(times):
            async with calling(served.port) as caller:  # any of the processes
                names.extend((await caller.panic(told)).json["events"])

    await asyncio.gather(*(deliver(5) for _ in range(4)))
    os.kill(children[0], signal.SIGKILL)

    async def replaced():
        now = await _children(served.process.pid)
        return len(now) == 2 and children[0] not in now

    await until(replaced)
    await asyncio.gather(*(deliver(5) for _ in range(4)))
    async with calling(served.port) as caller:
        for name in names:
            assert (await caller.ended(name))["status"] == "done"
        (incident,) = (await caller.get("/v1/incidents")).json["incidents"]
        numbers = (await caller.get("/metrics")).body.decode().splitlines()
    assert await served.end() == 0
    assert incident["count"] == len(names) == 40
    assert 'triage_requests_total{code="202",route="/webhooks/panic"} 40.0' in numbers
    assert not [line for line in served.said if "Traceback" in line], "\n".join(
        served.said
    )


async def test_processes_that_lose_their_parent(start, data):
    """They end too, and the directory is free for the next service."""
    served = await start(data, "--workers", "2")
    children = await _children(served.process.pid)
    await served.end(signal.SIGKILL)

    async def gone():
        return not any([await _is_there(pid) for pid in children])

    await until(gone)
    again = await start(data)
    assert await again.end() == 0


async def _children(pid):
    """List a process's children that are Python."""
    process = await asyncio.create_subprocess_exec(
        "cat", f"/proc/{pid}/task/{pid}/children", stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    return [int(child) for child in out.split()]


async def test_the_description_is_true(start, data, repo, told):
    """Whatever is made up from it, the service answers as it says."""
    served = await start(data, TRIAGE_REPOS=f"{REPO}={repo.path}")
    async with calling(served.port) as caller:
        (name,) = (await caller.panic(told)).json["events"]
        await caller.ended(name)
    process = await asyncio.create_subprocess_exec(
        Path(sys.executable).with_name("schemathesis"),
        *("run", f"http://127.0.0.1:{served.port}/openapi.json", "--checks", "all"),
        *("--max-examples", "5", "--no-color", "--seed", "1"),
        cwd=data,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    await served.end()
    assert process.returncode == 0, out.decode()
    assert not [line for line in served.said if "Traceback" in line]


async def _is_there(pid):
    process = await asyncio.create_subprocess_exec("test", "-e", f"/proc/{pid}")
    return await process.wait() == 0
