"""The slice of every crash case holds what its rules demand, and no noise."""

import math
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import pytest
import pytest_asyncio

import triage
from tests.casefiles import Case, Declaration, Form, read_cases
from triage.core.model import Crash, Result, Symbol

CASES = read_cases()
FORMS: tuple[Form, ...] = ("trace", "fileline")

pytestmark = pytest.mark.asyncio(loop_scope="session")


@dataclass(frozen=True, slots=True)
class Commits:
    """A repository with one commit for each case, none of which knows another."""

    path: Path
    ids: Mapping[str, str]


@pytest.fixture(scope="session")
def commits(tmp_path_factory) -> Commits:
    """Import all cases into one bare repository: one process for all."""
    path = tmp_path_factory.mktemp("cases") / "repo.git"
    marks = path / "marks"
    git = ("git", "-c", "init.defaultBranch=main")
    subprocess.run([*git, "init", "--quiet", "--bare", path], check=True)
    subprocess.run(
        [*git, "fast-import", "--quiet", f"--export-marks={marks}"],
        cwd=path,
        input=b"".join(_stream()),
        check=True,
    )
    rows = (line.split() for line in marks.read_text().splitlines())
    ids = {CASES[int(mark[1:]) - 1].name: commit for mark, commit in rows}
    return Commits(path, ids)


def _stream() -> Iterator[bytes]:
    """Say to `git fast-import` what the commits hold."""
    for number, case in enumerate(CASES, 1):
        yield f"commit refs/heads/{case.name}\nmark :{number}\n".encode()
        yield b"committer Tess <tess@example.com> 1767323045 +0000\ndata 0\n"
        for name, data in case.files.items():
            yield f"M 100644 inline {name}\ndata {len(data)}\n".encode()
            yield data + b"\n"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def engine(tmp_path_factory):
    """One engine for all cases: the helper starts once."""
    settings = triage.Settings(data_dir=tmp_path_factory.mktemp("data"))
    async with triage.open_engine(settings) as opened:
        yield opened


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_the_context_of_a_case_is_complete_and_clean(case, form, engine, commits):
    """The crash site is right, every must is shown whole, no must_not is."""
    result = await engine.context(_telemetry(case, form, commits))
    assert _complaints(case, form, result) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_the_budget_of_a_case_is_kept(case, engine, commits):
    """A context is no longer than its budget, as it says itself, and shows its crash."""
    for form, max_tokens in product(FORMS, (100, 115, 140, 190, 300, 500, 1000, 3000)):
        telemetry = replace(_telemetry(case, form, commits), max_tokens=max_tokens)
        result = await engine.context(telemetry)
        assert len(result.context) <= max_tokens * 3.5
        assert result.stats.context_tokens == math.ceil(len(result.context) / 3.5)
        assert result.symbols[0].section == "crash"


def _telemetry(case: Case, form: Form, commits: Commits) -> triage.Telemetry:
    """Say of a case what its form of telemetry knows."""
    traced = form == "trace"
    return triage.Telemetry(
        repo=str(commits.path),
        commit_sha=commits.ids[case.name],
        root_dir=case.expect.root_dir,
        trace=case.trace if traced else None,
        file=None if traced else case.position.file,
        line=None if traced else case.position.line,
    )


def _complaints(case: Case, form: Form, result: Result) -> list[str]:
    """List what is wrong with an answer, a line each."""
    expect = case.expect
    shown = [s for s in result.symbols if not s.elided and s.section != "related"]
    keys = {_key(symbol) for symbol in shown}
    text = "\n".join(s.text for s in result.symbols).replace("\r\n", "\n")
    return [
        *_wrong_crash(case, result.crash),
        *(f"missing: {want}" for want in case.musts(form) if _key(want) not in keys),
        *(f"noise: {noise}" for noise in expect.must_not if _key(noise) in keys),
        *(f"missing text: {part}" for part in expect.must_text if part not in text),
        *(f"noisy text: {part}" for part in expect.must_not_text if part in text),
        *(
            f"not in the context: {symbol.name}"
            for symbol in result.symbols
            if symbol.text.strip() not in result.context
        ),
    ]


def _key(named: Declaration | Symbol) -> tuple[str, str, str, str]:
    """Return what is the same of a declaration in an expectation and an answer."""
    return named.kind, named.receiver or "", named.name, named.file


def _wrong_crash(case: Case, crash: Crash) -> list[str]:
    """Compare the crash site, or the helper's caller where that may stand for it."""
    have = (crash.path, crash.line, crash.function.rpartition(".")[2])
    wants = [case.expect.crash, case.expect.crash_alt]
    if have in [(w.file, w.line, w.function) for w in wants if w]:
        return []
    return [f"crash at {have}"]
