"""What was found, as a text and as JSON."""

import json

from tests.core.answers import RESULT
from tests.core.ci.findings import NASTY, finding, lost
from triage.core.ci import documents


def test_a_text():
    """Each context stands under what crashed."""
    told = documents.text([finding(count=2), lost()])
    assert told == (
        "triage: nil-deref in F: boom (2 times)\n// text\n\n"
        "triage: nil-deref in x.Y: boom\n"
        "triage: no context: no frame lies in the repository\n\n"
    )


def test_a_text_has_nothing_that_a_terminal_obeys():
    """What a log says is one line."""
    assert "\x1b" not in documents.text([lost(message=NASTY, kind=NASTY)])


def test_nothing_found():
    """An empty text, and a document without crashes."""
    assert documents.text([]) == ""
    assert json.loads(documents.json([])) == {"schema": "triage.ci/1", "crashes": []}


def test_json():
    """All that is known, with the context in its published form."""
    one, two = json.loads(documents.json([finding(package="p"), lost()]))["crashes"]
    assert {name: one[name] for name in ("kind", "message", "package", "test")} == {
        "kind": "nil-deref",
        "message": "boom",
        "package": "p",
        "test": None,
    }
    assert (one["path"], one["line"], one["own"]) == ("a/b.go", 3, True)
    assert one["fingerprint"] == RESULT.fingerprint
    assert one["context"]["schema"] == "triage.context/1"
    assert (two["context"], two["fingerprint"], two["own"]) == (None, None, False)
    assert two["error"]["code"] == "file-not-found"
