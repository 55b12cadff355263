"""The web application: routes, guard and error handlers, and the OpenAPI description with problems and examples.

``examples.json`` has one request and its answer for each operation, with long texts and lists cut. ``fields.json`` has
what a field means wherever it stands, and under ``Type.field`` what it means there only.
"""

import json
import re
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import cast

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError, WebSocketRequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp

from folkmoot.app.brief.json_schema import definitions
from folkmoot.app.endpoint.endpoint import Endpoint
from folkmoot.app.endpoint.endpoint_errors import EndpointError, endpoint_error
from folkmoot.app.plan.settings import Config, lock_place
from folkmoot.app.run.dispatcher import Dispatcher
from folkmoot.app.run.queue_runner import open_runner
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.live import Live
from folkmoot.app.serve.spending import Spending
from folkmoot.core.errors import FolkmootError
from folkmoot.web import debate_routes, entry_routes, learned_routes, pages, people_routes, read_routes
from folkmoot.web.auth import Authenticator
from folkmoot.web.guard import Guard
from folkmoot.web.model_api import model_routes, response_routes
from folkmoot.web.problems import MEDIA, Problem, answer, error_answer, invalid, is_model_api, problem_of
from folkmoot.web.schemas import Data
from folkmoot.web.site import PREFIX, Owner, ServerState

PROBLEM: Mapping[str, object] = {MEDIA: {"schema": {"$ref": "#/components/schemas/ProblemBody"}}}

EXAMPLES = "web/examples.json"

FIELDS = "web/fields.json"

ATTRIBUTE = re.compile(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", re.MULTILINE)
"""What the docstring of a type says of a field."""

JSON = "application/json"

REFERENCES = "#/components/schemas/"
"""Where the schemas stand in the description."""


def describe(app: FastAPI) -> Data:
    """The OpenAPI description: every error is a problem, and every route needs authentication."""
    if app.openapi_schema is None:
        openapi = app.openapi()
        examples = cast("dict[str, Data]", _packaged(EXAMPLES))
        for methods in cast("dict[str, dict[str, Data]]", openapi["paths"]).values():
            for operation in methods.values():
                _show(operation, examples.get(str(operation["operationId"]), {}))
                for status, response in cast("dict[str, Data]", operation["responses"]).items():
                    if int(status) >= 400:
                        response["content"] = dict(PROBLEM)
        parts = cast("Data", openapi["components"])
        parts["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer", "description": "The token of a program or of a share link."},
            "session": {
                "type": "apiKey",
                "in": "cookie",
                "name": "folkmoot_session_8323",
                "description": "The session of the web app; the name ends with the port.",
            },
        }
        openapi["security"] = [{"token": []}, {"session": []}]
        schemas = cast("dict[str, Data]", parts["schemas"])
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        _describe_fields(schemas)
        _define_briefs(schemas)
    return cast("Data", app.openapi_schema)


def _packaged(name: str) -> Data:
    return json.loads(files("folkmoot").joinpath(name).read_text("utf-8"))


def _describe_fields(schemas: Mapping[str, Data]) -> None:
    """Give each field its sentence: of its own, or from the docstring of its type, or from ``fields.json``."""
    meanings = cast("dict[str, str]", _packaged(FIELDS))
    for name, schema in schemas.items():
        summary, _, attributes = str(schema.get("description", "")).partition("\n\nAttributes:\n")
        documented = {field: " ".join(words.split()) for field, words in ATTRIBUTE.findall(attributes)}
        if summary:
            schema["description"] = _as_markdown(summary)
        for field, kind in cast("dict[str, Data]", schema.get("properties", {})).items():
            qualified_name = f"{name.rpartition('__')[2]}.{field}"
            words = documented.get(field) or meanings.get(qualified_name) or meanings.get(field, "")
            kind.setdefault("description", _as_markdown(words[:1].upper() + words[1:]))


def _as_markdown(docstring: str) -> str:
    """Words of a docstring as Markdown and for readers of JSON."""
    return re.sub(r"\bNone\b", "null", docstring.replace("``", "`"))


def _define_briefs(schemas: dict[str, "Data"]) -> None:
    """Say what keys a brief as JSON may have, from the table that the reader of briefs uses."""
    for schema in tuple(schemas.values()):
        properties = cast("dict[str, dict[str, list[Data]]]", schema.get("properties", {}))
        kinds = properties.get("brief", {}).get("anyOf", [])
        kinds[:] = [{"$ref": f"{REFERENCES}Brief"} if kind.get("type") == "object" else kind for kind in kinds]
    schemas.update(definitions(REFERENCES))


def _show(operation: Data, example: Data) -> None:
    """Add the examples of an operation: parameters, the request's body, and the answer in each form."""
    data = cast("Data", example.get("parameters", {}))
    for parameter in cast("list[Data]", operation.get("parameters", [])):
        if parameter["name"] in data:
            parameter["example"] = data[str(parameter["name"])]
    if body := cast("Data", operation.get("requestBody", {})):
        _add_examples(cast("dict[str, Data]", body["content"]), {JSON: example.get("request")}.items())
    for status, response in cast("dict[str, Data]", operation["responses"]).items():
        if int(status) < 400:
            examples = {JSON: example.get("answer"), **cast("Data", example.get("answers", {}))}
            _add_examples(cast("dict[str, Data]", response["content"]), examples.items())


