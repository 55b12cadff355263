"""Models of a preset fail in 81 ways: one, two or all of three, seen through chat, a stream and a response."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from folkmoot.app.brief.presets import read_presets
from folkmoot.core.ask import Usage
from folkmoot.core.errors import Refused, Unavailable, Unreadable
from folkmoot.core.event import Called
from folkmoot.models.base import Model, Request
from folkmoot.testing.scripted import ScriptedModel
from tests.council.agents import own_place
from tests.web.test_model_endpoint import QUESTION
from tests.web.web_kit import SERVING, WORDS, Web, opened


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


def ended(finish: Any, text: str = "") -> Called:
    usage = Usage(input_tokens=9, output_tokens=3)
    return Called(key="", call="", text=text, model="guest:bad", served="guest:bad", usage=usage, finish=finish)


FAULTS: Mapping[str, Callable[[], str | Called | Exception]] = {
    "401": lambda: Refused("the key is wrong", kind="key"),
    "400": lambda: Refused("the request is wrong", kind="request"),
    "429": lambda: Unavailable("too many requests", kind="rate"),
    "500": lambda: Unavailable("internal error", kind="server"),
    "silence": lambda: Unavailable("no answer within 2 seconds", kind="timeout"),
    "garbled": lambda: Unreadable("the answer is no JSON", kind="garbled"),
    "no words": lambda: "",
    "refusal": lambda: Refused("a filter stopped it", kind="filter"),
    "filtered": lambda: ended("filter"),
}
FACES = ("chat", "stream", "response")


def words_and_error(face: str, text: str) -> tuple[str, dict[str, Any]]:
    """The words of an answer, and its error; one of both is empty."""
    if face == "stream":
        rows = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
        errors = [row["error"] for row in rows if "error" in row]
        deltas = [choice["delta"] for row in rows for choice in row.get("choices", [])]
        return "".join(delta.get("content") or "" for delta in deltas), errors[0] if errors else {}
    table = json.loads(text)
    if table.get("error"):
        return "", table["error"]
    if face == "chat":
        words = table["choices"][0]["message"]
        return words["content"] or words["refusal"], {}
    parts = [part for item in table["output"] if item["type"] == "message" for part in item["content"]]
    return "".join(part.get("text") or part.get("refusal") for part in parts), {}


async def answer(web: Web, face: str, model: str) -> tuple[str, dict[str, Any]]:
    if face == "response":
        response = await web.ann.post("/v1/responses", json={"model": model, "input": "Tea or coffee?"})
    else:
        body = {"model": model, "messages": QUESTION, "stream": face == "stream"}
        response = await web.ann.post("/v1/chat/completions", json=body)
    assert response.status_code in (200, 503), response.text
    words, error = words_and_error(face, response.text)
    assert bool(error) == (response.status_code == 503) or face == "stream"
    return words, error


@pytest.mark.parametrize("fault", FAULTS)
async def test_nothing_that_is_missing_is_silent(tmp_path: Path, fault: str) -> None:
    def script(request: Request) -> str | Called | Exception:
        return FAULTS[fault]()

    models: dict[str, Model] = {
        "tea": ScriptedModel(lambda request: WORDS, name="guest:tea"),
        "bad": ScriptedModel(script, name="guest:bad"),
    }
    presets = {
        f"bad{n}": {"models": ["guest:bad"] * n + ["guest:tea"] * (3 - n), "participants": "builtin", "rounds": 0}
        for n in (1, 2, 3)
    }
    async with opened(tmp_path, real=False, models=models, serving=SERVING) as web:
        web.site.runner.config = replace(web.site.runner.config, presets=read_presets(presets, "folkmoot.toml"))
        web.site.workspace.config = web.site.runner.config
        web.site.endpoint.presets = web.site.runner.config.presets
        for face in FACES:
            words, error = await answer(web, face, "folkmoot/bad1")
            assert words.startswith("Tea\n\nFolkmoot: 1 of 3 seats did not answer"), face
            words, error = await answer(web, face, "folkmoot/bad2")
            assert words.startswith("Folkmoot: no decision: only "), face
            assert "2 of 3 seats did not answer" in words
            words, error = await answer(web, face, "folkmoot/bad3")
            assert not words.startswith("Tea")
            if face != "response" or error:
                assert sorted(error) == ["code", "message", "param", "type"]
                assert error["message"]
