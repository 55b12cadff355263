"""The format ``socratic``: who asks whom, what is laid before whom, who fails, and the exact prompts."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from folkmoot.agents.prompt import compose
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Field, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import ProtocolError
from folkmoot.models.base import Traits
from folkmoot.phases.choices import Choices
from folkmoot.protocols.socratic import UNHEARD, answer_form, socratic
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from folkmoot.testing.scripted import Scripted
from tests.agents.prompts import check_words
from tests.kits.players import ANN, BOB, CHAIR, CY, Player, Script, resume_everywhere

DEE = Participant(name="Dee")
TWO_ROUNDS = Choices(strategy="vote", rounds=2)


def runner(people: tuple[Participant, ...], options: tuple[str, ...] = (), choices: Choices = TWO_ROUNDS) -> Harness:
    brief = Brief(topic="Tea?", participants=people, options=options)
    return Harness(brief=brief, protocol=socratic(brief, choices), name="socratic")


async def hold(people: tuple[Participant, ...], script: Script) -> tuple[HeldDebate, Player]:
    player = Player(script)
    return await runner(people).run(dict.fromkeys([person.name for person in people], player)), player


def fields(ask: Ask, context: Context) -> Mapping[str, Value] | None:
    """Everything is read."""
    form_fields = list(ask.form.fields) if ask.form and ask.act != "vote" else []
    return {field.name: field.choices[0] if field.choices else f"{ask.to}'s {field.name}" for field in form_fields}


def unread(ask: Ask, context: Context) -> Mapping[str, Value] | None:
    """Nothing is read."""
    return {}


def without(*lost: tuple[str, str]) -> Script:
    """These fail, by speaker and act."""

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return None if (ask.to, ask.act) in lost else fields(ask, context)

    return script


def spoken(player: Player) -> str:
    """Who was asked for what, in order, before the closing statements."""
    return ", ".join(f"{a.to} {a.act}" for a, _ in player.asked if a.act in ("open", "question", "answer"))


def exchanges(*names: str) -> str:
    return ", ".join(f"Ann question, {name} answer" for name in names)


@pytest.mark.parametrize("script", [fields, unread])
@pytest.mark.parametrize(
    ("people", "opening", "examined"),
    [
        ((ANN, BOB), "Bob open", ("Bob", "Bob")),
        ((ANN, BOB, CY), "Bob open, Cy open", ("Bob", "Cy", "Cy", "Bob")),
        ((CHAIR, ANN, BOB, CY, DEE), "Bob open, Cy open, Dee open", ("Bob", "Cy", "Dee", "Cy", "Dee", "Bob")),
    ],
)
async def test_the_order_of_speaking(
    people: tuple[Participant, ...], opening: str, examined: tuple[str, ...], script: Script
) -> None:
    """S3: all but the first debater open; the first asks each in turn, who answers; rounds begin one further on."""
    debate, player = await hold(people, script)
    assert spoken(player) == f"{opening}, {exchanges(*examined)}"
    closing = [turn.by for turn in debate.transcript.turns("close")]
    assert closing == [person.name for person in people if person.duty == "debater"]


async def test_what_is_laid_before_whom() -> None:
    debate, player = await hold((ANN, BOB, CY), fields)
    laid = [(ask.act, [turn.mark for turn in context.about]) for ask, context in player.asked]
    first, second = debate.transcript.turns("question")[:2]
    assert first.about == ("/debate/open#1",)
    assert second.about == ("/debate/open#2",)
    assert laid[2:6] == [("question", ["T1"]), ("answer", ["T3"]), ("question", ["T2"]), ("answer", ["T5"])]
    # In the second round the newest statement is the answer of the first.
    assert laid[6:10] == [("question", ["T6"]), ("answer", ["T7"]), ("question", ["T4"]), ("answer", ["T9"])]


async def test_only_the_one_who_is_examined_can_be_asked_about() -> None:
    _, player = await hold((ANN, BOB, CY, CHAIR), fields)
    questions = [ask for ask, _ in player.asked if ask.act == "question"]
    assert [ask.form.fields[0].choices for ask in questions if ask.form] == [
        ("T1",),
        ("T2",),
        ("T2", "T6"),
        ("T1", "T4"),
    ]


async def test_a_question_that_failed_is_not_answered() -> None:
    debate, player = await hold((ANN, BOB, CY), without(("Ann", "question")))
    assert spoken(player) == "Bob open, Cy open, Ann question, Ann question"
    assert debate.transcript.halted("/debate") == "none of 2 answered"


async def test_one_who_does_not_answer_is_asked_again_about_the_last_statement() -> None:
    debate, player = await hold((ANN, BOB, CY), without(("Bob", "answer")))
    assert spoken(player) == "Bob open, Cy open, " + exchanges("Bob", "Cy", "Cy", "Bob")
    assert debate.transcript.turns("question")[3].about == ("/debate/open#1",)
    assert len(debate.transcript.turns("close")) == 3


async def test_one_of_whom_nothing_was_heard_is_asked_what_he_holds() -> None:
    _, player = await hold((ANN, BOB), without(("Bob", "open")))
    first, second = [ask for ask, _ in player.asked if ask.act == "question"]
    assert first.task == UNHEARD.replace("{round}", "1").replace("{name}", "Bob")
    assert first.about == ()
    assert first.form
    assert "TARGET" not in [field.name for field in first.form.fields]
    assert second.about == ("/debate/rounds/round-1#2",)
    assert second.task != first.task.replace("Round 1", "Round 2")


async def test_nobody_is_shown_or_asked_what_is_masked_for_him() -> None:
    people = (replace(ANN, hide=("Bob",)), BOB, replace(CY, hide=("question round 1",)))
    _, player = await hold(people, fields)
    assert spoken(player) == "Bob open, Cy open, Ann question, Bob answer, Ann question, " + exchanges("Cy", "Bob")
    rows = [(ask.about, ask.task) for ask, _ in player.asked if ask.act == "question"]
    assert [about for about, _ in rows] == [(), ("/debate/open#2",), ("/debate/open#2",), ()]
    assert rows[3][1].startswith("Round 2: you examine Bob, of whom you have heard nothing yet.")


def test_a_respondent_says_what_a_speaker_says_and_whether_the_question_struck() -> None:
    form = answer_form(("yes", "no"))
    assert [field.name for field in form.fields] == ["TARGET", "RELATION", "ARGUMENT", "CONCEDES", "CLAIM", "ANSWER"]
    assert [field.name for field in form.fields if field.required] == ["ARGUMENT", "CLAIM"]
    assert form.fields[-1].choices == ("yes", "no")
    assert answer_form(()).fields[-1] == Field(name="ANSWER", required=False, help="your answer in one sentence")


@pytest.mark.parametrize(
    ("people", "choices", "message"),
    [
        ((ANN,), Choices(), "at least 2 debaters, not 1"),
        ((ANN, BOB), Choices(rounds=0), "socratic needs at least 1 round, not 0"),
        ((ANN, BOB), Choices(turn_mode="random"), "socratic has its own order of speaking"),
    ],
)
def test_what_cannot_be_played_is_refused(people: tuple[Participant, ...], choices: Choices, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        runner(people, choices=choices)


async def test_cut_at_every_entry_and_resumed_it_is_the_same_debate() -> None:
    people = (ANN, BOB, CY, CHAIR)
    place = runner(people, ("yes", "no"), Choices(rounds=2))
    names = [person.name for person in people]
    whole = await place.run(dict.fromkeys(names, SeededAgent()))
    assert whole.transcript.closed
    await resume_everywhere(place, whole)


SAID = {
    ("Bob", "open"): "ANSWER: yes\nCLAIM: Tea calms.\nARGUMENT: It does.",
    ("Ann", "question"): "AIM: PROBE_EVIDENCE\nQUESTION: How do you know?",
    ("Bob", "answer"): "ANSWER: yes\nCLAIM: NONE\nCONCEDES: PARTLY\nARGUMENT: I feel it.",
}


async def prompts() -> list[str]:
    """The whole message lists of a debate of two, each as one text."""
    people = (replace(ANN, role="Examiner", persona="You doubt."), replace(BOB, role="Brewer"))
    seat = Scripted(lambda ask, context: SAID.get((ask.to, ask.act), "no words"))
    await runner(people, ("yes", "no"), Choices(strategy="vote", rounds=1)).run({"Ann": seat, "Bob": seat})
    lists = [compose(ask, context, Traits()) for ask, context in seat.history]
    return ["\n".join(f"<{message.role}>\n{message.text}" for message in messages) + "\n" for messages in lists]


SHARED = """\
Topic: Tea?

The possible answers are: yes; no.

At the table:
- Ann: Examiner
- Bob: Brewer

"""


THESIS = """\

State your thesis on the topic, your main reasons, and what would refute it.
"""

LOG = """\
The debate so far:

---

T1 [Bob]:
  ANSWER: yes
  CLAIM: Tea calms.
  ARGUMENT: It does.

"""

QUESTION = """\
Round 1: you examine Bob. Above is what Bob said last. Ask ONE question, on the point on which most of it depends. \
Do not argue, and do not answer it yourself.
"""

ANSWER = """\
--- Round 1 ---

T2 [Ann]:
  AIM: PROBE_EVIDENCE
  QUESTION: How do you know?

Round 1: Ann asks you the question above. First answer just that, directly. Then say what follows for your thesis: \
keep it, narrow it, or give it up.
"""


async def test_the_prompts_to_the_letter() -> None:
    thesis, question, answer, *_ = await prompts()
    check_words(thesis, SHARED + THESIS)
    check_words(question, SHARED + LOG + QUESTION)
    check_words(answer, SHARED + LOG + ANSWER)
