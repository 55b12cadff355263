"""Routes of OpenAI's responses interface under ``/v1``: a debate as a response that is polled, stopped or followed.

The record is the store: a response is made anew from it each time, and so are the events of its stream.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response

from folkmoot.app.endpoint.asked import AskedFor, file_parts, find_asked
from folkmoot.app.endpoint.chat_answer import ChatAnswer, DebateState, chat_answer
from folkmoot.app.endpoint.endpoint import Begun, state_of
from folkmoot.app.endpoint.endpoint_errors import EndpointError
from folkmoot.app.endpoint.response_stream import ResponseStream
from folkmoot.app.endpoint.responses_answer import (
    PREFIX as RESPONSE,
)
from folkmoot.app.endpoint.responses_answer import (
    Event,
    ResponseFrame,
    is_over,
    output_items,
    response_body,
    response_status,
)
from folkmoot.app.endpoint.responses_request import AGAIN, previous_id, read_responses, references, with_items
from folkmoot.app.serve.live import write
from folkmoot.app.serve.settle import settle
from folkmoot.web.model_api.held_answers import Completion, Held, typed_event
from folkmoot.web.model_api.model_routes import Program, admission_of, allow, attempt_of, body_of
from folkmoot.web.model_api.pings import is_ping, response_pong
from folkmoot.web.problems import MODEL_API, error_answer
from folkmoot.web.schemas import Data
from folkmoot.web.site import NeedsNothing, host_of, site_of

router = APIRouter(prefix=MODEL_API, include_in_schema=False)

STOPPING = 2.0
"""Seconds that the answers in progress have when a response is cancelled."""


for _path in ("/responses", "/responses/{response}", "/responses/{response}/cancel"):
    router.options(_path, dependencies=[Depends(NeedsNothing())])(allow)


@router.post("/responses")
async def create(request: Request, holder: Program) -> Response:
    """Answer the input by a debate."""
    site, body = site_of(request), await request.body()
    table, admission = body_of(request), admission_of(request, holder)
    before = await _earlier_messages(request, holder, previous_id(table))
    table = with_items(table, await _earlier_items(request, holder, references(table)))
    wanted = await asyncio.to_thread(read_responses, table, before)
    attempt = replace(attempt_of(request, body), echo=wanted.echo, background=wanted.background)
    if is_ping(wanted.chat):
        site.endpoint.preset(wanted.chat.model, holder.owner)  # a test of a model that is not there fails
        return response_pong(wanted, int(site.workspace.clock()))
    begun = await site.endpoint.begin(admission, wanted.chat, attempt)
    if begun.joined:
        await admission.resume(begun.debate)
    now = int(site.workspace.clock())
    known = AskedFor(request=begun.request, at=now, echo=wanted.echo, background=wanted.background)
    responding = _responding(request, holder, begun, known)
    if wanted.chat.stream:
        return HeldEvents(responding)
    answer = await (responding.now() if wanted.background else responding.whole())
    if not isinstance(answer, HeldResponse) and not await request.is_disconnected():
        site.endpoint.retries.answered(begun.debate)
    return answer


@router.get("/responses/{response}")
async def retrieve(
    request: Request, holder: Program, response: str, stream: bool = False, starting_after: int = -1
) -> Response:
    """The response as it stands, or the rest of its stream. A debate that was cut off by a crash goes on."""
    responding = await _response_of(request, holder, response)
    state, _ = await responding.look()
    if not (state.outcome.over or state.runs or state.outcome.kind):
        await responding.completion.admission.resume(responding.completion.begun.debate)
    return HeldEvents(responding, after=starting_after) if stream else await responding.now()


@router.post("/responses/{response}/cancel")
async def cancel(request: Request, holder: Program, response: str) -> Response:
    """Stop a response after the answers in progress, and at once where these take long."""
    responding = await _response_of(request, holder, response)
    admission, debate = responding.completion.admission, responding.completion.begun.debate
    for now in (False, True):
        if await admission.runner.pause(debate, now=now):
            await settle(admission.runner, debate, STOPPING, _ignore_progress)
    return await responding.now()


async def _ignore_progress(done: float, total: float | None, activity: str) -> None:
    """Whoever cancels is told nothing."""


async def _earlier_messages(request: Request, holder: Program, response: str) -> list[Mapping[str, object]]:
    """The messages of an earlier response, and its answer."""
    if not response:
        return []
    responding = await _response_of(request, holder, response, "previous_response_id")
    _, answer = await responding.look()
    messages: list[Mapping[str, object]] = [
        {"role": item.role, "content": item.text} for item in responding.completion.request.messages
    ]
    completion = responding.completion
    if files := await file_parts(completion.admission.workspace, completion.begun.debate):
        messages.insert(0, {"role": "user", "content": files})
    return [*messages, {"role": "assistant", "content": answer.text or answer.refusal}]


async def _earlier_items(
    request: Request, holder: Program, debates: Mapping[str, str]
) -> Mapping[str, Mapping[str, object]]:
    """Items of earlier responses by their ids, which is how the input may refer to them."""
    items: dict[str, Mapping[str, object]] = {}
    for debate in dict.fromkeys(debates.values()):
        responding = await _response_of(request, holder, f"{RESPONSE}{debate}")
        for _, item in output_items(responding.frame, *await responding.look()):
            items[str(item["id"])] = items[f"{item['id']}{AGAIN}"] = item
    return items


async def _response_of(request: Request, holder: Program, response: str, param: str = "response_id") -> "Responding":
    """A response of the holder of a token; ``param`` is the part of the request that names it.

    Raises:
        EndpointError: 404 where there is none of that id for that token.
    """
    site, debate = site_of(request), response.removeprefix(RESPONSE)
    known = await find_asked(site.workspace, debate, holder.owner) if response.startswith(RESPONSE) else None
    if known is None:
        raise EndpointError(404, f"there is no response {response[:80]!r}", "not_found", param=param)
    preset = site.endpoint.preset(known.request.model, holder.owner)
    return _responding(request, holder, Begun(debate=debate, preset=preset, request=known.request), known)


def _responding(request: Request, holder: Program, begun: Begun, known: AskedFor) -> "Responding":
    completion = Completion(
        endpoint=site_of(request).endpoint,
        admission=admission_of(request, holder),
        request=begun.request,
        begun=begun,
        base=f"{request.url.scheme}://{host_of(request)}",
        at=known.at,
    )
    frame = ResponseFrame(
        debate=begun.debate,
        model=begun.request.model,
        at=known.at,
        background=known.background,
        echo=known.echo,
        told=begun.preset.progress != "none",
        spoken=begun.preset.answer == "acting" or begun.request.turn,
        facts={"report": completion.report},
    )
    return Responding(completion=completion, frame=frame)


@dataclass(frozen=True, slots=True, kw_only=True)
class Responding:
    """A response and the debate that makes it."""

    completion: Completion
    frame: ResponseFrame

    async def look(self) -> tuple[DebateState, ChatAnswer]:
        """The debate and the answer as they stand."""
        state = await state_of(self.completion.admission, self.frame.debate)
        return state, chat_answer(state, self.completion.request, self.completion.begun.preset)

    async def body(self, *, ends: bool = False) -> Data:
        """The response as it stands; with ``ends`` as one that is waited for no longer."""
        state, answer = await self.look()
        status = response_status(state, answer)
        return response_body(self.frame, state, answer, "incomplete" if ends and not is_over(status) else status)

    async def now(self) -> Response:
        """The response as it stands."""
        return JSONResponse(await self.body(), headers=self.completion.headers)

    async def whole(self) -> Response:
        """The response at its end; one that takes long is kept alive."""
        completion, pace = self.completion, self.completion.endpoint.pace

        async def nothing(words: str) -> None:
            """Whoever waits for a whole answer is told nothing."""

        await completion.hold(min(pace.quiet, completion.seconds), nothing)
        state, answer = await self.look()
        if answer.status == "running" and completion.seconds > pace.quiet:
            return HeldResponse(self)
        if answer.status == "failed":
            return error_answer(completion.failure(state, answer), completion.headers)
        return JSONResponse(await self.body(ends=True), headers=completion.headers)


class HeldResponse(Held):
    """A response that is not streamed: blanks, and JSON at the end."""

    def __init__(self, responding: Responding) -> None:
        super().__init__(responding.completion)
        self._responding = responding

    async def write_all(self, put: Callable[[bytes], Awaitable[None]]) -> None:
        """Write a blank now and then, and the response when it has ended."""
        await self.blanks(put)
        await put(write(await self._responding.body(ends=True)))


class HeldEvents(Held):
    """A stream of typed events, from a place on."""

    media_type = "text/event-stream"

    def __init__(self, responding: Responding, after: int = -1) -> None:
        super().__init__(responding.completion)
        self._responding, self._after = responding, after
        self.headers["X-Accel-Buffering"] = "no"

    async def write_all(self, put: Callable[[bytes], Awaitable[None]]) -> None:
        """Write the events as they come; the one of a debate in progress is written again as a sign of life."""
        responding, completion = self._responding, self._responding.completion
        stream = ResponseStream(responding.frame, completion.request)

        async def send(new: list[tuple[int, Event]]) -> bool:
            for n, (name, data) in new:
                if n > self._after:
                    await put(typed_event(name, n, data))
            return any(n > self._after for n, _ in new)

        async def line(words: str) -> None:
            if not stream.over and not await send(stream.look(*await responding.look())):
                begun = response_body(responding.frame, *await responding.look(), "in_progress")
                await put(
                    typed_event("response.in_progress", max(stream.number - 1, self._after, 1), {"response": begun})
                )

        async def piece(words: str) -> None:
            if not stream.over and stream.hear(words):
                if not stream.speaks:
                    await send(stream.open((await responding.look())[0]))
                await send(stream.say())

        await send(stream.look(*await responding.look()))
        if not stream.over:
            await completion.hold(completion.seconds, line, piece if completion.acts else None)
            await send(stream.look(*await responding.look(), ends=True))
