"""The README against the code: nothing missing, nothing made up, the example true."""

import re
from collections.abc import Iterator
from dataclasses import fields

import click
import pytest

from scripts import demo
from triage import cli
from triage.config import CONFIG_VARIABLE, Settings
from triage.errors import TriageError

TEXT = demo.README.read_text("utf-8")


def section(title: str) -> str:
    """Return the README from one `##` heading to the next."""
    _, _, rest = TEXT.partition(f"\n## {title}\n")
    return rest.partition("\n## ")[0]


def commands() -> dict[str, click.Command]:
    """Return every command by the words that call it, the top one by none."""
    found: dict[str, click.Command] = {}

    def walk(command: click.Command, path: tuple[str, ...]) -> None:
        found[" ".join(path)] = command
        if isinstance(command, click.Group):
            for name, child in command.commands.items():
                walk(child, (*path, name))

    groups = [item for item in vars(cli).values() if isinstance(item, click.Group)]
    children = [child for group in groups for child in group.commands.values()]
    (top,) = [group for group in groups if group not in children]
    walk(top, ())
    return found


def flags() -> set[str]:
    """Return the long options of all commands, without the --help that all have."""
    return {
        flag
        for command in commands().values()
        for parameter in command.params
        for flag in (*parameter.opts, *parameter.secondary_opts)
        if flag.startswith("--") and flag != "--help"
    }


def error_codes(cls: type[TriageError] = TriageError) -> Iterator[str]:
    """Yield the code of each error class, the root's first."""
    yield cls.code
    for child in cls.__subclasses__():
        yield from error_codes(child)


def test_every_command_is_in_the_readme():
    """A command that can be called is shown."""
    known = [f"`triage {path}" for path in commands() if path]
    assert [words for words in known if words not in section("Commands")] == []


def test_flags_in_the_readme_are_the_flags_there_are():
    """No flag is undocumented, and none is documented that does not exist."""
    told = "".join(map(section, ("Commands", "Replay", "CI", "Diagnosis", "Agents")))
    documented = set(re.findall(r"`(--[a-z][a-z-]*)", told))
    assert documented - {"--help"} == flags()


def test_variables_in_the_readme_are_the_variables_there_are():
    """No variable is undocumented, and none is documented that nothing reads."""
    settings = {item.metadata["variable"] for item in fields(Settings) if item.metadata}
    known = settings | {CONFIG_VARIABLE, "TRIAGE_GO"}
    documented = set(
        re.findall(r"`((?:TRIAGE|GITHUB|OPENAI|ANTHROPIC)_[A-Z_]+)`", TEXT)
    )
    assert documented == known


@pytest.mark.parametrize("code", sorted(set(error_codes())))
def test_every_error_code_is_in_the_readme(code):
    """A code that a script may meet is explained."""
    assert f"| `{code}` |" in section("Exit codes and errors")


def test_example_in_the_readme_is_what_the_command_prints(tmp_path):
    """The README's example is true; `scripts/demo --write` makes it so again."""
    demo.make_repository(tmp_path)
    assert demo.readme_example() == demo.explain(tmp_path)


def test_panic_in_the_readme_is_the_example_services():
    """The panic that the README shows is the one that the example reads."""
    assert demo.PANIC.read_text("utf-8") in TEXT
