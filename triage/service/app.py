"""The application: `make_app` puts it together, and closes what it opened."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

from aiohttp import web

from triage.app import Works
from triage.config import Settings
from triage.core.allowed import read_allowed, several
from triage.core.events import Secrets
from triage.core.remote import github_hosts
from triage.service import keys
from triage.service.around import around
from triage.service.auth import Gate
from triage.service.bodies import Bodies
from triage.service.courier import Courier, sinks
from triage.service.health import LOOKOUT, Lookout
from triage.service.limits import Limits, Pace
from triage.service.metrics import Metrics
from triage.service.pages.site import add_pages
from triage.service.rendered import Rendered
from triage.service.routes import routes
from triage.service.workers import Workers, housekeeping
from triage.store import INBOX, Inbox

EngineFactory = Callable[[Settings], AbstractAsyncContextManager[Works]]


def make_app(
    engine_factory: EngineFactory,
    settings: Settings,
    *,
    limits: Limits | None = None,
    pace: Pace | None = None,
    shared_metrics: str | None = None,
    now: Callable[[], float] = time.time,
    alone: bool = True,
) -> web.Application:
    """Put the service together; what it needs is opened when it is started.

    *shared_metrics* is the directory of numbers that several processes share. Only
    where the process is *alone* with its inbox it puts back what a dead one was
    working on: else whoever started them all has done so.
    """
    limits = limits or Limits()
    app = web.Application(middlewares=[around], client_max_size=limits.hook_body)
    app[keys.LIMITS] = limits
    app[keys.BODIES] = Bodies(limits)
    app[keys.GATE] = Gate(several(settings.token), _secrets(settings))
    app[keys.HOSTS] = github_hosts(settings.github_url)
    app[keys.INBOX] = Inbox(settings.data_dir / INBOX, now=now, sinks=sinks(settings))
    app[keys.LOAD] = keys.Load()
    app[keys.METRICS] = Metrics(shared_metrics)
    app[keys.NAMES] = keys.Names()
    app[keys.PROJECTS] = settings.projects
    app[keys.RENDERED] = Rendered()
    app[LOOKOUT] = Lookout()
    for route in routes():
        app.router.add_route(route.method, route.path, route.handler)
    add_pages(
        app,
        tokens=several(settings.token),
        site=f"https://{github_hosts(settings.github_url)[-1]}",
    )
    opened = _Opened(engine_factory, settings, pace or Pace(), alone=alone)
    app.cleanup_ctx.append(opened.run)
    return app


class _Opened:
    """What lives as long as the application runs."""

    def __init__(
        self,
        engine_factory: EngineFactory,
        settings: Settings,
        pace: Pace,
        *,
        alone: bool,
    ) -> None:
        self._engine_factory = engine_factory
        self._settings = settings
        self._pace = pace
        self._alone = alone

    async def run(self, app: web.Application) -> AsyncIterator[None]:
        """Open the inbox, the engine and the workers; close them in turn."""
        inbox = app[keys.INBOX]
        inbox.open()
        try:
            if self._alone:
                await inbox.recover(self._pace.most_attempts)
            async with self._engine_factory(self._settings) as works:
                app[keys.WORKS] = works
                async with self._working(app, works):
                    yield
        finally:
            await inbox.close()

    @asynccontextmanager
    async def _working(self, app: web.Application, works: Works) -> AsyncIterator[None]:
        inbox, loop = app[keys.INBOX], asyncio.get_running_loop()
        workers = app[keys.WORKERS] = Workers(
            inbox,
            works,
            projects=app[keys.PROJECTS],
            hosts=app[keys.HOSTS],
            pace=self._pace,
            clock=loop,
            tell=app[keys.METRICS].worked,
        )
        workers.start()
        courier = Courier(
            inbox,
            works.sinks,
            issues=read_allowed(self._settings.issues),
            pace=self._pace,
            clock=loop,
        )
        courier.start()
        keeping = asyncio.create_task(
            housekeeping(
                inbox,
                days=self._settings.retention_days,
                every=self._pace.housekeeping,
                clock=loop,
            )
        )
        try:
            yield
        finally:
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping
            await workers.stop()
            await courier.stop()


def _secrets(settings: Settings) -> Secrets:
    return Secrets(
        panic=several(settings.webhook_secret),
        github=several(settings.github_webhook_secret),
        sentry=several(settings.sentry_secret),
    )
