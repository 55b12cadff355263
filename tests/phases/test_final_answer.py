"""The final answer: asked for once after a decision, in private, from the decision alone; it changes nothing."""

from folkmoot.core.brief import Brief, Participant
from folkmoot.core.roles import final_turn, final_writer
from folkmoot.phases.base import Phase, Sequence
from folkmoot.phases.choices import Choices, Final
from folkmoot.phases.helpers import FinalAnswer, with_final_answer
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness, SeededAgent
from tests.kits.players import ANN, BOB, CY, Player, resume_everywhere, votes

WRITER = Participant(name="Writer", duty="aide", seat="ollama:x")
BRIEF = Brief(topic="Tea?", participants=(ANN, BOB, CY, WRITER), options=("hot tea", "coffee"))
ALL = (ANN, BOB, CY, WRITER)


def tree(brief: Brief = BRIEF) -> Phase:
    return build("panel", brief, Choices(rounds=0, final=Final(schema='{"type": "object"}', task="Use metres.")))


async def test_it_is_written_from_the_decision_and_is_nobody_elses_to_read() -> None:
    def script(ask: object, context: object) -> dict[str, str | float]:
        return {"ANSWER": "hot tea", "ARGUMENT": "calm\nand warm", "CONFIDENCE": 0.7}

    player = Player(script)
    debate = await Harness(brief=BRIEF, protocol=tree()).run({who.name: player for who in ALL})
    turn = final_turn(debate.transcript)
    assert turn
    assert turn.ask
    assert (turn.by, turn.ask.audience) == (final_writer(BRIEF), ("Writer",))
    assert "Use metres.\n\nDecision:\n  hot tea\n\nBecause:\n  calm\n  and warm" in turn.ask.task
    for words in ("hot tea: 3", "coffee: 0", "unanimous", "100%", "Ann: 0.7"):  # how sure the panel is
        assert words in turn.ask.task
    assert turn.ask.form
    assert turn.ask.form.schema == '{"type": "object"}'
    assert debate.transcript.closed
    assert debate.transcript.closed.status == "decided"
    assert player.asked[-1][1].turns == ()


async def test_where_nothing_was_decided_nothing_is_written() -> None:
    answers = {"Ann": "hot tea", "Bob": "coffee"}
    brief = Brief(topic="Tea?", participants=(ANN, BOB, WRITER), options=("hot tea", "coffee"))
    player = Player(lambda ask, context: {"ANSWER": answers[ask.to]})
    debate = await Harness(brief=brief, protocol=tree(brief)).run({who.name: player for who in brief.participants})
    assert final_turn(debate.transcript) is None


async def test_it_may_be_all_there_is_and_follows_any_phase() -> None:
    alone = with_final_answer(tree(), BRIEF, Final(alone=True))
    player = Player(votes({}))
    debate = await Harness(brief=BRIEF, protocol=alone).run({who.name: player for who in ALL})
    assert [ask.act for ask, _ in player.asked] == ["deliver"]
    assert player.asked[0][0].form is None
    assert debate.transcript.decision is None
    other = with_final_answer(FinalAnswer(who="Writer"), BRIEF, Final())
    assert isinstance(other, Sequence)
    assert len(other.parts) == 2


async def test_it_is_resumed_like_any_other() -> None:
    place = Harness(brief=BRIEF, protocol=tree())
    whole = await place.run({who.name: SeededAgent(3) for who in ALL})
    await resume_everywhere(place, whole, seed=3)
