"""The page that `triage replay --report` writes: one file that needs no other."""

from triage.replay.report.page import write_report

__all__ = ["write_report"]
