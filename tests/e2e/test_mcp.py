"""Agents at the server: the SDK's own client over both transports."""

import asyncio
import json
import os
import re
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import jsonschema
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.core.masking.secrets import VALUES
from tests.e2e.conftest import ADD, FILES, TRACE

pytestmark = pytest.mark.timeout(120)

ROOT = Path(__file__).parents[2]
SECRET = VALUES["GitHub token"]


@pytest.fixture
def shop(repo):
    """Commit the shop, with a secret in it."""
    cart = FILES["cart/cart.go"].replace(
        "name := item.Name", f'name := item.Name + "{SECRET}"'
    )
    repo.commit({**FILES, "cart/cart.go": cart})
    return repo


@pytest.fixture
def environment(tmp_path):
    """Say what a server is started with."""
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TRIAGE_DATA_DIR": str(tmp_path / "data"),
    }


@pytest.fixture
def agent(shop, environment):
    """Start a server for an agent of its own, over standard input and output."""

    @asynccontextmanager
    async def start(*arguments: str, **variables: str):
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-m", "triage", "mcp", *arguments],
            env={**environment, **variables},
            cwd=shop.path,
        )
        async with (
            stdio_client(parameters) as (reader, writer),
            ClientSession(reader, writer) as session,
        ):
            await session.initialize()
            yield session

    return start


async def call(session: ClientSession, tool: str, **told: Any) -> tuple[str, Any]:
    """Call a tool; return its text and values, None for values of an error."""
    answer = await session.call_tool(tool, told)
    text = "".join(getattr(part, "text", "") for part in answer.content)
    assert len(text) + len(json.dumps(answer.structured_content or {})) < 40_000
    return text, None if answer.is_error else answer.structured_content


async def test_the_tools(agent):
    """Two, which only read, with a schema that their answers keep to."""
    async with agent() as session:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert tools.keys() == {"panic_context", "declaration"}
        for tool in tools.values():
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is True
            assert tool.annotations.destructive_hint is False
        _, values = await call(session, "panic_context", trace=TRACE)
        jsonschema.validate(values, tools["panic_context"].output_schema)
        _, values = await call(session, "declaration", name="New", file="cart/cart.go")
        jsonschema.validate(values, tools["declaration"].output_schema)


async def test_a_panic_then_a_declaration(agent):
    """A trace gives its context; a name out of that gives all of a declaration."""
    async with agent() as session:
        text, values = await call(session, "panic_context", trace=TRACE)
        assert "func (c *Cart) Add(item *Item) {" in text
        assert (values["function"], values["file"], values["line"]) == (
            "(*Cart).Add",
            "cart/cart.go",
            ADD,
        )
        item = next(one for one in values["symbols"] if one["name"] == "Item")
        text, values = await call(
            session, "declaration", name=item["name"], file=item["file"]
        )
        assert "type Item struct {" in text
        assert [one["kind"] for one in values["declarations"]] == ["type"]


async def test_no_secret_goes_to_an_agent(agent):
    """Neither tool hands one out; what was taken out is told."""
    async with agent() as session:
        for tool, told in (
            ("panic_context", {"file": "cart/cart.go", "line": ADD}),
            ("declaration", {"name": "Cart.Add", "file": "cart/cart.go"}),
        ):
            text, values = await call(session, tool, **told)
            assert SECRET not in text + json.dumps(values)
            assert "[masked: GitHub Token]" in text
            assert [one["kind"] for one in values["masked"]] == ["GitHub Token"]


@pytest.mark.parametrize(
    ("tool", "told", "said"),
    [
        ("panic_context", {}, "bad-request"),
        (
            "panic_context",
            {"trace": "all is well"},
            "no-panic: .* give the whole output",
        ),
        ("panic_context", {"file": "no.go", "line": 1}, "file-not-found: .* root_dir"),
        (
            "panic_context",
            {"file": "cart/cart.go", "line": 999},
            "line-outside: .* commit",
        ),
        ("panic_context", {"trace": TRACE, "commit": "f" * 40}, "commit-not-found"),
        ("panic_context", {"trace": TRACE, "repository": "/etc"}, "repo-not-allowed"),
        ("panic_context", {"trace": TRACE, "max_tokens": 1}, "max_tokens"),
        (
            "declaration",
            {"name": "nosuch", "file": "cart/cart.go"},
            "declares no nosuch",
        ),
        (
            "declaration",
            {"name": "New", "file": "../../etc/passwd"},
            "bad-request|not-found",
        ),
        ("declaration", {"file": "cart/cart.go"}, "name"),
    ],
)
async def test_errors_say_the_next_step(agent, tool, told, said):
    """In one answer that is marked as an error."""
    async with agent() as session:
        text, values = await call(session, tool, **told)
        assert values is None
        assert re.search(said, text, re.DOTALL)


