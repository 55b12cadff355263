"""A moderator whose decision has nothing to do with the debate is asked once more."""

from dataclasses import replace

import pytest

from folkmoot.agents.llm import REPAIRED, ModelAgent
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.transcript import Turn
from folkmoot.phases.speak import SETTLEMENT
from folkmoot.testing.scripted import ScriptedModel
from tests.agents.test_prompt import Line

CHAIR = Participant(name="Chair")
BULL = Participant(name="Bull")
BRIEF = Brief(topic="Shall the village close its pool?", participants=(BULL, Participant(name="Bear"), CHAIR))
SAID = (
    "The pool costs 40,000 a year, the pump is old, the tiles are cracked, and the roof leaks whenever it rains. " * 3
)
RULING = "SUMMARY: Both spoke.\nSTATUS: SETTLED\nDECISION: {}"
ASK = Ask(key="/debate/review#1", to="Chair", act="review", task="Rule.", form=SETTLEMENT)


def _context(brief: Brief) -> Context:
    question = Ask(key="/debate/argue#1", to="Bull", act="argue", task="?")
    turn = Turn(key=question.key, by="Bull", act="argue", ask=question, reply=Reply(text=SAID))
    own = Turn(key="/debate/review#0", by="Chair", act="review", ask=ASK, reply=Reply(text="A storm in a teacup."))
    return Context(brief=brief, me=CHAIR, turns=(turn, own))


async def _ruled(*decisions: str, brief: Brief = BRIEF) -> Reply:
    model = ScriptedModel([RULING.format(words) for words in decisions])
    return await ModelAgent(model).answer(ASK, _context(brief), Line())


async def test_a_decision_without_a_word_of_the_debate_is_asked_for_once_more() -> None:
    reply = await _ruled("A storm in a teacup.", "The pool stays open.")
    assert reply.fields["DECISION"] == "The pool stays open."
    assert reply.notes == (REPAIRED,)


async def test_who_says_it_again_decides_nothing() -> None:
    reply = await _ruled("A storm in a teacup.", "A storm in a teacup.")
    assert "DECISION" not in reply.fields


@pytest.mark.parametrize("words", ["The pool stays open.", "Yes.", "At most 30,000."])
async def test_a_decision_of_the_matter_costs_no_question(words: str) -> None:
    reply = await _ruled(words)
    assert (reply.fields["DECISION"], reply.notes) == (words, ())


async def test_where_several_languages_are_spoken_words_are_not_compared() -> None:
    brief = replace(BRIEF, participants=(BULL, Participant(name="Bear", language="German"), CHAIR))
    reply = await _ruled("Das Freibad wird nicht geschlossen.", brief=brief)
    assert reply.fields["DECISION"] == "Das Freibad wird nicht geschlossen."
