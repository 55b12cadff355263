"""A debate that would ask itself through a gateway, which leaves out headers and names models anew."""

from pathlib import Path

import pytest

from moot.models.transport import INSTANCE
from moot.testing.scripted import ScriptedModel
from tests.council.agents import own_place
from tests.web.test_model_endpoint import QUESTION, place_of
from tests.web.web_kit import WORDS


async def test_a_question_of_a_debate_that_a_gateway_sends_on_begins_no_debate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_place(tmp_path, monkeypatch)
    tea = ScriptedModel(lambda request: WORDS, name="guest:tea")
    async with place_of(tmp_path, real=False, beat=60, tea=tea) as (web, _):
        first = await web.ann.post("/v1/chat/completions", json={"model": "moot/fast", "messages": QUESTION})
        question = [{"role": item.role, "content": item.text} for item in tea.history[0].messages]
        body = {"model": "moot/fast", "messages": question}
        sent_on = await web.ann.post("/v1/chat/completions", json=body)
        itself = await web.ann.post("/v1/chat/completions", json=body, headers={"Moot-Via": INSTANCE})
        another = await web.ann.post("/v1/chat/completions", json=body, headers={"Moot-Via": "another"})
    assert first.status_code == another.status_code == 200  # the server of somebody else may ask
    errors = [response.json()["error"] for response in (sent_on, itself)]
    assert [error["code"] for error in errors] == ["recursion", "recursion"]
    assert errors[0]["message"].startswith("this is a question of a debate, sent on by a gateway")
