"""Models behind OpenAI's chat API, its own or another server's, by the official SDK."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from triage.ai.choice import Access, Asked
from triage.ai.trouble import translated
from triage.core.diagnosis import SCHEMA, TOOL, Prompt, Spent
from triage.errors import ConfigError, ModelFailed

try:
    import httpx2
    import openai
except ImportError as missing:
    raise ConfigError(
        "triage diagnose needs the openai package; run: pip install 'triage-go[ai]'"
    ) from missing

_NO_KEY = "none"
"""Servers on one's own machine want no key; the SDK wants some."""


class Chat:
    """A `triage.ai.Model`; use it as a context."""

    def __init__(self, access: Access, name: str) -> None:
        if not access.openai_key and not access.openai_url:
            raise ConfigError("OPENAI_API_KEY is not set; it is needed for this model")
        self._name = name
        self._key = access.openai_key or _NO_KEY
        self._client = openai.AsyncOpenAI(
            api_key=self._key,
            base_url=access.openai_url,
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
        """Ask; the tool's arguments come in pieces."""
        parts, ended, usage, size = list[str](), "", None, 0
        with translated(openai, httpx2, self._key):
            stream = await self._client.chat.completions.create(
                **self._question(prompt, most)
            )
            async for chunk in stream:
                usage = chunk.usage or usage
                for choice in chunk.choices[:1]:
                    ended = choice.finish_reason or ended
                    for call in choice.delta.tool_calls or ():
                        text = (call.function and call.function.arguments) or ""
                        parts.append(text)
                        size += len(text)
                        progress(size)
        return self._answered("".join(parts), ended, usage)

    def _question(self, prompt: Prompt, most: int) -> dict[str, Any]:
        tool = {
            "name": TOOL,
            "description": "Tell why the program crashed.",
            "parameters": SCHEMA,
        }
        return {
            "model": self._name,
            "max_completion_tokens": most,
            "messages": [
                {"role": "system", "content": f"{prompt.rules}\n\n{prompt.package}"},
                {"role": "user", "content": prompt.crash},
            ],
            "tools": [{"type": "function", "function": tool}],
            "tool_choice": {"type": "function", "function": {"name": TOOL}},
            "stream": True,
            "stream_options": {"include_usage": True},
        }

    def _answered(self, answer: str, ended: str, usage: Any) -> Asked:
        if ended == "length":
            raise ModelFailed(
                "the answer was cut off; allow more tokens by --max-spend"
            )
        if not ended:
            raise ModelFailed("the answer broke off; ask again")
        if not answer:
            raise ModelFailed(
                "the model did not call the tool; set another TRIAGE_MODEL"
            )
        if usage is None:
            return Asked(answer, Spent(self._name, 0, 0))
        known = usage.prompt_tokens_details
        cached = (known and known.cached_tokens) or 0
        spent = Spent(self._name, usage.prompt_tokens, usage.completion_tokens, cached)
        return Asked(answer, spent)
