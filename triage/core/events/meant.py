"""Which code base is meant: what was told, with what the projects add to it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from triage.core.events.clues import Clues, is_commit, released_commit
from triage.core.model import Frame, Panic, Telemetry
from triage.core.names import split_function
from triage.core.panics import own_frames
from triage.core.projects import Project

_Test = Callable[[Project], bool]
_NOTHING: Final = Telemetry(repo="")
_LONGEST: Final = 500
"""Of a release's name; on longer ones an expression might search for ever."""


def meant(
    clues: Clues,
    panic: Panic | None,
    projects: Sequence[Project],
    told: Telemetry = _NOTHING,
) -> Telemetry | None:
    """Return *told* with repository, commit and directory; None without a repository.

    A repository that was told is never replaced: a project of another one adds nothing.
    """
    project = find_project(clues, panic, projects)
    repo = clues.repo or (project.repo if project else None)
    if not repo:
        return None
    root_dir = clues.root_dir
    if root_dir is None and project is not None:
        root_dir = project.root_dir or None
    return replace(
        told,
        repo=repo,
        commit_sha=clues.commit_sha
        or (panic.revision if panic else None)
        or commit(clues.versions, project),
        root_dir=root_dir,
    )


def find_project(
    clues: Clues, panic: Panic | None, projects: Sequence[Project]
) -> Project | None:
    """Return the first that matches: by module, service, Sentry's project, labels.

    Where the repository was told only its own projects count, and one alone need not
    match.
    """
    repo = clues.repo
    if repo is not None:
        projects = [p for p in projects if p.repo.lower() == repo.lower()]
    for test in _tests(clues, panic):
        found = next((project for project in projects if test(project)), None)
        if found is not None:
            return found
    return projects[0] if repo is not None and len(projects) == 1 else None


def commit(versions: Sequence[str], project: Project | None) -> str | None:
    """Return the commit that a release's name tells, as the project has it."""
    versions = [version for version in versions if len(version) <= _LONGEST]
    for version in versions:
        found = project.commit_of(version) if project else None
        if found and is_commit(found):
            return found
    return next(filter(None, map(released_commit, versions)), None)


def _tests(clues: Clues, panic: Panic | None) -> tuple[_Test, ...]:
    frames = _own(panic)
    return (
        lambda p: any(_in_module(f, m) for m in p.match.module for f in frames),
        lambda p: clues.service in p.match.service,
        lambda p: not set(clues.sentry_project).isdisjoint(p.match.sentry_project),
        lambda p: (
            bool(p.match.labels) and p.match.labels.items() <= clues.labels.items()
        ),
    )


def _own(panic: Panic | None) -> tuple[Frame, ...]:
    """Leave out Go's own, vendored and downloaded code: its commit is another."""
    if panic is None or panic.crashed is None:
        return ()
    frames = panic.crashed.frames
    return tuple(frames[number] for number in own_frames(panic))


def _in_module(frame: Frame, module: str) -> bool:
    """Tell by package, or by path for package main, whether *frame* is of *module*."""
    package = split_function(frame.function).package
    if package != "main":
        return package == module or package.startswith(f"{module}/")
    path = f"/{frame.file or ''}".replace("\\", "/")
    return f"/{module}/" in path
