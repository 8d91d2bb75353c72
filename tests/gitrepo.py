"""Real repositories, filled by tests."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


class GitRepo:
    """A real repository that a test fills."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(
        self,
        *arguments: str,
        data: bytes | None = None,
        date: str = "2026-01-02T03:04:05Z",
    ) -> str:
        """Run git here and give its output."""
        env = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_DATE": date,
        }
        identity = ("-c", "user.name=Tess", "-c", "user.email=tess@example.com")
        done = subprocess.run(
            ["git", *identity, "-c", "init.defaultBranch=main", *arguments],
            cwd=self.path,
            env=env,
            input=data,
            capture_output=True,
            check=True,
        )
        return done.stdout.decode().strip()

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Put files into the work tree."""
        for name, content in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(
        self,
        files: Mapping[str, str | bytes] | None = None,
        message: str = "change",
        date: str = "2026-01-02T03:04:05Z",
    ) -> str:
        """Commit the work tree, with *files* written first; give the id."""
        self.write(files or {})
        self.git("add", "--all", "--force")
        self.git("commit", "-q", "--allow-empty", "-m", message, date=date)
        return self.git("rev-parse", "HEAD")
