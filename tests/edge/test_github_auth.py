"""Who asks GitHub: tokens that fit in a header, and an App that mints its own."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.github_server import Fault, GitHubServer
from tests.githubapi.samples import Workshop, reading, serving
from triage.errors import ConfigError, SourceError, Unauthorized
from triage.sources.github import App, GitHubApi, RateGate, Token


@pytest.fixture(scope="module")
def keys() -> tuple[str, str]:
    """Make an App's private and public key."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private.decode(), public.decode()


@pytest.fixture
async def server(tmp_path: Path, keys: tuple[str, str]) -> AsyncIterator[GitHubServer]:
    """Serve a private repository, and know the App."""
    workshop = Workshop(tmp_path)
    workshop.commit(
        {f"p/{name}.go": b"package p // \xe9" + name.encode() for name in "abcdef"}
    )
    async with serving() as running:
        running.hosting.add("acme/shop", workshop.directory, private=True)
        running.app_key = keys[1]
        yield running


@pytest.fixture
def commit(server: GitHubServer) -> str:
    """Give the repository's newest commit."""
    found = server.hosting.by_name["acme/shop"].repo.commit("HEAD")
    return found.oid if found else ""


async def test_an_app_mints_one_token_for_all_threads(
    server: GitHubServer, keys: tuple[str, str], commit: str
) -> None:
    """Six blobs at once and a second call share it."""
    app = App("17", keys[0], 42)
    async with reading(server, credentials=app) as source:
        package = await source.package(commit, "p")
        await source.paths(commit)
    assert len(package.files) == 6
    assert server.counted("access_tokens") == 1
    others = {s.token for s in server.requests if "access_tokens" not in s.path}
    assert others == {"ghs_installation1"}


async def test_a_token_is_replaced_before_it_ends(
    server: GitHubServer, keys: tuple[str, str], commit: str
) -> None:
    """An hour later a new one is minted."""
    now = [time.time()]
    app = App("17", keys[0], 42)
    gate = RateGate(lambda: now[0])
    async with reading(server, credentials=app, gate=gate) as source:
        await source.package(commit, "p")
        now[0] += 3_550
        await source.paths(commit)
    assert server.counted("access_tokens") == 2
    assert server.requests[-1].token == "ghs_installation2"  # noqa: S105 - made up


async def test_a_key_may_have_its_line_ends_escaped(
    server: GitHubServer, keys: tuple[str, str], commit: str
) -> None:
    """As variables often hold it."""
    app = App("17", keys[0].replace("\n", "\\n"), 42)
    async with reading(server, credentials=app) as source:
        assert len((await source.package(commit, "p")).files) == 6


@pytest.mark.parametrize("key", ["", "/etc/app.pem"])
def test_a_key_that_is_none_is_refused_at_once(key: str) -> None:
    """Before the first call, with the setting's name."""
    with pytest.raises(ConfigError, match="TRIAGE_GITHUB_APP_KEY"):
        App("17", key, 42)


async def test_a_key_that_cannot_be_read_is_told_and_not_shown(
    server: GitHubServer, commit: str
) -> None:
    """Nothing is sent; the error names the setting."""
    key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
    async with reading(server, credentials=App("17", key, 42)) as source:
        with pytest.raises(Unauthorized, match="TRIAGE_GITHUB_APP_KEY") as caught:
            await source.package(commit, "p")
    assert server.requests == []
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("numbers", "said"),
    [(("17", 43), "installation 43"), (("18", 42), "credentials")],
)
async def test_an_app_that_is_not_installed(
    server: GitHubServer,
    keys: tuple[str, str],
    commit: str,
    numbers: tuple[str, int],
    said: str,
) -> None:
    """The error says which of its parts is wrong."""
    app = App(numbers[0], keys[0], numbers[1])
    async with reading(server, credentials=app) as source:
        with pytest.raises(Unauthorized, match=said):
            await source.package(commit, "p")


async def test_a_mint_that_gives_no_token(
    server: GitHubServer, keys: tuple[str, str], commit: str
) -> None:
    """It is an error of its own, not a crash."""
    server.faults.append(Fault("access_tokens", body={}))
    async with reading(server, credentials=App("17", keys[0], 42)) as source:
        with pytest.raises(SourceError, match="no token"):
            await source.paths(commit)


@pytest.mark.parametrize("value", ["", "two words", "line\n", "\xe9t\xe9"])
def test_a_token_that_no_header_can_carry_is_refused(value: str) -> None:
    """The HTTP library would print it in its own error."""
    with pytest.raises(ConfigError, match="GITHUB_TOKEN") as caught:
        Token(value)
    assert not value or value not in str(caught.value)


def test_secrets_are_not_in_a_repr() -> None:
    """So no log and no traceback shows them."""
    assert repr(Token("hush")) == "Token()"
    assert "hush" not in repr(App("17", "-----BEGIN hush", 42))


@pytest.mark.parametrize("url", ["", "github.com", "ftp://x/y", "https://"])
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    """Before the first call, with the form that it should have."""
    with pytest.raises(ConfigError, match="https://HOST/api/v3"):
        GitHubApi(url=url)
