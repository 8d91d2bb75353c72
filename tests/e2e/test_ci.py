"""Real runs of `go test` on modules that crash, told as a CI job is told of them."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pytest

from tests.workflow_commands import obeyed

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".github" / "actions" / "triage" / "explain"
GO = Path(sys.executable).with_name("go")

pytestmark = pytest.mark.timeout(180)

CART = """\
package cart

// Cart counts what a customer wants.
type Cart struct{ items map[string]int }

// New returns a cart that forgets to make its map.
func New() *Cart { return &Cart{} }

// Add counts one more of an item.
func (c *Cart) Add(name string) {
	c.items[name]++
}
"""
ADD = 11
MONEY = """\
package money

// Share divides an amount.
func Share(amount, among int) int {
	return amount / among
}
"""
SHARE = 5


def written(package: str, body: str, *imports: str) -> str:
    """Write a test file of *package*."""
    lines = "".join(f'\t"{name}"\n' for name in ("testing", *imports))
    return f"package {package}\n\nimport (\n{lines})\n\n{body}"


PANIC = written("cart", 'func TestAdd(t *testing.T) { New().Add("tea") }\n')
GOROUTINE = written(
    "money",
    "func TestShare(t *testing.T) {\n\tdone := make(chan int)\n"
    "\tgo func() { done <- Share(1, 0) }()\n\t<-done\n}\n",
)
MAIN = written("cart", 'func TestMain(m *testing.M) { New().Add("tea"); m.Run() }\n')
INIT = written(
    "cart", 'func init() { New().Add("tea") }\n\nfunc TestA(t *testing.T) {}\n'
)
TIMEOUT = written("cart", "func TestStuck(t *testing.T) { select {} }\n")
RACE = written(
    "cart",
    "var total int\n\nfunc TestRace(t *testing.T) {\n\tdone := make(chan bool)\n"
    "\tgo func() {\n\t\ttotal++\n\t\tdone <- true\n\t}()\n\ttotal++\n\t<-done\n}\n",
)
BROKEN = written("cart", "func TestB(t *testing.T) { nosuch() }\n")
FINE = written("cart", "func TestFine(t *testing.T) { New() }\n")
NASTY = written(
    "cart",
    "func TestNasty(t *testing.T) {\n"
    '\tfmt.Println("::error file=x.go,line=1::hacked")\n'
    '\tfmt.Print("::stop-commands::mine")\n'
    '\tpanic("</details><script>x</script>\\n::error::hacked%0A::warning::x")\n}\n',
    "fmt",
)


@dataclass(frozen=True)
class Told:
    """What a step of a job has told."""

    code: int
    commands: list[Any]
    summary: str
    outputs: dict[str, str]
    printed: str

    @property
    def places(self) -> list[tuple[str, int]]:
        """Where the annotations stand."""
        told = (one.properties for one in self.commands)
        return [(one["file"], int(one["line"])) for one in told if "file" in one]


@pytest.fixture
def module(repo):
    """Write a module of two packages into a repository."""

    def write(files: dict[str, str], below: str = "") -> Path:
        base = {
            "go.mod": "module example.com/shop\n\ngo 1.21\n",
            "cart/cart.go": CART,
            "money/money.go": MONEY,
        }
        repo.commit({f"{below}{name}": text for name, text in (base | files).items()})
        path: Path = repo.path / below
        return path

    return write


@pytest.fixture(scope="module")
def compiled(tmp_path_factory) -> str:
    """Keep what is compiled: the library need not be compiled for each test."""
    return str(tmp_path_factory.mktemp("compiled"))


@pytest.fixture
def go_test(compiled):
    """Run `go test`; give what it prints."""

    def run(directory: Path, *flags: str, **env: str) -> bytes:
        line = [str(GO), "test", *flags, "./..."]
        done = subprocess.run(
            line,
            cwd=directory,
            env={**os.environ, **plain_go(compiled), **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.stdout

    return run


def plain_go(compiled: str) -> dict[str, str]:
    """Let nothing of the machine's settings change what Go does."""
    return {"GOCACHE": compiled, "GOFLAGS": "", "GOTOOLCHAIN": "local"}


@pytest.fixture
def explained(repo, tmp_path):
    """Run the action's own script on a log, as a runner would."""

    def run(**inputs: str | Path) -> Told:
        home = tmp_path / "runner"
        bin_ = home / "triage" / "bin"
        bin_.mkdir(parents=True, exist_ok=True)
        if not (bin_ / "triage").exists():
            # What the script finds is what it would have installed.
            (bin_ / "triage").symlink_to(Path(sys.executable).with_name("triage"))
        summary, outputs = tmp_path / "summary", tmp_path / "outputs"
        summary.write_bytes(b"")
        outputs.write_bytes(b"")
        told = {f"TRIAGE_ACTION_{k.upper()}": str(v) for k, v in inputs.items()}
        env = {
            **os.environ,
            **told,
            "PYTHONPATH": str(ROOT),
            "RUNNER_TEMP": str(home),
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(repo.path),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_OUTPUT": str(outputs),
        }
        done = subprocess.run(
            [SCRIPT], cwd=repo.path, env=env, capture_output=True, check=False
        )
        printed = done.stdout.decode()
        pairs = (line.partition("=") for line in outputs.read_text().splitlines())
        return Told(
            done.returncode,
            obeyed(printed),
            summary.read_text("utf-8"),
            {name: value for name, _, value in pairs},
            printed + done.stderr.decode(),
        )

    return run


