"""Where it is told what was found."""

import io
import json
from pathlib import Path

import pytest

from tests.core.ci.findings import finding
from tests.workflow_commands import obeyed
from triage.ci.passing import Passing
from triage.ci.report import Report
from triage.config import GitHubStep
from triage.core.ci.github import MOST_SUMMARY
from triage.errors import OutputFailed


def told(
    form, path: Path | None = None, step: GitHubStep | None = None, top=None
) -> str:
    """Tell of one finding; return what goes to standard output."""
    out = io.BytesIO()
    Report(form, out.write, path, step).tell([finding()], top)
    return out.getvalue().decode()


def test_documents_go_to_standard_output():
    """Unless a file is named."""
    assert told("text").startswith("triage: nil-deref in F: boom\n")
    assert json.loads(told("json"))["schema"] == "triage.ci/1"
    assert json.loads(told("sarif"))["version"] == "2.1.0"


def test_documents_go_to_a_file(tmp_path):
    """Then nothing goes to standard output; what was there before is replaced."""
    path = tmp_path / "o.json"
    path.write_text("old", "utf-8")
    assert told("json", path) == ""
    assert json.loads(path.read_text("utf-8"))["schema"] == "triage.ci/1"
    assert list(tmp_path.iterdir()) == [path]


def test_a_device_is_written_to():
    """What is no file is not replaced."""
    assert told("json", Path("/dev/null")) == ""
    assert not Path("/dev/null").is_file()


def test_a_step(tmp_path):
    """Annotations, the summary after what is there, and the outputs."""
    step = GitHubStep(tmp_path, tmp_path / "summary", tmp_path / "output")
    (tmp_path / "summary").write_text("before\n", "utf-8")
    (tmp_path / "src").mkdir()
    said = told("github", tmp_path / "r.md", step, tmp_path / "src")
    (error,) = obeyed(said)
    assert error.properties["file"] == "src/a/b.go"
    written = (tmp_path / "summary").read_text("utf-8")
    assert written == "before\n" + (tmp_path / "r.md").read_text("utf-8")
    outputs = (tmp_path / "output").read_text("utf-8").splitlines()
    assert outputs == ["crashes=1", "first=a/b.go:3", f"report={tmp_path}/r.md"]


@pytest.mark.parametrize("top", [None, Path("/"), Path("/nosuch")])
def test_a_repository_that_lies_elsewhere(tmp_path, top):
    """Its paths are its own."""
    (error,) = obeyed(told("github", step=GitHubStep(tmp_path), top=top))
    assert error.properties["file"] == "a/b.go"


def test_a_summary_that_is_full(tmp_path):
    """What is there is not lost for what has no room."""
    step = GitHubStep(tmp_path, tmp_path / "summary")
    (tmp_path / "summary").write_bytes(b"x" * (MOST_SUMMARY - 100))
    told("github", step=step)
    assert (tmp_path / "summary").stat().st_size == MOST_SUMMARY - 100


@pytest.mark.parametrize("form", ["json", "github"])
def test_a_file_that_cannot_be_written(tmp_path, form):
    """It is said in one line."""
    with pytest.raises(OutputFailed, match="no such file or directory; name another"):
        told(form, tmp_path / "no" / "such")


def test_no_step():
    """Anywhere but on GitHub Actions there is none."""
    assert GitHubStep.from_env() is None


def test_the_runners_variables(monkeypatch):
    """They say where the step's files are."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert GitHubStep.from_env() == GitHubStep(Path())
    monkeypatch.setenv("GITHUB_WORKSPACE", "/w")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/s")
    monkeypatch.setenv("GITHUB_OUTPUT", "/o")
    assert GitHubStep.from_env() == GitHubStep(Path("/w"), Path("/s"), Path("/o"))


def test_what_is_passed_on_is_not_obeyed():
    """On a runner both streams are one, between a stop and its end."""
    out, err = io.BytesIO(), io.BytesIO()
    with Passing(out, err, guarded=True) as passing:
        passing.out(b"::error::no\n")
        passing.err(b"::error::no")
    out.write(b"::error::yes\n")
    assert [one.data for one in obeyed(out.getvalue().decode())] == ["yes"]
    assert err.getvalue() == b""


def test_two_runs_stop_by_different_words():
    """A test cannot know the word that ends it."""
    written = []
    for _ in range(2):
        out = io.BytesIO()
        with Passing(out, out, guarded=True):
            pass
        written.append(out.getvalue())
    assert written[0] != written[1]


def test_elsewhere_nothing_is_added():
    """A log is what it would be without us."""
    out, err = io.BytesIO(), io.BytesIO()
    with Passing(out, err, guarded=False) as passing:
        passing.out(b"a")
        passing.err(b"b")
    assert (out.getvalue(), err.getvalue()) == (b"a", b"b")
