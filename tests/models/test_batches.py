"""Providers' batch interfaces: what is odd in their answers, what is looked for on several pages, what goes live."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from folkmoot.core.agent import BatchTry, Quote
from folkmoot.core.brief import Settings
from folkmoot.core.errors import BatchPending, ModelError, Refused, Unavailable
from folkmoot.core.event import Called
from folkmoot.models.base import Message, Request
from folkmoot.models.batches.batch_tray import MOST_ITEMS, BatchPace, BatchTray
from folkmoot.models.batches.providers import AnthropicBatches, BatchApi, ItemResult, JobLook, OpenAIBatches, Requests
from folkmoot.models.names import parse
from folkmoot.models.pool import Pool
from folkmoot.models.transport import ProviderConnection
from folkmoot.record.mailbox import SideStream
from folkmoot.testing.store_checks import InMemoryStore
from tests.models.models_kit import Canned, Notebook, Page

GPT, CLAUDE = "openai:gpt-5.4-mini", "anthropic:claude-haiku-5-5"
ENV = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
ASK = Request(messages=(Message(role="user", text="Build or buy?"),))


def connection(name: str, answer: Callable[[str], object]) -> ProviderConnection:
    def page(url: str) -> Page:
        value = answer(url)
        return value if isinstance(value, Page) else Page(json.dumps(value).encode())

    return ProviderConnection(parse(name).provider, ENV, http=lambda url, proxied: Canned(page))


def openai(answer: Callable[[str], object]) -> OpenAIBatches:
    return OpenAIBatches(parse(GPT), connection(GPT, answer))


def anthropic(answer: Callable[[str], object]) -> AnthropicBatches:
    return AnthropicBatches(parse(CLAUDE), connection(CLAUDE, answer))


async def test_a_batch_without_a_name_is_no_batch() -> None:
    for api in (openai(lambda url: {}), anthropic(lambda url: {"id": 7}), openai(lambda url: {"id": "files" in url})):
        with pytest.raises(ModelError, match="sent something that is no answer"):
            await api.submit("job", {"m1": {}})
        with pytest.raises(ModelError, match="sent something that is no answer"):
            await api.look("x")


async def test_a_batch_of_openai_is_looked_for_on_all_pages_that_are_new_enough() -> None:
    def pages(url: str) -> object:
        last = "after=b9" in url
        mark = {"folkmoot_job": "mine"} if last else None
        batch = {"id": "found" if last else "b9", "metadata": mark, "created_at": 100}
        return {"data": [batch, 7], "has_more": True}

    assert await openai(pages).find("mine", [], 50.0, []) == "found"
    assert await openai(pages).find("mine", [], 150.0, []) is None
    assert await openai(pages).find("other", [], 50.0, []) is None  # after some pages


async def test_a_batch_of_anthropic_is_known_by_its_size_and_its_results() -> None:
    created = "2026-11-24T15:00:00Z"

    def pages(size: int, status: str, item: str, at: str = created) -> Callable[[str], object]:
        def page(url: str) -> object:
            if url.endswith("/results"):
                return Page(b'\n{"custom_id":"%s","result":{"type":"expired"}}\n7' % item.encode())
            counts = {"processing": size}
            batch = {"id": "b1", "processing_status": status, "request_counts": counts, "created_at": at}
            return {"data": [batch], "has_more": "after_id" not in url}

        return page

    since = 1_795_532_400.0
    assert await anthropic(pages(1, "ended", "m1")).find("", ["m1"], since, []) == "b1"
    assert await anthropic(pages(1, "ended", "m2")).find("", ["m1"], since, []) is None
    assert await anthropic(pages(1, "in_progress", "m1")).find("", ["m1"], since, []) == ""
    assert await anthropic(pages(2, "ended", "m1")).find("", ["m1"], since, []) is None
    assert await anthropic(pages(1, "ended", "m1")).find("", ["m1"], since, ["b1"]) is None
    assert await anthropic(pages(1, "ended", "m1", "soon")).find("", ["m1"], since, []) is None
    batch = {"id": "b1", "processing_status": "ended", "request_counts": {"processing": 2}, "created_at": created}
    assert await anthropic(lambda url: {"data": [batch], "has_more": True}).find("", ["m1"], since, []) is None


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (None, "/v1/messages/batches/b1/results"),
        ("https://gate.example/claude/v1/out/b1?part=1", "/v1/out/b1?part=1"),
        ("https://elsewhere.example/out/b1", "/out/b1"),
        ("out", "/v1/messages/batches/b1/results"),
    ],
)
async def test_results_of_anthropic_are_asked_for_where_it_says_and_nowhere_else(place: str | None, path: str) -> None:
    urls: list[str] = []

    def answer(url: str) -> Page:
        urls.append(url)
        return Page(json.dumps({"id": "b1", "processing_status": "ended", "results_url": place}).encode())

    env = ENV | {"ANTHROPIC_BASE_URL": "https://gate.example/claude"}
    link = ProviderConnection(parse(CLAUDE).provider, env, http=lambda url, proxied: Canned(answer))
    assert (await AnthropicBatches(parse(CLAUDE), link).look("b1")).results == {}
    assert urls[-1] == f"https://gate.example/claude{path}"


async def test_a_request_that_timed_out_at_openai_is_a_failure() -> None:
    line = json.dumps({"custom_id": "m1", "response": None, "error": {"code": "request_timeout", "message": "slow"}})
    batch = Page(b'{"id": "b", "status": "completed", "error_file_id": "f"}')
    results = (await openai(lambda url: Page(line.encode()) if "files" in url else batch).look("b")).results or {}
    assert (results["m1"].status, results["m1"].code) == ("failed", 408)


class Sketch(BatchApi):
    """A batch interface that does what a test says."""

    def __init__(self, look: JobLook | Exception | None = None, error: Exception | None = None) -> None:
        self.answer, self.error = look or JobLook(), error
        self.sent: list[dict[str, Any]] = []

    async def submit(self, job: str, requests: Requests) -> str:
        if self.error:
            raise self.error
        self.sent.append(dict(requests))
        return "h"

    async def look(self, handle: str) -> JobLook:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def find(self, job: str, items: Sequence[str], since: float, known: Sequence[str]) -> str | None:
        return None


class Clock:
    """A clock that a test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def tray_with(store: InMemoryStore, api: Sketch) -> tuple[BatchTray, list[str], Clock]:
    clock = Clock()
    tray = BatchTray(SideStream(store, "@", "jobs", clock=lambda: 1000.0), clock=clock, pace=BatchPace())
    remarks: list[str] = []
    tray.tell = remarks.append
    tray.register(GPT, api)
    return tray, remarks, clock