def log_of(tmp_path: Path, text: bytes) -> Path:
    """Keep a log."""
    path = tmp_path / "log"
    path.write_bytes(text)
    return path


CASES = [
    pytest.param({"cart/cart_test.go": PANIC}, (), [("cart/cart.go", ADD)], id="panic"),
    pytest.param(
        {"money/money_test.go": GOROUTINE},
        (),
        [("money/money.go", SHARE)],
        id="goroutine",
    ),
    pytest.param(
        {"cart/cart_test.go": MAIN}, (), [("cart/cart.go", ADD)], id="TestMain"
    ),
    pytest.param({"cart/cart_test.go": INIT}, (), [("cart/cart.go", ADD)], id="init"),
    pytest.param(
        {"cart/cart_test.go": TIMEOUT},
        ("-timeout", "1s"),
        [("cart/cart_test.go", 7)],
        id="timeout",
    ),
    pytest.param({"cart/cart_test.go": BROKEN}, (), [], id="build failure"),
    pytest.param({"cart/cart_test.go": FINE}, (), [], id="fine"),
    pytest.param(
        {"cart/cart_test.go": PANIC, "money/money_test.go": GOROUTINE},
        (),
        [("cart/cart.go", ADD), ("money/money.go", SHARE)],
        id="packages",
    ),
    pytest.param(
        {"cart/cart_test.go": PANIC},
        ("-count", "1", "-cpu", "1,2"),
        [("cart/cart.go", ADD)],
        id="cpus",
    ),
    pytest.param(
        {"cart/cart_test.go": PANIC},
        ("-trimpath",),
        [("cart/cart.go", ADD)],
        id="trimpath",
    ),
]


@pytest.mark.parametrize("form", [(), ("-v",), ("-json",)], ids=["plain", "v", "json"])
@pytest.mark.parametrize(("files", "flags", "places"), CASES)
def test_go_test(module, explained, go_test, tmp_path, files, flags, places, form):  # noqa: PLR0917 - fixtures
    """Each crash site is annotated, explained in the summary, and counted."""
    log = log_of(tmp_path, go_test(module(files), *flags, *form))
    told = explained(log=log)
    assert sorted(told.places) == sorted(places), told.printed
    assert told.code == (1 if places else 0)
    assert told.outputs["crashes"] == str(len(places))
    assert told.summary.count("<details>") == len(places)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="the race detector needs gcc")
@pytest.mark.parametrize("form", [(), ("-json",)], ids=["plain", "json"])
def test_a_race(module, explained, go_test, tmp_path, form):
    """A report of the race detector is a crash site."""
    directory = module({"cart/cart_test.go": RACE})
    log = log_of(tmp_path, go_test(directory, "-race", *form, CGO_ENABLED="1"))
    told = explained(log=log)
    assert told.outputs["crashes"] == "1", told.printed
    assert told.places[0][0] == "cart/cart_test.go"
    assert "data-race" in told.commands[0].properties["title"]


def gotestsum(text: bytes) -> str:
    """Write the events of `go test -json` as a report, as gotestsum does."""
    output: dict[tuple[str, str], list[str]] = {}
    for line in text.splitlines():
        event = json.loads(line)
        if event["Action"] == "output":
            key = event["Package"], event.get("Test", "TestMain")
            output.setdefault(key, []).append(event["Output"])
    cases = "".join(
        f"<testcase classname={quoteattr(package)} name={quoteattr(test)}>"
        f'<failure message="Failed" type="">{escape("".join(lines))}</failure></testcase>'
        for (package, test), lines in output.items()
    )
    return f'<testsuites><testsuite name="shop">{cases}</testsuite></testsuites>'


def test_a_report(module, explained, go_test, tmp_path):
    """A JUnit report does in place of a log."""
    files = {"cart/cart_test.go": PANIC, "money/money_test.go": GOROUTINE}
    report = tmp_path / "report.xml"
    report.write_text(gotestsum(go_test(module(files), "-json")), "utf-8")
    told = explained(junit=report)
    assert sorted(told.places) == [("cart/cart.go", ADD), ("money/money.go", SHARE)]
    assert "example.com/shop/cart · TestAdd" in told.summary


def test_a_module_in_a_directory(module, explained, go_test, tmp_path):
    """Its paths are named from the workspace."""
    directory = module({"cart/cart_test.go": PANIC}, "backend/")
    told = explained(log=log_of(tmp_path, go_test(directory)), root_dir="backend")
    assert told.places == [("backend/cart/cart.go", ADD)]


