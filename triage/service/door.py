"""The way in: the address, the lock on the data directory, what is said at the start.

Imports nothing that counts: see `cluster`.
"""

import fcntl
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from triage.config import Settings
from triage.core.allowed import read_allowed, several
from triage.core.loopback import is_loopback
from triage.errors import ConfigError
from triage.service.handles import share

_LOCK: Final = "inbox.lock"


def check(settings: Settings, host: str) -> None:
    """Raise `ConfigError` for settings that the service cannot run with."""
    refuse_open_door(host, has_token=bool(several(settings.token)))
    read_allowed(settings.repos)


def announce(settings: Settings, place: socket.socket) -> None:
    """Say on standard error where the service is, and what it may not do."""
    host, port = place.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    if not settings.repos:
        _say("warning: no repository may be read; list them in TRIAGE_REPOS")
    _say(f"serving on http://{shown}:{port}")


def _say(text: str) -> None:
    sys.stderr.write(f"triage: {text}\n")
    sys.stderr.flush()


def bind(host: str, port: int) -> socket.socket:
    """Listen on an address; port 0 is any that is free. Raises `ConfigError`."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(
            address[:2], family=family, backlog=share(1).backlog
        )
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no such name"
        raise ConfigError(
            f"cannot listen on {host} port {port} ({reason}); choose another --host"
            " or --port"
        ) from error


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Keep a data directory for one service; raises `ConfigError`.

    A second one would take the first one's events for those of a dead process.
    """
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(directory / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ConfigError(
            f"{directory} cannot be written ({error.strerror}); name another with"
            " --data-dir"
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(file)
        raise ConfigError(
            f"another triage serve works in {directory}; end it, or name another"
            " directory with --data-dir"
        ) from error
    try:
        yield
    finally:
        os.close(file)


def refuse_open_door(host: str, *, has_token: bool) -> None:
    """Raise `ConfigError` where anyone on the network could ask."""
    if not has_token and not is_loopback(host):
        raise ConfigError(
            f"--host {host} can be reached from elsewhere: set TRIAGE_TOKEN, or use"
            " 127.0.0.1"
        )
