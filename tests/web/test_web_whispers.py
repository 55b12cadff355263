"""Whispers and thoughts of a board at which no person sits: a link to view shows none of them."""

from pathlib import Path

import pytest

from folkmoot.testing.scripted import ScriptedModel
from tests.council.agents import own_place
from tests.web.web_kit import API, opened

BOARD = (
    "---\nprotocol: board\nrounds: 1\n---\n# Tea or coffee?\n\nTea is calm.\n\n"
    "## Ann (guest:x)\nrole: Guest\n\nTea.\n\n## Ben (guest:x)\nrole: Host\n\nCoffee.\n"
)
WORDS = "<Message><Content>Hello all.</Content><Thoughts>CANARYTHOUGHT</Thoughts></Message>"


async def test_a_board_without_a_person_keeps_its_thoughts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)
    model = ScriptedModel(lambda request: WORDS, name="guest:x")
    async with opened(tmp_path, models={"x": model}) as web:
        debate = await web.begin(web.ann, BOARD, models=["guest:x"])
        await web.site.runner.wait(debate)
        url = f"{API}/debates/{debate}"
        link = (await web.ann.post(f"{url}/shares", json={})).json()["token"]
        assert "CANARYTHOUGHT" in (await web.ann.get(f"{url}/entries")).text
        shown = (await web.client(token=link).get(f"{url}/entries?form=frames")).text
        assert "Hello all." in shown
        assert "CANARYTHOUGHT" not in shown