def _add_examples(content: Mapping[str, Data], examples: Iterable[tuple[str, object]]) -> None:
    for kind, example in examples:
        if example is not None and kind in content:
            content[kind]["example"] = example


ABOUT = """Structured debates among language models, on the record.

Send a program's token as `Authorization: Bearer …`. Errors are problem details (RFC 9457); `code` never changes.
"""


@asynccontextmanager
async def open_site(
    workspace: Workspace,
    config: Config,
    *,
    hosts: Iterable[str],
    most: int | None = None,
    queue: Dispatcher | None = None,
) -> AsyncGenerator[ServerState]:
    """Open a server over a workspace, for the time of the context; its debates are paused at the end.

    Args:
        workspace: the workspace; it is not closed.
        config: the owner's settings.
        hosts: the accepted values of the header ``Host``.
        most: debates in parallel; None for the owner's setting.
        queue: the queue of the workers; None where the server runs the debates.
    """
    serving = config.serve
    runner = open_runner(workspace, config, limit=most or serving.parallel, reserved=1, queue=queue)
    live, hosts = Live(workspace), frozenset(host.lower() for host in hosts)
    async with runner:
        yield ServerState(
            runner=runner,
            live=live,
            auth=Authenticator(serving.tokens, sessions=_sessions_file(workspace)),
            spending=Spending(runner, serving.daily),
            serving=serving,
            hosts=hosts,
            endpoint=Endpoint(presets=config.presets, default=serving.default_preset, hosts=hosts),
            started=workspace.clock(),
        )
        live.close()


def _sessions_file(workspace: Workspace) -> Path | None:
    """Where the hashes of sessions are kept: beside a file of records; None for a database."""
    location = lock_place(workspace.store)
    return Path(f"{location}.sessions") if location and "://" not in location else None


def make_app(site: ServerState) -> ASGIApp:
    """The application behind its guard."""
    return Guard(routes(), site)


def routes() -> FastAPI:
    """The application without its guard; the guard connects it to a server."""
    app = FastAPI(
        title="Folkmoot",
        version=metadata.version("folkmoot"),
        description=ABOUT,
        openapi_url=None,  # it is a route with a right, as all others
        docs_url=None,  # it would load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
    )
    # Not included as routers, so that all routes with their rights are in one list.
    for router in (
        debate_routes.router,
        entry_routes.router,
        people_routes.router,
        read_routes.router,
        people_routes.shares_router,
        learned_routes.router,
        read_routes.library_router,
        model_routes.router,
        response_routes.router,
    ):
        app.router.routes.extend(router.routes)

    @app.get(f"{PREFIX}/openapi.json", include_in_schema=False)
    async def openapi(holder: Owner) -> Data:  # pyright: ignore[reportUnusedFunction]
        return describe(app)

    app.router.routes.extend(pages.router.routes)
    _catch(app)
    return app


def _catch(app: FastAPI) -> None:
    """Answer every error with a problem."""

    def folkmoot(connection: HTTPConnection, error: Exception) -> JSONResponse:
        if is_model_api(connection.scope["path"]):
            return error_answer(endpoint_error(cast("FolkmootError", error)))
        return answer(problem_of(cast("FolkmootError", error)))

    def endpoint(connection: HTTPConnection, error: Exception) -> JSONResponse:
        return error_answer(cast("EndpointError", error))

    def problem(connection: HTTPConnection, error: Exception) -> JSONResponse:
        return answer(cast("Problem", error), connection.scope["path"])

    def wrong(connection: HTTPConnection, error: Exception) -> JSONResponse:
        return answer(invalid(cast("RequestValidationError", error).errors()), connection.scope["path"])

    def http(connection: HTTPConnection, error: Exception) -> JSONResponse:
        httpexception = cast("HTTPException", error)
        headers: Mapping[str, str] = httpexception.headers or {}
        if httpexception.status_code == 405:
            methods = pages.allowed(app.routes, path := connection.scope["path"])
            if is_model_api(path) and not methods:
                sentence = f"there is no {path[:80]}; there are /v1/models, /v1/chat/completions and /v1/responses"
                return answer(Problem(404, sentence), path)
            headers = {"Allow": ", ".join(methods)}
        problem = Problem(httpexception.status_code, str(httpexception.detail), headers=headers)
        return answer(problem, connection.scope["path"])

    def internal(connection: HTTPConnection, error: Exception) -> JSONResponse:
        problem = Problem(500, "an internal error; the records are not affected")  # the guard logs it
        return answer(problem, connection.scope["path"])

    app.add_exception_handler(Exception, internal)
    app.add_exception_handler(FolkmootError, folkmoot)
    app.add_exception_handler(EndpointError, endpoint)
    app.add_exception_handler(Problem, problem)
    app.add_exception_handler(RequestValidationError, wrong)
    app.add_exception_handler(WebSocketRequestValidationError, wrong)
    app.add_exception_handler(HTTPException, http)
