"""A server that speaks the two APIs of models, and misbehaves on order."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

KEY = "made-up-key-0123456789abcdef"

ANSWER: dict[str, Any] = {
    "cause": "New leaves the map nil.",
    "where": {"file": "cart/cart.go", "line": 19},
    "diff": "",
    "confidence": 0.9,
    "symbols": ["New", "Cart"],
}


@dataclass
class Provider:
    """What it was asked, and how it is to answer."""

    answer: str = json.dumps(ANSWER)
    faults: list[str] = field(default_factory=list)
    """Of the next requests, one each: `429`, `500`, `529`, `401`, `404`, `cut`, `length`,
    `no-tool`, `not-json`, `overloaded`, `no-usage`."""
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    base: str = ""

    def fault(self) -> str:
        """Take the next fault."""
        return self.faults.pop(0) if self.faults else ""


@asynccontextmanager
async def provider() -> AsyncIterator[Provider]:
    """Serve both APIs on a free port."""
    told = Provider()

    async def chat(request: web.Request) -> web.StreamResponse:
        return await _answer(told, request, _chat_events)

    async def messages(request: web.Request) -> web.StreamResponse:
        return await _answer(told, request, _message_events)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_post("/v1/messages", messages)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    told.base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield told
    finally:
        await runner.cleanup()


async def _answer(
    told: Provider, request: web.Request, events: Any
) -> web.StreamResponse:
    told.asked.append(await request.json())
    told.headers.append({k.lower(): v for k, v in request.headers.items()})
    fault = told.fault()
    if fault.isdigit():
        shown = request.headers.get("x-api-key") or request.headers["Authorization"]
        error = {"type": "error_type", "message": f"refused {shown}"}
        headers = {"Retry-After": "0"} if fault in {"429", "529"} else {}
        body = {"type": "error", "error": error}
        return web.json_response(body, status=int(fault), headers=headers)
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for number, event in enumerate(events(told, fault)):
        if fault == "cut" and number == 3:
            assert request.transport is not None
            request.transport.abort()
            return response
        await response.write(event.encode())
    return response


def _event(name: str | None, data: object) -> str:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n"


def _parts(text: str) -> list[str]:
    return [text[n : n + 7] for n in range(0, len(text), 7)]


def _chat_events(told: Provider, fault: str) -> list[str]:
    def chunk(**choice: Any) -> dict[str, Any]:
        return {
            "id": "c1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "delta": {}, "finish_reason": None, **choice}],
        }

    def call(text: str) -> dict[str, Any]:
        made = {"index": 0, "id": "t1", "type": "function"}
        return {
            "tool_calls": [
                {**made, "function": {"name": "diagnosis", "arguments": text}}
            ]
        }

    if fault == "not-json":
        return ["data: {nonsense\n\n"]
    if fault == "overloaded":
        return [_event(None, {"error": {"message": "overloaded_error", "code": 529}})]
    parts = ["Hello"] if fault == "no-tool" else _parts(told.answer)
    deltas = [{"content": p} if fault == "no-tool" else call(p) for p in parts]
    events = [_event(None, chunk(delta=delta)) for delta in deltas]
    ended = "length" if fault == "length" else "tool_calls"
    events.append(_event(None, chunk(finish_reason=ended)))
    if fault != "no-usage":
        usage = {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 60},
        }
        events.append(_event(None, {**chunk(), "choices": [], "usage": usage}))
    return [*events, _event(None, "[DONE]")]


def _message_events(told: Provider, fault: str) -> list[str]:
    if fault == "not-json":
        return ["event: message_start\ndata: {nonsense\n\n"]
    if fault == "overloaded":
        error = {"type": "overloaded_error", "message": "Overloaded"}
        return [_event("error", {"type": "error", "error": error})]
    usage = {"input_tokens": 40, "cache_read_input_tokens": 60, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    text = fault == "no-tool"
    block = (
        {"type": "text", "text": ""}
        if text
        else {"type": "tool_use", "id": "t1", "name": "diagnosis", "input": {}}
    )
    deltas = (
        [{"type": "text_delta", "text": "Hello"}]
        if text
        else [
            {"type": "input_json_delta", "partial_json": p} for p in _parts(told.answer)
        ]
    )
    ended = {
        "stop_reason": "max_tokens" if fault == "length" else "tool_use",
        "stop_sequence": None,
    }
    told_events: list[tuple[str, dict[str, Any]]] = [
        ("message_start", {"message": message}),
        ("content_block_start", {"index": 0, "content_block": block}),
        *(("content_block_delta", {"index": 0, "delta": delta}) for delta in deltas),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": ended, "usage": {"output_tokens": 20}}),
        ("message_stop", {}),
    ]
    return [_event(name, {"type": name, **data}) for name, data in told_events]
