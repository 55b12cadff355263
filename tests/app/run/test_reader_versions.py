"""A debate that is gone on with by a version that reads answers otherwise: what is on record holds, at every cut."""

from collections.abc import Callable

import pytest

from folkmoot.agents import llm
from folkmoot.answers import layout
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.ask import Form
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.event import Closed
from folkmoot.models.base import Request
from folkmoot.models.layers import RetrySettings
from folkmoot.models.pool import Pool
from folkmoot.record.store import decode
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.testing.store_checks import InMemoryStore

BRIEF = Brief(
    topic="Tea or coffee?",
    participants=tuple(Participant(name=name, seat="guest:model") for name in ("Ann", "Bob")),
    options=("tea", "coffee"),
)
ASKED, LOOSE = "ANSWER: tea", "Reply tea please"
REST = "\nCONFIDENCE: 0.5\nARGUMENT: It is calm."

Reader = Callable[[str], str]


def answers(first: str, repaired: str) -> Callable[[Request], str]:
    """What a model says to a question, and to the repair question."""
    return lambda request: (repaired if "could not read" in request.messages[-1].text else first) + REST


def reading(monkeypatch: pytest.MonkeyPatch, change: Reader) -> None:
    """Have answers read by another version, which takes some words otherwise."""

    def read(form: Form | None, text: str, *, speaker: str = "") -> layout.Reading:
        return layout.read(form, change(text), speaker=speaker)

    monkeypatch.setattr(llm, "read", read)


def opened(lines: list[str], reply: Callable[[Request], str]) -> Workspace:
    workspace = Workspace(InMemoryStore({"tea": lines} if lines else {}), pool=Pool(retry=RetrySettings(tries=1)))
    workspace.pool.add_agent("model", ScriptedModel(reply, name="guest:model"))
    return workspace


@pytest.mark.parametrize(
    ("first", "replacement"),
    [(LOOSE, ASKED), (ASKED, LOOSE)],
    ids=["the new version reads what the old one asked about", "the new version asks about what the old one read"],
)
async def test_another_version_goes_on_from_every_entry(
    first: str, replacement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = opened([], answers(first, ASKED))
    await workspace.run(workspace.plan(BRIEF), "tea")
    lines = list(await workspace.store.read("tea"))
    reading(monkeypatch, lambda text: text.replace(first, replacement))
    for cut in range(1, len(lines)):
        again = opened(lines[:cut], answers(first, "ANSWER: coffee"))
        await again.resume("tea")
        stored = await again.store.read("tea")
        assert list(stored[:cut]) == lines[:cut]
        assert isinstance(decode(stored[-1]).event, Closed)
        assert (await again.entries("tea"))[-1].seq == len(stored)  # each entry has the hash of the one before
