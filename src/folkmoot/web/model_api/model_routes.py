"""Routes under ``/v1`` for clients of OpenAI's interface: presets as models, and a debate as an answer.

Only the tokens of programs count here; cookies are never looked at, so requests from other pages do no harm. A debate
takes minutes: streams tell its progress as reasoning, and answers that are not streamed are kept alive by blanks, which
JSON allows.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias, cast

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response
from starlette.requests import HTTPConnection

from folkmoot.app.endpoint.chat_request import read_chat
from folkmoot.app.endpoint.endpoint import Attempt
from folkmoot.app.endpoint.endpoint_errors import EndpointError
from folkmoot.app.serve.admission import Admission
from folkmoot.app.serve.request_guard import bearer
from folkmoot.web.auth import Identity
from folkmoot.web.bodies import PARSED
from folkmoot.web.model_api.held_answers import Completion, HeldAnswer, HeldStream
from folkmoot.web.model_api.pings import is_ping, pong
from folkmoot.web.problems import MODEL_API, error_answer
from folkmoot.web.schemas import Data
from folkmoot.web.site import NeedsNothing, NeedsOwner, host_of, site_of, unknown


@dataclass(frozen=True, slots=True)
class NeedsToken(NeedsOwner):
    """A dependency: the client must have the token of a program."""

    async def __call__(self, connection: HTTPConnection) -> Identity:
        """The identity of the client."""
        holder = site_of(connection).auth.of_token(bearer(connection.headers))
        if holder is None:
            raise unknown(MODEL_API)
        return holder


Program: TypeAlias = Annotated[Identity, Depends(NeedsToken())]

router = APIRouter(prefix=MODEL_API, include_in_schema=False)


@router.options("/models", dependencies=[Depends(NeedsNothing())])
@router.options("/chat/completions", dependencies=[Depends(NeedsNothing())])
async def allow() -> Response:
    """Answer a browser that asks whether a page of another address may send requests; the guard says which may."""
    return Response(status_code=204)


@router.get("/models")
async def list_models(request: Request, holder: Program) -> Data:
    """List the presets that the token may use, as models."""
    endpoint = site_of(request).endpoint
    return {"object": "list", "data": [_model(request, name) for name in endpoint.models(holder.owner)]}


@router.get("/models/{model:path}")
async def get_model(request: Request, holder: Program, model: str) -> Data:
    """Return one of them."""
    site_of(request).endpoint.preset(model, holder.owner)
    return _model(request, model)


def _model(request: Request, name: str) -> Data:
    return {"id": name, "object": "model", "created": int(site_of(request).started), "owned_by": "folkmoot"}


@router.post("/chat/completions")
async def complete(request: Request, holder: Program) -> Response:
    """Answer the last message by a debate."""
    site, body = site_of(request), await request.body()
    admission = admission_of(request, holder)
    chat = await asyncio.to_thread(read_chat, body_of(request))  # a PDF is read by another process
    if is_ping(chat):
        site.endpoint.preset(chat.model, holder.owner)  # a test of a model that is not there fails
        return pong(chat, int(site.workspace.clock()))
    begun = await site.endpoint.begin(admission, chat, attempt_of(request, body))
    if begun.joined:
        await admission.resume(begun.debate)
    completion = Completion(
        endpoint=site.endpoint,
        admission=admission,
        request=begun.request,
        begun=begun,
        base=f"{request.url.scheme}://{host_of(request)}",
        at=int(site.workspace.clock()),
    )
    if chat.stream:
        return HeldStream(completion)
    response = await _whole_answer(completion)
    if not isinstance(response, HeldAnswer) and not await request.is_disconnected():
        site.endpoint.retries.answered(begun.debate)
    return response


def admission_of(request: Request, holder: Identity) -> Admission:
    """Who admits the debates of the holder of a token."""
    site = site_of(request)
    return Admission(runner=site.runner, spending=site.spending, serving=site.serving, owner=holder.owner)


def body_of(request: Request) -> Mapping[str, object]:
    """The body of a request as an object."""
    value: object = request.scope.get(PARSED)
    if not isinstance(value, dict):
        raise EndpointError(400, "the body must be an object", "invalid_value")
    return cast("dict[str, object]", value)


_COUNT = re.compile(r"[0-9]{1,3}")


def attempt_of(request: Request, body: bytes) -> Attempt:
    """One sending of a request, by its headers."""
    count, key = request.headers.get("x-stainless-retry-count", ""), request.headers.get("idempotency-key", "")
    if len(key) > 200 or not key.isascii():
        raise EndpointError(400, "Idempotency-Key must be at most 200 letters of ASCII", param="Idempotency-Key")
    number = int(count) if _COUNT.fullmatch(count) else 0
    return Attempt(body=body, count=number, key=key, via=request.headers.get("folkmoot-via", ""))


async def _whole_answer(completion: Completion) -> Response:
    """The answer at once where the debate is short; else one that is kept alive."""
    pace = completion.endpoint.pace

    async def nothing(words: str) -> None:
        """Whoever waits for a whole answer is told nothing."""

    await completion.hold(min(pace.quiet, completion.seconds), nothing)
    state, answer = await completion.answer()
    if answer.status == "running" and completion.seconds > pace.quiet:
        return HeldAnswer(completion)
    if answer.status == "failed":
        return error_answer(completion.failure(state, answer), completion.headers)
    return JSONResponse(completion.body(answer), headers=completion.headers)
