"""The command line in the test's own process: what is printed where, and how it ends."""

import io
import os
import pty
import re
import sys
import tty
from contextlib import suppress
from functools import partial
from typing import IO, Any

import click
import orjson
import pytest

import triage
from triage import app, cli
from triage.config import MOST_TOKENS, Settings
from triage.errors import BadInput, ConfigError
from triage.parse import parse_files

FILES = {
    "go.mod": "module example.com/svc\n\ngo 1.27\n",
    "handler/types.go": """\
package handler

// SlackNotifier posts to a channel.
type SlackNotifier struct {
	WebhookURL string
}

// UserHandler serves what concerns users.
type UserHandler struct {
	Notifier *SlackNotifier
}
""",
    "handler/init.go": """\
package handler

// NewUserHandler returns a handler.
// Note: Notifier is left nil.
func NewUserHandler() *UserHandler {
	return &UserHandler{}
}
""",
    "handler/helpers.go": """\
package handler

import "errors"

func validateRequest(id string) error {
	if id == "" {
		return errors.New("no id")
	}
	return nil
}
""",
    "handler/user.go": """\
package handler

// UpdateUser changes a user.
func (h *UserHandler) UpdateUser(id, url string) error {
	if err := validateRequest(id); err != nil {
		return err
	}
	h.Notifier.WebhookURL = url
	return nil
}
""",
}
TRACE = """\
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x47b2c4]

goroutine 1 [running]:
example.com/svc/handler.(*UserHandler).UpdateUser(0xc00001c0a8, {0x1, 0x2}, {0x3, 0x4})
\t/build/svc/handler/user.go:8 +0x44
main.main()
\t/build/svc/main.go:9 +0x45
"""


class Ended:
    """How the command ended, and what it printed."""

    def __init__(self, code: object, out: bytes, err: str) -> None:
        self.code = code
        self.out = out.decode("utf-8", "replace")
        self.err = err


@pytest.fixture
def run(monkeypatch, capfdbinary, tmp_path):
    """Run `triage` with arguments; *stdin* is what is piped in."""
    monkeypatch.setenv("TRIAGE_DATA_DIR", str(tmp_path / "data"))

    def start(*arguments: str, stdin: bytes | IO[str] = b"") -> Ended:
        if isinstance(stdin, bytes):
            stdin = io.TextIOWrapper(io.BytesIO(stdin))
        monkeypatch.setattr(sys, "argv", ["triage", *arguments])
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capfdbinary.readouterr()
        return Ended(ended.value.code, out, err.decode())

    return start


class Terminal:
    """A terminal, and what was written to it."""

    def __init__(self) -> None:
        self._outside, inside = pty.openpty()
        tty.setraw(inside)
        self.stream = os.fdopen(inside, "w", encoding="utf-8")

    def shown(self) -> bytes:
        """Give what was written so far."""
        os.set_blocking(self._outside, False)
        with suppress(BlockingIOError):
            return os.read(self._outside, 1 << 16)
        return b""

    def close(self) -> None:
        """Close both ends."""
        self.stream.close()
        os.close(self._outside)


@pytest.fixture
def terminal():
    """Make a terminal to read from and to write to."""
    made = Terminal()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def service(tmp_path, monkeypatch):
    """Make a plain directory with the service, which is the working directory too."""
    for name, text in FILES.items():
        path = tmp_path / "svc" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "svc/panic.txt").write_text(TRACE)
    monkeypatch.chdir(tmp_path / "svc")
    return tmp_path / "svc"


@pytest.fixture
def broken_settings(tmp_path, monkeypatch):
    """Name a settings file that is no TOML."""
    path = tmp_path / "broken.toml"
    path.write_text("max_tokens = [")
    monkeypatch.setenv("TRIAGE_CONFIG", str(path))
    return path


