"""Repositories that are named, not found on disk; and what commit a text means."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from triage.core.model import Panic

_NAME = re.compile(r"(?!\.\.?/)[\w.-]+/(?!\.\.?$)[\w.-]+", re.ASCII)
_SCP = re.compile(r"[\w.-]+@(?P<host>[\w.-]+):(?P<path>.+)", re.ASCII)
# https://go.dev/ref/mod#pseudo-versions: v0.0.0-20060102150405-abcdefabcdef
_PSEUDO = re.compile(r"v\d+\..*[-.]\d{14}-(?P<id>[0-9a-f]{12})(?:\+incompatible)?")
_HOST = "github.com"


def repository_name(text: str, hosts: Sequence[str] = ()) -> str | None:
    """Read OWNER/NAME, or the address of a repository on GitHub; None for a path.

    `git@github.com:acme/shop.git`, `https://github.com/acme/shop/tree/main` ->
    `acme/shop`. *hosts* are further ones, an Enterprise server's.
    """
    if text.startswith((".", "/", "~")):
        return None
    if _NAME.fullmatch(text):
        return text
    if scp := _SCP.fullmatch(text):
        host, path = scp["host"].lower(), scp["path"]
    else:
        url = urlsplit(text if "://" in text else f"https://{text}")
        host, path = url.hostname or "", url.path
    if host.removeprefix("www.") not in {_HOST, *hosts}:
        return None
    name = "/".join(path.strip("/").split("/")[:2]).removesuffix(".git")
    return name if _NAME.fullmatch(name) else None


def github_hosts(api: str) -> tuple[str, ...]:
    """Return the hosts of repositories whose API is at the address *api*.

    `https://git.acme.example/api/v3` -> `git.acme.example`; an API with a host of its
    own, `https://api.acme.ghe.com`, stands beside its repositories.
    """
    host = urlsplit(api).hostname
    if host is None:
        return ()
    beside = host.removeprefix("api.")
    return (host,) if beside == host else (host, beside)


def named_commit(panics: Sequence[Panic], repository: str) -> str | None:
    """Return the commit that a crash's text names, full or short; None where none.

    That is the build's revision, else the end of a pseudo-version that a frame of the
    module `github.com/OWNER/NAME` has.
    """
    for panic in panics:
        if panic.revision:
            return panic.revision
        for module, version in panic.versions:
            own = f"{module}/".lower().startswith(f"{_HOST}/{repository}/".lower())
            if own and (pseudo := _PSEUDO.fullmatch(version)):
                return pseudo["id"]
    return None
