"""Score contexts on real panics: whether they hold what the fix had to change.

A case is one line of JSON: where it crashed at the commit before the fix, and the
declarations that the fix changed, each with the lines of it that it changed. One counts
as held when the context shows all of those lines, as named when it shows the
declaration in any form. Cases whose repository is not among the clones are left out.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import triage
from triage.engine import Engine
from triage.errors import TriageError

BUDGETS = (1000, 1400, 2000, 3000, 5000)
Case = dict[str, Any]
Name = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Score:
    """What one context holds of one case's truth."""

    case: Case
    held: frozenset[Name]
    named: frozenset[Name]
    characters: int
    error: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Truths that are counted together."""

    title: str
    takes: Callable[[Case, Any], bool]


GROUPS = (
    Group("all", lambda case, truth: True),  # noqa: ARG005 - each is asked alike
    Group("outside", lambda case, truth: not truth["same_function_as_crash"]),  # noqa: ARG005
    Group("other package", lambda case, truth: truth["other_package"]),  # noqa: ARG005
    Group("trace", lambda case, truth: case["kind"] == "trace"),  # noqa: ARG005
    Group("constructor", lambda case, truth: case["kind"] == "constructor"),  # noqa: ARG005
    Group("guard", lambda case, truth: case["kind"] == "guard"),  # noqa: ARG005
)


def name_of(declaration: Any) -> Name:
    """Return what tells declarations apart, of a truth or of a symbol."""
    return (
        declaration["file"],
        declaration["kind"],
        declaration["name"],
        declaration.get("receiver") or "",
    )


@cache
def lines_of(repository: Path, commit: str, path: str) -> tuple[str, ...]:
    """Read a file at a commit, as lines without space at their ends."""
    command = ["git", "-C", str(repository), "show", f"{commit}:{path}"]
    shown = subprocess.run(command, capture_output=True, check=False).stdout
    return tuple(line.strip() for line in shown.decode("utf-8", "replace").split("\n"))


def telemetry(case: Case, repository: Path, budget: int) -> triage.Telemetry:
    """Say what a sender would of the crash."""
    crash = case["crash"]
    place = (
        {"trace": case["trace"]}
        if case.get("trace")
        else {"file": crash["repo_path"], "line": crash["line"]}
    )
    return triage.Telemetry(
        str(repository),
        case["parent_commit"],
        root_dir=case.get("root_dir") or "",
        max_tokens=budget,
        **place,
    )


def scored(case: Case, repository: Path, result: triage.Result) -> Score:
    """Compare a context with the truth."""
    shown = defaultdict[Name, set[str]](set)
    for symbol in json.loads(result.to_json())["symbols"]:
        if symbol["text"].strip() in result.context:
            lines = symbol["text"].splitlines()
            shown[name_of(symbol)].update(line.strip() for line in lines)
    held = set[Name]()
    for truth in case["truth"]:
        source = lines_of(repository, case["parent_commit"], truth["file"])
        wanted = {source[number - 1] for number in truth["changed"]}
        if name_of(truth) in shown and wanted <= shown[name_of(truth)]:
            held.add(name_of(truth))
    return Score(case, frozenset(held), frozenset(shown), len(result.context))


async def score(engine: Engine, case: Case, repository: Path, budget: int) -> Score:
    """Make the context of a case; one that cannot be made holds nothing."""
    try:
        result = await engine.context(telemetry(case, repository, budget))
    except TriageError as error:
        return Score(case, frozenset(), frozenset(), 0, f"{error.code}: {error}")
    return scored(case, repository, result)


def table(budget: int, scores: Sequence[Score]) -> Iterator[str]:
    """Lay the scores of one budget out."""
    sizes = [one.characters for one in scores if not one.error]
    middle = statistics.median(sizes) if sizes else 0
    yield f"{budget} tokens: {middle:.0f} characters at the median"
    for group in GROUPS:
        truths = {
            (one.case["id"], name_of(truth)): one
            for one in scores
            for truth in one.case["truth"]
            if group.takes(one.case, truth)
        }
        held = sum(name in one.held for (_, name), one in truths.items())
        named = sum(name in one.named for (_, name), one in truths.items())
        if truths:
            shares = (100 * count / len(truths) for count in (held, named))
            figures = "{:5.1f} % held {:5.1f} % named".format(*shares)
            yield f"  {group.title:14} {figures} of {len(truths)}"


async def main(arguments: argparse.Namespace) -> None:
    """Run all cases at all budgets."""
    cases = [json.loads(line) for line in arguments.cases.read_text().splitlines()]
    places = {c["repo"]: arguments.mirror / c["repo"].replace("/", "+") for c in cases}
    at_hand = [case for case in cases if (places[case["repo"]] / "repo").is_dir()]
    repositories = {case["repo"] for case in at_hand}
    sys.stdout.write(
        f"{len(at_hand)} of {len(cases)} cases, of {len(repositories)} repositories\n"
    )
    with tempfile.TemporaryDirectory() as scratch:
        settings = triage.Settings(data_dir=Path(scratch))
        async with triage.open_engine(settings) as engine:
            for budget in arguments.max_tokens or BUDGETS:
                scores = [
                    await score(engine, case, places[case["repo"]] / "repo", budget)
                    for case in at_hand
                ]
                sys.stdout.write("\n".join(table(budget, scores)) + "\n")
                for one in scores:
                    if one.error:
                        sys.stdout.write(f"  {one.case['id']}: {one.error}\n")


def parsed() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=Path, required=True, help="the cases, as JSONL")
    parser.add_argument(
        "--mirror", type=Path, required=True, help="clones, as OWNER+NAME/repo"
    )
    parser.add_argument("--max-tokens", type=int, action="append", help="a budget")
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(parsed()))
