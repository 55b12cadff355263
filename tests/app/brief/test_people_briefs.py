"""People in briefs: what the settings say, what is told before the debate, and what is estimated for them."""

import pytest

from folkmoot.app.brief.reader import normalise, read_brief
from folkmoot.app.run.prepare import Overrides, PreparedDebate, prepare
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Participant
from folkmoot.core.errors import BriefError
from folkmoot.models.pool import Pool
from folkmoot.testing.store_checks import InMemoryStore
from tests.app.run.people_kit import QUOTES

BRIEF = """---
protocol: council
strategy: weighted
rounds: 1
---
# Tea?

## Ada (human)
role: for
deadline: 2d
stand_in: ollama:tiny

## Bo
role: against

## June
model: human
duty: juror
weight: 3

Listen well.
"""


async def ready(text: str, *models: str) -> PreparedDebate:
    workspace = Workspace(InMemoryStore(), pool=Pool(env={}))
    try:
        return await prepare(workspace, read_brief(text, name="b.md"), Overrides(models=models or (QUOTES,)))
    finally:
        await workspace.close()


def test_a_brief_names_people_with_deadline_stand_in_and_duty() -> None:
    parsed = read_brief(BRIEF)
    assert parsed.brief.participants == (
        Participant(name="Ada", role="for", seat="human", deadline=172_800.0, stand_in="ollama:tiny"),
        Participant(name="Bo", role="against"),
        Participant(name="June", role="Listen well", persona="Listen well.", seat="human", duty="juror", weight=3.0),
    )
    assert read_brief(normalise(parsed)).brief == parsed.brief


async def test_people_put_no_calls_and_the_owner_is_told_who_is_waited_for() -> None:
    prepared = await ready(BRIEF, "ollama:tiny")
    asks, calls = prepared.costing.most.asks, prepared.costing.most.calls
    assert (asks, calls) == (7, 3), "Ada and Bo propose, revise and vote; June votes"
    assert [note for note in prepared.notes if "waits" in note] == [
        "The debate waits for each answer of Ada, a person: at most 2 days; then ollama:tiny answers, "
        "which only the most includes.",
        "The debate waits for each answer of June, a person: as long as it takes.",
    ]
    assert prepared.plan.brief.participant("June").weight == 3.0


NOTES = [
    (("model: human\n", "deadline: 90s\n"), "Ada, a person: at most 1 min 30 s; then it continues."),
    (("model: human\n", "stand_in: ollama:x\n"), "ollama:x never stands in for Ada: that needs a deadline."),
    ((f"model: {QUOTES}\n", "deadline: 1m\n"), "The deadline of Ada changes nothing: builtin:quotes is not a person."),
    ((f"model: {QUOTES}\n", "stand_in: a:b\n"), "The deadline of Ada changes nothing: builtin:quotes is not a person."),
    (("model: human\n", "search: {depth: 1}\n"), "Ada does not search for arguments: human is not a language model."),
    (("model: human\n", "tool_usage: [search]\n"), "Ada uses no tools: human cannot."),
]


@pytest.mark.parametrize(("settings", "note"), NOTES)
async def test_settings_that_do_little_for_people(settings: tuple[str, ...], note: str) -> None:
    prepared = await ready(f"# Tea?\n\n## Ada\nrole: x\n{''.join(settings)}\n## Bo\nrole: y\n")
    assert note in "\n".join(prepared.notes)
    assert "Tokens and cost" not in "\n".join(prepared.notes)


async def test_people_and_the_built_in_seat_without_tools_are_told_apart() -> None:
    tools = "tool_usage: [search]\n"
    prepared = await ready(f"# Tea?\n\n## Ada (human)\nrole: x\n{tools}\n## Bo ({QUOTES})\nrole: y\n{tools}")
    text = "\n".join(prepared.notes)
    assert "Ada uses no tools: human cannot." in text
    assert "Bo uses no tools: builtin:quotes cannot." in text


async def test_a_person_who_is_never_asked_is_not_waited_for() -> None:
    prepared = await ready(
        "---\nprotocol: panel\nrounds: 1\n---\n# Tea?\n\n## Ada\nrole: x\n\n## Bo\nrole: y\n\n## Chair (human)\n"
    )
    text = "\n".join(prepared.notes)
    assert "panel never asks Chair, who stays silent." in text
    assert "waits" not in text


async def test_all_can_be_people() -> None:
    prepared = await ready("Should we drink tea?", "human")
    assert prepared.generator == ""
    assert {participant.seat for participant in prepared.plan.brief.participants} == {"human"}
    assert prepared.costing.most.calls == 0


async def test_a_stand_in_is_a_seat_that_there_can_be() -> None:
    for stand_in, text in (
        ("nobody:x", "'nobody:x' has no known provider"),
        ("human", "'human' has no known provider"),
    ):
        with pytest.raises(BriefError, match=rf"^b.md:3: Ada: {text}"):
            await ready(f"# Tea?\n\n## Ada (human)\nstand_in: {stand_in}\n\n## Bo\nrole: y\n")
