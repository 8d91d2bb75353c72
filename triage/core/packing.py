"""Values as MessagePack, which takes text and bytes as they are, and back."""

from typing import Any, TypeVar

T = TypeVar("T")


def made(kind: type[T], parts: dict[str, Any] | None) -> T | None:
    """Make a flat value again of its decoded *parts*, lists as tuples.

    Untyped, for msgspec reads no field that may be text or bytes.
    """
    if parts is None:
        return None
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in parts.items()})
