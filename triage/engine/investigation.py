"""One call: what it found out so far, and what it still has to ask."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from triage.core.answer import Origin, assemble
from triage.core.budget import Fitted, characters
from triage.core.history import joined, looks
from triage.core.keys import finished_key
from triage.core.model import BuildContext, Change, Panic, Result, Telemetry
from triage.core.notes import history_room
from triage.core.places import (
    Finding,
    fingerprinted,
    frame_sites,
    guesses,
    oddities,
    shown_panic,
    unused_root,
)
from triage.core.remote import named_commit
from triage.core.resolve import FrameSite, Plan
from triage.core.scene import crash_scene
from triage.core.site import CrashSite
from triage.core.target import hinted
from triage.core.view import View
from triage.engine.library import Library
from triage.engine.means import Means, Repository
from triage.engine.survey import Survey
from triage.errors import FileMissing, HelperError, SourceError, TooLarge

_log = logging.getLogger(__name__)


def weight(result: Result) -> int:
    """Say about how many bytes a result takes in memory: what it shows is there twice."""
    return 2 * len(result.context) + 1000 * (1 + len(result.symbols))


class Investigation:
    """Goes from telemetry to an answer, over what its engine remembers."""

    def __init__(
        self,
        means: Means,
        repository: Repository,
        telemetry: Telemetry,
        panics: Sequence[Panic],
    ) -> None:
        self._means = means
        self._repository = repository
        self._telemetry = telemetry
        self._panics = panics
        self._warnings: list[str] = []
        self.lasting = True
        """Whether the answer would be the same again; not where something failed."""

    async def answer(self) -> Result:
        """Go all the way from the telemetry to the result."""
        result = await self._answer()
        crash = result.crash
        _log.debug(
            "%s@%s:%s line %s, %s: served from %s",
            *(crash.repo, crash.commit, crash.path, crash.line, crash.function),
            result.served_from,
        )
        return result

    async def _answer(self) -> Result:
        telemetry, commit = self._telemetry, await self._commit()
        survey = Survey(self._repository, commit, self._means.atlases)
        finding = await survey.find(telemetry, self._panics)
        self._warnings += oddities(finding)
        self._warnings += survey.unread
        self.lasting = self.lasting and not survey.passing
        self._warnings += guesses(finding, telemetry.frames)
        if telemetry.root_dir != self._repository.root_dir:
            self._warnings += unused_root(telemetry.root_dir, finding)
        build = hinted(telemetry, finding.panic)
        key = self._key(commit, build, finding)
        if key and (known := await self._known(key)):
            return known.served(known.served_from, panic=shown_panic(finding))
        tested = {p.directory for p in finding.places if p.name.endswith("_test.go")}
        library = Library(self._means, survey, build, tested)
        result = await self._resolved(finding, survey, library, commit)
        if key and self.lasting:
            self._keep(key, result)
        return result

    async def _commit(self) -> str | None:
        """Resolve the commit that is told, or that the text names, or the newest."""
        repository, revision = self._repository, self._telemetry.commit_sha
        if revision is None and repository.remote is not None:
            revision = named_commit(self._panics, repository.remote)
        commit = await repository.source.resolve(revision)
        if revision is None and repository.moves:
            self._warnings.append(
                f"no commit was named: the default branch was read, at {commit}"
            )
        return commit

    def _key(
        self, commit: str | None, build: BuildContext, finding: Finding
    ) -> bytes | None:
        """Return what the finished context is known by; None where none is kept."""
        name, told = self._repository.name, self._telemetry
        if name is None or commit is None:
            return None
        return finished_key(
            name, commit, told, finding, build=build, warnings=self._warnings
        )

    async def _known(self, key: bytes) -> Result | None:
        """Look for the finished context: in memory, then where it is kept for good."""
        known = self._means.answers.get(key)
        if known is None:
            known = await self._means.ledger.find(key)
            if known is not None:
                self._shelve(key, known)
        return known

    def _keep(self, key: bytes, result: Result) -> None:
        self._shelve(key, result)
        self._means.ledger.keep(key, result)

    def _shelve(self, key: bytes, result: Result) -> None:
        held = result.served("memory")
        self._means.answers.put(key, held, weight(held))

    async def _resolved(
        self, finding: Finding, survey: Survey, library: Library, commit: str | None
    ) -> Result:
        """Resolve anew: parse what is not parsed, walk, fit, print."""
        crash = finding.places[0]
        kind = finding.panic.kind if finding.panic else None
        view = await library.view(crash.directory, crash.name)
        self._take(view)
        site, warnings = crash_scene(view, crash, kind, self._telemetry.depth)
        self._warnings += warnings
        frames = frame_sites(finding.places)
        plan = Plan(
            site,
            frames,
            directory_of=survey.directory_of,
            max_frames=self._telemetry.frames,
            related=self._telemetry.related,
            message=finding.panic.message if finding.panic else "",
        )
        await self._supply(plan, frames, survey, library)
        asked = self._asks_history(commit)
        budget = self._telemetry.max_tokens or 0
        fitted = plan.finish(
            budget,
            warned=tuple(dict.fromkeys(self._warnings)),
            history=history_room(characters(budget)) if asked else 0,
        )
        self._warnings += plan.warnings
        pieces = [shown.snippet for shown in fitted.shown if shown.snippet]
        printed = await self._means.parser.print(pieces) if pieces else []
        served_from = library.served_from[crash.directory]
        changes = await self._history(site, fitted, commit) if asked else ()
        origin = replace(self._origin(finding, commit, served_from), history=changes)
        return assemble(site, fitted, printed, origin)

    def _asks_history(self, commit: str | None) -> bool:
        """Tell whether git is asked for the history; warn where it should be and is not."""
        if not self._telemetry.history:
            return False
        if self._repository.history is None:
            self._warnings.append("no history: it takes a local clone and a commit")
            return False
        return commit is not None

    async def _history(
        self, site: CrashSite, fitted: Fitted, commit: str | None
    ) -> tuple[Change, ...]:
        """Ask who changed what is shown."""
        history = self._repository.history
        if history is None or commit is None:
            return ()
        try:
            return joined(await history.changes(commit, looks(site, fitted)))
        except SourceError as error:
            self.lasting = False
            self._warnings.append(f"no history: {error}")
            return ()

    async def _supply(
        self, plan: Plan, frames: Sequence[FrameSite], survey: Survey, library: Library
    ) -> None:
        """Hand the plan the packages it wants until it wants no more."""
        focus = {frame.directory: frame.file for frame in reversed(frames)}
        while True:
            wanted = plan.wants()
            while await survey.settle():
                wanted = plan.wants()
            if not wanted:
                return
            views = await asyncio.gather(
                *(library.view(d, focus.get(d)) for d in wanted),
                return_exceptions=True,
            )
            for directory, view in zip(wanted, views, strict=True):
                plan.supply(directory, self._view_or_none(directory, view))

    def _view_or_none(self, directory: str, view: View | BaseException) -> View | None:
        """Warn where a package beside the crash's cannot be had."""
        if isinstance(view, SourceError | HelperError | TooLarge):
            self.lasting = self.lasting and isinstance(view, FileMissing)
            self._warnings.append(f"package {directory} left out: {view}")
            return None
        if isinstance(view, BaseException):
            raise view
        self._take(view, beside=True)
        return view

    def _take(self, view: View, *, beside: bool = False) -> None:
        """Take over a package's problems; *beside* the crash's they say which file's."""
        start = f"{view.directory}/" if beside and view.directory else ""
        self._warnings += [
            f"{start}{text}" if text.partition(" ")[0].endswith(".go") else text
            for text in view.problems
        ]
        self.lasting = self.lasting and not view.passing

    def _origin(self, finding: Finding, commit: str | None, served_from: str) -> Origin:
        crash = finding.places[0]
        return Origin(
            repo=self._telemetry.repo,
            commit=commit,
            module_path=crash.located.module_path if crash.located else crash.path,
            panic=shown_panic(finding),
            functions=fingerprinted(finding),
            served_from=served_from,
            warnings=tuple(dict.fromkeys(self._warnings)),
        )
