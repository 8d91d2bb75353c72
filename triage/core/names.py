"""Take apart the names that the Go runtime prints for functions.

Pure string work. The forms come from cmd/link and runtime/symtab.go:
`example.com/a%2eb/pkg.(*T[...]).M.func1.2`, `pkg.init.0`, `pkg.glob..func1`,
`pkg.T.M-fm`, `pkg.F.gowrap1`, `pkg.F.deferwrap2`, `pkg.Outer.Inner.func1` (an
inlined closure), `pkg.F-range1`.
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote

_CLOSURE = re.compile(
    r"^(?:func\d+|\d+|gowrap\d+|deferwrap\d+|range\d+|[^.]*-range\d+)$"
)
_SUFFIX = re.compile(r"(?:-fm|-range\d+|·\w+)$")


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A function's printed name in its parts."""

    package: str
    """Import path, unescaped; empty where the name has none (`panic`)."""
    receiver: str | None
    """The type's bare name, without star and type parameters."""
    name: str
    """The enclosing declaration; `init` and `glob.` stand for initialisers."""
    closure: bool
    """The call was in a function literal or wrapper inside that declaration."""

    @property
    def declaration(self) -> str:
        """The declaration's name as Go writes it: `(*T).M` is `T.M` here."""
        return f"{self.receiver}.{self.name}" if self.receiver else self.name


def split_function(printed: str) -> FunctionName:
    """Split a printed function name; any text gives some answer, none raises."""
    package, rest = _split_package(_drop_type_arguments(printed))
    receiver = None
    if rest.startswith("("):
        inner, _, rest = rest[1:].partition(").")
        receiver = inner.lstrip("*").rsplit(".", 1)[-1]
    parts = [part for part in rest.split(".") if part]
    whole = len(parts)
    while len(parts) > 1 and _CLOSURE.match(parts[-1]):
        parts.pop()
    closure = len(parts) < whole
    if receiver is None and len(parts) > 1 and parts[0] not in {"init", "glob"}:
        # `T.M` is a method with a value receiver, `F.G` a closure inlined from F
        # into G: a call below a closure is told apart by the closure's own suffix.
        receiver, parts = parts[0], parts[1:]
    name = _SUFFIX.sub("", parts[0]) if parts else ""
    return FunctionName(package, receiver, name, closure or "-range" in rest)


def _drop_type_arguments(printed: str) -> str:
    """`a/b.F[go.shape.int].func1` -> `a/b.F.func1`, brackets of any depth."""
    if "[" not in printed:
        return printed
    out, depth = [], 0
    for char in printed:
        if char == "[":
            depth += 1
        elif char == "]":
            depth = max(0, depth - 1)
        elif not depth:
            out.append(char)
    return "".join(out)


def _split_package(printed: str) -> tuple[str, str]:
    """Cut after the first dot behind the last slash; the linker escapes others."""
    slash = printed.rfind("/", 0, printed.find("(") if "(" in printed else None)
    dot = printed.find(".", slash + 1)
    if dot < 0:
        return "", printed
    return unquote(printed[:dot]), printed[dot + 1 :]