@pytest.fixture
def no_programs(tmp_path, monkeypatch):
    """Make a directory for programs, which is all of the PATH."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "bin"


def one_error(ended: Ended, code: str) -> str:
    """Give the one line on standard error; nothing else may have been printed."""
    assert (ended.code, ended.out) == (1, "")
    assert re.fullmatch(rf"triage: error: {code}: [^\n]+\n", ended.err)
    return ended.err


def test_whole_context_of_a_handler(run):
    """A nil pointer's context holds just what explains it, each with file and lines."""
    ended = run("context", "panic.txt")
    assert ended.code == 0, ended.err
    rule = "// " + "=" * 78
    titles = re.findall(rf"{rule}\n// (.+)\n(?:// Panic: .+\n)?{rule}\n", ended.out)
    assert titles == [
        "Crash Site: user.go (lines 4-10)",
        "Package Context: Struct & Type Definitions (handler)",
        "Package Context: Related Constructors & Helper Functions (handler)",
    ]
    headings = re.findall(
        r"^// File: (\S+) \(lines (\d+-\d+)\)", ended.out, re.MULTILINE
    )
    assert headings == [
        ("types.go", "4-6"),
        ("types.go", "9-11"),
        ("init.go", "5-7"),
        ("helpers.go", "5-10"),
    ]
    assert "// Note: Notifier is left nil.\nfunc NewUserHandler()" in ended.out
    assert "type SlackNotifier struct {\n\tWebhookURL string\n}" in ended.out
    assert "type UserHandler struct {\n\tNotifier *SlackNotifier\n}" in ended.out


def test_trace_from_standard_input(run):
    """Without a name, and as -, the panic is read from standard input."""
    named = run("context", "panic.txt")
    for arguments in ([], ["-"]):
        ended = run("context", *arguments, stdin=TRACE.encode())
        assert (ended.code, ended.out) == (0, named.out)


def test_file_and_line(run):
    """A place in the source does where there is no trace."""
    ended = run("context", "--file", "handler/user.go", "--line", "8")
    assert ended.code == 0
    assert "h.Notifier.WebhookURL = url" in ended.out


def test_formats(run):
    """JSON and Markdown carry the text form's context."""
    text = run("context", "panic.txt").out
    answer = orjson.loads(run("context", "panic.txt", "--format", "json").out)
    markdown = run("context", "panic.txt", "--format", "markdown").out
    assert answer["context"] == text
    assert "```go\n" in markdown
    assert "h.Notifier.WebhookURL = url" in markdown


def test_warnings_are_no_part_of_the_result(run, service):
    """A warning goes to standard error, in one line."""
    (service / "handler/user.go").write_text(FILES["handler/user.go"] + "func (\n")
    ended = run("context", "panic.txt")
    assert ended.code == 0
    assert re.match(
        r"triage: warning: [^\n]*user\.go has a syntax error[^\n]*\n$", ended.err
    )
    assert "triage: warning" not in ended.out


def test_without_a_cache_nothing_is_kept(run, tmp_path):
    """--no-cache makes no file, and answers the same."""
    bare = run("context", "panic.txt", "--no-cache")
    assert not (tmp_path / "data").exists()
    assert (bare.code, bare.out) == (0, run("context", "panic.txt").out)


def test_variable_is_a_default_and_a_flag_is_stronger(run, monkeypatch):
    """TRIAGE_MAX_TOKENS bounds the context where --max-tokens does not."""
    whole = run("context", "panic.txt").out
    monkeypatch.setenv("TRIAGE_MAX_TOKENS", "150")
    assert len(run("context", "panic.txt").out) < len(whole)
    assert run("context", "panic.txt", "--max-tokens", "3000").out == whole


