"""Settings: what wins, where it is read from, and what is said about bad values."""

from pathlib import Path

import pytest

from triage import config
from triage.config import Settings
from triage.core.projects import Match, Project
from triage.errors import ConfigError

VARIABLES = ("TRIAGE_DATA_DIR", "TRIAGE_MAX_TOKENS", "TRIAGE_LOG_LEVEL")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch):
    """Give each test a home of its own and no variables."""
    for name in (*VARIABLES, *(f"{name}_FILE" for name in VARIABLES), "TRIAGE_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path / "home"


@pytest.fixture
def user_file(home: Path):
    """Return a writer of the user's own triage.toml."""

    def write(text: str) -> Path:
        path = home / ".config" / "triage" / "triage.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_without_anything_the_defaults_stand(home):
    """Nothing set gives the documented defaults."""
    assert Settings.from_env() == Settings(
        data_dir=home / ".local" / "share" / "triage",
        max_tokens=3000,
        log_level="warning",
        projects=(),
        config_file=None,
    )


def test_file_sets_and_variable_wins(user_file, monkeypatch):
    """A variable is stronger than the file, which is stronger than the default."""
    path = user_file('max_tokens = 500\nlog_level = "debug"\n')
    monkeypatch.setenv("TRIAGE_MAX_TOKENS", "700")
    settings = Settings.from_env()
    assert (settings.max_tokens, settings.log_level) == (700, "debug")
    assert settings.config_file == path


def test_empty_variable_counts_as_unset(user_file, monkeypatch):
    """An empty variable leaves the file's value."""
    user_file("max_tokens = 500\n")
    monkeypatch.setenv("TRIAGE_MAX_TOKENS", "")
    assert Settings.from_env().max_tokens == 500


def test_value_may_stand_in_a_file_that_a_variable_names(tmp_path, monkeypatch):
    """NAME_FILE gives a file's content, without the newline that editors add."""
    secret = tmp_path / "level"
    secret.write_text("error\r\n")
    monkeypatch.setenv("TRIAGE_LOG_LEVEL_FILE", str(secret))
    assert Settings.from_env().log_level == "error"


def test_named_file_wins_over_all_places(tmp_path, user_file, monkeypatch):
    """TRIAGE_CONFIG is read in place of the directory's file and the user's own."""
    user_file("max_tokens = 100\n")
    (tmp_path / "triage.toml").write_text("max_tokens = 200\n")
    named = tmp_path / "other.toml"
    named.write_text("max_tokens = 300\n")
    monkeypatch.setenv("TRIAGE_CONFIG", str(named))
    assert Settings.from_env(tmp_path).max_tokens == 300


def test_directory_comes_before_the_users_file(tmp_path, user_file):
    """A service's working directory is looked at first, when it is given."""
    user_file("max_tokens = 100\n")
    assert Settings.from_env(tmp_path).max_tokens == 100
    (tmp_path / "triage.toml").write_text("max_tokens = 200\n")
    assert Settings.from_env(tmp_path).max_tokens == 200


def test_working_directory_is_not_looked_at_unasked(tmp_path, monkeypatch):
    """A file in the repository under analysis changes nothing."""
    (tmp_path / "triage.toml").write_text("max_tokens = 200\n")
    monkeypatch.chdir(tmp_path)
    assert Settings.from_env().max_tokens == 3000


def test_xdg_bases_are_followed_where_absolute(tmp_path, monkeypatch):
    """XDG_CONFIG_HOME and XDG_DATA_HOME move file and data; relative ones do not."""
    base = tmp_path / "xdg"
    (base / "triage").mkdir(parents=True)
    (base / "triage" / "triage.toml").write_text("max_tokens = 900\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(base))
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    settings = Settings.from_env()
    assert settings.max_tokens == 900
    assert settings.data_dir == tmp_path / "home" / ".local" / "share" / "triage"


def test_mac_keeps_data_in_the_library(home, monkeypatch):
    """The data directory is the platform's."""
    monkeypatch.setattr("sys.platform", "darwin")
    expected = home / "Library" / "Application Support" / "triage"
    assert Settings.from_env().data_dir == expected


def test_user_without_a_home_has_to_say_where_data_goes(monkeypatch):
    """A container's nameless user gets a cure, and with it everything works."""

    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nobody)
    with pytest.raises(ConfigError, match="set TRIAGE_DATA_DIR"):
        Settings.from_env()
    monkeypatch.setenv("TRIAGE_DATA_DIR", "/var/lib/triage")
    assert Settings.from_env().data_dir == Path("/var/lib/triage")


def test_tilde_is_the_home(home, user_file):
    """A path in the file may begin with a tilde, which no shell expands there."""
    user_file('data_dir = "~/cache"\n')
    assert Settings.from_env().data_dir == home / "cache"


def test_projects_come_in_the_order_of_the_file(user_file):
    """Each [[project]] table becomes a Project with what it matches."""
    user_file("""
[[project]]
name = "shop"
repo = "acme/shop"
root_dir = "backend"
release = "shop@(?P<sha>[0-9a-f]{7,40})"
match = {service = ["shop"], module = ["example.com/shop"], labels = {team = "a"}}
[[project]]
name = "mail"
repo = "acme/mail"
[project.match]
sentry_project = ["mail", "mail-eu"]
""")
    assert Settings.from_env().projects == (
        Project(
            name="shop",
            repo="acme/shop",
            root_dir="backend",
            release="shop@(?P<sha>[0-9a-f]{7,40})",
            match=Match(
                service=("shop",), module=("example.com/shop",), labels={"team": "a"}
            ),
        ),
        Project(
            name="mail",
            repo="acme/mail",
            match=Match(sentry_project=("mail", "mail-eu")),
        ),
    )


PROJECT = '[[project]]\nname = "x"\nrepo = "a/b"\n'


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("max_tokens = 0", "max_tokens: Expected `int` >= 100; give a whole number"),
        ("max_tokens = 1000001", "max_tokens: Expected `int` <= 1000000; give a whole"),
        ('max_tokens = "3"', "max_tokens: Expected `int`, got `str`; give a whole"),
        ("data_dir = 3", "data_dir: Expected a string, got 3; give the path"),
        ('data_dir = "~no-one-here/x"', "data_dir: '~no-one-here/x' names no home"),
        ('log_level = "INFO"', "log_level: Invalid enum value 'INFO'; give debug,"),
        ("max_token = 3", "unknown key 'max_token'; did you mean max_tokens?"),
        ("zzz = 3", "unknown key 'zzz'; remove it; there are: anthropic_"),
        ("max_tokens = ", "Invalid value (at end of document); mend it, or name"),
        ("[project]\n", "project: Expected `array`, got `object`; give [[project]]"),
        ('[[project]]\nname = "x"', "project: Object missing required field `repo`"),
        (PROJECT + "colour = 1", "project x: unknown key 'colour'; remove it;"),
        (
            PROJECT + "match = {servicex = []}",
            "project x: match: unknown key 'servicex';",
        ),
        (PROJECT + 'release = "("', "project: `release` is no regular expression"),
        (PROJECT + 'release = "x"', "project: `release` has no group (?P<sha>...)"),
    ],
)
def test_bad_file_gives_one_line_with_file_key_and_cure(user_file, text, complaint):
    """A value that cannot be used is named with its file, on one line."""
    path = user_file(text)
    with pytest.raises(ConfigError) as caught:
        Settings.from_env()
    message = str(caught.value)
    assert message.startswith(f"{path}: {complaint}")
    assert "\n" not in message