async def put(tray: BatchTray, *items: str) -> None:
    for item in items:
        with pytest.raises(BatchPending):
            await tray.answer(item, GPT, {"model": "x"})


async def test_two_processes_send_a_request_once_and_large_batches_are_parted() -> None:
    store, api = InMemoryStore(), Sketch(JobLook(results={"m1": ItemResult(status="answered", body=b"{}")}))
    one, _, _ = tray_with(store, api)
    two, _, clock = tray_with(store, api)
    await put(one, "m1", "m2")
    await put(two, "m1")
    async with asyncio.TaskGroup() as group:
        group.create_task(two.submit())
        group.create_task(one.submit())
    await put(one, "m2")
    await one.submit()  # all of it is at the provider already
    assert sorted(item for sent in api.sent for item in sent) == ["m1", "m2"]
    clock.now += 40.0
    await two.look_for(["m1"])  # which sees the batch end, and the other process reads its results nevertheless
    assert (await one.answer("m1", GPT, {"model": "x"})).body == b"{}"
    await put(one, *(f"n{n}" for n in range(MOST_ITEMS + 1)))
    assert not one.settled("n1")
    await one.submit()
    assert [len(sent) for sent in api.sent[-2:]] == [MOST_ITEMS, 1]


async def test_a_tray_says_how_far_a_batch_is_and_what_it_cannot_learn() -> None:
    api = Sketch(JobLook(words="in_progress", done=1))
    store = InMemoryStore()
    tray, remarks, clock = tray_with(store, api)
    await put(tray, "m1")
    await tray.submit()
    await tray.look_for(["m1", "unknown"])  # it was sent just now
    clock.now += 40.0
    assert tray.next_look(["m1"]) == 0.0
    await tray.look_for(["m1"])
    clock.now += 40.0
    await tray.look_for(["m1"])
    api.answer = Unavailable("openai failed (500)", kind="server")
    clock.now += 40.0
    await tray.look_for(["m1"])
    assert remarks == [
        f"sent a batch of 1 call to {GPT}: h",
        f"{GPT}: 1 of 1 call done (in_progress)",
        f"{GPT} does not say how far batch h is: openai failed (500)",
    ]
    stranger = BatchTray(SideStream(store, "@", "jobs", clock=clock), clock=clock)
    await stranger.look_for(["m1"])  # it has no way to the provider
    assert stranger.next_look(["unknown"]) == stranger.pace.least


async def test_results_that_the_provider_has_deleted_end_the_wait() -> None:
    gone = Refused("openai: no such file (404)", kind="not_found")
    tray, _, clock = tray_with(InMemoryStore(), Sketch(gone))
    await put(tray, "m1")
    await tray.submit()
    clock.now += 40.0
    with pytest.raises(Unavailable, match="no longer has the batch h, or its results"):
        await tray.answer("m1", GPT, {"model": "x"})


