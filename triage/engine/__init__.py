"""The pipeline: panic, location, package, symbol table, slice, answer.

Knows ports alone. One `Engine` serves many calls at once; what one call needs lives
in its `Investigation`.
"""

from triage.engine.front import Engine
from triage.engine.means import Means, Opener, Repository

__all__ = ["Engine", "Means", "Opener", "Repository"]
