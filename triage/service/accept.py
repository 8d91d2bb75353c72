"""Which form of the answer a caller likes best, by `Accept` (RFC 9110, 12.5.1)."""

from typing import Final

FORMS: Final = {
    "application/json": "json",
    "text/markdown": "markdown",
    "text/plain": "text",
}
"""Media types of the forms; the first is given where nothing is said."""


def form(accept: str) -> str:
    """Return `json`, `text` or `markdown`; JSON where none of them is liked.

    The most exact range decides about a type, the highest weight between types.
    """
    if accept in {"", "*/*", "application/json"}:
        return "json"
    ranges = _ranges(accept)
    weights = {media: _weight(media, ranges) for media in FORMS}
    best = max(FORMS, key=weights.__getitem__)  # the first of equals
    return FORMS[best] if weights[best] > 0 else "json"


def _ranges(accept: str) -> dict[str, float]:
    """Read `text/*;q=0.8, text/plain` -> weights by range."""
    found = dict[str, float]()
    for part in accept.split(","):
        media, *parameters = (piece.strip().lower() for piece in part.split(";"))
        weight = 1.0
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip() == "q":
                weight = _number(value.strip())
        found[media] = weight
    return found


def _weight(media: str, ranges: dict[str, float]) -> float:
    kind = media.partition("/")[0]
    for name in (media, f"{kind}/*", "*/*"):
        if name in ranges:
            return ranges[name]
    return 0.0


def _number(text: str) -> float:
    """Read a weight; what is none counts nothing."""
    try:
        weight = float(text)
    except ValueError:
        return 0.0
    return weight if 0 <= weight <= 1 else 0.0
