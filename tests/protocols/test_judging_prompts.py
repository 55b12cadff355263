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
from tests.kits.players import BOB, CHAIR, Player

TABLE = """\


At the table:
- Ann: For tea
- Bob
- Chair"""
HEAD = """\
[system]
You take part in a structured debate. Everything in it is on the record.

Topic: Tea?

At the table:
- Ann: For tea
- Bob
- Chair
[user]
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

You are Chair.

Above stands the whole debate without names, and once more, under letters and the same marks (T1, T2 …), the \
closing statements. Judge who argued best over the whole debate: evidence, and answers to what the others said. \
Neither length nor your own opinion on the topic counts. Vote for one.

Whoever does not want to choose may write "ABSTAIN".
Answer in exactly this form, each label at the start of a line:
REASON: [what the best one has and the others lack, in a few sentences]
I vote for: [Proposal A or Proposal B]"""
SUMMED = """\
T1 [Ann]:
  Ann close /debate/close#1

T2 [Bob]:
  Bob close /debate/close#2

You are Chair.

Summarise the positions fairly, then give the verdict that follows from the arguments.

Answer in exactly this form, each label at the start of a line:
SUMMARY: [the positions and what speaks for each]
VERDICT: [what follows from the debate]"""
RANKED = """\
Neither length nor your own opinion on the topic counts. Give the reason before the score.

Proposal A: 0 (no argument) to 10 (could not be stronger).
Proposal B: 0 (no argument) to 10 (could not be stronger).
Answer in exactly this form, each label at the start of a line:
Why A: [what is strong and what is weak in the argument of Proposal A]
Proposal A: [a number from 0 to 10]
Why B: [what is strong and what is weak in the argument of Proposal B]
Proposal B: [a number from 0 to 10]"""


GUIDED = """\
T1 [Ann]:
  Ann close /debate/close#1

T2 [Bob]:
  Bob close /debate/close#2

You are Chair.

You guide this debate; you take no side and repeat nothing. Say whether the newest turns keep to the topic, and warn \
whoever strayed. Clear up what was misunderstood. Then name the one question that the debate should turn to now.

ON_TOPIC: whether the newest turns keep to the topic.
OFF_TOPIC: who strayed most.
May be left out: OFF_TOPIC, WARNING, CLARIFY.
Answer in exactly this form, each label at the start of a line:
ON_TOPIC: [YES or NO]
OFF_TOPIC: [Ann or Bob]
WARNING: [what you ask of whoever strayed]
CLARIFY: [what was misunderstood, and how it was meant]
NEXT: [the one question to turn to now]"""
CONSENTED = """\
You are Ann, For tea.

The mediator proposes the text above (PROPOSAL) as the result of this debate. ACCEPT it if you can stand by it, \
ACCEPT_WITH_RESERVATION if you can live with it, REJECT it if it gives up what you hold and were not argued out of. \
One REJECT is enough to stop it, and nobody minds.

Answer in exactly this form, each label at the start of a line:
CONSENT: [ACCEPT or ACCEPT_WITH_RESERVATION or REJECT]
REASON: [what you object to or would change, in a sentence or two]"""


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
    assert prompt.startswith(head)
    assert prompt.endswith(words)
    assert act in ("score", "consent") or prompt == head + words
