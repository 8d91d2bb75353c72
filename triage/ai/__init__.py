"""Models behind one port: the official SDKs, imported when one of them is asked."""

from triage.ai.choice import Access, Asked, Model, open_model

__all__ = ["Access", "Asked", "Model", "open_model"]
