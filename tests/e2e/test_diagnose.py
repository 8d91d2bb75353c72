"""Asking a model: local servers that speak the two APIs, well and badly."""

import asyncio
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import triage
from tests.core.masking.secrets import VALUES
from tests.e2e.conftest import ADD, CART, FILES, TRACE
from tests.model_server import ANSWER, KEY, provider
from triage.ai import Access, open_model
from triage.app import open_engine
from triage.core.diagnosis import Checked, make_prompt
from triage.diagnose import ask, prepare
from triage.errors import (
    BadInput,
    ConfigError,
    ModelBusy,
    ModelError,
    ModelFailed,
    ModelRefused,
    ModelTimeout,
    TooLarge,
)

ROOT = Path(__file__).parents[2]
SECRET = VALUES["GitHub token"]
BOTH = pytest.mark.parametrize("api", ["openai", "anthropic"])
GOOD = """\
--- a/cart/cart.go
+++ b/cart/cart.go
@@ -18,3 +18,3 @@
 func New() *Cart {
-	return &Cart{}
+	return &Cart{items: map[string]*Item{}}
 }
"""


def access(api: str, base: str, **more) -> Access:
    """Say how the server is asked."""
    return Access(
        f"{api}/some-model",
        openai_key=KEY,
        openai_url=f"{base}/v1",
        anthropic_key=KEY,
        anthropic_url=base,
        **more,
    )


@pytest.fixture
async def asked(open_cached_prompt):
    """Ask a server, with faults; give what came and what it was asked."""

    async def run(api: str, *faults: str, answer: str | None = None, **more):
        async with provider() as told:
            told.faults += faults
            told.answer = answer or told.answer
            sizes = list[int]()
            async with open_model(access(api, told.base, **more)) as model:
                came = await model.ask(open_cached_prompt, 2_000, sizes.append)
        return came, told, sizes

    return run


@pytest.fixture
async def open_cached_prompt(repo):
    """Make the prompt of the shop's crash."""
    sha = repo.commit(FILES)
    async with open_engine(triage.Settings(no_cache=True)) as engine:
        result = await engine.context(
            triage.Telemetry(repo=str(repo.path), commit_sha=sha, trace=TRACE)
        )
    return make_prompt(result)


@BOTH
async def test_an_answer_comes_in_pieces(asked, api):
    """It is put together, its growth is told, and its cost is counted."""
    came, told, sizes = await asked(api)
    assert json.loads(came.answer) == ANSWER
    assert sizes == sorted(sizes)
    assert len(sizes) > 3
    assert (came.spent.input, came.spent.output, came.spent.cached) == (100, 20, 60)
    (question,) = told.asked
    assert question["stream"] is True
    assert question["model"] == "some-model"


async def test_what_anthropic_is_asked(asked):
    """Rules and declarations are marked for the cache, the crash comes last."""
    _, told, _ = await asked("anthropic")
    (question,) = told.asked
    assert question["system"][1]["cache_control"] == {"type": "ephemeral"}
    assert "(*Cart).Add" in question["messages"][0]["content"]
    assert question["tool_choice"] == {"type": "tool", "name": "diagnosis"}
    assert KEY in {value.removeprefix("Bearer ") for value in told.headers[0].values()}


async def test_what_openai_is_asked(asked):
    """The same, as its API has it."""
    _, told, _ = await asked("openai")
    (question,) = told.asked
    assert [one["role"] for one in question["messages"]] == ["system", "user"]
    assert question["tool_choice"]["function"]["name"] == "diagnosis"
    assert question["max_completion_tokens"] == 2_000


@BOTH
@pytest.mark.parametrize("fault", ["429", "500", "503"])
async def test_what_may_be_over_is_tried_again(asked, api, fault):
    """Twice at most, as the SDKs do."""
    came, told, _ = await asked(api, fault)
    assert json.loads(came.answer) == ANSWER
    assert len(told.asked) == 2


@BOTH
@pytest.mark.parametrize(
    ("faults", "error"),
    [
        (["401"], ModelRefused),
        (["403"], ModelRefused),
        (["404"], ModelFailed),
        (["400"], ModelFailed),
        (["429"] * 3, ModelBusy),
        (["529"] * 3, ModelBusy),
        (["500"] * 3, ModelFailed),
        (["overloaded"], ModelBusy),
        (["cut"], ModelFailed),
        (["length"], ModelFailed),
        (["no-tool"], ModelFailed),
        (["not-json"], ModelFailed),
    ],
)
async def test_what_goes_wrong_is_told(asked, api, faults, error, caplog):
    """Each as what it is, in one line, without the key."""
    with pytest.raises(ModelError) as caught:
        await asked(api, *faults)
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)
    cause: BaseException | None = caught.value
    while cause is not None:
        assert KEY not in f"{cause} {cause.args}"
        cause = cause.__cause__
    assert KEY not in caplog.text


@BOTH
async def test_a_server_that_does_not_answer(asked, api, monkeypatch):
    """It ends in time."""

    async def stuck(*_):
        await asyncio.Event().wait()

    monkeypatch.setattr("tests.model_server._answer", stuck)
    with pytest.raises(ModelTimeout):
        await asked(api, seconds=0.2, retries=0)


@BOTH
async def test_a_server_that_is_not_there(api, open_cached_prompt):
    """It is said that nobody is there."""
    gone = access(api, "http://127.0.0.1:1", retries=0)
    async with open_model(gone) as model:
        with pytest.raises(ModelFailed, match="cannot be reached"):
            await model.ask(open_cached_prompt, 100, lambda _: None)


