"""Forms as schemas on a server that holds a model to them: how many questions about unread forms that saves.

The model says random letters. So the figures are the two ends: without a schema no form can be read, and all that can
be read with one comes from the server's grammar and from Folkmoot's reader, not from a model that understands forms.
"""

from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
import pytest_asyncio

from folkmoot.agents.llm import NO_SCHEMA, ModelAgent
from folkmoot.core.ask import Form
from folkmoot.core.brief import Brief, Schemas, Settings
from folkmoot.core.event import Called
from folkmoot.models.pool import Pool
from folkmoot.phases.speak import Everyone
from folkmoot.testing.replay import Harness
from tests.kits.codes import codes
from tests.models.models_kit import BALLOT, HASTY, PEOPLE, VERDICT

pytestmark = [pytest.mark.peers, pytest.mark.timeout(1800)]

ROUNDS = 10
"""Each round asks two participants."""


@pytest_asyncio.fixture
async def pool(llama: str) -> AsyncGenerator[Pool, None]:
    pool = Pool(env={"LLAMACPP_BASE_URL": f"{llama}/v1"}, retry=HASTY)
    yield pool
    await pool.close()


async def counts(pool: Pool, form: Form, *, schemas: Schemas) -> Counter[str]:
    """How many forms were asked about once more, how many nobody could read then, and why."""
    numbers: Counter[str] = Counter()
    agent = ModelAgent(pool.model("llamacpp:tiny"), schemas=schemas)
    tree = Everyone(act="vote", task="Vote.", form=form)
    for n in range(ROUNDS):
        who = tuple(replace(person, settings=Settings(seed=n, temperature=1.0, max_tokens=2048)) for person in PEOPLE)
        debate = await Harness(brief=Brief(topic="Tea?", participants=who), protocol=tree).run(
            {person.name: agent for person in who}
        )
        calls = [entry.event for entry in debate.entries if isinstance(entry.event, Called)]
        numbers["repairs"] += sum(call.call == "repair" for call in calls)
        for turn in debate.transcript.all():
            problems = codes(turn.reply) if turn.reply else ("no words",)
            numbers["unread"] += bool(problems)
            numbers["asked in words"] += turn.reply is not None and NO_SCHEMA in turn.reply.notes
            numbers.update(problems)
    return numbers


@pytest.mark.parametrize("form", [BALLOT, VERDICT], ids=lambda form: form.name)
async def test_without_a_schema_no_form_of_random_letters_is_read(pool: Pool, form: Form) -> None:
    plain = await counts(pool, form, schemas="off")
    assert plain["unread"] == 2 * ROUNDS
    assert plain["repairs"] > ROUNDS  # a model that gave no words at all is not asked about its form


@pytest.mark.parametrize("form", [BALLOT, VERDICT], ids=lambda form: form.name)
async def test_the_repair_with_a_schema_makes_every_form_readable(pool: Pool, form: Form) -> None:
    shaped = await counts(pool, form, schemas="repair")
    assert shaped["repairs"] > ROUNDS
    assert shaped["unread"] == shaped["no words"]
    assert shaped["asked in words"] == 0


async def test_with_the_first_question_no_ballot_needs_a_repair(pool: Pool) -> None:
    shaped = await counts(pool, BALLOT, schemas="first")
    assert shaped["repairs"] == shaped["unread"] == shaped["asked in words"] == 0
