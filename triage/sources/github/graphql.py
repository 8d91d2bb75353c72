"""One GraphQL query for directories, files and blobs, and the reading of its answer.

Pure. https://docs.github.com/en/graphql/reference/objects#tree
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from triage.errors import RateLimited, RepoMissing, SourceError
from triage.sources.github.objects import (
    FILE_MODE,
    Entry,
    Listing,
    is_intact,
    split,
)
from triage.sources.github.refusal import (
    empty_repository,
    missing_commit,
    missing_repository,
)
from triage.sources.github.wire import GRAPHQL, Answer, Request

TEXT_LIMIT = 512_000
"""Bytes after which GraphQL cuts a text; measured by others, not documented."""

_FRAGMENTS = {
    "Texts": "fragment Texts on Tree{entries{name mode oid size"
    " object{...on Blob{text}}}}",
    "Names": "fragment Names on Tree{entries{name mode oid size}}",
    "Content": "fragment Content on Blob{oid byteSize text}",
}


class GraphQLFailed(SourceError):
    """The query got no answer that can be used; the REST API may give one."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What one query asks for, at one commit."""

    commit: str
    texts: Sequence[str] = ()
    """Directories, with the text of every blob in them."""
    names: Sequence[str] = ()
    """Directories, their entries alone."""
    files: Sequence[str] = ()
    """Paths of files, with their text."""
    blobs: Sequence[str] = ()
    """Object ids, for their text."""

    def aliases(self) -> Iterator[tuple[str, str, str, str]]:
        """Name each part: its alias, its argument and value, its fragment."""
        for kind, argument, fragment, values in (
            ("t", "expression", "Texts", self.texts),
            ("n", "expression", "Names", self.names),
            ("f", "expression", "Content", self.files),
            ("b", "oid", "Content", self.blobs),
        ):
            for number, value in enumerate(values):
                wanted = value if kind == "b" else f"{self.commit}:{value}"
                yield f"{kind}{number}", argument, wanted, fragment


@dataclass(slots=True)
class Found:
    """What a query brought."""

    name: str
    """OWNER/NAME as the repository is called now."""
    listings: dict[str, Listing | None] = field(default_factory=dict)
    """None where there is no such directory."""
    files: dict[str, Entry | None] = field(default_factory=dict)
    """Without their true mode, which GraphQL tells of directories' entries alone."""
    texts: dict[str, bytes] = field(default_factory=dict)
    """Blobs by id: those alone whose text is the blob, bit by bit."""


class _Object(msgspec.Struct):
    text: str | None = None


class _TreeEntry(msgspec.Struct):
    name: str
    mode: int
    oid: str
    size: int = 0
    object: _Object | None = None


class _Node(msgspec.Struct, rename="camel"):
    typename: str = msgspec.field(default="", name="__typename")
    oid: str = ""
    byte_size: int = 0
    text: str | None = None
    entries: list[_TreeEntry] | None = None


class _Error(msgspec.Struct):
    message: str = ""
    type: str = ""
    path: list[str | int] = []


class _Data(msgspec.Struct):
    repository: dict[str, _Node | str | bool | None] | None = None


class _Reply(msgspec.Struct):
    data: _Data | None = None
    errors: list[_Error] = []


def query(ask: Ask, repository: str) -> Request:
    """Write the query; all values travel as variables."""
    owner, _, name = repository.partition("/")
    variables = {"owner": owner, "name": name, "commit": ask.commit}
    declared = ["$owner:String!", "$name:String!", "$commit:String!"]
    parts, used = [], set()
    for alias, argument, value, fragment in ask.aliases():
        variables[alias] = value
        of_type = "GitObjectID!" if argument == "oid" else "String!"
        declared.append(f"${alias}:{of_type}")
        parts.append(f"{alias}:object({argument}:${alias}){{__typename ...{fragment}}}")
        used.add(fragment)
    text = (
        f"query({','.join(declared)}){{repository(owner:$owner,name:$name)"
        "{nameWithOwner isEmpty commit:object(expression:$commit){__typename oid} "
        f"{' '.join(parts)}}}}} {' '.join(_FRAGMENTS[name] for name in sorted(used))}"
    )
    body = {"query": text, "variables": variables}
    return Request(body=body, resource=GRAPHQL)


def read_answer(answer: Answer, ask: Ask, repository: str) -> Found:
    """Read the answer to `query`.

    Raises `RepoMissing`, `CommitMissing`, `RateLimited`, and `GraphQLFailed` for
    what is worth another way. GitHub tells of all of them under status 200.
    """
    reply = msgspec.json.decode(answer.body, type=_Reply)
    for error in reply.errors:
        _raise_for(error, repository)
    nodes = reply.data and reply.data.repository
    if reply.errors or not nodes:
        said = reply.errors[0].message if reply.errors else "no data"
        raise GraphQLFailed(f"GitHub's GraphQL API fails: {said[:160]}")
    _check_commit(nodes, ask.commit)
    found = Found(name=str(nodes.get("nameWithOwner", repository)))
    _absorb(found, ask, nodes)
    return found


def _raise_for(error: _Error, repository: str) -> None:
    """Raise the errors that no other way would help."""
    if error.type == "RATE_LIMITED":
        raise RateLimited("GitHub's GraphQL rate limit is used up; try again later")
    if error.type == "NOT_FOUND" and error.path == ["repository"]:
        raise RepoMissing(missing_repository(repository, anonymous=False))


def _check_commit(nodes: Mapping[str, _Node | str | bool | None], commit: str) -> None:
    if nodes.get("isEmpty") is True:
        raise empty_repository()
    node = nodes.get("commit")
    if not isinstance(node, _Node) or node.typename != "Commit":
        raise missing_commit(commit)


def _absorb(
    found: Found, ask: Ask, nodes: Mapping[str, _Node | str | bool | None]
) -> None:
    """Sort the aliased parts of the answer into *found*."""

    def parts(kind: str, asked: Sequence[str]) -> Iterator[tuple[str, _Node | None]]:
        for number, value in enumerate(asked):
            node = nodes.get(f"{kind}{number}")
            yield value, node if isinstance(node, _Node) else None

    for kind, asked in (("t", ask.texts), ("n", ask.names)):
        for directory, node in parts(kind, asked):
            found.listings[directory] = _listing(found, node)
    for path, node in parts("f", ask.files):
        found.files[path] = _file(found, path, node)
    for oid, node in parts("b", ask.blobs):
        _keep_text(found, oid, node.text if node else None)


def _listing(found: Found, node: _Node | None) -> Listing | None:
    if node is None or node.entries is None:
        return None
    for entry in node.entries:
        _keep_text(found, entry.oid, entry.object.text if entry.object else None)
    return {
        entry.name: Entry(entry.name, entry.mode, entry.oid, entry.size)
        for entry in node.entries
    }


def _file(found: Found, path: str, node: _Node | None) -> Entry | None:
    if node is None or node.typename != "Blob":
        return None
    _keep_text(found, node.oid, node.text)
    return Entry(split(path)[1], FILE_MODE, node.oid, node.byte_size)


def _keep_text(found: Found, oid: str, text: str | None) -> None:
    """Keep a text that is the whole blob.

    GraphQL cuts long texts, gives none for binary ones and replaces what is not
    UTF-8: the blob's own id tells all of that, also where no flag does.
    """
    if text is None:
        return
    data = text.encode("utf-8", "surrogatepass")
    if is_intact(data, oid):
        found.texts[oid] = data