async def test_usage_that_is_not_told(asked):
    """Some servers do not count."""
    came, _, _ = await asked("openai", "no-usage")
    assert (came.spent.input, came.spent.output) == (0, 0)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("", "TRIAGE_MODEL"),
        ("anthropic/x", "ANTHROPIC_API_KEY is not set"),
        ("claude-x", "ANTHROPIC_API_KEY is not set"),
        ("gpt-x", "OPENAI_API_KEY is not set"),
    ],
)
async def test_what_is_not_set(model, said):
    """It is said what to set."""
    with pytest.raises(ConfigError, match=said):
        async with open_model(Access(model)):
            pass


@pytest.mark.parametrize(
    ("module", "missing"),
    [
        ("chat", "openai"),
        ("chat", "httpx2"),
        ("claude", "anthropic"),
        ("claude", "httpx2"),
    ],
)
def test_without_the_packages(monkeypatch, module, missing):
    """It is said how to get them."""
    name = f"triage.ai.{module}"
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(ConfigError, match=r"pip install 'triage-go\[ai\]'"):
        importlib.import_module(name)


def test_no_key_is_printed():
    """What an SDK is given shows nothing of it."""
    assert KEY not in repr(access("openai", "http://x"))


@pytest.fixture
async def diagnosed(repo):
    """Ask about the shop's crash; give the answer."""

    async def run(diff: str, files=FILES):
        sha = repo.commit(files)
        told = triage.Telemetry(repo=str(repo.path), commit_sha=sha, trace=TRACE)
        async with provider() as server:
            server.answer = json.dumps({**ANSWER, "diff": diff})
            settings = triage.Settings(
                no_cache=True,
                model="openai/m",
                openai_api_key=KEY,
                openai_base_url=f"{server.base}/v1",
            )
            async with open_engine(settings) as engine:
                question = await prepare(
                    engine, told, spend=20_000, refuse_secrets=False
                )
                answer = await ask(settings, engine, told, question, lambda _: None)
        return answer.checked, server

    return run


@pytest.mark.parametrize(
    ("diff", "checked"),
    [
        ("", Checked()),
        (GOOD, Checked(applies=True, parses=True)),
        (
            GOOD.replace("@@ -18,3 +18,3 @@", "@@ -17,9 +17,9 @@"),
            Checked(applies=True, parses=True),
        ),
        (GOOD.replace("{items: map[string]*Item{}}", "{items: ("), None),
        (GOOD.replace(" func New()", " func Old()"), None),
        ("nonsense", Checked(applies=False, problem="the diff names no file")),
        (GOOD.replace("cart/cart.go", "nosuch.go"), None),
    ],
)
async def test_a_change_is_tried(diagnosed, diff, checked):
    """By git and by the parser; what fails says why."""
    found, _ = await diagnosed(diff)
    if checked is not None:
        assert found == checked
    else:
        assert found.applies is False or found.parses is False
        assert found.problem


async def test_no_secret_is_sent(diagnosed):
    """What looks like one is masked in what the provider gets."""
    cart = CART.replace("name := item.Name", f'name := item.Name + "{SECRET}"')
    _, server = await diagnosed("", FILES | {"cart/cart.go": cart})
    sent = json.dumps(server.asked)
    assert SECRET not in sent
    assert "[masked: GitHub Token]" in sent


async def test_secrets_may_be_refused(repo):
    """Then nothing is asked at all."""
    cart = CART.replace("name := item.Name", f'name := item.Name + "{SECRET}"')
    sha = repo.commit(FILES | {"cart/cart.go": cart})
    told = triage.Telemetry(repo=str(repo.path), commit_sha=sha, trace=TRACE)
    async with open_engine(triage.Settings(no_cache=True)) as engine:
        with pytest.raises(BadInput, match="GitHub Token on line") as caught:
            await prepare(engine, told, spend=20_000, refuse_secrets=True)
        assert SECRET not in str(caught.value)


async def test_a_question_that_costs_too_much(repo):
    """It is not asked."""
    sha = repo.commit(FILES)
    told = triage.Telemetry(repo=str(repo.path), commit_sha=sha, trace=TRACE)
    async with open_engine(triage.Settings(no_cache=True)) as engine:
        with pytest.raises(TooLarge, match="--max-spend"):
            await prepare(engine, told, spend=1_000, refuse_secrets=False)


async def test_the_command(repo, tmp_path):
    """It prints what the model says, and with --dry-run what would be sent."""
    repo.commit(FILES)
    line = [sys.executable, "-m", "triage", "diagnose", "--file", "cart/cart.go"]
    line += ["--line", str(ADD), "--data-dir", str(tmp_path / "data")]
    async with provider() as server:
        server.answer = json.dumps({**ANSWER, "diff": GOOD})
        env = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TRIAGE_MODEL": "anthropic/some-model",
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": server.base,
        }

        async def said(*more: str) -> tuple[str, str]:
            done = await asyncio.to_thread(
                subprocess.run,
                [*line, *more],
                cwd=repo.path,
                env=env,
                capture_output=True,
                check=True,
            )
            assert KEY.encode() not in done.stdout + done.stderr
            return done.stdout.decode(), done.stderr.decode()

        out, err = await said("--dry-run")
        assert server.asked == []
        assert "func (c *Cart) Add(item *Item) {" in out
        out, err = await said()
        assert err == ""
        assert "Cause: New leaves the map nil.\n" in out
        assert "Proposed change (applies and parses):" in out
        out, _ = await said("--format", "json")
        assert json.loads(out)["checked"]["applies"] is True
