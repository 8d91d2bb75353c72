"""What holds for any body of any sender: a reading, or one line that says what is wrong."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.deliveries import DATA, PANIC, SHOP
from triage.core.events import Fetch, Head, read, read_fetched
from triage.core.events.crashes import MOST
from triage.errors import BadInput

SENDERS = ("panic", "github", "sentry", "logs", "alertmanager", "datadog")
KINDS = ("", "workflow_job", "event_alert", "error", "issue")
MEDIA = ("application/json", "application/x-protobuf", "text/plain", "")
FETCHES = (Fetch("github-job-log", "acme/shop", job=1), Fetch("sentry-event", ""))
BODIES = {
    path.name: path.read_bytes()
    for path in sorted(DATA.iterdir())
    if path.suffix != ".md"
}
SOME = settings(
    max_examples=120,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

heads = st.builds(
    Head,
    st.sampled_from(SENDERS),
    st.sampled_from(MEDIA),
    st.sampled_from(KINDS),
    st.none(),
    st.sampled_from([(), (("repo", "acme/shop"),), (("repo", "\ud800"), ("x", ""))]),
)
odd = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from([PANIC, "https://[", "a/b", "/..", "\x00", "main", "9" * 400])
)
values = st.recursive(
    odd,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def tell(head: Head, body: bytes) -> None:
    """Read a body, and what was to be fetched as if it were the body."""
    for call in (
        lambda: read(head, body, (SHOP,)),
        *(lambda fetch=fetch: read_fetched(fetch, body, (SHOP,)) for fetch in FETCHES),
    ):
        said = ""
        found = None
        try:
            found = call()
        except BadInput as error:
            said = str(error)
        if found is None:
            assert said
            assert "\n" not in said
        else:
            assert found.reports or found.ignored
            assert len(found.reports) <= MOST


@SOME
@given(heads, st.binary(max_size=300))
def test_any_bytes(head, body):
    """Noise in any encoding."""
    tell(head, body)


@SOME
@given(heads, values)
def test_any_json(head, value):
    """Whatever can be written."""
    tell(head, json.dumps(value).encode())


@SOME
@given(heads, st.data())
def test_recorded_body_with_any_part_replaced(head, data):
    """Wrong types in every place of a body that is right otherwise."""
    name = data.draw(st.sampled_from([n for n in BODIES if n.endswith(".json")]))
    value = json.loads(BODIES[name])
    _replace(value, data)
    tell(head, json.dumps(value).encode())


def _replace(value, data) -> None:
    """Go down to some place and put something else there."""
    while True:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = data.draw(st.sampled_from(keys))
        inner = value[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            value[key] = data.draw(values)
            return
        value = inner


@SOME
@given(heads, st.sampled_from(sorted(BODIES)), st.data())
def test_recorded_body_with_bytes_changed(head, name, data):
    """Cut, or with something in the middle."""
    body = BODIES[name]
    at = data.draw(st.integers(0, len(body)))
    noise = data.draw(st.binary(max_size=8))
    end = data.draw(st.sampled_from([body[at + len(noise) :], b"", body[at:]]))
    tell(head, body[:at] + noise + end)


@pytest.mark.parametrize("sender", SENDERS)
@pytest.mark.parametrize("media", MEDIA)
@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b'{"data":{"event":{"extra":' + b'{"a":' * 3_000 + b"1" + b"}" * 3_003,
        b'{"resourceLogs":' + b"[" * 200_000,
        b'{"text":"\\ud800"}',
        b'{"text":"\\u0000"}',
        b'{"line":1e999}',
        b'{"line":' + b"9" * 10_000 + b"}",
        b"\xff\xfe" + PANIC.encode("utf-16-le"),
        b"\x00" * 1000,
        b"\x0a" * 100_000,
        b"NaN",
        b'""',
        b"null",
    ],
    ids=range(14),
)
def test_hostile_bodies(sender, media, body):
    """Deep, huge, halved, empty in every way."""
    for kind in KINDS:
        tell(Head(sender, media, kind), body)


def test_thousands_of_records_are_read():
    """Each is looked at once; so many reports come out."""
    attribute = {"key": "exception.stacktrace", "value": {"stringValue": PANIC}}
    quiet = {"body": {"stringValue": "panic is no word to fear"}}
    records = [{"attributes": [attribute]}, quiet] * 5_000
    body = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]})
    found = read(Head("logs", "application/json"), body.encode(), (SHOP,))
    assert (len(found.reports), found.rejected) == (MOST, 5_000 - MOST)
