"""What finished work is kept under. Every key carries the schemas and the version.

A key is a digest: equal keys mean equal answers, whoever computes them.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Final

import orjson

from triage._version import __version__
from triage.core.model import BuildContext, Package, Panic, Snippet, Telemetry
from triage.core.modules import import_path
from triage.core.places import Finding
from triage.core.relations import message_words
from triage.core.render import headline
from triage.core.table import SCHEMA as TABLE_SCHEMA

SCHEMA: Final = 3
"""Raised when what is kept, or what an answer says of the same input, changes."""

Key = tuple[object, ...]
"""Of what is kept in memory alone; all of it can be hashed."""

_FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_OPTIONS = [
    field.name
    for field in fields(Telemetry)
    if field.name not in {"commit_sha", "file", "line", "trace"}
]


def is_full_id(revision: str | None) -> bool:
    """Tell whether *revision* is a whole object id, which never means another commit."""
    return revision is not None and bool(_FULL_ID.fullmatch(revision))


def exact_key(telemetry: Telemetry) -> Key | None:
    """Return what the very same telemetry is known by; None where it is not fixed.

    For memory alone: *repo* may be a path that means another place elsewhere.
    """
    if not is_full_id(telemetry.commit_sha):
        return None
    trace = telemetry.trace
    if isinstance(trace, str):
        trace = trace.encode("utf-8", "surrogatepass")
    return (
        telemetry.repo,
        telemetry.commit_sha,
        telemetry.file,
        telemetry.line,
        trace and hashlib.blake2b(trace, digest_size=16).digest(),
        telemetry.root_dir,
        telemetry.max_tokens,
        telemetry.depth,
        telemetry.frames,
        telemetry.related,
        telemetry.history,
        telemetry.goos,
        telemetry.goarch,
        telemetry.tags,
    )


def finished_key(
    source: str,
    commit: str,
    telemetry: Telemetry,
    finding: Finding,
    *,
    build: BuildContext,
    warnings: Sequence[str] = (),
) -> bytes:
    """Return what a finished context is known by.

    *source* names the repository wherever it is asked from, *warnings* are those that
    do not follow from the rest. The crash function follows from its file, line and
    printed name. Frames that are not the repository's are no part of it: whoever takes
    a context out puts the panic at hand into it.
    """
    panic, crash = finding.panic, finding.places[0]
    located = crash.located
    return _digest(
        "context",
        TABLE_SCHEMA,
        source,
        commit,
        [getattr(telemetry, name) for name in _OPTIONS],
        [build.goos, build.goarch, sorted(set(build.tags))],
        panic and _said(panic),
        [[p.path, p.frame.function, p.frame.line] for p in finding.places],
        located and [located.module_path, located.warning],
        import_path(crash.directory, finding.layout),
        list(warnings),
    )


def table_key(
    package: Package, context: BuildContext, focus: str | None, path: str
) -> bytes:
    """Return what the symbol table of these sources is known by.

    *path* is the package's import path.
    """
    return _digest(
        "table",
        TABLE_SCHEMA,
        context.goos,
        context.goarch,
        sorted(set(context.tags)),
        context.tests,
        focus,
        path,
        [[file.name, file.oid] for file in package.files],
    )


def snippet_key(snippet: Snippet) -> Key:
    """Return what the printed form of a snippet is known by."""
    text = hashlib.blake2b(snippet.text, digest_size=16).digest()
    return snippet.mode, text, snippet.offset, snippet.keep


def commit_key(source: str, commit: str) -> bytes:
    """Return what is kept of one commit is known by."""
    return _digest("commit", source, commit)


def _said(panic: Panic) -> list[object]:
    """Return what an answer shows of a panic, and what it chooses declarations by."""
    return [panic.kind, headline(panic.message), sorted(message_words(panic.message))]


def tree_key(commit: bytes, what: str, path: str = "") -> bytes:
    """Return what a part of a commit's tree is known by; it begins with *commit*."""
    return commit + _digest(what, path)


def _digest(*parts: object) -> bytes:
    form = orjson.dumps([SCHEMA, __version__, *parts])
    return hashlib.blake2b(form, digest_size=20).digest()
