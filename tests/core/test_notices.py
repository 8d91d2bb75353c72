"""What other places are told of an incident."""

import hashlib
import hmac
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.answers import RESULT
from tests.core.ci.findings import NASTY
from triage.core.notices import (
    Notice,
    is_issue_of,
    issue,
    webhook_body,
    webhook_headers,
)

PRINT = "ab" * 32
NOTICE = Notice(
    key="abab-1",
    fingerprint=PRINT,
    repo="acme/shop",
    kind="nil-deref",
    function="(*Cart).Add",
    message="runtime error: boom\nmore",
    count=3,
    first_seen=0.0,
    last_seen=86_400.0,
    commits=("c0ffee", "93c1f92"),
    context=RESULT,
)


def test_a_webhook_is_told_all():
    """The incident, and the context in its published form."""
    told = json.loads(webhook_body(NOTICE))
    assert (told["type"], told["id"]) == ("incident", "abab-1")
    assert told["incident"] == {
        "id": PRINT,
        "repo": "acme/shop",
        "kind": "nil-deref",
        "function": "(*Cart).Add",
        "message": "runtime error: boom\nmore",
        "count": 3,
        "first_seen": "1970-01-01T00:00:00Z",
        "last_seen": "1970-01-02T00:00:00Z",
        "commits": ["c0ffee", "93c1f92"],
    }
    assert told["context"] == json.loads(RESULT.to_json())
    assert json.loads(webhook_body(replace(NOTICE, context=None)))["context"] is None


def test_a_webhook_is_signed():
    """Over moment and body, as our own hook wants it."""
    headers = webhook_headers(NOTICE, b"body", "key", 7)
    wanted = hmac.new(b"key", b"7.body", hashlib.sha256).hexdigest()
    assert headers["X-Triage-Signature-256"] == f"sha256={wanted}"
    assert headers["X-Triage-Timestamp"] == "7"
    assert headers["Idempotency-Key"] == headers["X-Triage-Delivery"] == "abab-1"


def test_an_issue():
    """A title of one line, what is known, and the context."""
    made = issue(NOTICE)
    assert made.title == "(*Cart).Add: boom"
    assert made.body.startswith(
        f"<!-- triage-fingerprint: {PRINT} -->\n\n"
        "Crashed 3 times: first 1970-01-01T00:00:00Z, last 1970-01-02T00:00:00Z.\n\n"
        "At c0ffee, 93c1f92.\n\n### Panic in `F`\n"
    )
    assert "Crashed once:" in issue(replace(NOTICE, count=1)).body


@pytest.mark.parametrize(
    ("body", "yes"),
    [
        (issue(NOTICE).body, True),
        (f"see {issue(NOTICE).body}", False),
        (issue(replace(NOTICE, fingerprint="cd" * 32)).body, False),
        ("", False),
        (None, False),
    ],
)
def test_an_issue_is_found_again(body, yes):
    """By the mark at its start; nobody can quote one into being."""
    assert is_issue_of(body, PRINT) is yes


def test_nothing_out_of_a_crash_is_markup():
    """Names of commits are letters and digits, titles one line."""
    made = issue(replace(NOTICE, message=NASTY, function=NASTY, commits=(NASTY,)))
    assert "\n" not in made.title
    assert "<script>" not in made.body
    assert made.body.count("<!--") == 1


@given(st.integers(0, 3_000), st.integers(1, 400))
def test_a_long_issue_is_cut_outside_of_fences(lines, width):
    """GitHub takes no more; what is left is whole Markdown."""
    symbol = RESULT.symbols
    long = "\n".join("x" * width for _ in range(lines))
    context = replace(
        RESULT,
        symbols=symbol,
        warnings=(long.replace("\n", " "),),
        history=(),
    )
    made = issue(replace(NOTICE, context=context))
    assert len(made.body) <= 65_000
    assert made.body.count("```") % 2 == 0
