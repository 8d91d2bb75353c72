"""What `triage doctor` and `/readyz` look at."""

from dataclasses import dataclass

from triage.config import Settings
from triage.errors import ConfigError, SourceError, TriageError
from triage.helper import Helper
from triage.sources.gitprocess import MINIMUM, git_version


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that `triage doctor` looked at."""

    name: str
    fine: bool
    text: str


async def examine(settings: Settings | ConfigError) -> tuple[Check, ...]:
    """Look at what Triage needs: the helper, git, the settings or why there are none."""
    return (await _helper(), await _git(), _settings(settings))


async def _helper() -> Check:
    helper = Helper()
    try:
        return await hello(helper)
    finally:
        await helper.close()


async def hello(helper: Helper) -> Check:
    """Ask a helper who it is."""
    try:
        hello = await helper.hello()
    except TriageError as error:
        return Check("helper", fine=False, text=str(error))
    text = f"version {hello.version}, schema {hello.schema}, {hello.go}"
    return Check("helper", fine=True, text=text)


async def _git() -> Check:
    try:
        version = await git_version()
    except SourceError as error:
        return Check("git", fine=False, text=str(error))
    cure = f"install git {_dotted(MINIMUM)} or later"
    if version is None:
        return Check("git", fine=False, text=f"it does not say its version; {cure}")
    if version < MINIMUM:
        text = f"{_dotted(version)} is too old; {cure}"
        return Check("git", fine=False, text=text)
    return Check("git", fine=True, text=f"version {_dotted(version)}")


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _settings(settings: Settings | ConfigError) -> Check:
    """Say where the settings are from, or why they could not be read."""
    if isinstance(settings, ConfigError):
        return Check("settings", fine=False, text=str(settings))
    origin = settings.config_file or "no triage.toml"
    return Check("settings", fine=True, text=f"{origin}; data in {settings.data_dir}")
