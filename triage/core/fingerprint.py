"""One fingerprint for a crash, whatever its lines: incidents, replay, SARIF, issues."""

import hashlib
from collections.abc import Iterable

FRAMES = 5
"""How many own functions take part."""


def fingerprint(repo: str, kind: str | None, functions: Iterable[str]) -> str:
    """Return the SHA-256 over repository, kind and the top own functions, in hex.

    *functions* are declarations with their package, closures under the declaration
    that holds them, so that a moved line or a renumbered closure changes nothing.
    """
    top = list(functions)[:FRAMES]
    return hashlib.sha256("\0".join((repo, kind or "", *top)).encode()).hexdigest()
