r"""What a test source says of itself in `//:` comments.

A fact belongs to its line, or, where a comment is all that stands on a line, to the
line of source above; facts on one line are parted by `;`. Names are resolved when all
declarations are known. The comments are taken out before anything is counted:

    of the file (on the package clause): broken, cgo, excluded REASON, unreadable
    of a line:   error COLUMN MESSAGE           reported FILE:LINE
    types:       field *T     param 0 []T       result 1 T     constraint 0 T
                 under T      value T           with `*` pointer, `[]` container,
                                                `func ` function, `[` type argument
    uses:        use T.M call                   use I .M call
    data:        literal T {A B=nil} zero       access T.A assign nil
    faults:      fault nil-deref `x.A` (3-5): NODE at NODE
    calls:       argument T.M 0: NODE           argument I .M -1: NODE
    results:     return 0: NODE
    of a type:   implements I

A target of another package is `<import/path>.Name.Member()0[]`. A node is a kind and
what it names, its type, and what it is taken out of: `field T.A:B <- receiver:T`,
`local x <- (call F | nil)`; `[1] local n <- field T.next <- [1]` goes in a circle.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_COMMENT = re.compile(r"\s*//: *(?P<facts>.*)$")


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: the line that it is about, its first word and the rest."""

    line: int
    verb: str
    rest: str


@dataclass(frozen=True, slots=True)
class NodeFact:
    """A value: its kind, what it names, its type and its origins."""

    kind: str
    ref: str
    member: str
    type: str
    origins: tuple["NodeFact", ...] = ()
    label: str = ""
    """With an empty *kind* it stands for the node of that label."""


def split_facts(text: str) -> tuple[str, list[Fact]]:
    """Take the facts out of *text*; return what is left of it, and them."""
    kept: list[str] = []
    facts: list[Fact] = []
    for line in text.split("\n"):
        match = _COMMENT.search(line)
        if match is None:
            kept.append(line)
            continue
        if before := line[: match.start()]:
            kept.append(before)
        for fact in match["facts"].split("; "):
            verb, _, rest = fact.strip().partition(" ")
            facts.append(Fact(len(kept), verb, rest))
    return "\n".join(kept), facts


def read_node(text: str) -> NodeFact:
    """Read a node with all that it is taken out of."""
    reader = _NodeReader(text)
    node = reader.node()
    assert not reader.rest, f"cannot read {reader.rest!r} of node {text!r}"
    return node


class _NodeReader:
    def __init__(self, text: str) -> None:
        self.rest = text

    def node(self) -> NodeFact:
        label = self._take(r"\[(\d+)\] ?") or ""
        kind = self._take(r"([a-z]+)") or ""
        ref = (self._take(r" ((?:<[^>]*>|[^\s:()|]|\(\))+)") or "") if kind else ""
        member = (self._take(r" \.(\w+)") or "") if ref else ""
        type_name = self._take(r":((?:<[^>]*>|[^\s()|]|\(\))+)") or ""
        origins = tuple(self._origins()) if kind and self._take("( <- )") else ()
        return NodeFact(kind, ref, member, type_name, origins, label)

    def _origins(self) -> Iterator[NodeFact]:
        if not self._take(r"(\()"):
            yield self.node()
            return
        yield self.node()
        while self._take(r"( \| )"):
            yield self.node()
        assert self._take(r"(\))"), f"a bracket is open before {self.rest!r}"

    def _take(self, pattern: str) -> str | None:
        match = re.match(pattern, self.rest)
        if match is None:
            return None
        self.rest = self.rest[match.end() :]
        return match[1]
