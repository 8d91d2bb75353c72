"""`triage mcp`: contexts for coding agents, by the Model Context Protocol."""

from triage.mcp.reach import Reach
from triage.mcp.server import make_server, serve_http

__all__ = ["Reach", "make_server", "serve_http"]
