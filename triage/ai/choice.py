"""Which model is asked, and what every one of them is asked with."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

from triage.core.diagnosis import Prompt, Spent
from triage.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Access:
    """What an SDK is given: nothing of it is ever printed."""

    model: str
    """`anthropic/NAME`, `openai/NAME`, or a name that tells whose it is."""
    openai_key: str | None = field(default=None, repr=False)
    openai_url: str | None = None
    anthropic_key: str | None = field(default=None, repr=False)
    anthropic_url: str | None = None
    seconds: float = 120.0
    """What one try may take."""
    retries: int = 2
    """Of what may be over after a moment; the SDKs wait as long as they are told to."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came back: the tool's arguments as JSON, and what it cost."""

    answer: str
    spent: Spent


class Model(Protocol):
    """A model that answers by calling the tool."""

    async def ask(
        self, prompt: Prompt, most: int, progress: Callable[[int], object]
    ) -> Asked:
        """Ask, for an answer of *most* tokens; tell *progress* how much has come.

        Everything raised is a `ModelError`.
        """
        ...


@asynccontextmanager
async def open_model(access: Access) -> AsyncIterator[Model]:
    """Open the model; raises `ConfigError` where its SDK or its key is missing."""
    provider, name = _told(access.model)
    if provider == "anthropic":
        from triage.ai.claude import Claude  # noqa: PLC0415 - an extra

        async with Claude(access, name) as claude:
            yield claude
    else:
        from triage.ai.chat import Chat  # noqa: PLC0415 - an extra

        async with Chat(access, name) as chat:
            yield chat


def _told(model: str) -> tuple[str, str]:
    """Read provider and name: `anthropic/x`, `openai/x`; `claude-...` tells itself."""
    provider, slash, name = model.partition("/")
    if slash and provider in {"anthropic", "openai"} and name:
        return provider, name
    if not model or not model.isprintable():
        raise ConfigError(
            "no model is set; set TRIAGE_MODEL to anthropic/NAME or openai/NAME"
        )
    return ("anthropic" if model.startswith("claude") else "openai"), model
