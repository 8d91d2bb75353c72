"""The telemetry object of the API."""

from dataclasses import replace

import msgspec
import pytest

from tests.deliveries import PANIC
from triage.core.events.wanted import decode, telemetry
from triage.core.model import Telemetry
from triage.errors import BadInput

OPTIONS = (
    b'{"repo": "a/b", "commit": "c", "file": "x.go", "line": 3, "root_dir": "r",'
    b' "depth": 1, "frames": 2, "related": false, "goos": "linux", "tags": ["t"]'
)
TOLD = Telemetry(
    "a/b",
    "c",
    file="x.go",
    line=3,
    root_dir="r",
    depth=1,
    frames=2,
    related=False,
    goos="linux",
    tags=("t",),
)


def test_object_becomes_telemetry():
    """Each part is taken over."""
    assert telemetry(decode(OPTIONS + b"}")) == TOLD


@pytest.mark.parametrize("name", ["trace", "text", "message"])
def test_text_goes_before_a_place(name):
    """Whatever it is called, where it holds a crash; else the place counts."""
    crash, said = msgspec.json.encode(PANIC).decode(), '"boom"'
    found = telemetry(decode(OPTIONS + f', "{name}": {crash}}}'.encode()))
    assert found == replace(TOLD, file=None, line=None, trace=PANIC)
    assert telemetry(decode(OPTIONS + f', "{name}": {said}}}'.encode())) == TOLD


@pytest.mark.parametrize(
    ("sent", "trace"),
    [
        ({"trace": "boom"}, "boom"),
        ({"trace": "boom", "message": "bang"}, "boom"),
        ({"trace": "boom", "message": PANIC}, PANIC),
        ({"text": PANIC, "message": "boom"}, PANIC),
    ],
)
def test_the_first_text_with_a_crash_counts(sent, trace):
    """Where none has one, the first is left to say so."""
    found = telemetry(decode(msgspec.json.encode({"repo": "a/b", **sent})))
    assert found == Telemetry("a/b", trace=trace)


@pytest.mark.parametrize(
    ("sent", "complaint"),
    [
        (b"{}", "`repo` is missing"),
        (b'{"repo": "a/b"}', "give a `trace`"),
        (b'{"repo": "a/b", "file": "x.go"}', "give a `trace`"),
        (b'{"repo": 1}', r"\$\.repo"),
        (b'{"repo": ""}', r"\$\.repo"),
        (b'{"line": 0}', r"\$\.line"),
        (b'{"depth": 11}', r"\$\.depth"),
        (b"[]", "not as it should be"),
        (b"{", "no JSON"),
        (b'"\xff"', "no JSON|not as it should be"),
        (b'{"x":' + b"[" * 100_000, "too deep"),
    ],
    ids=range(11),
)
def test_what_is_wrong_is_said(sent, complaint):
    """In one line that names the part."""
    with pytest.raises(BadInput, match=complaint) as caught:
        telemetry(decode(sent))
    assert "\n" not in str(caught.value)
