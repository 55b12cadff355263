"""What stands beside a question to a person: what the answer is held to, and what is said from outside meanwhile."""

import pytest

from moot.core.brief import Participant
from moot.core.errors import BriefError
from moot.desk.cast import TIMEKEEPER
from moot.desk.people import answer, waiting
from moot.phases.known import Choices
from people_kit import QUOTES, desk, person, table


async def test_who_leaves_a_board_gives_a_verdict_before_or_with_it() -> None:
    """O7: by hand a withdrawal without any verdict is refused."""
    place = desk()
    brief = table(person("Ada"), person("Bo"), TIMEKEEPER, options=("HIRE", "NO_HIRE"), others=0)
    await place.hold(place.plan(brief, protocol="board", choices=Choices(rounds=3), models=(QUOTES,)), "here")
    leave, verdict = {"Withdrawn": "true"}, {"Verdict": "HIRE"}
    for _ in range(4):
        (turn,) = await waiting(place, "here")
        spoken = [each for each in (await place.resume("here")).transcript.turns() if each.by == turn.by]
        if spoken:
            await answer(place, "here", "Bye.", fields=leave)
        else:
            with pytest.raises(BriefError, match="where Withdrawn is true, the answer must say Verdict"):
                await answer(place, "here", "Bye.", fields=leave)
            await answer(place, "here", "Hello.", fields=verdict)
        outcome = await place.resume("here")
    assert (outcome.status, outcome.decision and outcome.decision.winner) == ("decided", "HIRE")


async def test_a_moderator_in_person_settles_nothing_without_a_decision() -> None:
    place = desk()
    brief = table(person("Chair", duty="moderator"), Participant(name="Q9", seat=QUOTES))
    await place.hold(place.plan(brief, protocol="moderated", choices=Choices(), models=(QUOTES,)), "here")
    with pytest.raises(BriefError, match="where STATUS is SETTLED, the answer must say DECISION"):
        await answer(place, "here", "", fields={"SUMMARY": "All said.", "STATUS": "SETTLED"})
    await answer(place, "here", "", fields={"SUMMARY": "All said.", "STATUS": "SETTLED", "DECISION": "Tea."})
    outcome = await place.resume("here")
    assert (outcome.status, outcome.decision and outcome.decision.text) == ("decided", "Tea.")
