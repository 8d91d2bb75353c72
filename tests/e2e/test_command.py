"""The command as a process of its own: exit codes, signals, pipes and encodings."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import FILES, TRACE

ROOT = Path(__file__).parents[2]


@pytest.fixture
def start(repo, tmp_path):
    """Start `triage` in a work tree of the shop."""
    repo.write(FILES)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TRIAGE_DATA_DIR": str(tmp_path / "data"),
    }

    def run(*arguments: str | bytes, **more) -> subprocess.Popen[bytes]:
        more = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            **more,
        }
        environ = environment | more.pop("env", {})
        command = [sys.executable, "-m", "triage", *arguments]
        return subprocess.Popen(command, cwd=repo.path, env=environ, **more)

    return run


def said(process: subprocess.Popen[bytes], given: bytes = b"") -> tuple[int, str, str]:
    """Wait for the end: the exit code, what was printed, what was complained of."""
    out, err = process.communicate(given)
    return process.returncode, out.decode(), err.decode()


def test_answer_out_of_a_pipe(start):
    """A panic that is piped in is explained, and that is all that is printed."""
    code, out, err = said(start("context"), TRACE.encode())
    assert (code, err) == (0, "")
    assert "func (c *Cart) Add(item *Item) {" in out


def test_text_without_a_panic(start):
    """What could not be done ends with 1 and one line."""
    code, out, err = said(start("context"), b"all is well\n")
    assert (code, out) == (1, "")
    assert err.startswith("triage: error: no-panic: ")
    assert err.count("\n") == 1


def test_usage(start):
    """A wrong option ends with 2."""
    code, out, err = said(start("context", "--depth", "many"))
    assert (code, out) == (2, "")
    assert "--depth" in err


def test_interrupt(start, tmp_path):
    """An interrupt while the panic is read ends with 130 and no traceback."""
    os.mkfifo(tmp_path / "panic")
    process = start("context", str(tmp_path / "panic"))
    # Opening it waits for the reader.
    with (tmp_path / "panic").open("wb"):
        process.send_signal(signal.SIGINT)
        code, out, err = said(process)
    assert (code, out, err.strip()) == (130, "", "")


@pytest.mark.parametrize("command", ["context", "parse"])
def test_reader_that_goes_away(start, tmp_path, command):
    """A pipe that nobody reads any more ends the command without a word."""
    (tmp_path / "panic.txt").write_text(TRACE)
    reading, writing = os.pipe()
    os.close(reading)
    process = start(command, str(tmp_path / "panic.txt"), stdout=writing)
    os.close(writing)
    _, err = process.communicate()
    assert (process.returncode, err) == (1, b"")


@pytest.mark.parametrize("command", ["context", "parse"])
def test_output_is_utf8(start, command):
    """A terminal of another encoding changes nothing in what is written."""
    trace = TRACE.replace("nil map", "nil map \N{SNOWMAN}").encode()
    arguments = [command, "-"]
    code, out, _ = said(start(*arguments, env={"PYTHONIOENCODING": "latin-1"}), trace)
    assert code == 0
    assert "\N{SNOWMAN}" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ["parse", b"h\xe9.txt"],
        ["context", b"h\xe9.txt"],
        ["context", "--repo", b"h\xe9"],
        ["context", "--commit", b"h\xe9"],
        ["context", "--root-dir", b"h\xe9"],
        ["context", "--file", b"h\xe9.go", "--line", "1"],
        ["cache", "--data-dir", b"h\xe9", "stats"],
    ],
)
def test_bytes_that_are_no_text(start, arguments):
    """Arguments whose bytes are not UTF-8 are bad input, said in one line."""
    code, out, err = said(start(*arguments), TRACE.encode())
    assert (code, out) == (1, "")
    assert err.startswith("triage: error: bad-request: ")
    assert err.count("\n") == 1


def test_finding_with_a_path_in_it(start):
    """Doctor prints any path as UTF-8, without its control characters."""
    environ = {"PYTHONIOENCODING": "latin-1", "TRIAGE_DATA_DIR": "/d\N{SNOWMAN}\x1b"}
    code, out, err = said(start("doctor", env=environ))
    assert (code, err) == (0, "")
    assert out.endswith("data in /d\N{SNOWMAN}\n")
