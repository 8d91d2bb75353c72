"""Anthropic's models, by the official SDK."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import orjson

from triage.ai.choice import Access, Asked
from triage.ai.trouble import translated
from triage.core.diagnosis import SCHEMA, TOOL, Prompt, Spent
from triage.errors import ConfigError, ModelFailed

try:
    import anthropic
    import httpx2
except ImportError as missing:
    raise ConfigError(
        "triage diagnose needs the anthropic package; run: pip install 'triage-go[ai]'"
    ) from missing


class Claude:
    """A `triage.ai.Model`; use it as a context."""

    def __init__(self, access: Access, name: str) -> None:
        if not access.anthropic_key:
            raise ConfigError(
                "ANTHROPIC_API_KEY is not set; it is needed for this model"
            )
        self._name = name
        self._key = access.anthropic_key
        self._client = anthropic.AsyncAnthropic(
            api_key=access.anthropic_key,
            base_url=access.anthropic_url,
            timeout=access.seconds,
            max_retries=access.retries,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.close()

    async def ask(
        self, prompt: Prompt, most: int, progress: Callable[[int], object]
    ) -> Asked:
        """Ask; what stays the same is marked, for the provider to know it again."""
        with translated(anthropic, httpx2, self._key):
            async with self._client.messages.stream(
                **self._question(prompt, most)
            ) as told:
                size = 0
                async for event in told:
                    if event.type == "input_json":
                        size += len(event.partial_json)
                        progress(size)
                message = await told.get_final_message()
        return self._answered(message)

    def _question(self, prompt: Prompt, most: int) -> dict[str, Any]:
        cached = {"type": "ephemeral"}
        return {
            "model": self._name,
            "max_tokens": most,
            "system": [
                {"type": "text", "text": prompt.rules},
                {"type": "text", "text": prompt.package, "cache_control": cached},
            ],
            "messages": [{"role": "user", "content": prompt.crash}],
            "tools": [
                {
                    "name": TOOL,
                    "description": "Tell why the program crashed.",
                    "input_schema": SCHEMA,
                }
            ],
            "tool_choice": {"type": "tool", "name": TOOL},
        }

    def _answered(self, message: Any) -> Asked:
        if message.stop_reason == "max_tokens":
            raise ModelFailed(
                "the answer was cut off; allow more tokens by --max-spend"
            )
        calls = [part for part in message.content if part.type == "tool_use"]
        if not calls:
            raise ModelFailed(
                "the model did not call the tool; set another TRIAGE_MODEL"
            )
        usage = message.usage
        known = usage.cache_read_input_tokens or 0
        made = usage.cache_creation_input_tokens or 0
        spent = Spent(
            self._name, usage.input_tokens + known + made, usage.output_tokens, known
        )
        return Asked(orjson.dumps(calls[0].input).decode(), spent)
