"""The pages' routes: who is not logged in is asked to, and errors are pages too."""

import asyncio
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode

import msgspec
from aiohttp import web
from jinja2 import Environment, PackageLoader, StrictUndefined

from triage._version import __version__
from triage.errors import NotAuthenticated, TriageError, Unknown
from triage.service.around import Handler
from triage.service.keys import BODIES, GATE, INBOX, REQUEST_ID
from triage.service.listing import event_filter, id_of, incident_filter
from triage.service.pages import login, views
from triage.service.problems import retry_after, status_of
from triage.store import Event, Incident

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self';"
        " base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
_STATES: Final = ("received", "working", "waiting", "done", "failed")
_FILES: Final = {"style.css": "text/css", "icon.svg": "image/svg+xml"}
_LONGEST_FORM: Final = 4_096


@dataclass(frozen=True, slots=True)
class Site:
    """What all pages share. *tokens* let people in; none: whoever asks from here."""

    links: views.Links
    tokens: Sequence[bytes]
    tries: login.Tries
    environment: Environment


SITE = web.AppKey("SITE", Site)


def add_pages(app: web.Application, *, tokens: Sequence[str], site: str) -> None:
    """Add the pages to *app*; *site* is the address that shows repositories."""
    environment = Environment(
        loader=PackageLoader("triage.service.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "ago": views.ago,
        "machine": views.machine,
        "moment": views.moment,
        "version": __version__,
        "visible": views.visible,
    }
    app[SITE] = Site(
        views.Links(site), [one.encode() for one in tokens], login.Tries(), environment
    )
    add = app.router.add_route
    add("GET", "/", _page(_incidents))
    add("GET", "/incidents", _page(_first))
    add("GET", "/incidents/{id}", _page(_incident))
    add("GET", "/events", _page(_events))
    add("GET", "/events/{id}", _page(_event))
    add("GET", "/login", _page(_ask, open_to_all=True))
    add("POST", "/login", _page(_log_in, open_to_all=True))
    add("POST", "/logout", _page(_log_out, open_to_all=True))
    for name, kind in _FILES.items():
        add("GET", f"/static/{name}", _file(name, kind))


def _page(handler: Handler, *, open_to_all: bool = False) -> Handler:
    """Put around a page what all have: the door, errors as pages, the headers."""

    async def checked(request: web.Request) -> web.StreamResponse:
        try:
            request.app[GATE].check_place(request)
            _refuse_other_sites(request)
            if open_to_all or _is_in(request):
                response = await handler(request)
            else:
                query = urlencode({"next": login.inside(request.path_qs)})
                response = _moved(f"/login?{query}")
        except TriageError as error:
            response = _failed(request, error)
        response.headers.update(_HEADERS)
        return response

    return checked


def _refuse_other_sites(request: web.Request) -> None:
    """Refuse a form that another site has sent."""
    origin = request.headers.get("Origin")
    if request.method != "POST" or origin is None:
        return
    if origin.partition("://")[2] != request.headers.get("Host", ""):
        raise NotAuthenticated("a form is taken from this service's own pages alone")


def _is_in(request: web.Request) -> bool:
    """Tell whether whoever asks has logged in, or need not."""
    site = request.app[SITE]
    if not site.tokens or request.app[GATE].bears_token(request):
        return True
    cookie = request.cookies.get(login.COOKIE, "")
    return login.is_good(cookie, site.tokens, request.app[INBOX].now())


# -- pages


async def _incidents(request: web.Request) -> web.StreamResponse:
    inbox, (wanted, cursor, limit) = request.app[INBOX], incident_filter(request)
    page = await inbox.incidents(wanted, cursor, limit)
    depth = await inbox.depth()
    return _shown(
        request,
        "incidents.html",
        incidents=[(one, views.title(one)) for one in page.items],
        depth={
            state: depth.get(state, 0) for state in ("received", "working", "waiting")
        },
        wanted=wanted,
        filtered=any((wanted.repo, wanted.kind, wanted.function)),
        older=_older(request, page.next),
    )


async def _first(_: web.Request) -> web.StreamResponse:
    return _moved("/")


async def _incident(request: web.Request) -> web.StreamResponse:
    inbox, site = request.app[INBOX], request.app[SITE]
    incident = await inbox.incident(id_of(request))
    if incident is None:
        raise Unknown("there is no incident of that id")
    turn = _turn(request, incident)
    explained = None
    if incident.contexts:
        context = incident.contexts[turn]
        # Highlighting takes some milliseconds: other requests go on meanwhile.
        explained = await asyncio.to_thread(_explained, context, site.links)
    return _shown(
        request,
        "incident.html",
        incident=incident,
        title=views.title(incident),
        commits=[
            (one, site.links.commit(incident.repo, one)) for one in incident.commits
        ],
        turn=turn,
        explained=explained,
    )


async def _events(request: web.Request) -> web.StreamResponse:
    state, cursor, limit = event_filter(request)
    page = await request.app[INBOX].events(state, cursor, limit)
    return _shown(
        request,
        "events.html",
        events=page.items,
        state=state,
        states=_STATES,
        older=_older(request, page.next),
    )


async def _event(request: web.Request) -> web.StreamResponse:
    event: Event | None = await request.app[INBOX].event(id_of(request))
    if event is None:
        raise Unknown("there is no event of that id")
    return _shown(request, "event.html", event=event, hint=views.hint(event))


async def _ask(request: web.Request) -> web.StreamResponse:
    onward = login.inside(request.query.get("next", "/"))
    if _is_in(request):
        return _moved(onward)
    return _shown(request, "login.html", onward=onward, wrong="")


async def _log_in(request: web.Request) -> web.StreamResponse:
    site, form = request.app[SITE], await _form(request)
    onward = login.inside(form.get("next", "/"))
    if site.tries.are_too_many():
        return _shown(
            request,
            "login.html",
            HTTPStatus.TOO_MANY_REQUESTS,
            onward=onward,
            wrong="Too many tries; wait a moment.",
        )
    given, known = form.get("token", "").encode("utf-8", "replace"), None
    for token in site.tokens:
        if hmac.compare_digest(given, token):
            known = token
    if known is None:
        await site.tries.wait()
        return _shown(
            request,
            "login.html",
            HTTPStatus.UNAUTHORIZED,
            onward=onward,
            wrong="That is not the token.",
        )
    response = _moved(onward)
    response.set_cookie(
        login.COOKIE,
        login.made(known, request.app[INBOX].now()),
        max_age=login.LASTS,
        httponly=True,
        samesite="Strict",
        secure=login.is_over_tls(request),
        path="/",
    )
    return response


async def _log_out(_: web.Request) -> web.StreamResponse:
    response = _moved("/login")
    response.del_cookie(login.COOKIE, path="/")
    return response


# -- parts


async def _form(request: web.Request) -> Mapping[str, str]:
    """Read a small form; what is none has no fields."""
    async with request.app[BODIES].read(request, _LONGEST_FORM) as body:
        text = body.raw.decode("utf-8", "replace")
    if request.content_type != "application/x-www-form-urlencoded":
        return {}
    return dict(parse_qsl(text))


def _turn(request: web.Request, incident: Incident) -> int:
    """Tell which of an incident's contexts is wanted; the newest is the first."""
    wanted = request.query.get("context", "1")
    if wanted.isascii() and wanted.isdigit() and len(wanted) < 4:  # noqa: PLR2004 - there are ten
        return min(max(int(wanted), 1), max(len(incident.contexts), 1)) - 1
    return 0


def _explained(context: bytes, links: views.Links) -> views.Explained | None:
    """Make what is shown of a context; None for one of another version."""
    try:
        return views.explained(context, links)
    except msgspec.DecodeError:
        return None


def _older(request: web.Request, cursor: str | None) -> str | None:
    """Link the next page of the same list."""
    if cursor is None:
        return None
    kept = {name: value for name, value in request.query.items() if name != "cursor"}
    return f"{request.path}?{urlencode({**kept, 'cursor': cursor}, quote_via=quote)}"


def _shown(
    request: web.Request,
    template: str,
    status: HTTPStatus = HTTPStatus.OK,
    **values: Any,
) -> web.Response:
    site = request.app[SITE]
    text = site.environment.get_template(template).render(
        now=request.app[INBOX].now(),
        logged_in=bool(site.tokens) and _is_in(request),
        **values,
    )
    return web.Response(
        text=text, status=status, content_type="text/html", charset="utf-8"
    )


def _failed(request: web.Request, error: TriageError) -> web.StreamResponse:
    """Show an error as a page."""
    status, now = status_of(error), request.app[INBOX].now()
    ours = status == HTTPStatus.INTERNAL_SERVER_ERROR
    if ours:
        raise error  # logged, and told as all that is ours
    response = _shown(
        request,
        "problem.html",
        status,
        title=status.phrase,
        detail=str(error),
        name=request[REQUEST_ID],
    )
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = str(retry_after(error, now))
    return response


def _moved(path: str) -> web.Response:
    """Send the browser on; it asks for the other page with GET."""
    return web.Response(status=HTTPStatus.SEE_OTHER, headers={"Location": path})


def _file(name: str, kind: str) -> Handler:
    """Serve a file of the package's own; it changes with the version alone."""
    data = (files("triage.service.pages") / "static" / name).read_bytes()

    async def serve(_: web.Request) -> web.StreamResponse:
        headers = {"Cache-Control": "public, max-age=86400"}
        return web.Response(body=data, content_type=kind, headers=headers)

    return serve
