"""The command on streams that are closed, full, terminals or of another encoding."""

import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.conftest import FILES, TRACE

ROOT = Path(__file__).parents[2]
EVERY = [["context", "trace"], ["parse", "trace"], ["doctor"], ["--version"], ["-h"]]
EVERY += [["cache", "stats"], ["parse", "--format", "json", "trace"]]
full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")


@pytest.fixture
def shell(repo, tmp_path):
    """Run a line of shell in a work tree of the shop; `$T` is the command."""
    repo.write({**FILES, "trace": TRACE})

    def run(line: str, *arguments: str, **environ: str) -> tuple[int, str, str]:
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TRIAGE_DATA_DIR": str(tmp_path / "data"),
            "T": f"{sys.executable} -m triage",
            **environ,
        }
        command = ["bash", "-c", line, "bash", *arguments]
        done = subprocess.run(
            command, cwd=repo.path, env=environment, capture_output=True, check=False
        )
        return (
            done.returncode,
            done.stdout.decode(),
            done.stderr.decode("utf-8", "replace"),
        )

    return run


@full
@pytest.mark.parametrize("arguments", EVERY, ids=" ".join)
def test_full_disk(shell, arguments):
    """Output that cannot be written is an error in one line, for every command."""
    code, _, err = shell('$T "$@" >/dev/full', *arguments)
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith("triage: error: bad-request: cannot write to standard output")


@pytest.mark.parametrize("arguments", EVERY, ids=" ".join)
def test_closed_output(shell, arguments):
    """So is output that is closed."""
    code, _, err = shell('$T "$@" >&-', *arguments)
    assert (code, err.count("\n")) == (1, 1)
    assert err.endswith("cannot write to standard output: it is closed\n")


@pytest.mark.parametrize("arguments", EVERY, ids=" ".join)
def test_reader_that_goes_away(shell, arguments):
    """A reader that is gone ends every command with 1 and no word."""
    code, out, err = shell('$T "$@" | true; echo ${PIPESTATUS[0]}', *arguments)
    assert (code, err) == (0, "")
    assert out in {"0\n", "1\n"}  # 0 where the reader was there to the end


@pytest.mark.parametrize(
    "line", ["$T parse - <&-", "$T context <&-", "$T context - <&-"]
)
def test_closed_input(shell, line):
    """Input that is closed cannot be read, which is bad input."""
    code, out, err = shell(line)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("triage: error: bad-request: standard input is closed")


@pytest.mark.parametrize("to", [pytest.param("/dev/full", marks=full), "&-"])
@pytest.mark.parametrize(
    ("arguments", "want"),
    [(["--nope"], 2), (["context", "gone"], 1), (["context", "trace"], 0)],
)
def test_nobody_listens(shell, arguments, want, to):
    """What cannot be said on standard error changes no exit code."""
    code, _, err = shell(f'$T "$@" 2>{to}', *arguments)
    assert (code, err) == (want, "")


def test_closed_streams_are_not_taken_by_files(shell):
    """With all streams closed the cache is still written and the answer made."""
    assert shell("$T context trace <&- >&- 2>&-") == (1, "", "")
    assert shell("$T context trace <&- 2>&-")[0] == 0


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16"])
def test_other_encodings(shell, encoding):
    """Names and texts in no one's encoding are printed, and complained of."""
    line = "cp trace $'h\\xc3\\xa9'; $T parse h\u00e9; $T parse \u00e9"
    code, out, err = shell(line, PYTHONIOENCODING=encoding)
    assert code == 1
    assert out.startswith("h\u00e9: ")
    assert "cannot read" in err.replace("\0", "")


def on_a_terminal(directory: Path, *arguments: str) -> bytes:
    """Run the command with a terminal for all its streams; give what it shows."""
    outside, inside = pty.openpty()
    try:
        subprocess.run(
            [sys.executable, "-m", "triage", *arguments],
            cwd=directory,
            env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
            stdin=inside,
            stdout=inside,
            stderr=inside,
            check=False,
        )
        os.set_blocking(outside, False)
        shown = b""
        with suppress(BlockingIOError):
            while part := os.read(outside, 1 << 16):
                shown += part
        return shown
    finally:
        os.close(inside)
        os.close(outside)


HOSTILE = "a\x1b[2Jb\x9bc\u202ed"


