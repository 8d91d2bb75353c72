"""The settings: flags before `TRIAGE_*` variables before `triage.toml`.

Nothing else reads the environment or the file, and neither is ever taken from the
repository under analysis. Flags come on top by way of click's `default_map`.
"""

import difflib
import os
import stat
import sys
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import msgspec

from triage.core.projects import Match, Project
from triage.errors import ConfigError

CONFIG_VARIABLE = "TRIAGE_CONFIG"
"""Names the file to read in place of the user's own; it has to be there."""

MOST_TOKENS = 1_000_000
"""The largest budget: more than any package needs or any model takes."""


def _setting(variable: str, wants: str) -> dict[str, str]:
    """Describe a field: the variable that sets it, and what may stand there."""
    return {"variable": variable, "wants": wants}


def _home() -> Path | None:
    """Return the home directory; a bare container user has none."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def _user_directory(variable: str, *fallback: str) -> Path | None:
    """Return Triage's directory below an XDG base, None without a home.

    https://specifications.freedesktop.org/basedir-spec: a relative base is ignored.
    """
    base = Path(os.environ.get(variable, ""))
    if base.is_absolute():
        return base / "triage"
    home = _home()
    return home.joinpath(*fallback, "triage") if home else None


def _data_directory() -> Path:
    """Return the platform's place for a user's data."""
    mac = sys.platform == "darwin"
    fallback = ("Library", "Application Support") if mac else (".local", "share")
    found = _user_directory("XDG_DATA_HOME", *fallback)
    if found is None:
        raise ConfigError("there is no home directory; set TRIAGE_DATA_DIR")
    return found


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set; `from_env` fills it, tests build it by hand."""

    data_dir: Path = field(
        default_factory=_data_directory,
        metadata=_setting("TRIAGE_DATA_DIR", "the path of a directory"),
    )
    """Where the caches and the inbox live."""
    max_tokens: Annotated[int, msgspec.Meta(ge=100, le=MOST_TOKENS)] = field(
        default=3000,
        metadata=_setting("TRIAGE_MAX_TOKENS", "a whole number from 100 to 1000000"),
    )
    """The budget of one context, a token counted as 3.5 characters."""
    log_level: Literal["debug", "info", "warning", "error"] = field(
        default="warning",
        metadata=_setting("TRIAGE_LOG_LEVEL", "debug, info, warning or error"),
    )
    github_token: str | None = field(
        default=None,
        repr=False,
        metadata=_setting("GITHUB_TOKEN", "a token of GitHub's"),
    )
    """Without it, and without an App, GitHub is asked as anyone may: rarely."""
    github_app_id: str | None = field(
        default=None, metadata=_setting("TRIAGE_GITHUB_APP_ID", "the App's id")
    )
    """A GitHub App; all three parts are set or none."""
    github_app_key: str | None = field(
        default=None,
        repr=False,
        metadata=_setting("TRIAGE_GITHUB_APP_KEY", "the App's private key as PEM"),
    )
    github_app_installation: int | None = field(
        default=None,
        metadata=_setting(
            "TRIAGE_GITHUB_APP_INSTALLATION", "the installation's number"
        ),
    )
    github_url: str = field(
        default="https://api.github.com",
        metadata=_setting("TRIAGE_GITHUB_URL", "the root of the API"),
    )
    """`https://HOST/api/v3` for GitHub Enterprise."""
    model: str = field(
        default="",
        metadata=_setting("TRIAGE_MODEL", "anthropic/NAME or openai/NAME"),
    )
    """The model of `diagnose`."""
    openai_api_key: str | None = field(
        default=None, repr=False, metadata=_setting("OPENAI_API_KEY", "a key")
    )
    openai_base_url: str | None = field(
        default=None,
        metadata=_setting(
            "OPENAI_BASE_URL", "the root of a server that speaks this API"
        ),
    )
    anthropic_api_key: str | None = field(
        default=None, repr=False, metadata=_setting("ANTHROPIC_API_KEY", "a key")
    )
    anthropic_base_url: str | None = field(
        default=None,
        metadata=_setting(
            "ANTHROPIC_BASE_URL", "the root of a server that speaks this API"
        ),
    )
    redis_url: str | None = field(
        default=None,
        repr=False,
        metadata=_setting("TRIAGE_REDIS_URL", "redis://HOST:PORT/DATABASE"),
    )
    """A cache that many machines share, behind the one on disk; None for none."""
    repos: str | tuple[str, ...] = field(
        default="",
        metadata=_setting("TRIAGE_REPOS", "OWNER/NAME, OWNER/* or OWNER/NAME=PATH"),
    )
    """What the service may read; empty means nothing. Here and below what is several is
    comma separated, or a list."""
    token: str | tuple[str, ...] | None = field(
        default=None,
        repr=False,
        metadata=_setting("TRIAGE_TOKEN", "one secret, or two while rotating"),
    )
    """The bearer token of the service."""
    webhook_secret: str | tuple[str, ...] | None = field(
        default=None,
        repr=False,
        metadata=_setting("TRIAGE_WEBHOOK_SECRET", "one secret, or two while rotating"),
    )
    github_webhook_secret: str | tuple[str, ...] | None = field(
        default=None,
        repr=False,
        metadata=_setting(
            "TRIAGE_GITHUB_WEBHOOK_SECRET", "one secret, or two while rotating"
        ),
    )
    sentry_secret: str | tuple[str, ...] | None = field(
        default=None,
        repr=False,
        metadata=_setting("TRIAGE_SENTRY_SECRET", "one secret, or two while rotating"),
    )
    sentry_token: str | None = field(
        default=None,
        repr=False,
        metadata=_setting("TRIAGE_SENTRY_TOKEN", "a token that may read events"),
    )
    """For events that Sentry's webhooks only point at."""
    sentry_url: str = field(
        default="https://sentry.io",
        metadata=_setting("TRIAGE_SENTRY_URL", "the root of Sentry"),
    )
    """The one host that the token goes to."""
    sink_url: str | None = field(
        default=None, metadata=_setting("TRIAGE_SINK_URL", "a web address")
    )
    """Is told of incidents by the service."""
    sink_secret: str | None = field(
        default=None, repr=False, metadata=_setting("TRIAGE_SINK_SECRET", "a key")
    )
    issues: str | tuple[str, ...] = field(
        default="",
        metadata=_setting("TRIAGE_ISSUES", "OWNER/NAME or OWNER/*, comma separated"),
    )
    """Repositories in which the service makes issues."""
    retention_days: Annotated[float, msgspec.Meta(gt=0)] = field(
        default=30.0,
        metadata=_setting("TRIAGE_RETENTION_DAYS", "a number of days"),
    )
    """How long the raw bodies of webhooks are kept once they are done with."""
    no_cache: bool = False
    """Keep nothing, in memory or on disk, and read nothing that was kept."""
    projects: tuple[Project, ...] = ()
    """In the order of the file, which is the order in which they are tried."""
    config_file: Path | None = None
    """The `triage.toml` that was read, None where there is none."""

    def __post_init__(self) -> None:
        """Refuse a *data_dir* that SQLite could not take."""
        try:
            str(self.data_dir).encode()
        except UnicodeEncodeError as error:
            raise ConfigError(
                "the data directory's name is not UTF-8; name another with --data-dir"
                " or TRIAGE_DATA_DIR"
            ) from error

    @classmethod
    def from_env(cls, directory: Path | None = None) -> "Settings":
        """Read the variables, and the file where they say nothing.

        *directory* is one more place for the file, tried before the user's own: the
        service gives its working directory. Raises `ConfigError`.
        """
        path = _find_config(directory)
        values = _from_file(path) if path else {}
        for name, variable, wants in _settable():
            given = _read_variable(variable)
            if given:
                values[name] = _convert(*given, name, wants, strict=False)
        return cls(**values, config_file=path)

    def default_map(self, commands: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return click's `default_map` for a group of *commands*.

        A command takes from it what it has options for.
        """
        values = {name: getattr(self, name) for name, _, _ in _settable()}
        return {command: dict(values) for command in commands}


def _settable() -> list[tuple[str, str, str]]:
    """List the fields that have a variable: field, variable, what it wants."""
    return [
        (item.name, item.metadata["variable"], item.metadata["wants"])
        for item in fields(Settings)
        if item.metadata
    ]


def _read_variable(name: str) -> tuple[str, str] | None:
    """Return a variable's value and where it stood; an empty one counts as unset."""
    value, path = os.environ.get(name), os.environ.get(f"{name}_FILE")
    if value and path:
        raise ConfigError(f"{name} and {name}_FILE are both set; unset one of them")
    if path:
        text = _read_text(Path(path), f"{name}_FILE names {path}")
        return text.rstrip("\r\n"), f"{name}_FILE"
    return (value, name) if value else None


def _read_text(path: Path, what: str) -> str:
    """Read a small file that *what* leads to."""
    try:
        return path.read_text("utf-8")
    except OSError as error:
        reason = error.strerror
    except ValueError:
        reason = "it is not UTF-8, or its name is no path"
    raise ConfigError(
        f"{what}, which cannot be read ({reason}); make it readable or name another"
    )


def _find_config(directory: Path | None) -> Path | None:
    """Choose the file to read: the named one, *directory*'s, the user's own."""
    named = os.environ.get(CONFIG_VARIABLE)
    if named:
        return Path(named)
    for place in (directory, _user_directory("XDG_CONFIG_HOME", ".config")):
        if place and _is_there(place / "triage.toml"):
            return place / "triage.toml"
    return None


def _is_there(path: Path) -> bool:
    """Tell whether there is a file; one that may not be looked for might matter."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be looked for ({error.strerror}); make its directory"
            f" readable, or name another file in {CONFIG_VARIABLE}"
        ) from error


def _from_file(path: Path) -> dict[str, Any]:
    """Read the settings of a TOML file, converted and checked."""
    try:
        table = tomllib.loads(_read_text(path, f"the settings file is {path}"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            f"{path}: {error}; mend it, or name another file in {CONFIG_VARIABLE}"
        ) from error
    wanted = {name: wants for name, _, wants in _settable()}
    _refuse_unknown(table, {*wanted, "project"}, str(path))
    values = {
        name: _convert(table[name], f"{path}: {name}", name, wants, strict=True)
        for name, wants in wanted.items()
        if name in table
    }
    if "project" in table:
        values["projects"] = _projects(table["project"], f"{path}: project")
    return values


def _projects(raw: object, origin: str) -> tuple[Project, ...]:
    """Convert the `[[project]]` tables; a mistyped key would silently match nothing."""
    wants = "[[project]] tables with at least name and repo"
    projects: tuple[Project, ...] = _convert(
        raw, origin, "projects", wants, strict=True
    )
    for table in msgspec.convert(raw, list[dict[str, Any]]):
        where = f"{origin} {table['name']}"
        _refuse_unknown(table, _names(Project), where)
        _refuse_unknown(table.get("match", {}), _names(Match), f"{where}: match")
    return projects


def _names(cls: type[Project | Match]) -> list[str]:
    return [item.name for item in fields(cls)]


def _refuse_unknown(
    table: Mapping[str, object], known: Collection[str], origin: str
) -> None:
    """Raise for the first key that nothing reads, with the nearest that is."""
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            cure = f"did you mean {near[0]}?" if near else "remove it; there are: "
            cure += "" if near else ", ".join(sorted(known))
            raise ConfigError(f"{origin}: unknown key {key!r}; {cure}")


def _convert(raw: object, origin: str, name: str, wants: str, *, strict: bool) -> Any:
    """Turn a raw value into the type of field *name*; not *strict*: out of a string."""
    kind = get_type_hints(Settings, include_extras=True)[name]
    try:
        return msgspec.convert(raw, kind, strict=strict, dec_hook=_to_path)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{origin}: {error}; give {wants}, or remove it") from error


def _to_path(kind: type, raw: object) -> Path:
    """Convert what msgspec does not know: paths alone."""
    if kind is not Path or not isinstance(raw, str):
        raise ValueError(f"Expected a string, got {raw!r}")
    return _expand(raw)


def _expand(path: str) -> Path:
    """Expand a leading `~`; raises ValueError where that is nobody's."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ValueError(f"{path!r} names no home directory") from error


@dataclass(frozen=True, slots=True)
class GitHubStep:
    """The step of a job on GitHub Actions that this process is part of.

    https://docs.github.com/actions/reference/variables-reference
    """

    workspace: Path
    summary: Path | None = None
    """Takes Markdown."""
    output: Path | None = None
    """Takes `name=value` lines."""

    @classmethod
    def from_env(cls) -> "GitHubStep | None":
        """Read what the runner has set; None anywhere else."""
        if os.environ.get("GITHUB_ACTIONS") != "true":
            return None
        summary, output = map(os.environ.get, ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"))
        return cls(
            Path(os.environ.get("GITHUB_WORKSPACE") or "."),
            Path(summary) if summary else None,
            Path(output) if output else None,
        )
