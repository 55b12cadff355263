"""A debate that would ask itself through a gateway, and requests that are sent again after they were refused."""

import asyncio
from pathlib import Path

import pytest

from folkmoot.app.endpoint.retries import MINUTE, Retries
from folkmoot.models.transport import INSTANCE
from folkmoot.testing.scripted import ScriptedModel
from tests.council.agents import own_place
from tests.web.test_model_endpoint import QUESTION, place_of
from tests.web.web_kit import WORDS, until


async def test_a_question_of_a_debate_that_a_gateway_sends_on_begins_no_debate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_place(tmp_path, monkeypatch)
    tea = ScriptedModel(lambda request: WORDS, name="guest:tea")
    async with place_of(tmp_path, real=False, beat=60, tea=tea) as (web, _):
        first = await web.ann.post("/v1/chat/completions", json={"model": "folkmoot/fast", "messages": QUESTION})
        question = [{"role": item.role, "content": item.text} for item in tea.history[0].messages]
        body = {"model": "folkmoot/fast", "messages": question}
        sent_on = await web.ann.post("/v1/chat/completions", json=body)
        itself = await web.ann.post("/v1/chat/completions", json=body, headers={"Folkmoot-Via": INSTANCE})
        another = await web.ann.post("/v1/chat/completions", json=body, headers={"Folkmoot-Via": "another"})
    assert first.status_code == another.status_code == 200  # the server of somebody else may ask
    errors = [response.json()["error"] for response in (sent_on, itself)]
    assert [error["code"] for error in errors] == ["recursion", "recursion"]
    assert errors[0]["message"].startswith("this is a question of a debate, sent on by a gateway")


async def test_who_was_refused_and_tries_again_gets_no_answer_of_somebody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_place(tmp_path, monkeypatch)
    monkeypatch.setattr("folkmoot.app.run.runner.MOST_OWN", 1)
    body = {"model": "folkmoot/slow", "messages": QUESTION}
    async with place_of(tmp_path, beat=60) as (web, slow):

        async def send(count: int) -> tuple[int, str]:
            headers = {"x-stainless-retry-count": str(count)}
            answer = await web.ann.post("/v1/chat/completions", json=body, headers=headers)
            return answer.status_code, answer.headers.get("x-folkmoot-debate", "")

        async with asyncio.TaskGroup() as group:
            one = group.create_task(send(0))
            await until(slow.asked.is_set)
            assert await send(0) == (429, "")
            slow.go.set()
            await until(one.done)
            again = await send(1)
        assert again[0] == one.result()[0] == 200
        assert again != one.result()


async def test_a_retry_goes_to_a_refused_request_first_then_to_one_without_an_answer() -> None:
    now = [0.0]
    retries = Retries(clock=lambda: now[0])
    for debate in ("answered", "lost", "also answered", ""):
        first = retries.add("x", 0)
        first.debate = debate
        first.ready.set()
    for debate in ("answered", "also answered"):
        retries.answered(debate)
    assert [await retries.find("x", 1) for _ in range(4)] == ["", "lost", "also answered", "answered"]
    late = retries.add("x", 0)
    late.ready.set()
    now[0] = MINUTE + 1
    assert await retries.find("x", 1) is None, "nobody tries again after so long"
    begins = retries.add("y", 0)
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(retries.find("y", 1))
        await asyncio.sleep(0)
        begins.ready.set()
    assert waiting.result() == ""
