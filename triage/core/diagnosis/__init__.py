"""What a model is asked about a crash, and how its answer is read. Pure."""

from triage.core.diagnosis.answer import SCHEMA, TOOL, Diagnosis, read_answer
from triage.core.diagnosis.patch import changed_files
from triage.core.diagnosis.prompt import Prompt, make_prompt
from triage.core.diagnosis.shown import Checked, Spent, shown_json, shown_text

__all__ = [
    "SCHEMA",
    "TOOL",
    "Checked",
    "Diagnosis",
    "Prompt",
    "Spent",
    "changed_files",
    "make_prompt",
    "read_answer",
    "shown_json",
    "shown_text",
]
