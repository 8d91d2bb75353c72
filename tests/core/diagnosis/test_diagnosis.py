"""What a model is asked, how its answer is read, and what its change may touch."""

import json
from dataclasses import replace

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.answers import RESULT
from tests.core.ci.findings import FRAMES, HELPER, SYMBOL
from tests.model_server import ANSWER
from triage.core.diagnosis import (
    SCHEMA,
    Checked,
    Diagnosis,
    Spent,
    changed_files,
    make_prompt,
    read_answer,
    shown_json,
    shown_text,
)
from triage.core.masking import Found
from triage.core.model import ShownPanic
from triage.errors import BadInput, ModelFailed

PANIC = ShownPanic("nil-deref", "boom", FRAMES)
CRASHED = replace(RESULT, panic=PANIC, symbols=(SYMBOL, HELPER))
SPENT = Spent("m", 100, 20, 60)


def test_what_stays_comes_first():
    """Rules and declarations are the same for another crash of the package."""
    one = make_prompt(CRASHED)
    crash = replace(CRASHED.crash, line=4)
    other = make_prompt(
        replace(CRASHED, crash=crash, panic=replace(PANIC, message="else"))
    )
    assert (one.rules, one.package) == (other.rules, other.package)
    assert one.crash != other.crash
    assert one.text.index("func F()") > one.text.index("a/g.go:1-5 (F calls it)")


def test_declarations_come_by_file_and_line():
    """Their order does not hang on the crash."""
    more = [replace(HELPER, file=f"a/{n}.go", name=f"G{n}") for n in (3, 1, 2)]
    prompt = make_prompt(replace(CRASHED, symbols=(SYMBOL, *more)))
    assert [prompt.package.index(f"a/{n}.go") for n in (1, 2, 3)] == sorted(
        prompt.package.index(f"a/{n}.go") for n in (1, 2, 3)
    )


@given(
    st.lists(st.sampled_from(["</data-1>", "<data-2>", "data-3", "\n", "x"])).map(
        "".join
    )
)
def test_no_text_closes_its_own_mark(text):
    """Whatever a panic or a comment says, it stays between its marks."""
    nasty = replace(
        CRASHED,
        panic=replace(PANIC, message=text),
        symbols=(replace(SYMBOL, text=text), replace(HELPER, text=text)),
    )
    prompt = make_prompt(nasty)
    label = prompt.rules.partition("marks <")[2].partition(">")[0]
    assert label not in text
    assert (prompt.package + prompt.crash).count(f"</{label}>") == 3


def test_the_schema_is_one_piece():
    """It is a schema, without references, and the example keeps to it."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert "$ref" not in json.dumps(SCHEMA)
    jsonschema.validate(ANSWER, SCHEMA)


def test_an_answer_is_read():
    """All of its parts are there."""
    told = read_answer(json.dumps(ANSWER))
    assert (told.cause, told.where.line, told.confidence) == (
        "New leaves the map nil.",
        19,
        0.9,
    )


@pytest.mark.parametrize(
    "change",
    [{"cause": ""}, {"cause": 1}, {"confidence": 2}, {"where": None}, {"diff": None}],
)
def test_an_answer_that_breaks_the_schema(change):
    """It is refused, and says where."""
    with pytest.raises(ModelFailed, match="not as it was asked for"):
        read_answer(json.dumps({**ANSWER, **change}))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, b"\xff"])
def test_an_answer_that_is_none(text):
    """What is no object is refused as well."""
    with pytest.raises(ModelFailed):
        read_answer(text)


DIFF = "--- a/cart/cart.go\n+++ b/cart/cart.go\n@@ -1 +1 @@\n-a\n+b\n"


@pytest.mark.parametrize(
    ("diff", "names"),
    [
        (DIFF, ("cart/cart.go",)),
        (DIFF + DIFF.replace("cart.go", "x.go"), ("cart/cart.go", "cart/x.go")),
        ("--- /dev/null\n+++ b/new.go\t2026\n@@ -0,0 +1 @@\n+a\n", ("new.go",)),
        ("--- cart.go\n+++ cart.go\n", ("cart.go",)),
    ],
)
def test_the_files_of_a_change(diff, names):
    """As git names them, without a/ and b/."""
    assert changed_files(diff) == names


@pytest.mark.parametrize(
    "diff",
    [
        "not a diff",
        DIFF.replace("cart/", "../"),
        DIFF.replace("a/cart/cart.go", "/etc/passwd"),
        DIFF.replace("cart/cart.go", ".git/hooks/pre-commit"),
        DIFF.replace("cart/cart.go", "x/../../y.go"),
        "rename from a\nrename to b\n" + DIFF,
        "old mode 100644\nnew mode 100755\n" + DIFF,
        "GIT binary patch\n" + DIFF,
        "".join(DIFF.replace("cart.go", f"{n}.go") for n in range(30)),
    ],
)
def test_a_change_that_is_not_tried(diff):
    """It reaches outside, or does more than change lines."""
    with pytest.raises(BadInput):
        changed_files(diff)


@pytest.mark.parametrize(
    ("checked", "said"),
    [
        (Checked(applies=True, parses=True), "(applies and parses)"),
        (Checked(applies=False, problem="x"), "(FAILS to apply: x)"),
        (Checked(applies=True, parses=False, problem="x"), "FAILS to parse: x)"),
        (Checked(problem="x"), "(not checked: x)"),
        (Checked(), "(not checked)"),
    ],
)
def test_a_change_is_shown_with_what_came_of_it(checked, said):
    """What fails is shown as failing."""
    told = read_answer(json.dumps({**ANSWER, "diff": DIFF}))
    assert said in shown_text(told, checked, SPENT, ())


def test_a_diagnosis_for_people():
    """All that it says, and nothing that a terminal obeys."""
    told = read_answer(json.dumps({**ANSWER, "cause": "a\x1b[2Jb"}))
    masked = (Found("GitHub Token", 3), Found("GitHub Token", 9))
    assert shown_text(told, Checked(), SPENT, masked) == (
        "Cause: a\\x1b[2Jb\n"
        "Where: cart/cart.go:19\n"
        "How sure: 90%\n"
        "Went by: New, Cart\n"
        "Proposed change: none\n"
        "Masked before it was sent: GitHub Token\n"
        "Spent: 100 tokens in (60 cached), 20 out, m\n"
    )


def test_a_diagnosis_for_programs():
    """The same as values."""
    told = Diagnosis(**{**ANSWER, "where": {"file": "a", "line": 1}})
    form = json.loads(
        shown_json(CRASHED, read_answer(json.dumps(ANSWER)), Checked(), SPENT, ())
    )
    assert told.cause == form["diagnosis"]["cause"]
    assert form["schema"] == "triage.diagnosis/1"
    assert form["spent"] == {"model": "m", "input": 100, "output": 20, "cached": 60}
