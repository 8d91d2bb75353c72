"""`triage ci`: crashes in the output of tests and jobs, each with its context."""

from triage.ci.explain import explain
from triage.ci.gather import Gathered, from_command, from_log, from_report
from triage.ci.report import Form, Report

__all__ = [
    "Form",
    "Gathered",
    "Report",
    "explain",
    "from_command",
    "from_log",
    "from_report",
]
