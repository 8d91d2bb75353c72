"""`/webhooks/github`: a job of GitHub Actions that failed; its log has to be fetched.

https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_job
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Final

import msgspec

from triage.core.events.clues import Clues, is_commit, told_repository
from triage.core.events.crashes import Told
from triage.core.events.loose import decode, seconds
from triage.core.events.values import Fetch, Head, Reading, Report
from triage.core.projects import Project
from triage.errors import BadInput

HOST_KIND: Final = "github-job-log"

_Number = Annotated[int, msgspec.Meta(ge=1, le=(1 << 63) - 1)]


class _Job(msgspec.Struct):
    id: _Number
    head_sha: str
    run_attempt: _Number | None = None
    conclusion: str | None = None
    completed_at: str | None = None


class _Repository(msgspec.Struct):
    full_name: str


class _JobEvent(msgspec.Struct):
    action: str
    workflow_job: _Job
    repository: _Repository


def read_github(head: Head, body: bytes, projects: Sequence[Project]) -> Reading:
    """Name the log of a job that failed; raises `BadInput`."""
    if head.kind != "workflow_job":
        return Reading((), f"GitHub's {head.kind or 'unnamed'} events tell of no crash")
    event = decode(body, _JobEvent)
    job = event.workflow_job
    if (event.action, job.conclusion) != ("completed", "failure"):
        return Reading((), "the job did not fail")
    repo = told_repository(event.repository.full_name)
    if repo is None or not is_commit(job.head_sha):
        raise BadInput(
            "the event's repository or commit is none; send it as GitHub does"
        )
    own = [p for p in projects if p.repo.lower() == repo.lower()]
    fetch = Fetch(
        HOST_KIND,
        repo,
        job=job.id,
        attempt=job.run_attempt,
        commit_sha=job.head_sha,
        root_dir=own[0].root_dir or None if len(own) == 1 else None,
        observed_at=seconds(job.completed_at),
    )
    return Reading((Report(fetch=fetch, observed_at=fetch.observed_at),))


def read_log(fetch: Fetch, text: bytes) -> Iterator[Told]:
    """Yield a job's log; what its programs merely logged is no crash."""
    clues = Clues(
        repo=fetch.repo,
        commit_sha=fetch.commit_sha,
        root_dir=fetch.root_dir,
        observed_at=fetch.observed_at,
    )
    yield Told(clues, (text,), logged=False)
