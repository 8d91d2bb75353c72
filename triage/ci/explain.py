"""Make the context of each crash that was found, from the checkout."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from triage.app import open_engine
from triage.config import Settings
from triage.core.ci import Crash, Failure, Finding, explained, merged, placed, ranked
from triage.core.model import Telemetry
from triage.engine import Engine
from triage.errors import TriageError

_MOST: Final = 100
"""Crash sites that are explained; whoever has more needs no more to begin with."""
_TOO_MANY: Final = Failure(
    "busy", f"only the first {_MOST} crash sites are explained; mend these first"
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Source:
    """Where the crashed code lies, and how it is to be explained."""

    repo: str
    commit: str | None = None
    root_dir: str | None = None
    max_tokens: int | None = None


async def explain(
    settings: Settings, crashes: Sequence[Crash], source: Source
) -> list[Finding]:
    """Return what was found, the most valuable first; each crash site once."""
    read = (placed(one.text, package=one.package, test=one.test) for one in crashes)
    found = merged(one for one in read if one is not None)
    if not found:
        return []
    async with open_engine(settings) as engine:
        told = [
            await _explained(engine, finding, source)
            if number < _MOST
            else replace(finding, failure=_TOO_MANY)
            for number, finding in enumerate(found)
        ]
    return ranked(merged(told))


async def _explained(engine: Engine, finding: Finding, source: Source) -> Finding:
    telemetry = Telemetry(
        repo=source.repo,
        commit_sha=source.commit,
        trace=finding.text,
        root_dir=source.root_dir,
        max_tokens=source.max_tokens,
    )
    try:
        return explained(finding, await engine.context(telemetry))
    except TriageError as error:
        return replace(finding, failure=Failure(error.code, str(error)))
    except Exception:  # noqa: BLE001 - the edge: one crash must not hide the others
        _log.exception("a crash could not be explained")
        why = Failure("internal", "a bug of Triage's; its log says more")
        return replace(finding, failure=why)
