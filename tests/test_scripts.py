"""The scripts beside the product: what they decide, apart from what they run."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from scripts import demo, endure, setup, test
from scripts.bench_packages import Site, write_package


def test_passing_failing_and_talkative_commands_are_told_apart():
    """A check fails by its exit code, and a listing one by what it lists."""
    python = sys.executable
    checks = [
        test.Check("fine", (python, "-c", "")),
        test.Check("broken", (python, "-c", "raise SystemExit(3)")),
        test.Check("listing", (python, "-c", "print('a.go')"), quiet=True),
        test.Check("silent", (python, "-c", ""), quiet=True),
        test.Check("absent", (python, "-c", ""), lacks="no compiler: apt-get"),
    ]
    outcomes = [test.run(check) for check in checks]
    assert [(item.name, item.verdict) for item in outcomes] == [
        ("fine", "passed"),
        ("broken", "failed"),
        ("listing", "failed"),
        ("silent", "passed"),
        ("absent", "skipped"),
    ]
    assert outcomes[-1].note == "no compiler: apt-get"


@pytest.mark.parametrize(
    ("verdicts", "skips_fail", "code", "count"),
    [
        (("passed", "passed"), False, 0, "2 passed, 0 failed, 0 skipped"),
        (("passed", "failed"), False, 1, "1 passed, 1 failed, 0 skipped"),
        (("passed", "skipped"), False, 0, "1 passed, 0 failed, 1 skipped"),
        (("passed", "skipped"), True, 1, "1 passed, 1 failed, 0 skipped"),
    ],
)
def test_sum_decides_the_exit_code(capsys, verdicts, skips_fail, code, count):
    """Any failure ends in 1, and so does a skip where none is allowed."""
    outcomes = [test.Outcome("x", verdict) for verdict in verdicts]
    assert test.sum_up(outcomes, skips_fail=skips_fail) == code
    assert capsys.readouterr().out.splitlines()[-1] == f"checks: {count}"


def test_race_detector_is_skipped_by_name_without_a_compiler(monkeypatch):
    """Without a C compiler the Go tests still run, and the skip says the cure."""
    monkeypatch.setattr("shutil.which", lambda _name: None)
    plain, race = test.go_tests()
    assert (plain.name, plain.lacks) == ("go test", None)
    assert race.name == "go test -race"
    assert race.lacks == "no C compiler: apt-get install -y gcc libc6-dev"


def test_skipped_python_tests_are_counted_by_reason(tmp_path):
    """An expected failure is no skip; two tests of one reason are one line."""
    report = tmp_path / "report.xml"
    skip = '<testcase><skipped type="pytest.{}" message="{}"/></testcase>'
    tests = skip.format("skip", "no redis") * 2 + skip.format("xfail", "known")
    report.write_text(f"<testsuites><testsuite>{tests}</testsuite></testsuites>")
    assert test.skip_reasons(report) == Counter({"no redis": 2})


def test_checks_see_the_tools_of_the_environment_and_nobodys_settings(monkeypatch):
    """A user's TRIAGE_ variables and Go flags do not change what is tested."""
    monkeypatch.setenv("TRIAGE_MAX_TOKENS", "7")
    monkeypatch.setenv("GOFLAGS", "-mod=mod")
    environment = test.environment()
    assert "TRIAGE_MAX_TOKENS" not in environment
    assert environment["GOFLAGS"] == ""
    assert environment["PATH"].startswith(str(Path(sys.executable).parent))


def test_stamp_is_current_until_an_input_changes(tmp_path):
    """A step counts as done for the very bytes it was done with."""
    source = tmp_path / "main.go"
    source.write_text("package main\n")
    path = tmp_path / "stamp"
    assert not setup.Stamp(path, [source]).current()
    setup.Stamp(path, [source]).write()
    assert setup.Stamp(path, [source]).current()
    source.write_text("package other\n")
    assert not setup.Stamp(path, [source]).current()


def test_helper_is_built_again_for_what_goes_into_it(tmp_path):
    """Sources and the packaging count; Go's tests and their data do not."""
    helper = tmp_path / "goparse_helper"
    (helper / "internal").mkdir(parents=True)
    (helper / "testdata").mkdir()
    for name in ("go.mod", "main.go", "main_test.go", "internal/a.go", "testdata/b.go"):
        (helper / name).touch()
    inputs = {str(p.relative_to(tmp_path)) for p in setup.build_inputs(tmp_path)}
    assert inputs == {
        "pyproject.toml",
        "hatch_build.py",
        "triage/_version.py",
        "goparse_helper/go.mod",
        "goparse_helper/main.go",
        "goparse_helper/internal/a.go",
    }