@pytest.mark.parametrize("value", ["lots", "300.5", "-1", "99"])
def test_bad_variable_is_named_with_its_cure(monkeypatch, value):
    """A variable that cannot be converted is named, its value is not shown."""
    monkeypatch.setenv("TRIAGE_MAX_TOKENS", value)
    with pytest.raises(ConfigError, match=r"^TRIAGE_MAX_TOKENS: Expected") as caught:
        Settings.from_env()
    assert str(caught.value).endswith(
        "give a whole number from 100 to 1000000, or remove it"
    )


def test_variable_and_its_file_exclude_each_other(monkeypatch):
    """Set twice, a value is not guessed."""
    monkeypatch.setenv("TRIAGE_MAX_TOKENS", "1")
    monkeypatch.setenv("TRIAGE_MAX_TOKENS_FILE", "/dev/null")
    with pytest.raises(ConfigError, match="both set; unset one of them"):
        Settings.from_env()


@pytest.mark.parametrize("name", ["TRIAGE_CONFIG", "TRIAGE_MAX_TOKENS_FILE"])
def test_named_file_has_to_be_readable(tmp_path, monkeypatch, name):
    """A file that is asked for and not there, or not text, is an error."""
    path = tmp_path / "settings"
    monkeypatch.setenv(name, str(path))
    with pytest.raises(ConfigError, match=r"No such file or directory.*name another"):
        Settings.from_env()
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        Settings.from_env()


