"""Where crashes come from, and what is passed on meanwhile."""

import os
import signal
import sys
import threading

import pytest

from triage.ci.gather import from_command, from_log, from_report
from triage.errors import BadInput

CRASH = (
    "panic: boom\n\ngoroutine 1 [running]:\n"
    "example.com/shop.f()\n\t/app/shop/f.go:%d +0x1d\n"
)
PRINTS = f"import sys; sys.stdout.write({CRASH % 1!r}); sys.stderr.write({CRASH % 2!r})"


class Sink:
    """Keeps what is passed on."""

    def __init__(self) -> None:
        self.text = b""

    def __call__(self, text: bytes) -> None:
        """Take some."""
        self.text += text


def python(code: str) -> list[str]:
    """Name a command that runs *code*."""
    return [sys.executable, "-c", code]


def test_a_log_is_passed_on(tmp_path):
    """As it is, while its crashes are found."""
    path, sink = tmp_path / "log", Sink()
    text = ("up\n" + CRASH % 1 + CRASH % 2).encode() + b"\xff\x1b[2J"
    path.write_bytes(text)
    gathered = from_log(str(path), sink)
    assert sink.text == text
    assert [one.text for one in gathered.crashes] == [CRASH % 1, CRASH % 2]


def test_a_pipe_is_passed_on_as_it_comes(tmp_path):
    """A reader sees a line before the next one is written."""
    path, seen = tmp_path / "pipe", threading.Event()
    os.mkfifo(path)
    early: list[bool] = []

    def write() -> None:
        with path.open("wb", buffering=0) as pipe:
            pipe.write(b"first\n")
            early.append(seen.wait(10))
            pipe.write(b"second\n")

    writer = threading.Thread(target=write)
    writer.start()
    from_log(str(path), lambda text: seen.set() if b"first" in text else None)
    writer.join()
    assert early == [True]


def test_a_log_that_is_not_there():
    """It cannot be read."""
    with pytest.raises(BadInput, match="no such file"):
        from_log("/nosuch/log", Sink())


def test_a_command():
    """Both of its streams are passed on, and searched by themselves."""
    out, err = Sink(), Sink()
    gathered = from_command(python(f"{PRINTS}; raise SystemExit(7)"), out, err)
    assert gathered.status == 7
    assert (out.text, err.text) == ((CRASH % 1).encode(), (CRASH % 2).encode())
    assert {one.text for one in gathered.crashes} == {CRASH % 1, CRASH % 2}


def test_a_command_that_says_nothing():
    """Its end is told."""
    assert from_command(python(""), Sink(), Sink()).status == 0


def test_a_command_that_is_killed():
    """As shells say it: 128 and the signal's number."""
    code = "import os; os.kill(os.getpid(), 9)"
    assert from_command(python(code), Sink(), Sink()).status == 137


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("/nosuch/command", 127, b"triage: cannot run /nosuch/command: no such file"),
        ("/etc", 126, b"triage: cannot run /etc: permission denied"),
    ],
)
def test_a_command_that_does_not_start(name, status, said):
    """As shells say it too."""
    err = Sink()
    assert from_command([name], Sink(), err).status == status
    assert err.text.startswith(said)


def test_a_name_that_is_none():
    """A command's name holds no zero."""
    with pytest.raises(BadInput, match="cannot be run"):
        from_command(["a\0b"], Sink(), Sink())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_the_commands_to_answer(number):
    """What it says then is passed on too; afterwards signals are ours again."""
    before = signal.getsignal(number)
    code = (
        "import os, signal, sys\n"
        "def end(*_):\n"
        f"    sys.stdout.write({CRASH % 3!r}); sys.stdout.flush(); os._exit(3)\n"
        f"signal.signal({int(number)}, end)\n"
        "sys.stdout.write('ready\\n'); sys.stdout.flush()\n"
        "signal.pause()\n"
    )

    def out(text: bytes) -> None:
        if text == b"ready\n":
            os.kill(os.getpid(), number)

    gathered = from_command(python(code), out, Sink())
    assert (gathered.status, len(gathered.crashes)) == (3, 1)
    assert signal.getsignal(number) is before


def test_a_command_that_leaves_a_child_behind():
    """What the child still says belongs to the command."""
    code = (
        "import subprocess, sys\n"
        f"subprocess.Popen([sys.executable, '-c', {PRINTS!r}])\n"
    )
    gathered = from_command(python(code), Sink(), Sink())
    assert (gathered.status, len(gathered.crashes)) == (0, 2)


def test_more_crashes_than_are_looked_at(tmp_path, monkeypatch):
    """What is left out is counted."""
    monkeypatch.setattr("triage.ci.gather._MOST", 2)
    path = tmp_path / "log"
    path.write_text("".join(CRASH % n for n in range(1, 6)), "utf-8")
    gathered = from_log(str(path), Sink())
    assert (len(gathered.crashes), gathered.left_out) == (2, 3)


def test_a_report(tmp_path):
    """Its crashes are told with package and test."""
    path = tmp_path / "report.xml"
    case = f'<testcase classname="p" name="T"><failure>{CRASH % 1}</failure></testcase>'
    path.write_text(f"<testsuites><testsuite>{case}</testsuite></testsuites>", "utf-8")
    (crash,) = from_report(path).crashes
    assert (crash.package, crash.test) == ("p", "T")
