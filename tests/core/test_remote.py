"""Names of repositories, and the commit that a text means."""

import pytest

from triage.core.model import Panic
from triage.core.remote import github_hosts, named_commit, repository_name

SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("acme/shop", "acme/shop"),
        ("acme/shop.go", "acme/shop.go"),
        ("https://github.com/acme/shop", "acme/shop"),
        ("https://github.com/acme/shop.git", "acme/shop"),
        ("https://www.github.com/acme/shop/tree/main/x", "acme/shop"),
        ("github.com/acme/shop", "acme/shop"),
        ("git@github.com:acme/shop.git", "acme/shop"),
        ("ssh://git@github.com/acme/shop.git", "acme/shop"),
        ("https://git.corp.example/acme/shop", "acme/shop"),
        ("git@Git.Corp.example:acme/shop.git", "acme/shop"),
        ("https://gitlab.com/acme/shop", None),
        ("https://github.com/acme", None),
        ("git@other.example:acme/shop.git", None),
        ("./acme/shop", None),
        ("/acme/shop", None),
        ("~/shop", None),
        ("../shop", None),
        ("shop", None),
        ("a/b/c", None),
        ("acme/..", None),
        ("", None),
    ],
)
def test_a_name_is_told_from_a_path(text, name):
    """OWNER/NAME and GitHub's addresses are names; all else is none."""
    assert repository_name(text, ["git.corp.example"]) == name


@pytest.mark.parametrize(
    ("api", "hosts"),
    [
        ("https://git.corp.example/api/v3", ("git.corp.example",)),
        ("https://api.corp.ghe.com", ("api.corp.ghe.com", "corp.ghe.com")),
        ("http://127.0.0.1:8000", ("127.0.0.1",)),
        ("nonsense", ()),
    ],
)
def test_hosts_by_their_api(api, hosts):
    """A server of one's own has both on one host, or the API beside it."""
    assert github_hosts(api) == hosts


def crash(revision: str | None = None, *versions: tuple[str, str]) -> Panic:
    """Make a crash whose text says these."""
    return Panic("x", "", None, 0, (1, 1), revision=revision, versions=versions)


@pytest.mark.parametrize(
    ("panics", "commit"),
    [
        ([], None),
        ([crash()], None),
        ([crash(SHA)], SHA),
        ([crash(), crash(SHA)], SHA),
        (
            [
                crash(
                    None, ("github.com/Acme/Shop", f"v0.0.0-20260102030405-{SHA[:12]}")
                )
            ],
            SHA[:12],
        ),
        (
            [
                crash(
                    None,
                    ("github.com/acme/shop/api", f"v1.2.4-0.20260102030405-{SHA[:12]}"),
                )
            ],
            SHA[:12],
        ),
        ([crash(None, ("github.com/acme/shop", "v1.2.3"))], None),
        (
            [
                crash(
                    None,
                    ("github.com/acme/shopping", f"v0.0.0-20260102030405-{SHA[:12]}"),
                )
            ],
            None,
        ),
    ],
)
def test_the_commit_that_a_text_names(panics, commit):
    """Build information first, then the repository's own pseudo-version."""
    assert named_commit(panics, "acme/shop") == commit
