"""JSON of no promised shape: what is not as expected is not there."""

import pytest

from tests.deliveries import DUMP
from triage.core.events.crashes import likely
from triage.core.events.loose import at, objects, seconds, strings, text


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        (5, 5.0),
        (1767607207.25, 1767607207.25),
        ("2026-01-05T10:00:07.25Z", 1767607207.25),
        ("2026-01-05T11:00:07+01:00", 1767607207.0),
        ("2026-01-05T10:00:07", 1767607207.0),
        ("2026-01-05T10:00:07.123456789Z", pytest.approx(1767607207.123457)),
        ("0001-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+23:59", None),
        ("9999-12-31T23:59:59-23:59", None),
        ("soon", None),
        ("5", None),
        (0, None),
        (-5, None),
        (1e300, None),
        (10**400, None),
        (True, None),
        (None, None),
        ([], None),
    ],
    ids=range(18),
)
def test_moment_is_a_number_or_a_date(value, moment):
    """What is none, or cannot be, is not told; a date without a zone is in UTC."""
    assert seconds(value) == moment


def test_going_down_ends_where_nothing_is():
    """No step raises."""
    value = {"a": {"b": ["x", {"c": 7}], "d": True, "e": ""}}
    assert at(value, "a", "b") == ["x", {"c": 7}]
    assert at(value, "a", "b", "c") is None
    assert [text(value, "a", name) for name in "bdex"] == [None] * 4
    assert text({"a": 7}, "a") == "7"
    assert objects(value, "a", "b") == [{"c": 7}]
    assert objects(value, "a") == [value["a"]]
    assert objects(value, "x") == []


def test_strings_are_found_in_their_order_down_to_a_depth():
    """Deeper ones are nobody's template."""
    deep: object = "deep"
    for _ in range(9):
        deep = [deep]
    assert list(strings({"a": "1", "b": ["2", {"c": "3"}, 4], "d": deep})) == [
        "1",
        "2",
        "3",
    ]


def test_only_what_may_be_a_stack_is_searched():
    """Some of many, each once."""
    assert likely(["x", DUMP, "a.go", DUMP]) == (DUMP, "a.go")
    assert len(likely(f"{number}.go" for number in range(10_000))) == 200
