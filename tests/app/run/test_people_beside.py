"""What stands beside a question to a person: what the answer is held to, and what is said from outside meanwhile."""

from collections.abc import Mapping

import pytest

from folkmoot.app.brief.default_participants import TIMEKEEPER
from folkmoot.app.run.people import OutsideMessages, answer, context_for, say
from folkmoot.app.run.record_reader import waiting
from folkmoot.core.ask import Value
from folkmoot.core.brief import Participant
from folkmoot.core.errors import BriefError
from folkmoot.protocols.known import Choices
from tests.app.run.people_kit import QUOTES, person, table, workspace


async def test_who_leaves_a_board_gives_a_verdict_before_or_with_it() -> None:
    """O7: by hand a withdrawal without any verdict is refused."""
    place = workspace()
    brief = table(person("Ada"), person("Bo"), TIMEKEEPER, options=("HIRE", "NO_HIRE"), others=0)
    planned = place.plan(brief, protocol="board", choices=Choices(rounds=3), models=(QUOTES,))
    outcome = await place.run(planned, "here")
    leave: Mapping[str, Value] = {"Withdrawn": "true"}
    verdict: Mapping[str, Value] = {"Verdict": "HIRE", "VerdictReasoning": "So."}
    for _ in range(4):
        (turn,) = await waiting(place, "here")
        if outcome.transcript.turns("argue", by=turn.by):
            await answer(place, "here", "Bye.", fields=leave)
        else:
            with pytest.raises(BriefError, match="where Withdrawn is true, the answer must say Verdict"):
                await answer(place, "here", "Bye.", fields=leave)
            await answer(place, "here", "Hello.", fields=verdict)
        outcome = await place.resume("here")
    assert (outcome.status, outcome.decision and outcome.decision.winner) == ("decided", "HIRE")


async def test_a_moderator_in_person_settles_nothing_without_a_decision() -> None:
    place = workspace()
    brief = table(person("Chair", duty="moderator"), Participant(name="Q9", seat=QUOTES))
    await place.run(place.plan(brief, protocol="moderated", choices=Choices(), models=(QUOTES,)), "here")
    with pytest.raises(BriefError, match="where STATUS is SETTLED, the answer must say DECISION"):
        await answer(place, "here", "", fields={"SUMMARY": "All said.", "STATUS": "SETTLED"})
    await answer(place, "here", "", fields={"SUMMARY": "All said.", "STATUS": "SETTLED", "DECISION": "Tea."})
    outcome = await place.resume("here")
    assert (outcome.status, outcome.decision and outcome.decision.text) == ("decided", "Tea.")


async def test_what_is_said_while_a_question_stands_open() -> None:
    place = workspace()
    brief = table(person("Chair", duty="moderator"), Participant(name="Q9", seat=QUOTES))
    await place.run(place.plan(brief, protocol="moderated", choices=Choices(), models=(QUOTES,)), "here")
    (first,) = await waiting(place, "here")
    await say(place, "here", "Zed", "Early.")
    await answer(place, "here", "Go on.", fields={"STATUS": "CONTINUE"})
    await place.resume("here")
    (second,) = await waiting(place, "here")
    await say(place, "here", "Zed", "Late.")

    async def since(key: str) -> list[str]:
        meanwhile = await OutsideMessages.of(place, "here", key)
        texts = [interjected.text for interjected in await meanwhile.more()]
        assert await meanwhile.more() == ()
        return texts

    assert await since(first.key) == ["Early.", "Late."]
    assert await since(second.key) == ["Late."]
    assert await since("") == ["Late."]
    assert any(turn.text == "Early." for turn in (await context_for(place, "here", second.key)).turns)
