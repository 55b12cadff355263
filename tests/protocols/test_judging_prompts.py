"""What mediators and judges read, word for word; and those who are asked to consent."""

from collections.abc import Mapping

import pytest

from folkmoot.agents.prompt import compose
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.models.base import Traits
from folkmoot.phases.base import Sequence
from folkmoot.phases.choices import Choices, Mediation
from folkmoot.phases.endings import ending
from folkmoot.protocols.mediators import mediate
from folkmoot.testing.replay import Harness
from tests.agents.prompts import check_words
from tests.kits.players import BOB, CHAIR, Player

TABLE = """\


At the table:
- Ann: For tea
- Bob
- Chair"""
HEAD = """\
Topic: Tea?

At the table:
- Ann: For tea
- Bob
- Chair

The debate so far:

---

"""
PICKED = """\
T1 [Participant 1]:
  Ann close /debate/close#1

T2 [Participant 2]:
  Bob close /debate/close#2

T1 [Proposal A]:
  Ann close /debate/close#1

T2 [Proposal B]:
  Bob close /debate/close#2

Above is the whole debate without names, and once more, under letters and the same marks (T1, T2 …), the \
closing statements. Judge who argued best over the whole debate: evidence, and answers to what the others said. \
Neither length nor your own opinion on the topic counts. Vote for one."""
SUMMED = """\
T1 [Ann]:
  Ann close /debate/close#1

T2 [Bob]:
  Bob close /debate/close#2

Summarise the positions fairly, then give the verdict that follows from the arguments."""
RANKED = """\
Neither length nor your own opinion on the topic counts. Give the reason before the score."""


GUIDED = """\
T1 [Ann]:
  Ann close /debate/close#1

T2 [Bob]:
  Bob close /debate/close#2

You guide this debate; you take no side and repeat nothing. Say whether the newest turns keep to the topic, and warn \
whoever strayed. Clear up what was misunderstood. Then name the one question that the debate should turn to now."""
CONSENTED = """\

The mediator proposes the text above (PROPOSAL) as the result of this debate. ACCEPT it if you agree with it, \
ACCEPT_WITH_RESERVATION if you can live with it, REJECT it if it gives up what you hold and were not argued out of. \
One REJECT is enough to stop it, and nobody minds."""


def script(ask: Ask, context: Context) -> Mapping[str, Value]:
    values: dict[str, Mapping[str, Value]] = {"close": {"ANSWER": f"{ask.to}'s"}, "moderate": {"PROPOSAL": "Both."}}
    return values.get(ask.act, {})


PROMPTS = [
    (Choices(strategy="vote_based"), "vote", PICKED),
    (Choices(strategy="ranked_reasons"), "score", RANKED),
    (Choices(strategy="mediator_summary"), "moderate", SUMMED),
    (Choices(strategy="no_consensus", mediation=Mediation(kind="active", when="final")), "guide", GUIDED),
    (Choices(mediation=Mediation(kind="consensus")), "consent", CONSENTED),
]


@pytest.mark.parametrize(("choices", "act", "words"), PROMPTS)
async def test_a_prompt(choices: Choices, act: str, words: str) -> None:
    ann = Participant(name="Ann", role="For tea")
    brief = Brief(topic="Tea?", participants=(ann, BOB, CHAIR))
    closing, *deciding = ending(brief, choices)
    sequence = Sequence(parts=(closing,), name="said")
    # Without rounds a mediator speaks before the first phase that decides, here behind the closing statements.
    tree = mediate(Sequence(parts=(sequence, *deciding)), brief, choices)
    player = Player(script)
    await Harness(brief=brief, protocol=tree).run(dict.fromkeys(("Ann", "Bob", "Chair"), player))
    ask, context = next((ask, context) for ask, context in player.asked if ask.act == act)
    prompt = "\n".join(f"[{message.role}]\n{message.text}" for message in compose(ask, context, Traits()))
    prompt = prompt.replace("/debate/said/close", "/debate/close")
    # A judge reads a log without names, so it is not told who sits at the table.
    head = HEAD.replace(TABLE, "") if act in ("vote", "score") else HEAD
    check_words(prompt, head)
    check_words(prompt, words)
    assert (TABLE in prompt) is (act not in ("vote", "score"))