def test_a_container_that_built_elsewhere(module, explained, go_test, tmp_path):
    """Paths of another machine lead to the checkout's files."""
    directory = module({"cart/cart_test.go": PANIC})
    text = go_test(directory).replace(bytes(directory), b"/builds/group/shop")
    assert explained(log=log_of(tmp_path, text)).places == [("cart/cart.go", ADD)]


def test_what_a_test_prints_is_not_obeyed(module, explained, go_test, tmp_path):
    """Its commands are passed on as text, and its markup shows as it is written."""
    log = log_of(tmp_path, go_test(module({"cart/cart_test.go": NASTY}), "-v"))
    told = explained(log=log)
    assert [one.name for one in told.commands] == ["error"]
    assert told.places == [("cart/cart_test.go", 11)]
    assert "::error file=x.go,line=1::hacked" in told.printed
    assert "<script>" not in told.summary.replace('panic("</details><script>', "")


def test_sarif_and_a_report_in_files(module, explained, go_test, tmp_path):
    """They are written where they were asked for, and named by the outputs."""
    log = log_of(tmp_path, go_test(module({"cart/cart_test.go": PANIC})))
    sarif, report = tmp_path / "o.sarif", tmp_path / "o.md"
    told = explained(log=log, sarif=sarif, report=report, fail_on_crash="false")
    assert told.code == 0
    assert (told.outputs["sarif"], told.outputs["report"]) == (str(sarif), str(report))
    (run,) = json.loads(sarif.read_text("utf-8"))["runs"]
    assert run["results"][0]["ruleId"] == "nil-map"
    assert report.read_text("utf-8") == told.summary


@pytest.mark.parametrize(
    ("inputs", "code"),
    [({}, 2), ({"log": "a", "junit": "b"}, 2), ({"log": "/nosuch"}, 4)],
)
def test_bad_inputs(repo, explained, inputs, code):
    """It is said what to give."""
    repo.commit({"go.mod": "module x\n"})
    told = explained(**inputs)
    assert told.code == code
    assert "::error title=Triage::give" in told.printed or "cannot read" in told.printed


@pytest.fixture
def ci(compiled):
    """Run `triage ci` as a person would."""

    def run(
        directory: Path, *arguments: str, **more: Any
    ) -> subprocess.CompletedProcess[bytes]:
        line = [sys.executable, "-m", "triage", "ci", *arguments]
        env = {**os.environ, "PYTHONPATH": str(ROOT), **plain_go(compiled)}
        return subprocess.run(
            line, cwd=directory, env=env, capture_output=True, check=False, **more
        )

    return run


def test_a_command_that_crashes(module, ci):
    """Its output comes first, then what explains it; the step fails."""
    directory = module({"cart/cart_test.go": PANIC})
    done = ci(directory, "--", str(GO), "test", "./...")
    assert done.returncode == 1
    before, _, after = done.stdout.decode().partition("triage: nil-map in (*Cart).Add")
    assert "panic: assignment to entry in nil map" in before
    assert "func (c *Cart) Add(name string) {" in after


@pytest.mark.parametrize(("code", "status"), [("", 0), ("raise SystemExit(7)", 7)])
def test_a_command_that_does_not(module, ci, code, status):
    """The status is the command's own."""
    done = ci(module({}), "--", sys.executable, "-c", code)
    assert (done.returncode, done.stdout) == (status, b"")


def test_a_crash_need_not_fail(module, ci):
    """With --exit-zero it is told, and that is all."""
    directory = module({"cart/cart_test.go": PANIC})
    done = ci(
        directory, "--exit-zero", "--format", "json", "--", str(GO), "test", "./..."
    )
    assert done.returncode == 0
    assert [one["line"] for one in json.loads(done.stdout)["crashes"]] == [ADD]
    assert b"panic: assignment to entry in nil map" in done.stderr


def test_standard_input(module, ci, go_test):
    """A log may be piped in; options do not matter to what is passed on."""
    directory = module({"cart/cart_test.go": PANIC})
    text = go_test(directory, "-json")
    done = ci(directory, "--out", "told.txt", input=text)
    assert (done.returncode, done.stdout) == (1, text)
    assert "func (c *Cart) Add" in (directory / "told.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("a", "--junit", "b"), 2, "give one of LOG, --junit and -- COMMAND"),
        (("a", "--", "true"), 2, "give one of LOG, --junit and -- COMMAND"),
        (("--",), 2, "no command stands after --"),
        (("nosuch",), 4, "triage: error: bad-request: cannot read `nosuch`"),
        (("--junit", "nosuch"), 4, "triage: error: bad-request: cannot read `nosuch`"),
        (("--", "/no/such"), 127, "triage: cannot run /no/such: no such file"),
    ],
)
def test_bad_calls(tmp_path, ci, arguments, code, said):
    """One line says what to do."""
    done = ci(tmp_path, *arguments)
    assert done.returncode == code
    assert said in done.stderr.decode()