def test_default_map_gives_each_command_the_settings(user_file):
    """Click finds every setting that has a variable under each command's name."""
    user_file('max_tokens = 500\ndata_dir = "/d"\n')
    values = {
        "data_dir": Path("/d"),
        "max_tokens": 500,
        "log_level": "warning",
        "github_token": None,
        "github_app_id": None,
        "github_app_key": None,
        "github_app_installation": None,
        "github_url": "https://api.github.com",
        "model": "",
        "openai_api_key": None,
        "openai_base_url": None,
        "anthropic_api_key": None,
        "anthropic_base_url": None,
        "redis_url": None,
        "repos": "",
        "token": None,
        "webhook_secret": None,
        "github_webhook_secret": None,
        "sentry_secret": None,
        "sentry_token": None,
        "sentry_url": "https://sentry.io",
        "sink_url": None,
        "sink_secret": None,
        "issues": "",
        "retention_days": 30.0,
    }
    assert Settings.from_env().default_map(["context", "doctor"]) == {
        "context": values,
        "doctor": values,
    }


SECRETS = ("TOKEN", "WEBHOOK_SECRET", "GITHUB_WEBHOOK_SECRET", "SENTRY_SECRET")


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_of_the_service_come_from_anywhere_and_do_not_show(
    name, tmp_path, user_file, monkeypatch
):
    """A variable, a file that a variable names, triage.toml; never a message."""
    field = name.lower()
    user_file(f'{field} = "in-toml"\n')
    assert getattr(Settings.from_env(), field) == "in-toml"
    secret = tmp_path / "secret"
    secret.write_text("in-file,next\n")
    monkeypatch.setenv(f"TRIAGE_{name}_FILE", str(secret))
    settings = Settings.from_env()
    assert getattr(settings, field) == "in-file,next"
    assert "in-file" not in repr(settings)
    monkeypatch.delenv(f"TRIAGE_{name}_FILE")
    monkeypatch.setenv(f"TRIAGE_{name}", "in-variable")
    assert getattr(Settings.from_env(), field) == "in-variable"


@pytest.mark.parametrize("field", ["repos", *(name.lower() for name in SECRETS)])
def test_several_values_may_be_a_list(field, user_file):
    """TOML has one; what it holds is text, and never told."""
    user_file(f'{field} = ["acme/shop=/srv/a,b", "acme/*"]\n')
    assert getattr(Settings.from_env(), field) == ("acme/shop=/srv/a,b", "acme/*")
    user_file(f'{field} = ["s3cret", 1]\n')
    with pytest.raises(ConfigError, match=field) as caught:
        Settings.from_env()
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("days", ["0", "-1", "nan", "soon"])
def test_retention_is_a_number_of_days(days, monkeypatch):
    """Less than nothing is none."""
    monkeypatch.setenv("TRIAGE_RETENTION_DAYS", days)
    with pytest.raises(ConfigError, match="a number of days"):
        Settings.from_env()


def test_every_field_with_a_variable_follows_the_naming_rule():
    """A variable is its field in upper case, but for the names that others own."""
    for name, variable, wants in config._settable():
        assert variable in {f"TRIAGE_{name.upper()}", name.upper()}
        assert wants


def test_directory_that_may_not_be_read(unprivileged):
    """Settings that may be there but not be seen are not passed over."""
    directory = unprivileged / ".config" / "triage"
    directory.mkdir(parents=True)
    directory.chmod(0)
    with pytest.raises(ConfigError, match=r"triage\.toml cannot be looked for \(Perm"):
        Settings.from_env()
    directory.chmod(0o700)


def test_file_where_a_directory_would_be(home):
    """A file in the place of the user's directory holds no settings."""
    home.mkdir()
    (home / ".config").write_text("")
    assert Settings.from_env().config_file is None
