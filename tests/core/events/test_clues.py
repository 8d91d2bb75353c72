"""What names mean: commits in releases, places and repositories in labels."""

import pytest

from triage.core.events.clues import (
    from_labels,
    is_commit,
    labelled_repository,
    place,
    released_commit,
    told_repository,
)

SHA = "93c1f92c73530f8d1b5a9a1b0c2d3e4f5a6b7c8d"


@pytest.mark.parametrize(
    ("version", "commit"),
    [
        (SHA, SHA),
        (SHA.upper(), SHA.upper()),
        (SHA[:7], SHA[:7]),
        (f"shop@1.4.2+{SHA}", SHA),
        (f"shop@{SHA[:12]}", SHA[:12]),
        (f"v0.0.0-20220629090431-{SHA[:12]}", SHA[:12]),
        (f"v1.2.4-0.20220629090431-{SHA[:12]}+incompatible", SHA[:12]),
        (f"v0.0.0-20220629090431-{SHA[:12]}+dirty", SHA[:12]),
        (f"v1.2.3-5-g{SHA[:7]}", SHA[:7]),
        (f"v1.2.3-5-g{SHA[:7]}-dirty", SHA[:7]),
        ("1.4.2", None),
        ("20220629", None),
        ("1234567", None),
        ("defaced", None),
        (SHA[:6], None),
        ("shop@1.4.2+build7", None),
        ("main", None),
        ("", None),
        (f"{SHA}0", None),
    ],
)
def test_commit_in_a_release(version, commit):
    """A date, a word or a count is none."""
    assert released_commit(version) == commit


@pytest.mark.parametrize(
    ("text", "is_one"),
    [(SHA, True), ("0" * 40, True), ("a" * 64, True), (SHA[:8], True), ("", False),
     ("0" * 39, False), ("HEAD", False), (f"{SHA}\n", False), ("a" * 41, False)],
)  # fmt: skip
def test_commit_by_itself(text, is_one):
    """Whole, or short with letters and digits."""
    assert is_commit(text) is is_one


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ({"file": "a.go", "line": "3"}, ("a.go", 3)),
        ({"code.filepath": "a.go", "code.lineno": "3"}, ("a.go", 3)),
        ({"file": "a.go"}, None),
        ({"line": "3"}, None),
        ({"file": "a.go", "line": "0"}, None),
        ({"file": "a.go", "line": "x"}, None),
        ({"file": "a.go", "line": "-3"}, None),
        ({"file": "a.go", "line": "\u0663"}, None),
        ({"file": "a.go", "line": "999999999"}, None),
        ({"file": "a.go", "line": "9" * 5000}, None),
        ({"file": "", "line": "3"}, None),
    ],
)
def test_place_in_labels(labels, found):
    """A file and a line that can be."""
    assert place(labels) == found


@pytest.mark.parametrize(
    ("labels", "repo"),
    [
        ({"repo": "acme/shop"}, "acme/shop"),
        ({"repository": "https://github.com/acme/shop"}, "acme/shop"),
        ({"git.repository_url": "github.com/acme/shop.git"}, "acme/shop"),
        ({"repo": "shop", "repository": "acme/shop"}, "acme/shop"),
        ({"repo": "https://gitlab.com/acme/shop"}, None),
        ({"repo": "/etc"}, None),
        ({"repo": "https://[x"}, None),
        ({"vcs.owner.name": "a", "vcs.repository.name": "b"}, "a/b"),
        ({"vcs.owner.name": "a"}, None),
        (
            {
                "vcs.owner.name": "a",
                "vcs.repository.name": "b",
                "vcs.provider.name": "gitlab",
            },
            None,
        ),
    ],
)
def test_repository_in_labels(labels, repo):
    """A name, or GitHub's address; never a path."""
    assert from_labels(labels).repo == repo


@pytest.mark.parametrize(
    "labels",
    [
        {"vcs.repository.url.full": "https://git.acme.example/acme/shop"},
        {"repository_url": "git@GIT.acme.example:acme/shop.git"},
        {"repo": "https://git.acme.example:8443/acme/shop/tree/main"},
        {"git.repository_url": "ssh://git@git.acme.example/acme/shop.git"},
    ],
)
def test_repository_on_an_enterprise_server(labels):
    """Its address counts where the host is known, and only there."""
    assert labelled_repository(labels, ["git.acme.example"]) == "acme/shop"
    assert labelled_repository(labels, ["other.example"]) is None


def test_address_that_is_none_is_no_repository():
    """What other libraries raise for is nothing here."""
    assert told_repository("https://[") is None
