"""Who asks: a token, or a GitHub App's installation."""

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import jwt
import msgspec
from github import Auth

from triage.errors import ConfigError, SourceError, Unauthorized
from triage.sources.github.refusal import Absent
from triage.sources.github.wire import Answer, Request, timed_out

_PRINTABLE = re.compile(r"[\x21-\x7e]+")
_EARLY = 60.0
"""Seconds before its end at which a token is replaced."""
_PATIENCE = 15.0
"""Seconds for which a thread waits while another one mints."""


@dataclass(frozen=True, slots=True)
class Token:
    """A personal access token, or a workflow's GITHUB_TOKEN."""

    value: str = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse what no header can carry: the HTTP library would print it."""
        if not _PRINTABLE.fullmatch(self.value):
            raise ConfigError("GITHUB_TOKEN must be one word of printable ASCII")


@dataclass(frozen=True, slots=True)
class App:
    """A GitHub App as it is installed on an account."""

    id: str
    key: str = field(repr=False)
    """The private key as PEM; `\\n` may stand for its line ends."""
    installation: int

    def __post_init__(self) -> None:
        """Refuse a key that is none: a path, or nothing."""
        if "-----BEGIN" not in self.key:
            raise ConfigError(
                "TRIAGE_GITHUB_APP_KEY must be the App's private key as PEM;"
                " name its file in TRIAGE_GITHUB_APP_KEY_FILE"
            )


class _Minted(msgspec.Struct):
    token: str
    expires_at: datetime


class InstallationAuth(Auth.Auth):
    """An installation's token, minted when needed and shared by all threads.

    PyGithub's own mints one for each client and takes no lock. *mint* sends the
    request with the App's credentials and raises what GitHub refuses.
    """

    def __init__(
        self,
        app: App,
        mint: Callable[[Auth.Auth, Request], Answer],
        clock: Callable[[], float],
    ) -> None:
        self._app = app
        self._mint = mint
        self._clock = clock
        self._lock = threading.Lock()
        self._minted: _Minted | None = None  # guarded by _lock

    @property
    def token_type(self) -> str:
        """The scheme of the Authorization header."""
        return "token"

    @property
    def token(self) -> str:
        """A token with some life in it; may wait for GitHub to make one."""
        if not self._lock.acquire(timeout=_PATIENCE):
            raise timed_out()
        try:
            if self._minted is None or self._is_old(self._minted):
                self._minted = self._fresh()
            return self._minted.token
        finally:
            self._lock.release()

    def _is_old(self, minted: _Minted) -> bool:
        ends = minted.expires_at
        ends = ends if ends.tzinfo else ends.replace(tzinfo=UTC)
        return ends.timestamp() - _EARLY < self._clock()

    def _fresh(self) -> _Minted:
        app = self._app
        auth = Auth.AppAuth(app.id, app.key.replace("\\n", "\n"))
        path = f"/app/installations/{app.installation}/access_tokens"
        try:
            answer = self._mint(auth, Request(path, body={}))
            return msgspec.json.decode(answer.body, type=_Minted)
        except Absent as error:
            raise Unauthorized(
                f"the GitHub App has no installation {app.installation};"
                " check TRIAGE_GITHUB_APP_INSTALLATION"
            ) from error
        except msgspec.DecodeError as error:
            raise SourceError("GitHub gave the App no token; try again") from error
        except (ValueError, TypeError, jwt.PyJWTError):
            # Without its cause: the parser's words may quote the key.
            raise Unauthorized(
                "the GitHub App's key cannot be read; TRIAGE_GITHUB_APP_KEY"
                " is the private key as PEM"
            ) from None
