"""What is known of a commit's tree, and how it grows."""

from triage.core.atlas import Atlas, explored, whole
from triage.core.model import Unread
from triage.core.modules import import_dir

MOD = b"module example.com/shop\n"


def test_a_list_of_all_paths_is_complete():
    """Every directory counts as known."""
    atlas = whole(["go.mod", "a/b.go"], {"go.mod": MOD})
    assert atlas.complete
    assert atlas.layout.directories == {"a"}


def test_what_was_looked_at_is_known_and_the_rest_is_not():
    """A directory that is not there is known too."""
    atlas = explored(Atlas(), {"a": ["b.go"]}, {"go.mod": MOD}, looked=["a", "c"])
    assert atlas.looked == {"a", "c"}
    assert atlas.paths == {"a/b.go", "go.mod"}
    assert not atlas.complete


def test_one_look_adds_to_another():
    """Files and modules of both are there, at the root too."""
    first = explored(Atlas(), {"a": ["b.go"]}, {"go.mod": MOD}, looked=["a"])
    both = explored(first, {"": ["main.go"]}, {"c/go.mod": MOD}, looked=[""])
    assert both.layout.files == {"a/b.go", "main.go"}
    assert both.layout.by_directory.keys() == {"", "c"}
    assert both.size > first.size


def test_modules_that_could_not_be_read():
    """They bound what is below them, and why they are unread is known."""
    hidden = Unread("is too large")
    modules: dict[str, bytes | Unread] = {"go.mod": MOD, "c/go.mod": hidden}
    part = explored(Atlas(), {"c": ["d.go"]}, modules, looked=["c"])
    listed = whole(["c/d.go", *modules, "gone/go.mod"], modules)
    for atlas in (part, listed):
        assert atlas.contents == {"go.mod": MOD}
        assert atlas.unread["c/go.mod"] == hidden
        assert import_dir("example.com/shop/c", atlas.layout) is None
    assert listed.unread["gone/go.mod"].passing


def test_modules_of_vendored_code_only_bound():
    """Their files are known, their import paths are not, as in a list of all paths."""
    found = {"testdata/x": ["y.go"]}
    modules = {"testdata/x/go.mod": b"module example.com/x\n"}
    part = explored(Atlas(), found, modules, looked=["testdata/x"])
    listed = whole(["testdata/x/y.go", "testdata/x/go.mod"], {})
    assert part.layout.by_directory == listed.layout.by_directory
