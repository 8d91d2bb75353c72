"""`/openapi.json`: OpenAPI 3.1, made of the types that are read and written."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import msgspec
import orjson
from aiohttp import web

from triage._version import __version__
from triage.core.model import Result
from triage.service.answers import Problem
from triage.service.context import WANTS
from triage.service.problems import PROBLEM, STATUS

if TYPE_CHECKING:
    from triage.service.around import Handler
    from triage.service.routes import Route

_REF: Final = "#/components/schemas/{name}"
_JSON: Final = "application/json"
_TEXTS: Final = ("text/plain", "text/markdown")
_AGAIN: Final = frozenset({"rate-limited", "busy"})


def describe(routes: "Iterable[Route]") -> "Handler":
    """Make the handler that gives the description of *routes*, made once."""
    data = orjson.dumps(document(routes))

    async def show(_: web.Request) -> web.Response:
        return web.Response(body=data, content_type=_JSON)

    return show


def document(routes: "Iterable[Route]") -> dict[str, Any]:
    """Return the whole description."""
    routes = list(routes)
    types = list(dict.fromkeys([Problem, Result, *_types(routes)]))
    schemas, components = msgspec.json.schema_components(types, ref_template=_REF)
    components["Wanted"] = _narrowed(components["Wanted"], WANTS)
    names = dict(zip(types, schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        operation = _operation(route, names, components)
        paths.setdefault(route.path, {})[route.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Triage",
            "version": __version__,
            "description": "Turns Go panics into the source that explains them.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _narrowed(schema: Mapping[str, Any], by: Mapping[str, Any]) -> dict[str, Any]:
    """Let *by* say more of an object, and of its properties."""
    properties = {**schema["properties"], **by["properties"]}
    return {**schema, **by, "properties": properties}


def _types(routes: "Iterable[Route]") -> Iterable[type]:
    for route in routes:
        yield from (kind for kind in route.answers.values() if isinstance(kind, type))
        yield from (
            kind for kind in (route.body, route.query) if isinstance(kind, type)
        )


def _operation(
    route: "Route", names: Mapping[Any, Any], components: Mapping[str, Any]
) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": route.summary,
        "operationId": f"{route.method.lower()}{route.path.translate(_WORDS)}",
        "responses": _responses(route, names),
    }
    parameters = [*_in_path(route), *_in_query(route, components)]
    if parameters:
        operation["parameters"] = parameters
    if route.body is not None:
        operation["requestBody"] = _request_body(route, names)
    if route.access != "open":
        operation["security"] = [{"token": []}, {}]
    return operation


_WORDS: Final = str.maketrans({"/": "_", "{": "", "}": "", ".": "_"})


def _responses(route: "Route", names: Mapping[Any, Any]) -> dict[str, Any]:
    """Describe every status: the answers, and the errors by their codes."""
    found = {
        str(status): {
            "description": HTTPStatus(status).phrase,
            "content": _content(kind, names),
        }
        for status, kind in route.answers.items()
    }
    codes = dict.fromkeys([*route.codes, *_everywhere(route)])
    for status in sorted({STATUS[code] for code in codes}):
        mine = [code for code in codes if STATUS[code] == status]
        response: dict[str, Any] = {
            "description": f"{status.phrase}: {', '.join(mine)}",
            "content": {PROBLEM: {"schema": names[Problem]}},
        }
        if _AGAIN & set(mine):
            response["headers"] = {
                "Retry-After": {
                    "description": "Seconds until it is worth another try.",
                    "schema": {"type": "integer", "minimum": 1},
                }
            }
        found.setdefault(str(int(status)), response)
    return found


def _everywhere(route: "Route") -> tuple[str, ...]:
    if route.access == "open":
        return ("internal",)
    return ("unauthorized", "internal", "bad-request")


def _content(kind: Any, names: Mapping[Any, Any]) -> dict[str, Any]:
    if isinstance(kind, str):
        return {kind: {}}
    content = {_JSON: {"schema": names[kind]}}
    if kind is Result:
        content |= {media: {"schema": {"type": "string"}} for media in _TEXTS}
    return content


def _in_path(route: "Route") -> list[dict[str, Any]]:
    if "{id}" not in route.path:
        return []
    schema = {"type": "string", "pattern": "^[0-9a-f]{1,64}$"}
    return [{"name": "id", "in": "path", "required": True, "schema": schema}]


def _in_query(route: "Route", components: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Turn the query's type into parameters."""
    if route.query is None:
        return []
    properties = components[route.query.__name__]["properties"]
    return [
        {"name": name, "in": "query", "schema": schema}
        for name, schema in properties.items()
    ]


def _request_body(route: "Route", names: Mapping[Any, Any]) -> dict[str, Any]:
    if isinstance(route.body, str):
        media = {_JSON: {"schema": {"type": "object"}}}
        return {"required": True, "description": route.body, "content": media}
    return {"required": True, "content": {_JSON: {"schema": names[route.body]}}}
