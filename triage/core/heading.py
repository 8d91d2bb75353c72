"""Say for an answer what crashed where, at a length that its budget allows."""

from triage.core.render import LONGEST_HEADLINE, Heading
from triage.core.site import CrashSite

_SHARE = 20
"""Message and names may each take a budget divided by this."""


def heading_of(site: CrashSite, message: str | None, budget: int) -> Heading:
    """Return the heading of an answer of *budget* characters."""
    return Heading(
        path=site.view.path(site.decl),
        directory=site.view.directory,
        package=site.view.package_name(site.decl),
        line=site.line,
        message=message,
        limit=min(LONGEST_HEADLINE, budget // _SHARE),
    )
