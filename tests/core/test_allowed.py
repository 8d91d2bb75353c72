"""The list of repositories: what may be read, and from where."""

import pytest

from triage.core.allowed import Allowed, Permission, read_allowed, several
from triage.errors import ConfigError, RepoNotAllowed

LIST = read_allowed("acme/*, acme/shop=/srv/shop , Other/One")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("acme/shop", ("acme/shop", "/srv/shop")),
        ("ACME/Shop", ("acme/shop", "/srv/shop")),
        ("acme/pay", ("acme/pay", None)),
        ("Acme/Pay", ("Acme/Pay", None)),
        ("other/one", ("Other/One", None)),
    ],
)
def test_name_is_found_whatever_its_case(name, found):
    """An entry for one repository goes before a pattern."""
    assert LIST.find(name) == found


@pytest.mark.parametrize(
    "name",
    ["other/two", "acme", "acme/", "/shop", "acme/shop/x", "acme/..", "../shop", "acme/*",
     "acme/shop\n", "acme/\x1b[31m", "", "/srv/shop", "acme/a b", "acme/\u00e9"],
)  # fmt: skip
def test_what_is_not_listed_or_no_name_is_refused(name):
    """The message is one plain line that names the setting."""
    with pytest.raises(RepoNotAllowed, match="TRIAGE_REPOS") as caught:
        LIST.find(name)
    assert str(caught.value).isprintable()


def test_nothing_set_means_nothing_may_be_read():
    """Nor do stray commas allow anything."""
    assert read_allowed("") == read_allowed(" , ,") == Allowed(())
    with pytest.raises(RepoNotAllowed):
        read_allowed("").find("acme/shop")


def test_list_needs_no_commas():
    """Its entries may hold them."""
    told = ["acme/*", " acme/shop=/srv/a,b ", ""]
    assert [p.path for p in read_allowed(told).permissions] == [None, "/srv/a,b"]
    assert several(["one, two", "three"]) == ("one, two", "three")


def test_path_may_hold_an_equals_sign():
    """The first one ends the name."""
    assert read_allowed("a/b=/x=y").permissions == (Permission("a/b", "/x=y"),)


@pytest.mark.parametrize(
    "entry",
    ["acme", "acme/", "/", "a/b/c", "acme/*=/srv", "a/b=", "=/srv", "a/..", "../b", "a b/c",
     "https://github.com/a/b", "a/[b]"],
)  # fmt: skip
def test_entry_that_means_nothing_is_told(entry):
    """With the forms that there are."""
    with pytest.raises(ConfigError, match="OWNER/NAME=PATH") as caught:
        read_allowed(f"acme/shop,{entry}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        (None, ()),
        ("", ()),
        (",", ()),
        ("one", ("one",)),
        (" old , new ", ("old", "new")),
    ],
)
def test_setting_may_hold_two_secrets(text, secrets):
    """Empty ones are none."""
    assert several(text) == secrets
