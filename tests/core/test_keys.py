"""Keys: equal where the answer is the same, different where it is not."""

from dataclasses import replace
from typing import Any

import pytest

from triage.core.keys import (
    exact_key,
    finished_key,
    is_full_id,
    snippet_key,
    table_key,
    tree_key,
)
from triage.core.model import (
    BuildContext,
    Frame,
    Goroutine,
    Package,
    Panic,
    Snippet,
    SourceFile,
    Telemetry,
)
from triage.core.modules import build_layout
from triage.core.places import Finding, Place
from triage.core.search import Located

SHA = "0123456789abcdef0123456789abcdef01234567"
TOLD = Telemetry(repo="acme/shop", commit_sha=SHA, file="a/b.go", line=3, trace="boom")
LINUX = BuildContext()
PACKAGE = Package("a", (SourceFile("b.go", "01", b"package a"),))


@pytest.mark.parametrize(
    ("revision", "full"),
    [
        (SHA, True),
        (SHA + SHA[:24], True),
        (SHA.upper(), False),  # asked for first, like a branch
        (SHA[:12], False),
        ("main", False),
        (None, False),
    ],
)
def test_only_a_full_id_is_fixed(revision, full):
    """A branch or a short id may mean another commit tomorrow."""
    assert is_full_id(revision) is full
    assert (exact_key(replace(TOLD, commit_sha=revision)) is not None) is full


@pytest.mark.parametrize(
    "change",
    [
        {"repo": "acme/other"},
        {"commit_sha": SHA[::-1]},
        {"file": "a/c.go"},
        {"line": 4},
        {"trace": "bang"},
        {"root_dir": "a"},
        {"max_tokens": 100},
        {"depth": 1},
        {"frames": 1},
        {"related": False},
        {"goos": "darwin"},
        {"goarch": "arm64"},
        {"tags": ("x",)},
    ],
)
def test_every_part_of_the_telemetry_counts(change):
    """Whatever differs in what was asked gives another key."""
    assert exact_key(replace(TOLD, **change)) != exact_key(TOLD)


def test_text_and_bytes_of_a_trace_are_the_same():
    """A trace means what it says, however it came; odd characters are no reason."""
    assert exact_key(replace(TOLD, trace=b"boom")) == exact_key(TOLD)
    assert exact_key(replace(TOLD, trace="\ud800")) is not None


def finding(
    *, line: int = 7, function: str = "shop.F", message: str = "boom", **located: Any
) -> Finding:
    """Find one frame in `a/b.go`."""
    frame = Frame(function, "/app/a/b.go", line)
    panic = Panic("nil-deref", message, Goroutine(1, "", (frame,)), 1, (1, 2))
    found = Located("a/b.go", module_path="a/b.go", matched="module")
    place = Place(frame, "a", "b.go", replace(found, **located))
    return Finding((place,), panic, build_layout((), {}))


def key(found: Finding, build: BuildContext = LINUX, **asked: Any) -> bytes:
    """Return the key of a finding, with *asked* changed in what was asked."""
    telemetry = replace(TOLD, **asked)
    return finished_key("github:acme/shop", SHA, telemetry, found, build=build)


@pytest.mark.parametrize(
    "other",
    [
        finding(line=8),
        finding(function="shop.G"),
        finding(message="boom in Checkout"),
        finding(message="boom 4711"),
        finding(message="boom\nin Checkout"),
        finding(warning="a guess"),
        finding(module_path="b.go"),
    ],
)
def test_a_finished_context_is_known_by_the_frames_found(other):
    """Another line, function, name in the message or doubt is another context."""
    assert key(other) != key(finding())


def test_a_finished_context_does_not_hang_on_the_wording():
    """How the file was named and the end of a long message change nothing."""
    same = finding(message="boom\n[4711]", matched="suffix")
    assert key(same, trace="other text", file=None, line=None) == key(finding())


def test_a_finished_context_is_known_by_options_and_target():
    """Another budget or another target is another context."""
    assert key(finding(), max_tokens=100) != key(finding())
    assert key(finding(), BuildContext("darwin")) != key(finding())
    assert key(finding(), replace(LINUX, tags=("a", "b"))) == key(
        finding(), replace(LINUX, tags=("b", "a", "b"))
    )


def test_a_finished_context_is_known_by_what_it_warns_of():
    """A note on how the commit was chosen belongs to the answer."""
    given = finished_key("git:/r", SHA, TOLD, finding(), build=LINUX)
    guessed = finished_key(
        "git:/r", SHA, TOLD, finding(), build=LINUX, warnings=["no commit was named"]
    )
    assert given != guessed


@pytest.mark.parametrize(
    ("package", "build", "focus", "path"),
    [
        (replace(PACKAGE, files=()), LINUX, None, "p"),
        (Package("a", (SourceFile("c.go", "01", b""),)), LINUX, None, "p"),
        (Package("a", (SourceFile("b.go", "02", b""),)), LINUX, None, "p"),
        (PACKAGE, replace(LINUX, goos="aix"), None, "p"),
        (PACKAGE, replace(LINUX, goarch="arm"), None, "p"),
        (PACKAGE, replace(LINUX, tags=("x",)), None, "p"),
        (PACKAGE, replace(LINUX, tests=True), None, "p"),
        (PACKAGE, LINUX, "b.go", "p"),
        (PACKAGE, LINUX, None, "q"),
    ],
)
def test_a_table_is_known_by_its_sources_and_target(package, build, focus, path):
    """Everything that the helper is told is part of the key."""
    assert table_key(package, build, focus, path) != table_key(
        PACKAGE, LINUX, None, "p"
    )


def test_a_table_does_not_hang_on_where_its_sources_lie():
    """The same files elsewhere, or from another source, are the same table."""
    moved = replace(PACKAGE, directory="z", problems=("x",), served_from="github")
    assert table_key(moved, LINUX, None, "p") == table_key(PACKAGE, LINUX, None, "p")


def test_a_snippet_is_known_by_all_of_it():
    """Mode, text, offset and the fields kept each make a difference."""
    one = Snippet("struct", b"type T struct{}", 0, ("a",))
    changes: dict[str, Any] = {
        "mode": "spec",
        "text": b"type U struct{}",
        "offset": 1,
        "keep": (),
    }
    keys = {snippet_key(replace(one, **{name: to})) for name, to in changes.items()}
    assert len(keys | {snippet_key(one)}) == 5


def test_parts_of_a_tree_begin_with_their_commit():
    """So the parts of one commit can be found together."""
    keys = [tree_key(b"c" * 20, what, path) for what in "ab" for path in ("", "x")]
    assert len(set(keys)) == 4
    assert {found[:20] for found in keys} == {b"c" * 20}
