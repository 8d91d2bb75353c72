"""What GitHub Actions is told."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.ci.findings import NASTY, finding, lost
from tests.workflow_commands import Command, obeyed
from triage.core.ci import Place
from triage.core.ci.github import (
    MOST_SUMMARY,
    annotations,
    command,
    outputs,
    stopped,
    summary,
)


def test_a_crash_site_is_an_error_on_its_line():
    """File, line and title are what the diff shows."""
    assert obeyed(annotations([finding()])) == [
        Command(
            "error",
            "boom\nIts context is in the summary of this step.",
            {"file": "a/b.go", "line": "3", "title": "nil-deref in F"},
        )
    ]


def test_a_checkout_below_the_workspace():
    """Paths are named from the workspace."""
    (told,) = obeyed(annotations([finding()], below="src/shop/"))
    assert told.properties["file"] == "src/shop/a/b.go"


def test_a_crash_that_lies_elsewhere():
    """It has no place in a diff, and says why it has no context."""
    (told,) = obeyed(annotations([lost(count=2)]))
    assert told.properties == {"title": "nil-deref in x.Y"}
    assert told.data == "boom (2 times)\nNo context: no frame lies in the repository"


def test_no_more_than_are_shown():
    """Ten errors, and one notice for the rest."""
    told = obeyed(annotations([finding(message=str(n)) for n in range(13)]))
    assert [one.name for one in told] == ["error"] * 10 + ["notice"]
    assert told[-1].data == "3 more crashes are in the summary of this step."


def test_no_crash_says_nothing():
    """A job without a crash has no annotation."""
    assert annotations([]) == ""


@given(st.text(), st.text())
def test_no_text_issues_a_command(message, name):
    """Whatever a log says, there is the one command that we wrote."""
    place = Place(name, 3, name, own=True)
    written = annotations([finding(message=message, place=place, kind="custom-panic")])
    assert [one.name for one in obeyed(written)] == ["error"]
    assert written.count("\n") == 1


@given(st.text(alphabet=st.characters(exclude_categories=["C", "Z"])))
def test_a_property_comes_out_as_it_went_in(text):
    """Escapes are those that the runner undoes."""
    (told,) = obeyed(command("error", text, title=text))
    assert (told.data, told.properties.get("title", "")) == (text, text)


def test_commands_stop_and_go_on():
    """Between the two nothing is obeyed."""
    before, after = stopped("secret")
    written = f"{before}::error::no\n::nosecret::\n::error::no{after}::error::yes\n"
    assert [one.data for one in obeyed(written)] == ["yes"]


def test_outputs():
    """How many, and where the first one in the repository is."""
    assert outputs([lost(), finding()]) == "crashes=2\nfirst=a/b.go:3\n"
    assert outputs([]) == "crashes=0\nfirst=\n"
    nasty = finding(place=Place("a\nx=1", 3, "F", own=True))
    assert outputs([nasty]) == "crashes=1\nfirst=a x=1:3\n"


def test_the_summary_folds_contexts():
    """Each crash is a line that opens."""
    told = summary([finding(package="p", test="TestF", count=2), lost()])
    assert told.startswith(
        "### Triage: 2 crashes\n\n<details>\n<summary><b>nil-deref in F"
    )
    assert "</b>: boom · a/b.go:3 · p · TestF · 2 times</summary>\n" in told
    assert "```go\nfunc F() {\n}\n```" in told
    assert "<p><b>nil-deref in x.Y</b>: boom · /x/y.go:9; no context: no frame" in told


class Tags(HTMLParser):
    """Counts tags that are open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):  # noqa: ARG002 - what it is given
        """Open one."""
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag):
        """Close it again."""
        assert self.open.pop() == tag


def test_nothing_out_of_a_log_breaks_the_summary():
    """Its markup is ours alone."""
    place = Place(NASTY, 3, NASTY, own=True)
    told = summary([lost(message=NASTY, package=NASTY, test=NASTY, kind=NASTY)])
    told += summary([finding(message=NASTY, place=place, result=None)])
    tags = Tags(told)
    assert (tags.open, tags.seen) == ([], {"b", "p"})


@pytest.mark.parametrize("room", [2_000, 20_000, MOST_SUMMARY])
def test_a_summary_fits(room):
    """What has no room is named, then counted."""
    findings = [finding(message=f"{n} " + "ä" * 200) for n in range(3_000)]
    told = summary(findings, room=room)
    assert len(told.encode()) <= room
    assert Tags(told).open == []
    assert "more crashes had no room here." in told