def test_broken_interpreter_is_noticed(tmp_path):
    """An environment whose Python has gone is made anew, not used."""
    assert setup.starts(Path(sys.executable))
    gone = tmp_path / "python"
    assert not setup.starts(gone)
    gone.symlink_to(tmp_path / "uninstalled")
    assert not setup.starts(gone)


def test_example_becomes_a_clean_repository_of_one_commit(tmp_path):
    """The demo's repository holds the service, without the panic's text."""
    demo.make_repository(tmp_path)
    assert git(tmp_path, "status", "--porcelain") == ""
    files = git(tmp_path, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    assert "handler/user.go" in files
    assert "panic.txt" not in files
    assert git(tmp_path, "rev-list", "--count", "HEAD").strip() == "1"


def test_panic_points_at_the_line_that_writes_through_nil(tmp_path):
    """The recorded panic still fits the example's sources."""
    demo.make_repository(tmp_path)
    assert "/handler/user.go:13 " in demo.PANIC.read_text()
    lines = (tmp_path / "handler" / "user.go").read_text().splitlines()
    assert lines[12].strip() == "h.Notifier.WebhookURL = webhook"


def git(directory: Path, *arguments: str) -> str:
    """Run git and return what it prints."""
    command = ["git", *arguments]
    return subprocess.check_output(command, cwd=directory, text=True)


@pytest.mark.parametrize("size", [10_000, 100_000])
def test_generated_package_has_its_size_and_a_crash_site(tmp_path, size):
    """A package is as large as asked for, give or take a file."""
    site = write_package(tmp_path / "p", size=size, seed=1, salt="Round 0.")
    total = sum(path.stat().st_size for path in (tmp_path / "p").iterdir())
    assert abs(total - size) < 7_000
    lines = (tmp_path / "p" / site.file).read_text().splitlines()
    assert "x.parent.Weight" in lines[site.line - 1]


def test_generated_package_is_fixed_by_its_seed_and_salt(tmp_path):
    """The same seed gives the same bytes; another salt other files as large."""

    def contents(name: str, *, seed: int, salt: str) -> tuple[Site, dict[str, bytes]]:
        site = write_package(tmp_path / name, size=30_000, seed=seed, salt=salt)
        files = (tmp_path / name).iterdir()
        return site, {path.name: path.read_bytes() for path in files}

    first = contents("a", seed=1, salt="Round 1.")
    assert contents("b", seed=1, salt="Round 1.") == first
    site, files = contents("c", seed=1, salt="Round 2.")
    assert (site, files.keys()) == (first[0], first[1].keys())
    assert not set(files.values()) & set(first[1].values())
    assert contents("d", seed=2, salt="Round 1.") != first


@pytest.mark.timeout(120)
def test_generated_package_is_formatted_and_compiles(tmp_path):
    """What is measured is real Go: gofmt and go vet have nothing to say."""
    write_package(tmp_path / "service", size=30_000, seed=3, salt="Round 0.")
    (tmp_path / "go.mod").write_text("module bench\n\ngo 1.27\n")
    gofmt = str(test.go_root() / "bin" / "gofmt")
    assert subprocess.check_output([gofmt, "-l", "."], cwd=tmp_path) == b""
    vet = test.run(test.Check("vet", ("go", "vet", "./..."), tmp_path))
    assert vet.verdict == "passed"


def account(ends: dict[str, int], memory: list[float]) -> endure.Account:
    """Make the account of a run."""
    told = endure.Account(acknowledged={"a"})
    told.ends.update(ends)
    told.samples = [{"memory": m, "handles": 20, "threads": 8} for m in memory]
    return told


@pytest.mark.parametrize(
    ("ends", "memory", "wrong"),
    [
        ({"done": 3, "waiting": 1, "failed file-not-found": 1}, [9, 5, 6, 6, 6, 7], 0),
        ({"done": 3, "lost": 1}, [5, 5, 5], 1),
        ({"done": 3, "working": 1}, [5, 5, 5], 1),
        ({"failed internal": 1}, [5, 5, 5], 1),
        ({"done": 1}, [5, 5, 6, 6, 9, 9], 1),
        ({"done": 1}, [], 0),
    ],
)
def test_what_an_endurance_run_complains_of(ends, memory, wrong):
    """What was acknowledged and has no good end, and what grows."""
    assert len(endure.faults_of(account(ends, memory))) == wrong


def test_a_run_that_took_nothing_in_shows_nothing():
    """Without a single acknowledged event it is no proof."""
    assert endure.faults_of(endure.Account())