async def test_a_batch_whose_sending_takes_too_long_may_be_there() -> None:
    tray, remarks, clock = tray_with(InMemoryStore(), Sketch(error=TimeoutError()))
    await put(tray, "m1")
    await tray.submit()
    assert remarks == [f"a batch of 1 call to {GPT} was not sent: sending took more than 300 s"]
    (job,) = (await tray.jobs()).by_id.values()
    assert (job.state, job.open) == (None, True)
    assert not await tray.cancel(job)
    clock.now += tray.pace.lost + 1.0
    await tray.look_for(["m1"])
    assert remarks[1:] == [f"a batch of 1 call never reached {GPT}; it will be sent again"]


class Booked(Notebook):
    """A notebook that takes batches; ``then`` is the try behind one that fails."""

    def __init__(self, tried: BatchTry, then: BatchTry | None = None) -> None:
        super().__init__()
        self.tried, self.then = tried, then

    def batch_try(self, name: str) -> BatchTry:
        return self.tried

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        try:
            return await super().call(name, quote, send)
        except ModelError:
            self.tried = self.then or self.tried
            raise


def model_with(api: Sketch, answer: object, name: str = GPT) -> tuple[Any, BatchTray, Clock]:
    """A model whose live answers are these."""
    whole = {"choices": [{"message": {"content": answer}, "finish_reason": "stop"}], "model": "x"}
    pool = Pool(env=ENV, http=lambda url, proxied: Canned(Page(json.dumps(whole).encode())))
    tray, _, clock = tray_with(InMemoryStore(), api)
    pool.open_tray = cache(lambda: tray)
    tray.register(name, api)
    return pool.model(name), tray, clock


async def test_calls_that_do_not_fit_go_live() -> None:
    model, tray, _ = model_with(Sketch(), "live")
    tried = BatchTry(item="m1")
    assert (await model.complete(ASK, Booked(tried))).text == "live"  # batches are off
    tray.on = True
    assert (await model.complete(replace(ASK, call="repair"), Booked(tried))).text == "live"
    assert (await model.complete(ASK, Notebook())).text == "live"
    with pytest.raises(BatchPending):
        await model.complete(ASK, Booked(tried))
    tray.live = True
    assert (await model.complete(ASK, Booked(replace(tried, begun=True)))).text == "live"
    with pytest.raises(Unavailable, match="other:x is asked in place of openai"):
        await model.complete(ASK, Booked(BatchTry(item="m1", model="other:x")))


async def test_what_a_batch_says_of_a_request_becomes_an_answer_or_an_error() -> None:
    async def ask(result: ItemResult) -> Called:
        model, tray, clock = model_with(Sketch(JobLook(results={"m1": result})), "live")
        tray.on = True
        notebook = Booked(BatchTry(item="m1"))
        with pytest.raises(BatchPending):
            await model.complete(ASK, notebook)
        await tray.submit()
        clock.now += 40.0
        notebook.tried = BatchTry(item="m1", model=GPT, failures=1)
        return await model.complete(ASK, notebook)

    error = {"error": {"type": "invalid_request_error", "message": "no"}}
    with pytest.raises(Refused, match="no"):
        await ask(ItemResult(status="failed", body=json.dumps(error).encode()))
    with pytest.raises(Unavailable, match="openai failed") as caught:
        await ask(ItemResult(status="failed", body=b"{}", code=500))
    assert caught.value.kind == "overloaded"
    quote: Quote = model_with(Sketch(), "")[0].quote(ASK)
    assert quote.cost


@pytest.mark.parametrize("name", [GPT, "anthropic:claude-haiku-4-5"])
async def test_a_part_that_a_batch_refuses_is_left_out_of_the_next_one(name: str) -> None:
    error = {"type": "invalid_request_error", "message": "`temperature` is deprecated for this model."}
    refused = ItemResult(status="failed", body=json.dumps({"type": "error", "error": error}).encode())
    refused = replace(refused, code=400) if name == GPT else refused
    api = Sketch(JobLook(results={"m1": refused, "m2": refused}))
    model, tray, clock = model_with(api, "live", name)
    tray.on = True
    request = replace(ASK, settings=Settings(temperature=0.3))
    for item in ("m1", "m2"):
        with pytest.raises(BatchPending):
            await model.complete(request, Booked(BatchTry(item=item)))
    await tray.submit()
    clock.now += 40.0
    for item in ("m1", "m2"):  # both were sent before either was refused
        then = BatchTry(item=f"{item}-again", failures=1)
        with pytest.raises(BatchPending):
            await model.complete(request, Booked(BatchTry(item=item, model=name), then))
    await tray.submit()
    assert [["temperature" in body for body in batch.values()] for batch in api.sent] == [[True] * 2, [False] * 2]
