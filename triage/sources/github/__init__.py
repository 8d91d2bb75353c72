"""A repository on GitHub, read through its API."""

from triage.sources.github.api import GitHubApi
from triage.sources.github.auth import App, Token
from triage.sources.github.contents import BlobStore
from triage.sources.github.gate import RateGate
from triage.sources.github.source import GitHubSource

__all__ = ["App", "BlobStore", "GitHubApi", "GitHubSource", "RateGate", "Token"]
