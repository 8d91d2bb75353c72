"""Compare the written signatures of methods, where no type checker saw both."""

import re
from collections.abc import Iterator

_COMMENT = re.compile(r"//[^\n]*")
_PACKAGE = re.compile(r"\w+\.")


def fits(method: str, wanted: str) -> bool:
    """Tell whether two signatures agree in the number of parameters and the results.

    *method* and *wanted* begin at the method's name: `Save(it port.Item) error` fits
    `Save(Item) error`, of which another package leaves out its own name.
    """
    return _shape(method) == _shape(wanted)


def _shape(signature: str) -> tuple[int, tuple[str, ...]]:
    """Return the number of parameters, and each result's type without packages."""
    signature = _COMMENT.sub("", signature)
    start = signature.find("(")
    if start < 0:
        return 0, ()
    end = _closing(signature, start)
    parameters = list(_parts(signature[start + 1 : end]))
    rest = signature[end + 1 :].partition("{")[0].strip()
    if rest.startswith("("):
        rest = rest[1 : _closing(rest, 0)]
    return len(parameters), tuple(map(_bare, _parts(rest)))


def _closing(text: str, start: int) -> int:
    """Return where the bracket at *start* closes; the end where it does not."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at
    return len(text)


def _parts(text: str) -> Iterator[str]:
    """Split at commas outside of brackets."""
    depth, start = 0, 0
    for at, char in enumerate(text + ","):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(char, 0)
        if char == "," and not depth:
            if part := text[start:at].strip():
                yield part
            start = at + 1


def _bare(result: str) -> str:
    """`err error` -> `error`, `*port.Item` -> `Item`, `[]port.Item` -> `[]Item`."""
    return _PACKAGE.sub("", result.rpartition(" ")[2]).lstrip("*")
