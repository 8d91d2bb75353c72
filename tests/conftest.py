"""What every test stands on: guards against the outside, and real repositories."""

import errno
import os
import socket
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.gitrepo import GitRepo

# A busy machine is no reason to fail.
settings.register_profile("triage", deadline=None)
settings.load_profile("triage")

_CLEARED = ("GIT_", "TRIAGE_", "GITHUB_", "XDG_")
_LOOPBACK = ("127.", "::1", "localhost")


@pytest.fixture(autouse=True)
def pinned_environment(monkeypatch, tmp_path_factory):
    """Let nothing of the machine's user or settings reach a test."""
    for name in list(os.environ):
        if name.startswith(_CLEARED):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch):
    """Refuse every connection and look-up that leaves the machine."""
    real_connect, real_lookup = socket.socket.connect, socket.getaddrinfo

    def connect(self, address):
        if self.family != socket.AF_UNIX:
            _refuse_outside(address[0])
        return real_connect(self, address)

    def lookup(host, *args, **kwargs):
        _refuse_outside(host)
        return real_lookup(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "getaddrinfo", lookup)


@pytest.fixture(autouse=True)
def no_sleep(monkeypatch):
    """Refuse to wait for the clock: a test waits for what it expects."""

    def sleep(seconds):
        raise AssertionError(f"time.sleep({seconds}) in a test")

    monkeypatch.setattr(time, "sleep", sleep)


def _refuse_outside(host: object) -> None:
    name = host.decode() if isinstance(host, bytes) else str(host)
    if host is not None and not name.startswith(_LOOPBACK):
        raise AssertionError(f"a test reached for {name}")


_NOBODY = 65534


@pytest.fixture
def unprivileged(monkeypatch) -> Iterator[Path]:
    """Act as a user whom permissions bind, and give a directory of that user's."""
    with tempfile.TemporaryDirectory() as name:
        root = os.geteuid() == 0
        if root:
            os.chown(name, _NOBODY, _NOBODY)
            os.seteuid(_NOBODY)
        monkeypatch.setenv("HOME", name)  # the tests' own is another user's
        try:
            yield Path(name)
        finally:
            if root:
                os.seteuid(0)


@pytest.fixture
def bound(monkeypatch) -> None:
    """Let a mode of 0 keep this process out, whoever it runs as."""
    real_open, real_scandir = os.open, os.scandir

    def refuse(path, **where):
        if os.path.lexists(path) or where:
            about = os.stat(path, follow_symlinks=False, **where)  # noqa: PTH116 - dir_fd
            if not stat.S_IMODE(about.st_mode):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    def opened(path, flags, mode=0o777, *, dir_fd=None):
        refuse(path, **({} if dir_fd is None else {"dir_fd": dir_fd}))
        return real_open(path, flags, mode, dir_fd=dir_fd)

    def scanned(path="."):
        if not isinstance(path, int):
            refuse(path)
        return real_scandir(path)

    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "scandir", scanned)


@pytest.fixture
def new_repo(tmp_path) -> Callable[..., GitRepo]:
    """Make repositories, by name, below the test's own directory."""

    def make(name: str = "repo", *options: str) -> GitRepo:
        repo = GitRepo(tmp_path / name)
        repo.path.mkdir()
        repo.git("init", "--quiet", *options)
        return repo

    return make


@pytest.fixture
def repo(new_repo):
    """One empty repository."""
    return new_repo()
