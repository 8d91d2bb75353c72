"""The Go helper as a child process: the adapter behind the port `Parser`."""

from triage.helper.launch import Limits, binary_path
from triage.helper.supervisor import Helper

__all__ = ["Helper", "Limits", "binary_path"]
