"""Take apart the names that the Go runtime prints for functions.

Pure string work. The forms come from `closureName` in cmd/compile/internal/ir and
from the linker's escaping of import paths:

    pkg.F  pkg.T.M  pkg.(*T[...]).M        declarations
    pkg.F.func1  pkg.F.func1.2  pkg.F.1    function literals in them
    pkg.F.gowrap1  pkg.F.deferwrap2        wrappers of `go` and `defer`
    pkg.F-range1  pkg.T.M-fm               bodies of range-over-func, method values
    pkg.init.0  pkg.init  pkg.map.init.1   `func init`, package-level initialisers
    pkg.init.func1  pkg.glob..func1        literals in package-level initialisers
    pkg.Outer.(*U).Inner.func1             a literal of Inner, inlined into Outer

What stands before the package's dot is escaped: `gopkg.in/yaml%2ev3.Unmarshal`.
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote

_COMPILER_MADE = ("type:", "type..", "go:")
_LITERAL = re.compile(r"(?:func|gowrap|deferwrap)?\d+|\$?nested\d+")
_WRAPPER = re.compile(r"-(?:range\d+|fm)")
_WORD = re.compile(r"\(\*?(?P<receiver>[^()]*)\)|(?P<word>[^.()]+)")
_INIT = re.compile(r"(?:map\.)?init(?:\.\d+)?(?=\.|$)|glob\.(?=\.|$)")


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A function's printed name in its parts."""

    package: str
    """Import path, unescaped; empty where the name has none (`panic`).

    Where *outer* is not empty this is the package of the outermost function there:
    an inlined literal may stand in a file of another package.
    """
    receiver: str | None
    """The type's bare name, without star and type parameters."""
    name: str
    """The declaration that holds the code; `init` for every kind of initialiser."""
    closure: bool
    """The call was in a function literal or wrapper inside that declaration."""
    outer: tuple[str, ...] = ()
    """Declarations that the literal was inlined into, outermost first."""
    certain: bool = True
    """False where `A.B` may be a method of A or a function B inlined into A."""

    @property
    def declaration(self) -> str:
        """The declaration's name as Go writes it: `(*T).M` is `T.M` here."""
        return f"{self.receiver}.{self.name}" if self.receiver else self.name

    def may_be(self, *, receiver: str | None, name: str) -> bool:
        """Tell whether the declaration *receiver*.*name* can be the printed one."""
        return name == self.name and (receiver == self.receiver or not self.certain)


def split_function(printed: str) -> FunctionName:
    """Split a printed function name; any text gives some answer, none raises."""
    if printed.startswith(_COMPILER_MADE):
        return FunctionName("", None, printed, closure=False)
    package, rest = _split_package(_drop_type_arguments(printed))
    bare = _WRAPPER.sub("", rest)
    init = _INIT.match(bare)
    words = _words(bare[init.end() :] if init else bare)
    kept = _without_literals(words, whole=not init)
    named = ["init"] if init else []
    named += _declarations(kept)
    receiver, _, name = (named[-1] if named else "").rpartition(".")
    literal = len(kept) < len(words)
    return FunctionName(
        package,
        receiver or None,
        name,
        closure=literal or "-range" in rest,
        outer=tuple(named[:-1]),
        certain=not literal or _bare_tail(kept) <= 1,
    )


def _words(text: str) -> list[str]:
    """`(*T).M.func1` -> ["(T", "M", "func1"]: a receiver keeps its bracket."""
    return [
        match["word"] or "(" + match["receiver"].rsplit(".", 1)[-1]
        for match in _WORD.finditer(text)
    ]


def _without_literals(words: list[str], *, whole: bool) -> list[str]:
    """Drop what numbers literals; in the middle it says where an inlined call stood.

    A method is kept whatever its name, and so is the first word of a *whole* name.
    """
    return [
        word
        for at, word in enumerate(words)
        if not _LITERAL.fullmatch(word)
        or (at == 0 and whole)
        or (at > 0 and words[at - 1].startswith("("))
    ]


def _declarations(words: list[str]) -> list[str]:
    """Join receivers and methods; two bare words in a row count as such a pair."""
    named, at = list[str](), 0
    while at < len(words):
        method = at + 1 < len(words) and not words[at + 1].startswith("(")
        named.append(".".join(words[at : at + 1 + method]).lstrip("("))
        at += 1 + method
    return named


def _bare_tail(words: list[str]) -> int:
    """Count the words at the end that no written receiver explains."""
    for back, word in enumerate(reversed(words)):
        if word.startswith("("):
            return max(0, back - 1)
    return len(words)


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
