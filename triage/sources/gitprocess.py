"""Run git, with an environment of its own and bounded in time.

A stranger's repository may carry a configuration that names commands to run. Nothing
that is called here looks at the index, the work tree, attributes or hooks, and the
environment shuts the ways that are left: fetching a missing object from a promisor
remote above all.
"""

import asyncio
import os
import re
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from triage.errors import SourceError, SourceTimeout
from triage.sources.gitstreams import Output, Streams, streams
from triage.spawning import Process, spawn
from triage.together import together

MINIMUM = (2, 38)
"""`git cat-file --batch-command -z` came with this version."""
_INHERITED = ("PATH", "HOME", "XDG_CONFIG_HOME")
_GRACE = 2.0
_PIECE = 1 << 16
_TURNS = 5
_VERSION = re.compile(r"(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class GitOutput:
    """What one git command said."""

    code: int
    out: bytes
    error: str
    """Standard error, without line ends at its end."""


def git_env() -> dict[str, str]:
    """Make git's environment: nothing inherited but where programs and HOME are.

    HOME is kept for the user's own `safe.directory`. The promisor's remote is shut
    twice, because GIT_NO_LAZY_FETCH is younger than the oldest git that will do.
    """
    kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return kept | {
        "GIT_ALLOW_PROTOCOL": "",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
    }


@dataclass(frozen=True, slots=True)
class GitProcess:
    """A running git with its streams."""

    process: Process
    streams: Streams

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """What it is asked."""
        return self.streams.stdin

    @property
    def stdout(self) -> Output:
        """What it answers."""
        return self.streams.stdout

    @property
    def stderr(self) -> Output:
        """What it complains of."""
        return self.streams.stderr

    def kill(self) -> None:
        """Kill it and what it started; it leads a session, and so a group, of its own.

        Where it has ended and nobody holds its streams there is nothing to kill: its
        number may be another's.
        """
        if self.process.returncode is None or self.streams.are_held():
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)


async def start_git(directory: Path, *arguments: str) -> GitProcess:
    """Start `git -C directory`."""
    command = ("git", "--no-pager", "-C", str(directory), *arguments)
    try:
        async with streams() as (ours, theirs):
            process = spawn(
                command,
                stdin=theirs.stdin,
                stdout=theirs.stdout,
                stderr=theirs.stderr,
                env=git_env(),
                # An interrupt at the terminal is ours to handle, not git's.
                start_new_session=True,
            )
            return GitProcess(process, ours)
    except FileNotFoundError as error:
        wanted = ".".join(map(str, MINIMUM))
        raise SourceError(
            f"git is not on the PATH; install git {wanted} or later"
        ) from error
    except OSError as error:
        raise SourceError(f"git does not start: {error.strerror}") from error


async def run_git(directory: Path, *arguments: str, seconds: float = 20.0) -> GitOutput:
    """Run one git command to its end; *seconds* is how long it may take."""
    git = await start_git(directory, *arguments)
    try:
        async with asyncio.timeout(seconds):
            git.stdin.close()
            out, said = await together([git.stdout.read(), git.stderr.read()])
            await git.process.wait()
    except TimeoutError as error:
        raise SourceTimeout(f"git {arguments[0]} took over {seconds:g} s") from error
    finally:
        await end_process(git)
    code = git.process.returncode
    return GitOutput(-1 if code is None else code, out, text_of(said))


async def first_words(
    directory: Path, *arguments: str, until: bytes, seconds: float = 20.0
) -> bytes:
    """Read what git says until it says *until*, its last piece alone; then end it."""
    git, last = await start_git(directory, *arguments), b""
    try:
        async with asyncio.timeout(seconds):
            while until not in last and (data := await git.stdout.read(_PIECE)):
                last = last[-len(until) :] + data
    except TimeoutError as error:
        raise SourceTimeout(f"git {arguments[0]} took over {seconds:g} s") from error
    finally:
        await end_process(git)
    return last


async def end_process(git: GitProcess, *, grace: float = 0.0) -> None:
    """End a git: by closing its input within *grace* seconds, else by force."""
    git.stdin.close()
    if not await _ended(git, grace):
        git.kill()
        await _ended(git, _GRACE)
    for _ in range(_TURNS):
        if not git.streams.are_held():
            break
        await asyncio.sleep(0)  # the ends of its streams are about to be read
    git.kill()
    # Left open, they would be closed when the event loop no longer is.
    git.streams.close()
    await asyncio.sleep(0)


async def git_version() -> tuple[int, ...] | None:
    """Ask git for its version, None where it does not say."""
    said = await run_git(Path("/"), "version")
    match = _VERSION.search(text_of(said.out))
    return tuple(map(int, match.groups())) if match else None


async def explain_death(last_words: str) -> str:
    """Say why a git child ended, in one line: too old, or its own last words."""
    version = await git_version()
    if version and version < MINIMUM:
        said, wanted = (".".join(map(str, one)) for one in (version, MINIMUM))
        return f"git {said} is too old; install git {wanted} or later"
    lines = last_words.splitlines()
    return f"git stopped: {lines[-1] if lines else 'it did not say why'}"


def text_of(data: bytes) -> str:
    """Decode what git said for people."""
    return data.decode("utf-8", "replace").rstrip("\n")


async def _ended(git: GitProcess, seconds: float) -> bool:
    """Wait for the end, not for ever."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await git.process.wait()
            return True
    return False
