"""SARIF, held against the OASIS schema and GitHub's limits."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from tests.core.answers import RESULT
from tests.core.ci.findings import FRAMES, HELPER, NASTY, SYMBOL, finding, lost
from triage.core.ci import Finding, Place
from triage.core.ci.sarif import sarif
from triage.core.model import ShownFrame, ShownPanic

SCHEMA = Path(__file__).parents[2] / "data" / "standards" / "sarif-schema-2.1.0.json"


@cache
def validator() -> jsonschema.Draft4Validator:
    """Read the schema, once."""
    schema = json.loads(SCHEMA.read_text("utf-8"))
    checker = jsonschema.Draft4Validator.FORMAT_CHECKER
    return jsonschema.Draft4Validator(schema, format_checker=checker)


def run(*findings: Finding):
    """Write a file, hold it against the schema, return its one run."""
    document = json.loads(sarif(findings, version="1.2.3"))
    validator().validate(document)
    (only,) = document["runs"]
    return only


def test_nothing_found():
    """A run without results closes what was open before."""
    assert run()["results"] == []


def test_a_crash_is_a_result_on_its_line():
    """Rule, place and fingerprint are what an alert is known by."""
    told = run(finding())
    (result,) = told["results"]
    assert (result["ruleId"], result["level"]) == ("nil-deref", "error")
    assert told["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "nil-deref"
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "a/b.go", "uriBaseId": "SRCROOT"},
                "region": {"startLine": 3, "endLine": 3},
            }
        }
    ]
    assert result["partialFingerprints"] == {"triageFingerprint/v1": RESULT.fingerprint}
    assert result["message"]["text"] == "nil-deref in F: boom"


def test_the_stack_is_the_way_to_the_crash():
    """A flow ends where it crashed; the stack begins there."""
    (result,) = run(finding())["results"]
    (flow,) = result["codeFlows"]
    steps = [step["location"] for step in flow["threadFlows"][0]["locations"]]
    assert [step["message"]["text"] for step in steps] == [
        "main.main",
        "example.com/a.F",
    ]
    outside = steps[0]["physicalLocation"]["artifactLocation"]
    assert outside == {"uri": "file:///usr/lib/go%3Ax/m%20n.go"}
    (stack,) = result["stacks"]
    names = [
        frame["location"]["logicalLocations"][0]["fullyQualifiedName"]
        for frame in stack["frames"]
    ]
    assert names == ["example.com/a.F", "main.main"]


def test_the_context_is_related():
    """Each declaration is told with its reason."""
    (result,) = run(finding())["results"]
    (related,) = result["relatedLocations"]
    assert related["message"]["text"] == "G: F calls it"
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "a/g.go"


def test_a_crash_that_lies_elsewhere():
    """It is a notification: an alert has a place in the repository."""
    told = run(lost())
    assert told["results"] == []
    (said,) = told["invocations"][0]["toolExecutionNotifications"]
    assert said["message"]["text"] == (
        "nil-deref in x.Y: boom; no context: no frame lies in the repository"
    )


def test_limits():
    """More than GitHub keeps is not written."""
    frames = tuple(ShownFrame(f"f{n}", "/a.go", n + 1, "a.go") for n in range(3_000))
    panic = ShownPanic("nil-deref", "boom", frames)
    symbols = (SYMBOL, *[replace(HELPER, name=f"G{n}") for n in range(300)])
    large = replace(RESULT, panic=panic, symbols=symbols)
    (result,) = run(finding(result=large, message="x" * 100_000))["results"]
    assert len(result["codeFlows"][0]["threadFlows"][0]["locations"]) == 1_000
    assert len(result["relatedLocations"]) == 99
    assert len(result["message"]["text"]) <= 20_000
    assert len(result["message"]["markdown"]) <= 20_000
    many = [finding(message=str(n)) for n in range(5_100)]
    assert len(json.loads(sarif(many, version="1"))["runs"][0]["results"]) == 5_000


TEXT = st.text() | st.just(NASTY)


@given(TEXT, TEXT, TEXT, st.integers(0, 1 << 31))
def test_any_text_gives_a_valid_file(message, path, function, line):
    """Whatever a log says, the file is one that is taken."""
    frame = ShownFrame(function, path, line, path or None)
    panic = ShownPanic("custom-panic", message, (frame, *FRAMES))
    place = Place(path, line, function, own=True)
    result = replace(RESULT, panic=panic, symbols=(replace(HELPER, file=path),))
    run(finding(message=message, place=place, result=result), lost(message=message))
