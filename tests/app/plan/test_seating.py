"""Seats of a debate: how long they may take."""

import pytest

from folkmoot.app.brief.presets import read_presets
from folkmoot.app.brief.reader import read_brief, with_preset
from folkmoot.app.plan import assignment
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Limits, Participant, Schemas, Search
from folkmoot.engine.driver import StopRequest
from folkmoot.models.pool import Pool
from folkmoot.phases.speak import Everyone
from folkmoot.phases.vote import ballot_form
from folkmoot.protocols.known import Choices
from folkmoot.testing.replay import Harness
from folkmoot.testing.store_checks import InMemoryStore
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from tests.models.models_kit import HASTY, environment


def model(call: Call) -> Plan:
    """A model that is slow to prepare, and answers at once."""
    if "up to 4 claims" in call.prompt:
        return Plan(text="CLAIMS:\n- Tea wakes.\n- Tea warms.", delay=0.05)
    return Plan(text="Tea.", delay=0.05 if "prepare your next turn" in call.prompt else 0.0)


async def test_a_search_keeps_to_the_limits_in_force() -> None:
    """A debate is taken up with less time for a turn than its brief gives."""
    ann = Participant(name="Ann", seat="ollama:tiny", search=Search(simulations=64, depth=4))
    people = (ann, Participant(name="Bob", seat="ollama:tiny"))
    brief = Brief(topic="Tea?", participants=people, limits=Limits(turn_seconds=100))
    async with Wires(script=model).serve() as wires:
        workspace = Workspace(InMemoryStore(), pool=Pool(env=environment(wires.url), retry=HASTY))
        plan = workspace.plan(brief, protocol="round_robin", choices=Choices(rounds=1), models=())
        assert (await workspace.run(plan, "tea", stop=StopRequest(reason="later"))).status == "paused"
        outcome = await workspace.resume("tea", limits=Limits(turn_seconds=1.0))
        await workspace.close()
    turns = [turn for turn in outcome.transcript.turns() if turn.by == "Ann"]
    assert [turn.failure for turn in turns if turn.failure] == []
    reply = turns[0].reply
    assert reply
    assert "the search ended early: its share of the time was used up" in reply.notes


@pytest.mark.parametrize(
    ("own", "preset", "header", "ann", "sent"),
    [
        ("repair", "", "", "", (False, True)),
        ("first", "", "", "", (True, True)),
        ("first", "off", "", "", (False, False)),
        ("first", "off", "repair", "", (False, True)),
        ("first", "off", "repair", "off", (False, False)),
        ("off", "", "", "first", (True, True)),
    ],
)
async def test_who_is_nearest_to_a_participant_says_when_a_schema_is_sent(
    own: Schemas, preset: str, header: str, ann: str, sent: tuple[bool, bool]
) -> None:
    def words(setting: str, value: str) -> str:
        return f"{setting}: {value}\n" if value else ""

    text = f"---\npreset: p\n{words('schemas', header)}---\n# Tea?\n\n## Ann (ollama:tiny)\n{words('schemas', ann)}\n## Bob (builtin:quotes)\n"
    presets = read_presets({"p": {"models": ["ollama:x"], **({"schemas": preset} if preset else {})}}, "")
    brief = with_preset(read_brief(text), presets).brief
    calls: list[Call] = []

    def model(call: Call) -> Plan:
        calls.append(call)
        return Plan(text="Tea, on balance.")

    async with Wires(script=model).serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY)
        tree = Everyone(act="vote", task="Vote.", form=ballot_form(("Tea", "Coffee")), who=("Ann",))
        seats = assignment.make_agents(brief, pool, config=Config(schemas=own))
        await Harness(brief=brief, protocol=tree).run(seats)
        await pool.close()
    assert tuple("format" in call.body for call in calls) == sent