@pytest.mark.parametrize(
    "arguments",
    [
        ["parse", HOSTILE],
        ["context", HOSTILE],
        ["context", "trace", HOSTILE],
        ["context", "--format", HOSTILE],
        ["context", f"--{HOSTILE}"],
        ["context", "--line", HOSTILE],
        ["context", "trace", "--repo", HOSTILE],
        ["context", "trace", "--data-dir", HOSTILE],
        [HOSTILE],
        ["cache", HOSTILE],
        ["parse", "trace"],
        ["parse", "--format", "json", "trace"],
        ["doctor"],
    ],
    ids=ascii,
)
def test_terminal(tmp_path, arguments, monkeypatch):
    """Nothing that was given, read or found reaches a terminal raw."""
    (tmp_path / "trace").write_text(TRACE.replace("nil map", HOSTILE))
    monkeypatch.setenv("TRIAGE_DATA_DIR", str(tmp_path / HOSTILE))
    shown = on_a_terminal(tmp_path, *arguments).decode()
    assert shown
    assert [c for c in "\x1b\x9b\u202e" if c in shown] == []


def test_pipe_gets_what_there_is(shell, repo):
    """What goes into a pipe as JSON is the data, unchanged."""
    repo.write({"odd": TRACE.replace("nil map", HOSTILE)})
    _, out, _ = shell("$T parse --format json odd")
    assert "\x9bc\u202ed" in out


@pytest.mark.parametrize("number", ["1" + "0" * 400, "1" + "0" * 100_000, "-1"])
@pytest.mark.parametrize("option", ["--max-tokens", "--line", "--depth", "--frames"])
def test_number_without_end(shell, option, number):
    """A number that means nothing is a usage error that fits on a screen."""
    code, out, err = shell('$T context trace "$@"', option, number)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith(f"Error: Invalid value for '{option}': ")
    assert len(err) < 1500


def test_interrupt_during_imports(shell, tmp_path):
    """An interrupt before the command has begun ends as any other."""
    number = int(signal.SIGINT)
    (tmp_path / "click.py").write_text(f"import os\nos.kill(os.getpid(), {number})\n")
    path = f"{tmp_path}:{ROOT}"
    assert shell("$T parse trace", PYTHONPATH=path) == (130, "", "")


def test_interrupt_that_is_ignored(shell, tmp_path):
    """Where whoever started the command ignores interrupts, so does the command."""
    text = "import os\nos.kill(os.getpid(), 2)\nos.write(1, b'on')\nos._exit(0)\n"
    (tmp_path / "click.py").write_text(text)
    line = "trap '' INT; $T parse trace"
    assert shell(line, PYTHONPATH=f"{tmp_path}:{ROOT}") == (0, "on", "")


@pytest.fixture
def dying(tmp_path):
    """Put a helper that dies with odd words in the place of the real one."""
    (tmp_path / "dying").mkdir()
    path = tmp_path / "dying/helper"
    path.write_text("#!/bin/sh\nprintf 'panic: a\\033[2Jb\\nmore\\n' >&2\nexit 2\n")
    path.chmod(0o755)
    start = (
        "import triage.helper.supervisor as s, triage.helper.launch as l\n"
        f"l.binary_path = s.binary_path = lambda: {str(path)!r}\n"
        "from triage.__main__ import main\nmain()\n"
    )
    (tmp_path / "dying/start.py").write_text(start)
    return f"{sys.executable} {tmp_path / 'dying/start.py'}"


@pytest.mark.parametrize("arguments", [["context", "trace"], ["doctor"]])
def test_helper_that_dies(shell, dying, arguments):
    """Its death is told once, in one line without its control characters."""
    code, out, err = shell('$T "$@"', *arguments, T=dying)
    assert code == 1
    lines = [line for line in (out + err).splitlines() if "the helper ended" in line]
    assert len(lines) == 1
    assert "panic: a [2Jb" in lines[0]
    assert err.count("\n") == (arguments[0] == "context")


@pytest.mark.parametrize(
    ("arguments", "want"),
    [(["context", "trace"], "triage: debug: "), (["doctor"], "triage: debug: ")],
)
def test_log_level(shell, arguments, want):
    """What Triage says besides comes as far as it is asked for."""
    for level, told in (("debug", True), ("warning", False), ("error", False)):
        code, _, err = shell('$T "$@"', *arguments, TRIAGE_LOG_LEVEL=level)
        assert (code, want in err) == (0, told)
    assert shell("$T parse trace", TRIAGE_LOG_LEVEL="debug")[::2] == (0, "")


def test_library_says_nothing(shell, dying):
    """A program that set up no logging finds nothing on its standard error."""
    program = """
import asyncio, triage
async def main():
    async with triage.open_engine() as engine:
        try:
            await engine.context(triage.Telemetry(repo='.', trace=open('trace').read()))
        except triage.errors.HelperError as error:
            print(error)
import triage.errors
asyncio.run(main())
"""
    path = Path(dying.split()[1])
    head = path.read_text().partition("from triage.__main__")[0]
    path.write_text(head + program)
    code, out, err = shell("$T", T=dying)
    assert (code, err) == (0, "")
    assert "panic: a [2Jb" in out
