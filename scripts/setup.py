"""Make .venv and keep it up to date; what is unchanged is not done again.

Runs under the system's Python, so the standard library is all it may use.
"""

import hashlib
import importlib.util
import subprocess
import sys
import venv
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HELPER = ROOT / "triage" / "helper" / "bin" / "goparse-helper"


def main() -> None:
    """Bring .venv to the state that the checkout asks for."""
    environment = ROOT / ".venv"
    python = environment / "bin" / "python"
    packages = Stamp(environment / "packages.stamp", [ROOT / "pyproject.toml"])
    build = Stamp(environment / "build.stamp", build_inputs(ROOT))
    if not packages.path.exists() or not starts(python):
        create(environment)
    if not packages.current():
        say("installing what development needs (once; some 400 MB)")
        # Old pips know no dependency groups.
        pip(python, "install", "pip>=25.1")
        pip(python, "install", "--group", "dev")
        packages.write()
    if not build.current() or not HELPER.exists():
        say("building the Go helper and installing triage")
        pip(python, "install", "--no-build-isolation", "--editable", ".")
        build.write()


class Stamp:
    """Remembers the inputs of a step that is done."""

    def __init__(self, path: Path, inputs: Iterable[Path]) -> None:
        self.path = path
        self._digest = digest(inputs)

    def current(self) -> bool:
        """Tell whether the step was done with these very inputs."""
        return self.path.exists() and self.path.read_text("utf-8") == self._digest

    def write(self) -> None:
        """Record that the step is done."""
        self.path.write_text(self._digest, "utf-8")


def digest(paths: Iterable[Path]) -> str:
    """Return one hash over the names and contents of files."""
    whole = hashlib.sha256()
    for path in sorted(paths):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        whole.update(f"{path} {content}\n".encode())
    return whole.hexdigest()


def build_inputs(root: Path) -> list[Path]:
    """List what an editable install is made from: not the Python, which it links."""
    helper = (root / "goparse_helper").rglob("*")
    sources = [
        path
        for path in helper
        if path.suffix in {".go", ".mod", ".pgo"}
        and "testdata" not in path.parts
        and not path.name.endswith("_test.go")
    ]
    version = root / "triage" / "_version.py"
    return [root / "pyproject.toml", root / "hatch_build.py", version, *sources]


def starts(python: Path) -> bool:
    """Tell whether the environment's interpreter is still there and works."""
    try:
        return subprocess.run([python, "-c", ""], check=False).returncode == 0
    except OSError:
        return False


def create(environment: Path) -> None:
    """Make the environment anew, whatever an interrupted run left behind."""
    if importlib.util.find_spec("ensurepip") is None:
        sys.exit(
            "scripts/setup: this Python has no venv module;"
            " apt-get install -y python3-venv"
        )
    say(f"making {environment}")
    venv.create(environment, clear=True, with_pip=True)


def pip(python: Path, *arguments: str) -> None:
    """Run the environment's pip; its own words say what went wrong."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(
        [*command, "--quiet"], cwd=ROOT, stdout=sys.stderr, check=False
    )
    if done.returncode:
        sys.exit("scripts/setup: the installation failed; see above, then run it again")


def say(text: str) -> None:
    """Report progress, apart from what the caller's script prints."""
    print(f"scripts/setup: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
