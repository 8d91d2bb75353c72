"""The helper as the engine sees it: always there, whatever its processes do.

Calls are pure, so that one whose generation died is tried again; `blame` says where
and whether.
"""

import asyncio
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from triage._version import __version__
from triage.core.model import BuildContext, Package, Snippet
from triage.core.table import SCHEMA
from triage.core.wire import (
    Hello,
    PrintRequest,
    Reply,
    Request,
    SymbolsRequest,
)
from triage.errors import (
    HelperDied,
    HelperError,
    HelperProtocolError,
    HelperQuarantined,
    HelperTimeout,
    HelperUnavailable,
    HelperVersionMismatch,
)
from triage.helper.blame import QUARANTINED, Blame, Rules
from triage.helper.launch import Launch, Limits, binary_path, child_environment
from triage.helper.process import Child
from triage.ports import Clock, Parser

_log = logging.getLogger("triage.helper")


class Helper(Parser):
    """Child processes as a parser: one for all calls, and one for each suspect.

    Made inside a running event loop; *command* is the helper's, None the binary that
    was installed with Triage. The first call, or `hello`, starts a child.
    """

    def __init__(
        self,
        command: Sequence[str] | None = None,
        *,
        version: str = __version__,
        schema: int = SCHEMA,
        limits: Limits | None = None,
        rules: Rules | None = None,
        clock: Clock | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        limits = limits or Limits()
        self._clock = clock or asyncio.get_running_loop()
        self._command = tuple(command or ())
        self._launch = partial(
            Launch,
            environment=child_environment(os.environ if environ is None else environ),
            version=version,
            schema=schema,
            limits=limits,
            clock=self._clock,
        )
        self._blame = Blame(rules or Rules())
        self._slots = asyncio.BoundedSemaphore(limits.slots)
        self._starting = asyncio.Lock()  # one start of the shared child at a time
        self._shared: Child | None = None
        self._children: set[Child] = set()  # those whose end is still to be seen
        self._closed = False
        self.deaths = 0
        """Children that ended without being told to."""

    def __repr__(self) -> str:
        return f"<Helper, {len(self._children)} children>"

    async def hello(self) -> Hello:
        """Return what the helper was built with, starting it where need be."""
        self._admit()
        return (await self._started()).hello

    async def symbols(
        self,
        package: Package,
        context: BuildContext,
        focus: str | None,
        *,
        import_path: str = "",
    ) -> bytes:
        """Return the symbol table of *package* as JSON; see `triage.ports.Parser`."""
        request = SymbolsRequest(
            directory=package.directory,
            import_path=import_path,
            goos=context.goos,
            goarch=context.goarch,
            tags=context.tags,
            tests=context.tests,
            focus=focus,
            files=tuple((file.name, file.data) for file in package.files),
        )
        return (await self._call(request)).body

    async def print(self, snippets: Sequence[Snippet]) -> list[str]:
        """Print pieces of source, in the order asked; see `triage.ports.Parser`."""
        if not snippets:
            return []
        reply = await self._call(PrintRequest(tuple(snippets)))
        texts = reply.result.get("texts")
        if not isinstance(texts, list) or len(texts) != len(snippets):
            raise HelperProtocolError(f"the helper did not print {len(snippets)} texts")
        return [str(text) for text in texts]

    async def close(self) -> None:
        """End all processes; bounded in time. Calls in work may still be answered."""
        self._closed = True
        await asyncio.gather(*(child.close() for child in self._children))

    async def _call(self, request: Request) -> Reply:
        request.check()
        self._admit()
        async with self._slots:
            self._admit()  # the wait may have been long
            return await self._answer(request)

    def _admit(self) -> None:
        if self._closed:
            raise HelperUnavailable("the Go helper has been shut down")
        wait = self._blame.refusal(self._clock.time())
        if wait is not None:
            raise HelperUnavailable(
                f"the Go helper died too often of late; try again in {wait:.0f} s"
            )

    async def _answer(self, request: Request) -> Reply:
        """Try a call and, where types cannot be checked, do without them.

        The type checker knows inputs that it has no end with, be it of time, stack or
        memory. The rest of the helper has none, so that such a package is answered.
        """
        try:
            return await self._try_twice(request)
        except (HelperTimeout, HelperQuarantined) as err:
            if not (isinstance(request, SymbolsRequest) and request.types):
                raise
            self._blame.convict(self._clock.time(), request)
            _log.warning("package %r is read without types: %s", request.directory, err)
        return await self._try_twice(replace(request, types=False))

    async def _try_twice(self, request: Request) -> Reply:
        """Try a call and, where its generation died, try it once more, alone."""
        alone = self._suspected(request)
        try:
            return await self._ask(request, alone=alone)
        except (HelperDied, HelperProtocolError) as err:
            self._suspected(request, err)
        try:
            return await self._ask(request, alone=True)
        except (HelperDied, HelperProtocolError) as err:
            self._suspected(request, err)
            raise

    def _suspected(self, request: Request, fault: HelperError | None = None) -> bool:
        """Say whether an input has a strike; raise where it has its last one."""
        strikes = self._blame.strikes(self._clock.time(), request)
        if strikes >= QUARANTINED:
            told = f"; it said: {fault}" if fault else ""
            raise HelperQuarantined(
                "this input has ended the Go helper twice and is not tried again" + told
            ) from fault
        return strikes > 0

    async def _ask(self, request: Request, *, alone: bool) -> Reply:
        if not alone:
            return await (await self._started()).call(request)
        child = self._new_child()
        try:
            await child.start()
            reply = await child.call(request)
        except BaseException:
            child.kill()
            raise
        self._blame.acquit(request)
        await child.close()
        return reply

    async def _started(self) -> Child:
        """Return the child for all calls, of a new generation where need be."""
        async with self._starting:
            if self._shared is None or not self._shared.usable:
                child = self._new_child()
                await child.start()
                self._shared = child
            return self._shared

    def _new_child(self) -> Child:
        if self._closed:
            raise HelperUnavailable("the Go helper has been shut down")
        # Looked for when it is needed: what is cached is served without a helper.
        command = self._command or (binary_path(),)
        child = Child(self._launch(command=command), self._died)
        self._children.add(child)
        child.life.add_done_callback(lambda _: self._children.discard(child))
        return child

    def _died(self, reason: HelperError, suspects: tuple[Request, ...]) -> None:
        self.deaths += 1
        if not isinstance(reason, HelperVersionMismatch):
            self._blame.death(self._clock.time(), suspects)
