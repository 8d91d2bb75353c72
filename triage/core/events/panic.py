"""`/webhooks/panic`: a panic's raw text, or the telemetry object of the API."""

from collections.abc import Iterator, Mapping

from triage.core.events.clues import Clues
from triage.core.events.crashes import Told
from triage.core.events.values import Head
from triage.core.events.wanted import Wanted, decode, options, place, texts
from triage.errors import BadInput


def read_panic(head: Head, body: bytes) -> Iterator[Told]:
    """Yield what the body tells; raises `BadInput`.

    A sender that sets no content type may send the object too.
    """
    if is_json(head.content_type):
        yield _object(decode(body))
        return
    query = dict(head.query)
    wanted = _unlabelled(body) if not query.get("repo") else None
    yield _object(wanted) if wanted else _raw(query, body)


def is_json(content_type: str) -> bool:
    """Tell whether the sender says that the body is JSON."""
    return content_type == "application/json" or content_type.endswith("+json")


def _unlabelled(body: bytes) -> Wanted | None:
    """Read the object out of a body that does not say that it is one."""
    if body.lstrip()[:1] != b"{":
        return None
    try:
        wanted = decode(body)
    except BadInput:
        return None
    return wanted if wanted.repo or wanted.trace or wanted.text else None


def _object(wanted: Wanted) -> Told:
    told, where = texts(wanted), place(wanted)
    if not told and where is None:
        raise BadInput("give a `trace`, or `file` and `line`")
    clues = Clues(
        repo=wanted.repo,
        commit_sha=wanted.commit_sha or wanted.commit,
        root_dir=wanted.root_dir,
    )
    return Told(clues, told, where, options=options(wanted))


def _raw(query: Mapping[str, str], body: bytes) -> Told:
    if not body.strip():
        raise BadInput("the body is empty; send the panic's text, or a JSON object")
    clues = Clues(
        repo=query.get("repo") or None,
        commit_sha=query.get("commit_sha") or query.get("commit") or None,
        root_dir=query.get("root_dir"),
    )
    return Told(clues, (body,))