def test_context_at_a_commit(run, repo):
    """A commit is read from a repository, and the answer is kept."""
    repo.commit(FILES)
    arguments = ("--repo", str(repo.path), "--commit", "HEAD", "--format", "json")
    first, second = (run("context", *arguments, stdin=TRACE.encode()) for _ in range(2))
    answers = [orjson.loads(ended.out) for ended in (first, second)]
    assert answers[0]["context"] == answers[1]["context"]
    bare = run("context", *arguments, "--no-cache", stdin=TRACE.encode())
    assert orjson.loads(bare.out)["context"] == answers[0]["context"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--file", "x.go"],
        ["--line", "3"],
        ["panic.txt", "--file", "x.go", "--line", "3"],
        ["--format", "xml"],
        ["--no-such-flag"],
    ],
)
def test_usage(run, arguments):
    """Options that do not go together are a usage error."""
    ended = run("context", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert "Error: " in ended.err


def test_flag_and_setting_have_the_same_bounds():
    """What a flag takes as a budget, the variable takes too, and no more."""
    [flag] = [p for p in cli.context.params if p.name == "max_tokens"]
    assert isinstance(flag.type, click.IntRange)
    assert (flag.type.min, flag.type.max) == (100, MOST_TOKENS)


@pytest.mark.parametrize("command", ["context", "parse"])
@pytest.mark.parametrize("name", ["nope.txt", ".", "", "x" * 5_000, "nul\0", "h\udce9"])
def test_file_that_cannot_be_read(run, command, name):
    """Each command says of an unreadable file, in one line, that it is one."""
    assert "cannot read" in one_error(run(command, name), "bad-request")


@pytest.mark.parametrize("option", ["--repo", "--file", "--root-dir", "--commit"])
def test_bytes_that_are_no_text(run, option):
    """Bytes that are not UTF-8 are bad input, not a bug."""
    given = {"--file": "handler/user.go", "--line": "8", option: "h\udce9"}
    ended = run("context", *(word for pair in given.items() for word in pair))
    assert "is not UTF-8" in one_error(ended, "bad-request")


@pytest.mark.parametrize("name", ["x" * 5_000, "nul\0", "a[b"])
def test_repository_that_can_be_none(run, name):
    """A name that no directory can have is no repository."""
    one_error(run("context", "panic.txt", "--repo", name), "repo-not-found")


def test_bytes_that_are_no_text_in_the_data_directory(run, monkeypatch):
    """A data directory has to have a name that SQLite can take."""
    named = run("context", "panic.txt", "--data-dir", "h\udce9")
    assert "name is not UTF-8" in one_error(named, "bad-request")
    monkeypatch.setenv("TRIAGE_DATA_DIR", "h\udce9")
    assert "name is not UTF-8" in one_error(run("cache", "stats"), "bad-request")


def test_error_is_one_safe_line(run):
    """Control characters of what was given do not reach the terminal in an error."""
    ended = run("context", "panic.txt", "--repo", "a\x1b[2Jb")
    assert "\x1b" not in one_error(ended, "repo-not-found")


def test_bug_says_that_it_is_one(run, monkeypatch):
    """What nobody foresaw ends with the traceback and the version, and with 3."""
    monkeypatch.setattr(cli.cli, "commands", {"context": object()})
    ended = run("context", "panic.txt")
    assert (ended.code, ended.out) == (3, "")
    last = ended.err.splitlines()[-1]
    assert last.startswith("triage: error: internal: AttributeError: ")
    assert f"a bug of Triage {triage.__version__}" in last


@pytest.mark.parametrize("raised", [KeyboardInterrupt, click.Abort])
def test_interrupt(run, monkeypatch, raised):
    """An interrupt ends with 130 and no word."""
    command = click.Command("context", callback=partial(_fail, raised))
    monkeypatch.setattr(cli.cli, "commands", {"context": command})
    ended = run("context")
    assert (ended.code, ended.out, ended.err.strip()) == (130, "", "")


def _fail(raised):
    raise raised


def test_terminal_as_standard_input(run, terminal):
    """Nobody waits for a panic to be typed."""
    ended = run("context", stdin=terminal.stream)
    assert (ended.code, ended.out) == (2, "")
    assert "no panic given: name a TRACE file, pipe one in" in ended.err


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_terminal_as_standard_output(run, service, monkeypatch, terminal, form):
    """Control characters of the source reach no terminal raw."""
    path = service / "handler/init.go"
    path.write_text(path.read_text().replace("left nil", "left \x1b[31mnil"))
    monkeypatch.setattr(sys, "stdout", terminal.stream)
    assert run("context", "panic.txt", "--format", form).code == 0
    shown = terminal.shown()
    assert b"[31mnil" in shown
    assert b"\x1b" not in shown


def test_parse_as_text_and_json(run):
    """The crash is shown at a glance, and as one line of JSON a file."""
    text = run("parse", "panic.txt")
    assert (text.code, text.err) == (0, "")
    assert text.out.startswith("panic.txt: ")
    lines = run("parse", "panic.txt", "-", "--format", "json", stdin=b"fine\n").out
    first, second = map(orjson.loads, lines.splitlines())
    assert first["origin"]["line"] == 8
    assert (second["file"], second["kind"]) == ("-", None)


def test_parse_writes_utf8(tmp_path):
    """What is written is UTF-8, as text and as JSON."""
    path = tmp_path / "panic.txt"
    path.write_text(TRACE.replace("runtime error: invalid", "caf\u00e9 \u4e16"))
    for fmt in ("text", "json"):
        out = io.BytesIO()
        parse_files([str(path)], fmt, out.write)
        assert "caf\u00e9 \u4e16" in out.getvalue().decode()


def test_parse_of_no_file(tmp_path):
    """A file that is not there is named, with what to do."""
    with pytest.raises(BadInput, match="no such file or directory; name a text file"):
        parse_files([str(tmp_path / "none")], "text", io.BytesIO().write)


def test_cache_commands(run, repo, tmp_path):
    """The cache is counted, shrunk and emptied; where there is none that is no error."""
    assert run("cache", "stats").out.split() == ["in", "all", "0.0", "MB"]
    assert run("cache", "prune").out == "dropped 0 rows\n"
    assert run("cache", "clear").code == 0
    repo.commit(FILES)
    run("context", "--repo", str(repo.path), "--commit", "HEAD", stdin=TRACE.encode())
    full = run("cache", "stats").out
    assert re.search(r"^contexts +1 rows", full, re.MULTILINE)
    elsewhere = run("cache", "--data-dir", str(tmp_path / "other"), "stats").out
    assert "contexts" not in elsewhere
    assert run("cache", "prune").out == "dropped 0 rows\n"
    assert run("cache", "clear").code == 0
    assert re.search(r"^contexts +0 rows", run("cache", "stats").out, re.MULTILINE)


def test_cache_that_is_none(run, tmp_path):
    """A file that is no database is said to be none."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data/cache.db").write_text("no database, but long enough\n" * 100)
    one_error(run("cache", "stats"), "bad-request")


def test_version_and_help(run):
    """The version and the help are printed on standard output."""
    assert run("--version").out == f"triage {triage.__version__}\n"
    assert "doctor" in run("-h").out


def test_broken_settings(run, broken_settings):
    """Commands refuse to run on settings that cannot be read."""
    ended = run("context", "panic.txt")
    assert str(broken_settings) in one_error(ended, "bad-request")


def test_doctor_is_content(run):
    """Where all is well each finding is ok."""
    ended = run("doctor")
    assert ended.code == 0
    assert [line[:5] for line in ended.out.splitlines()] == ["ok   "] * 3


def test_doctor_finds_broken_settings(run, broken_settings):
    """Settings that cannot be read are a finding like others."""
    ended = run("doctor")
    assert ended.code == 1
    assert re.search(
        rf"^FAIL settings: {re.escape(str(broken_settings))}", ended.out, re.MULTILINE
    )
    assert ended.err == ""


@pytest.mark.usefixtures("no_programs")
def test_doctor_misses_git(run):
    """A git that is not there is a finding, with what to install."""
    ended = run("doctor")
    assert ended.code == 1
    wanted = "git is not on the PATH; install git 2.38 or later"
    assert f"FAIL git: {wanted}\n" in ended.out


@pytest.mark.parametrize(
    ("said", "finding"),
    [
        ("git version 2.37.9", "2.37 is too old; install git 2.38 or later"),
        ("hello", "it does not say its version; install git 2.38 or later"),
    ],
)
def test_doctor_doubts_git(run, no_programs, said, finding):
    """A git that is too old, or is none, is a finding."""
    (no_programs / "git").write_text(f"#!/bin/sh\necho {said}\n")
    (no_programs / "git").chmod(0o755)
    assert f"FAIL git: {finding}\n" in run("doctor").out


async def test_doctor_finds_no_helper(monkeypatch, tmp_path):
    """A helper that was not built is a finding."""
    monkeypatch.setattr("triage.helper.launch.__file__", str(tmp_path / "launch.py"))
    helper, _, settings = await app.examine(ConfigError("no home"))
    assert (helper.fine, settings.fine, settings.text) == (False, False, "no home")
    assert f"there is no {tmp_path}/bin/goparse-helper; build it" in helper.text


async def test_engine_of_the_environment(monkeypatch, tmp_path):
    """An engine opened on nothing takes the environment's settings."""
    monkeypatch.setenv("TRIAGE_DATA_DIR", str(tmp_path / "data"))
    async with triage.open_engine() as engine:
        result = await engine.context(triage.Telemetry(repo=".", trace=TRACE))
    assert result.crash.line == 8


@pytest.mark.parametrize("missing", range(3))
async def test_half_an_app_is_refused(tmp_path, missing):
    """A GitHub App of which a part is missing is named as a whole."""
    parts: dict[str, Any] = {
        "github_app_id": "1",
        "github_app_key": "key",
        "github_app_installation": 2,
    }
    del parts[list(parts)[missing]]
    settings = Settings(data_dir=tmp_path, **parts)
    async with triage.open_engine(settings) as engine:
        with pytest.raises(ConfigError, match="set all three or none"):
            await engine.context(triage.Telemetry(repo="acme/shop", trace=TRACE))
