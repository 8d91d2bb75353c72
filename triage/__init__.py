"""Triage: the smallest piece of source that explains a Go panic."""
