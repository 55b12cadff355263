"""What each view shows: the whole prompt of one turn in the second round of a round robin (conformance S7).

In that round Bob and Cy have spoken before Ann is asked: T1 to T3 open, T4 to T6 are round one, then come Bob and Cy.
Bob answers Ann's T4, Cy answers nobody.
"""

import re
from dataclasses import replace

import pytest

from folkmoot.agents.prompt import compose
from folkmoot.core.agent import Context, Recorder
from folkmoot.core.ask import Ask, Reply, Value
from folkmoot.core.brief import Brief, Participant, View
from folkmoot.models.base import Message, Traits
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness

NAMES = ("Ann", "Bob", "Cy")


class Speaker:
    """Says who speaks where: ``Ann opens``, ``Bob, round 2``, ``Summary by Ann``."""

    def __init__(self) -> None:
        self.messages: dict[str, tuple[Message, ...]] = {}

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        n = ask.key.partition("round-")[2][:1]
        self.messages[f"{ask.to} {ask.act} {n}"] = compose(ask, context, Traits())
        fields: dict[str, Value] = {"TARGET": "T4"} if (ask.to, ask.act, n) == ("Bob", "argue", "2") else {}
        words = {"open": f"{ask.to} opens.", "summarize": f"Summary {n or 0} by {ask.to}."}
        return Reply(text=words.get(ask.act, f"{ask.to}, round {n}."), fields=fields)


async def prompt_of(view: View | None, hide: tuple[str, ...] = (), summarize: int = 0) -> tuple[Message, ...]:
    """The messages that Ann gets when she is asked in the second round."""
    people = tuple(Participant(name=name) for name in NAMES)
    brief = Brief(topic="Tea or coffee?", participants=(replace(people[0], view=view, hide=hide), *people[1:]))
    speaker = Speaker()
    tree = build("round_robin", brief, Choices(rounds=2, summarize=summarize))
    await Harness(brief=brief, protocol=tree).run(dict.fromkeys(NAMES, speaker))
    return speaker.messages["Ann argue 2"]


SYSTEM = """\
Topic: Tea or coffee?

At the table:
- Ann
- Bob
- Cy"""

FULL_LOG = """\
The debate so far:

---

T1 [Ann]:
  Ann opens.

T2 [Bob]:
  Bob opens.

T3 [Cy]:
  Cy opens.

--- Round 1 ---

T4 [Ann]:
  Ann, round 1.

T5 [Bob]:
  Bob, round 1.

T6 [Cy]:
  Cy, round 1.

--- Round 2 ---

T7 [Bob]:
  Bob, round 2.

T8 [Cy]:
  Cy, round 2."""

LAST_TWO_TURNS = """\
The debate so far:

--- Round 2 ---

T7 [Bob]:
  Bob, round 2.

T8 [Cy]:
  Cy, round 2."""

SUMMARY_ONLY = """\
The debate so far:

--- Round 1 ---

T8 [Bob]:
  Summary 1 by Bob."""

PERSONA_SCOPED = """\
The debate so far:

---

T1 [Ann]:
  Ann opens.

--- Round 1 ---

T4 [Ann]:
  Ann, round 1.

--- Round 2 ---

T7 [Bob]:
  Bob, round 2."""

PERSONA_MASKING = """\
The debate so far:

---

T1 [Ann]:
  Ann opens.

T3 [Cy]:
  Cy opens.

--- Round 1 ---

T4 [Ann]:
  Ann, round 1.

T6 [Cy]:
  Cy, round 1.

--- Round 2 ---

T8 [Cy]:
  Cy, round 2."""

SUMMARIZE_PAST = """\
The debate so far:

--- Round 1 ---

T7 [Ann]:
  Summary 1 by Ann.

--- Round 2 ---

T8 [Bob]:
  Bob, round 2.

T9 [Cy]:
  Cy, round 2."""


@pytest.mark.parametrize(
    ("view", "hide", "summarize", "log", "marks"),
    [
        pytest.param(None, (), 0, FULL_LOG, "T2 T3 T5 T6 T7 T8", id="full_log"),
        pytest.param(View(last=2), (), 0, LAST_TWO_TURNS, "T7 T8", id="last_n_turns"),
        pytest.param(View(summary_only=True), (), 0, SUMMARY_ONLY, "", id="summary_only"),
        pytest.param(View(mine=True), (), 0, PERSONA_SCOPED, "T7", id="persona_scoped"),
        pytest.param(None, ("Bob",), 0, PERSONA_MASKING, "T3 T6 T8", id="persona_masking"),
        pytest.param(View(summary=True), (), 1, SUMMARIZE_PAST, "T8 T9", id="summarize_past"),
    ],
)
async def test_the_prompt_holds_exactly_the_turns_of_the_view(
    view: View | None, hide: tuple[str, ...], summarize: int, log: str, marks: str
) -> None:
    system, asked = await prompt_of(view, hide, summarize)
    shown, _, own = asked.text.partition("\n\nYou are Ann.")
    assert system.text.endswith(SYSTEM)
    assert shown == log
    # Where no turn is in sight there is none to answer.
    assert re.findall(r'"(T\d)"', own) == marks.split()
