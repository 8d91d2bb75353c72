"""The files under `deploy/` against the code: what they set and start is there."""

import json
import re
import shlex
from dataclasses import fields

import pytest

from tests.serving import ROOT
from triage import cli
from triage.config import CONFIG_VARIABLE, Settings

UNIT = (ROOT / "deploy" / "triage.service").read_text("utf-8")
CONTAINER = (ROOT / "deploy" / "Containerfile").read_text("utf-8")


def unit(name: str) -> list[str]:
    """Return the unit's values of one name."""
    return re.findall(rf"(?m)^{name}=(.*)$", UNIT)


def container(name: str) -> str:
    """Return the one instruction of a name, without what is for other stages."""
    *_, found = re.findall(rf"(?m)^{name} (.*)$", CONTAINER)
    return str(found)


@pytest.mark.parametrize(
    "words",
    [
        shlex.split(unit("ExecStart")[0])[1:],
        json.loads(container("CMD").partition("#")[0]),
    ],
)
def test_what_they_start_can_be_started(words):
    """The command takes the options that are given."""
    command, *options = words
    assert cli.cli.commands[command].make_context(command, list(options)).params


@pytest.mark.parametrize("text", [UNIT, CONTAINER])
def test_variables_they_set_are_read(text):
    """Each is a setting's, or that setting's file."""
    known = {item.metadata["variable"] for item in fields(Settings) if item.metadata}
    known |= {f"{name}_FILE" for name in known} | {CONFIG_VARIABLE}
    assert set(re.findall(r"\b(?:TRIAGE|GITHUB)_[A-Z_]+\b", text)) <= known


def test_credentials_are_brought_in_where_they_are_looked_for():
    """Each file has its variable, and each variable its file."""
    brought = {
        name for name, _, _ in (v.partition(":") for v in unit("LoadCredential"))
    }
    set_ = [value for value in unit("Environment") if "%d/" in value]
    assert {value.rpartition("/")[2] for value in set_} == brought


def test_ends_are_waited_for():
    """The unit leaves the service more time than it gives itself."""
    assert unit("KillMode") == ["mixed"]
    assert int(unit("TimeoutStopSec")[0]) > 30
