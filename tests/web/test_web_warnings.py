"""What makes a decision weaker than it looks is said wherever the decision is shown: one debate for each warning."""

import asyncio
import html
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from folkmoot import show
from folkmoot.app.serve.frames import frames
from folkmoot.record.store import read
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call
from tests.cli.commands import folkmoot, served
from tests.council.agents import own_place
from tests.mcp.mcp_kit import place, runner_in
from tests.web.web_kit import API, opened

BACKGROUND = "Tea is calm. Coffee is quick."
CASES: Mapping[str, tuple[str, Mapping[str, tuple[str, str]], str]] = {
    "copies of one model": (
        BACKGROUND,
        {"Ann": ("guest:one", "Tea"), "Bob": ("guest:one", "Coffee"), "Cid": ("guest:one", "Tea")},
        "All 3 votes come from guest:one: agreement of copies is weak evidence.",
    ),
    "no shared documents": (
        "",
        {"Ann": ("guest:one", "Tea"), "Bob": ("guest:two", "Coffee"), "Cid": ("guest:three", "Tea")},
        "No document was shared: they judged from memory, where a debate has helped least.",
    ),
    "effective votes": (
        BACKGROUND,
        {"Ann": ("guest:one", "Tea"), "Bob": ("guest:two", "Coffee"), "Cid": ("guest:one", "Tea")},
        "Effective votes: at most about 2 of 3 are independent, because they come from 2 models.",
    ),
    "no debate": (
        BACKGROUND,
        {"Ann": ("guest:one", "Tea"), "Bob": ("guest:two", "Tea"), "Cid": ("guest:three", "Tea")},
        "No debate took place: all 3 give the same answer.",
    ),
}
"""The background, the model and the answer of each participant, and the one warning."""


def brief_of(background: str, people: Mapping[str, tuple[str, str]]) -> str:
    parts = [f"## {name}\nrole: Guest\n" for name in people]
    return "\n".join(["---\nprotocol: panel\noptions: [Tea, Coffee]\n---\n# Tea or coffee?\n", background, "", *parts])


def models_of(people: Mapping[str, tuple[str, str]]) -> dict[str, ScriptedModel]:
    """Models that give each participant's answer."""

    def answer(text: str) -> str:
        name = next(name for name in people if f"You are {name}" in text)
        return f"ANSWER: {people[name][1]}\nCONFIDENCE: 0.7\nARGUMENT: It is good."

    return {
        model.removeprefix("guest:"): ScriptedModel(lambda request: answer(request.messages[-1].text), name=model)
        for model, _ in people.values()
    }


@pytest.mark.parametrize("name", list(CASES))
async def test_each_surface_shows_the_warning(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)
    background, people, warning = CASES[name]
    async with opened(tmp_path, models=models_of(people)) as web:
        debate = await web.ended(
            web.me, brief=brief_of(background, people), models=[model for model, _ in people.values()]
        )
        state = (await web.me.get(f"{API}/debates/{debate}")).json()
        assert state["warnings"] == [warning], "the API"
        for form in ("md", "html", "json", "memo"):
            text = (await web.me.get(f"{API}/debates/{debate}/report.{form}")).text
            assert warning in html.unescape(text), f"the report as {form}"
        ruled = next(
            frame
            for frame in reversed(frames(read(await web.site.workspace.store.read(debate))))
            if frame["kind"] == "ruled"
        )
        assert cast("dict[str, object]", ruled["decision"])["warnings"] == [warning], "the page"
    async with runner_in(tmp_path) as runner, place(runner, all_=True) as here:
        for tool in ("get_decision", "get_debate", "wait_for_debate"):
            assert (await here.call(tool, id=debate))["warnings"] == [warning], f"the MCP tool {tool}"
        assert (await here.call("get_receipt", id=debate))["receipt"]["warnings"] == [warning]
    for command in ("show", "report", "report --receipt"):
        shown = await asyncio.to_thread(folkmoot, tmp_path, *command.split(), debate)
        assert warning in " ".join(shown.output.split()), f"folkmoot {command}"
    outcome = await asyncio.to_thread(show, debate)
    assert (outcome.warnings, outcome.to_dict()["warnings"]) == ((warning,), [warning]), "the Python interface"
    page = await asyncio.to_thread(folkmoot, tmp_path, "report", "--receipt", debate, "--format", "md")
    assert f"## Read with care\n\n- {warning}\n" in page.output


@pytest.mark.parametrize("name", list(CASES))
def test_the_terminal_says_it_when_the_debate_ends(name: str, tmp_path: Path) -> None:
    background, people, warning = CASES[name]
    models = [f"ollama:{model.removeprefix('guest:')}" for model, _ in people.values()]

    def answer(call: Call) -> Plan:
        who = next(who for who in people if f"You are {who}" in call.prompt)
        return Plan(text=f"ANSWER: {people[who][1]}\nCONFIDENCE: 0.7\nARGUMENT: It is good.", usage=(100, 20, 0))

    (tmp_path / "b.md").write_text(brief_of(background, people), "utf-8")
    options = [word for model in models for word in ("-m", model)]
    with served(answer, models=tuple(dict.fromkeys(model.removeprefix("ollama:") for model in models))) as wires:
        for way in ((), ("--quiet",), ("--plain",)):
            ran = folkmoot(tmp_path, "run", "b.md", *options, *way, OLLAMA_HOST=wires.url)
            assert warning.replace("guest:", "ollama:") in " ".join(ran.output.split()), ran.output
