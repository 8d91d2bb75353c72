"""The types of GitHub's GraphQL schema that reading a repository touches.

https://docs.github.com/en/graphql/reference/objects
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.githubapi.gitrepo import GitObject, GitRepo, Item
from tests.githubapi.language import (
    Document,
    Field,
    Inline,
    QueryError,
    Selection,
    Spread,
    Variable,
)

TEXT_LIMIT = 512_000
"""Bytes after which `text` is cut."""

_INTERFACES = {"GitObject": {"Commit", "Tree", "Blob", "Tag"}}


@dataclass(frozen=True)
class Value:
    """An object of the schema: its type, and its fields as functions of arguments."""

    type: str
    fields: Mapping[str, Callable[..., Any]]


def root(
    repository: Callable[[str, str], tuple[str, GitRepo]],
) -> Value:
    """Make the query's root; *repository* gives the true name, or raises."""

    def find(owner: str, name: str, followRenames: bool = True) -> Value:  # noqa: N803 - GitHub's
        del followRenames
        return _repository(*repository(owner, name))

    return Value("Query", {"repository": find})


def execute(document: Document, variables: Mapping[str, object], top: Value) -> Any:
    """Run a query; raises `QueryError` as GitHub refuses it."""
    for name, kind in document.variables.items():
        if kind.endswith("!") and not isinstance(variables.get(name), str):
            raise QueryError(
                f"Variable ${name} of type {kind} was provided invalid value"
            )
    return _Run(document, variables).select(top, document.selections)


class _Run:
    """One execution."""

    def __init__(self, document: Document, variables: Mapping[str, object]) -> None:
        self._fragments = document.fragments
        self._variables = variables

    def select(self, value: Value, selections: list[Selection]) -> dict[str, Any]:
        out = dict[str, Any]()
        for selection in selections:
            match selection:
                case Field():
                    out[selection.alias] = self._field(value, selection)
                case Spread(name):
                    if name not in self._fragments:
                        raise QueryError(f"Fragment {name} was used, but not defined")
                    out |= self._inline(value, self._fragments[name])
                case Inline():
                    out |= self._inline(value, selection)
        return out

    def _inline(self, value: Value, part: Inline) -> dict[str, Any]:
        kinds = _INTERFACES.get(part.type, {part.type})
        return self.select(value, part.selections) if value.type in kinds else {}

    def _field(self, value: Value, asked: Field) -> Any:
        if asked.name == "__typename":
            return value.type
        if asked.name not in value.fields:
            raise QueryError(
                f"Field '{asked.name}' doesn't exist on type '{value.type}'",
                extensions={"code": "undefinedField"},
            )
        arguments = {
            name: self._variables[given.name] if isinstance(given, Variable) else given
            for name, given in asked.arguments.items()
        }
        return self._shape(value.fields[asked.name](**arguments), asked)

    def _shape(self, found: object, asked: Field) -> Any:
        if isinstance(found, list):
            return [self._shape(item, asked) for item in found]
        if isinstance(found, Value):
            if not asked.selections:
                raise QueryError(
                    f"Field must have selections (field '{asked.name}' returns"
                    f" {found.type} but has no selections. Did you mean"
                    f" '{asked.name} {{ ... }}'?)"
                )
            return self.select(found, asked.selections)
        return found


def _repository(name: str, repo: GitRepo) -> Value:
    def git_object(expression: str | None = None, oid: str | None = None) -> Any:
        # rev-parse takes an id and a path in it; GitHub's oid is an id alone.
        return _git_object(repo, repo.find(oid or expression or ""))

    owner, _, short = name.partition("/")
    return Value(
        "Repository",
        {
            "name": lambda: short,
            "nameWithOwner": lambda: f"{owner}/{short}",
            "isEmpty": lambda: repo.empty,
            "object": git_object,
        },
    )


def _git_object(repo: GitRepo, found: GitObject | None) -> Value | None:
    if found is None:
        return None
    fields: dict[str, Callable[..., Any]] = {"oid": lambda: found.oid}
    match found.kind:
        case "tree":
            items = repo.tree(found.oid)
            fields["entries"] = lambda: [_entry(repo, item) for item in items]
        case "blob":
            fields |= _blob(found.data)
        case _:
            pass
    return Value(found.kind.title(), fields)


def _entry(repo: GitRepo, item: Item) -> Value:
    return Value(
        "TreeEntry",
        {
            "name": lambda: item.name,
            "mode": lambda: int(item.mode, 8),
            "type": lambda: item.type,
            "oid": lambda: item.oid,
            "size": lambda: item.size or 0,
            "object": lambda: (
                None
                if item.type == "commit"
                else _git_object(repo, repo.find(item.oid))
            ),
        },
    )


def _blob(data: bytes) -> dict[str, Callable[..., Any]]:
    """Give a blob's fields: `text` is cut, lossy, and null where there is a NUL."""
    binary = b"\0" in data[:8_000]
    return {
        "byteSize": lambda: len(data),
        "isBinary": lambda: binary,
        "isTruncated": lambda: len(data) > TEXT_LIMIT,
        "text": lambda: (
            None if binary else data[:TEXT_LIMIT].decode("utf-8", "replace")
        ),
    }
