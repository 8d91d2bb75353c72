"""Crashes in the logs of tests and jobs, and how a job tells of them.

Pure; commands, files and the engine stand in `triage.ci`.
"""

from triage.core.ci.model import (
    Failure,
    Finding,
    Place,
    explained,
    merged,
    placed,
    ranked,
)
from triage.core.ci.unweave import Crash, Unweaver

__all__ = [
    "Crash",
    "Failure",
    "Finding",
    "Place",
    "Unweaver",
    "explained",
    "merged",
    "placed",
    "ranked",
]
