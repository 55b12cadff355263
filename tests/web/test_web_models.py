"""Models over the API: the person at the machine tests them and sees the presets; a token does neither."""

from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.brief.presets import Preset
from tests.web.web_kit import API, Slow, opened


async def test_a_model_is_tested_by_the_person_at_the_machine_alone(tmp_path: Path) -> None:
    slow = Slow()
    slow.go.set()
    async with opened(tmp_path, models={"slow": slow}) as web:
        answer = (await web.me.post(f"{API}/models/check", json={"model": "guest:slow"})).json()
        assert (answer["answers"], answer["model"]) == (True, "guest:slow")
        lost = (await web.me.post(f"{API}/models/check", json={"model": "nobody:x"})).json()
        assert not lost["answers"]
        assert "nobody" in lost["words"]
        link = (await web.me.post(f"{API}/debates/{await web.ended(web.me)}/shares", json={})).json()
        sentences = {
            web.ann: "only the person at the machine can test models, because a test costs tokens",
            web.client(
                token=link["token"]
            ): "the token is missing or not known; open the link that folkmoot serve printed",
            web.client(): "the token is missing or not known; open the link that folkmoot serve printed",
        }
        for client, sentence in sentences.items():
            refused = await client.post(f"{API}/models/check", json={"model": "guest:slow"})
            assert refused.status_code in (401, 403)
            assert sentence in refused.json()["detail"]


async def test_presets_are_listed_for_the_person_at_the_machine_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        preset = Preset(name="fast", where="folkmoot.toml", models=("builtin:quotes",))
        web.site.runner.config = replace(web.site.runner.config, presets={"fast": preset})
        mine, others = [(await client.get(f"{API}/models")).json()["presets"] for client in (web.me, web.ann)]
        assert mine == [{"name": "fast", "models": ["builtin:quotes"]}]
        assert others == []


async def test_each_model_that_can_be_chosen_has_its_price(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key-of-a-test")
    async with opened(tmp_path) as web:
        answer = (await web.me.get(f"{API}/models")).json()
        offers = {offer["model"]: offer for offer in answer["offers"]}
        assert offers["builtin:quotes"]["reach"] == "built_in"
        keyed = [offer for offer in answer["offers"] if offer["reach"] == "key"]
        assert keyed
        assert all(offer["model"].startswith("openai:") and offer["input_price"] > 0 for offer in keyed)
        assert "secret-key-of-a-test" not in str(answer)