async def test_a_long_answer_is_cut(agent, shop):
    """An agent gets no more than it can take, and is told that there was more."""
    lines = "".join(f"\tx += {n} // {'y' * 80}\n" for n in range(2_000))
    big = f"package big\n\nfunc Big(x int) int {{\n{lines}\treturn x\n}}\n"
    shop.commit({"big/big.go": big})
    async with agent() as session:
        text, values = await call(session, "declaration", name="Big", file="big/big.go")
        assert values["truncated"] is True
        assert len(text) < 25_000
        assert "cut here" in text


async def test_the_list_bounds_what_is_read(agent, shop):
    """With TRIAGE_REPOS set its names are what may be asked for."""
    listed = f"acme/shop={shop.path}"
    async with agent(TRIAGE_REPOS=listed) as session:
        text, _ = await call(session, "panic_context", trace=TRACE)
        assert "func (c *Cart) Add" in text
        text, values = await call(
            session, "panic_context", trace=TRACE, repository="acme/other"
        )
        assert values is None
        assert "repo-not-allowed" in text
    async with agent(TRIAGE_REPOS=f"{listed},acme/*") as session:
        text, values = await call(session, "panic_context", trace=TRACE)
        assert values is None
        assert "name the repository: one of acme/shop, acme/*" in text


@pytest.fixture
async def served(shop, environment, unused_tcp_port):
    """Serve over HTTP; give the address."""

    @asynccontextmanager
    async def start(**variables: str):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "triage", "mcp", "--http", str(unused_tcp_port)),
            cwd=shop.path,
            env={**environment, **variables},
        )
        address = f"http://127.0.0.1:{unused_tcp_port}/mcp"
        try:
            while not await _answers(address):
                assert process.returncode is None
                await asyncio.sleep(0.05)
            yield address
        finally:
            process.terminate()
            await process.wait()

    return start


async def _answers(address: str) -> bool:
    try:
        async with aiohttp.ClientSession() as client, client.get(address):
            return True
    except aiohttp.ClientError:
        return False


@asynccontextmanager
async def over_http(address: str, **headers: str):
    """Connect an agent."""
    async with (
        create_mcp_http_client(headers=headers) as client,
        streamable_http_client(address, http_client=client) as (reader, writer),
        ClientSession(reader, writer) as session,
    ):
        await session.initialize()
        yield session


async def test_two_agents_at_once(served):
    """Each has its own answer."""
    async with (
        served() as address,
        over_http(address) as one,
        over_http(address) as two,
    ):
        answers = await asyncio.gather(
            *(call(one, "panic_context", trace=TRACE) for _ in range(5)),
            *(
                call(two, "declaration", name="New", file="cart/cart.go")
                for _ in range(5)
            ),
        )
        assert all("func (c *Cart) Add" in text for text, _ in answers[:5])
        assert all("func New() *Cart" in text for text, _ in answers[5:])


async def test_a_port_that_is_taken(served, shop, environment):
    """It is said in one line, and that another one is to be named."""
    async with served() as address:
        port = address.rpartition(":")[2].partition("/")[0]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "triage", "mcp", "--http", port),
            cwd=shop.path,
            env=environment,
            stderr=asyncio.subprocess.PIPE,
        )
        _, said = await process.communicate()
    assert process.returncode == 1
    assert said.startswith(b"triage: error: bad-request: port ")
    assert said.count(b"\n") == 1


async def test_a_token(served):
    """Where one is set, who does not show it gets nothing."""
    async with served(TRIAGE_TOKEN="one,two") as address:  # noqa: S106 - made up
        for headers in ({}, {"Authorization": "Bearer no"}, {"Authorization": "two"}):
            async with (
                aiohttp.ClientSession() as client,
                client.post(address, json={}, headers=headers) as answer,
            ):
                assert answer.status == 401
        async with over_http(address, Authorization="Bearer two") as session:
            assert (await session.list_tools()).tools


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}],
)
async def test_a_page_of_elsewhere_is_refused(served, headers):
    """A name that was bent to lead here, or another site, asks in vain."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    async with (
        served() as address,
        aiohttp.ClientSession() as client,
        client.post(address, json=body, headers={**accept, **headers}) as answer,
    ):
        assert answer.status in {403, 421}
