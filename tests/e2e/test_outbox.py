"""A service that is killed while it tells others of incidents."""

import asyncio
import json
import random
import signal
import sys

import pytest

from tests.e2e.conftest import FILES, TRACE
from tests.serving import ROOT, SECRET, TOKEN, calling, start
from tests.sinks import receiver

pytestmark = pytest.mark.timeout(120)
REPO = "acme/shop"
ROUNDS = 5


async def test_killed_while_the_outbox_works(repo, tmp_path):
    """Each message comes at least once; a second time it bears the same key."""
    shas = [
        repo.commit({**FILES, "n.go": f"package main\n\n// {n}\n"})
        for n in range(ROUNDS * 3)
    ]
    chance = random.Random(8)  # noqa: S311 - no secret hangs on it
    async with receiver() as place:
        place.answers += [200, "cut", 503, 200, 500, "cut"] * 4
        for turn in range(ROUNDS):
            served = await begin(tmp_path, repo, place.url)
            async with calling(served.port) as caller:
                for number in range(3):
                    told = {
                        "repo": REPO,
                        "commit_sha": shas[turn * 3 + number],
                        "trace": TRACE,
                    }
                    assert (await caller.panic(told)).status == 202
                await asyncio.sleep(chance.uniform(0.05, 0.6))
            await served.end(signal.SIGKILL)
        served = await begin(tmp_path, repo, place.url)
        async with calling(served.port) as caller:
            while (await incident(caller))["count"] < ROUNDS * 3:  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.05)
            print_ = (await incident(caller))["id"]
        place.answers.clear()
        while not is_told(place, ROUNDS * 3):  # noqa: ASYNC110 - likewise
            await asyncio.sleep(0.05)
        await served.end()
    versions: dict[str, set[int]] = {}
    for headers, body in place.got:
        message = json.loads(body)
        assert message["incident"]["id"] == print_
        assert headers["Idempotency-Key"] == message["id"]
        versions.setdefault(message["id"], set()).add(message["incident"]["count"])
    last = max(versions, key=lambda key: int(key.rpartition("-")[2]))
    assert max(versions[last]) == ROUNDS * 3


def is_told(place, count: int) -> bool:
    """Tell whether the receiver knows of all."""
    counts = (json.loads(body)["incident"]["count"] for _, body in place.got)
    return count in counts


async def begin(directory, repo, url: str):
    """Start the service with a sink."""
    return await start(
        directory / "data",
        TRIAGE_REPOS=f"{REPO}={repo.path}",
        TRIAGE_SINK_URL=url,
        TRIAGE_SINK_SECRET=SECRET,
    )


async def incident(caller):
    """Read the one incident."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    while True:
        found = (await caller.get("/v1/incidents", headers=headers)).json["incidents"]
        if found:
            return found[0]
        await asyncio.sleep(0.05)


async def test_a_preview_sends_nothing(repo, tmp_path):
    """It prints the issue and the webhook, secrets masked."""
    sha = repo.commit(FILES)
    served = await begin(tmp_path, repo, "http://127.0.0.1:1/hook")
    async with calling(served.port) as caller:
        told = {"repo": REPO, "commit_sha": sha, "trace": TRACE}
        assert (await caller.panic(told)).status == 202
        found = await incident(caller)
    await served.end()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "triage", "inbox"),
        *("--data-dir", str(tmp_path / "data"), "preview", found["id"]),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    text = out.decode()
    assert f"<!-- triage-fingerprint: {found['id']} -->" in text
    assert "Crashed once:" in text
    assert '"type": "incident"' in text
