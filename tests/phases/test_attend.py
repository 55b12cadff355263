"""Summaries, looking back, translations, revisions, notes on strategy: who is asked, what is laid before whom."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import pytest

from folkmoot.agents.prompt import compose
from folkmoot.core.agent import Context, Recorder
from folkmoot.core.ask import Ask, Reply, Value
from folkmoot.core.brief import Brief, Participant, View
from folkmoot.core.event import Interjected
from folkmoot.core.transcript import Turn
from folkmoot.models.base import Traits
from folkmoot.phases.base import Phase, Rounds, Sequence
from folkmoot.phases.revise import EVOLVE, Mindful, Reflect, Revise, Summarize, Translate
from folkmoot.phases.speak import Everyone, speech
from folkmoot.record.ledger import Ledger
from folkmoot.testing.replay import Harness, HeldDebate

Answers: TypeAlias = Callable[[Ask], Mapping[str, Value] | None]

ARGUE = Everyone(act="argue", task="Argue.")
CHAIR = Participant(name="Chair", duty="moderator")


class Guests:
    """All seats: fields by a script, None to fail; every scene is kept."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.seen: dict[str, tuple[Ask, Context]] = {}

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        self.seen[ask.key] = (ask, context)
        fields = self.answers(ask)
        if fields is None:
            raise ValueError("no answer")
        return Reply(text=f"{ask.to} {ask.act}", fields=fields)

    def prompt(self, key: str) -> str:
        return "\n\n".join(message.text for message in compose(*self.seen[key], Traits()))


def silent(ask: Ask) -> Mapping[str, Value] | None:
    return {}


async def hold(
    phase: Phase, *people: Participant, answers: Answers = silent, brief: Brief | None = None
) -> tuple[HeldDebate, Guests]:
    guests = Guests(answers)
    parsed_brief = brief or Brief(topic="Tea?", participants=people)
    debate = await Harness(brief=parsed_brief, protocol=phase).run(
        {participant.name: guests for participant in parsed_brief.participants}
    )
    return debate, guests


def asks_of(debate: HeldDebate, act: str) -> list[tuple[str, tuple[str, ...], str]]:
    """Who is asked, for whom (nobody named: for all), with which turns laid before it."""
    turns = [turn for turn in debate.transcript.all() if turn.act == act]
    marks = {turn.key: turn.mark for turn in debate.transcript.all()}
    return [(turn.by, turn.ask.audience, " ".join(marks[key] for key in turn.about)) for turn in turns if turn.ask]


def people(*names: str, **hide: tuple[str, ...]) -> tuple[Participant, ...]:
    return tuple(Participant(name=name, hide=hide.get(name, ())) for name in names)


SUMS = Rounds(each=Sequence(parts=(ARGUE, Summarize())), most=3)

# ---- summaries -----------------------------------------------------------------------------------------------------


async def test_one_summary_for_all_by_the_moderator_on_the_last_one_and_what_came_since() -> None:
    debate, guests = await hold(SUMS, *people("Ann", "Bob"), CHAIR)
    assert asks_of(debate, "summarize") == [
        ("Chair", (), "T1 T2"),
        ("Chair", (), "T3 T4 T5"),
        ("Chair", (), "T6 T7 T8"),
    ]
    prompt = guests.prompt("/debate/round-2/summarize#1")
    assert (
        "T3 [Chair]:\n  Chair summarize\n\nT4 [Ann]:\n  Ann argue\n\nT5 [Bob]:\n  Bob argue\n\nYou are Chair." in prompt
    )
    assert "The debate so far" not in prompt


async def test_without_a_moderator_the_debaters_take_turns_also_where_one_fails() -> None:
    def answers(ask: Ask) -> Mapping[str, Value] | None:
        return None if (ask.to, ask.act) == ("Bob", "summarize") else {}

    debate, _ = await hold(SUMS, *people("Ann", "Bob"), answers=answers)
    assert asks_of(debate, "summarize") == [
        ("Ann", (), "T1 T2"),
        ("Bob", (), "T3 T4 T5"),
        ("Ann", (), "T3 T4 T5 T7 T8"),
    ]
    assert debate.transcript.closed


async def test_who_may_not_see_a_turn_is_told_of_it_by_no_summary() -> None:
    debate, guests = await hold(SUMS, *people("Ann", "Bob", "Cy", Bob=("Ann",)), CHAIR)
    assert asks_of(debate, "summarize")[:4] == [
        ("Chair", ("Ann", "Cy", "Chair"), "T1 T2 T3"),
        ("Bob", ("Bob",), "T2 T3"),
        ("Chair", ("Ann", "Cy", "Chair"), "T4 T6 T7 T8"),
        ("Bob", ("Bob",), "T5 T7 T8"),
    ]
    assert "Ann argue" not in guests.prompt("/debate/round-2/summarize#2")


@pytest.mark.parametrize(
    ("hide", "first", "second"),
    [
        # Whose summaries Bob may not see, does not write Bob's.
        (("Chair",), ("Bob", ("Bob",), "T1 T2"), ("Bob", ("Bob",), "T4 T5 T6")),
        (("summarize",), ("Bob", ("Bob",), "T1 T2"), ("Bob", ("Bob",), "T4 T5 T6")),
        (("round 2",), ("Chair", (), "T1 T2"), ("Bob", ("Bob",), "T3 T5")),
        (("Ann round 2",), ("Chair", (), "T1 T2"), ("Bob", ("Bob",), "T3 T5")),
    ],
)
async def test_masks_part_the_readers(
    hide: tuple[str, ...], first: tuple[str, tuple[str, ...], str], second: tuple[str, tuple[str, ...], str]
) -> None:
    debate, _ = await hold(SUMS, *people("Ann", "Bob", Bob=hide), CHAIR)
    sums = asks_of(debate, "summarize")
    assert first in sums[:2]
    assert second in sums


async def test_what_a_view_leaves_out_does_not_come_back_in_a_summary() -> None:
    narrow = Participant(name="Bob", view=View(hide=("Ann",)))
    debate, _ = await hold(SUMS, *people("Ann", "Cy"), narrow)
    assert asks_of(debate, "summarize")[:2] == [("Ann", ("Ann", "Cy"), "T1 T2 T3"), ("Bob", ("Bob",), "T2 T3")]


async def test_notes_to_oneself_are_in_no_summary_and_part_nobody() -> None:
    note = Everyone(act="strategy", task="Note.", private=True)
    debate, _ = await hold(Sequence(parts=(ARGUE, note, Summarize(), Summarize(), Summarize())), *people("Ann", "Bob"))
    # Nothing new since the first one: nobody is asked again.
    assert asks_of(debate, "summarize") == [("Ann", (), "T1 T2")]


async def test_a_word_from_outside_is_summed_up_too() -> None:
    def table(ledger: Ledger) -> Mapping[str, Guests]:
        class Rude(Guests):
            async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
                if ask.key == "/debate/argue#1":
                    await ledger.add(Interjected(by="Guest", text="And milk?"))
                return await super().answer(ask, context, recorder)

        return dict.fromkeys(("Ann", "Bob"), Rude(silent))

    brief = Brief(topic="Tea?", participants=people("Ann", "Bob"))
    debate = await Harness(brief=brief, protocol=Sequence(parts=(ARGUE, Summarize()))).run(table)
    assert asks_of(debate, "summarize") == [("Ann", (), "T1 T2 T3")]


async def test_of_nothing_there_is_no_summary() -> None:  # F63
    debate, _ = await hold(Sequence(parts=(Summarize(),)), *people("Ann", "Bob"))
    assert debate.transcript.all() == ()


# ---- revisions -----------------------------------------------------------------------------------------------------

REVISING = Rounds(each=Sequence(parts=(ARGUE, Revise())), most=2)


def revising(**chosen: str) -> Answers:
    """Who names which turn as the one to revise, each time; "!" fails."""

    def answers(ask: Ask) -> Mapping[str, Value] | None:
        if ask.act != "reconsider":
            return {"CLAIM": f"{ask.to}'s claim"} if ask.act == "revise" else {}
        mark = chosen.get(ask.to, "")
        return None if mark == "!" else {"REPLACES": mark} if mark else {}

    return answers


async def test_a_revision_names_the_turn_that_it_replaces() -> None:
    debate, guests = await hold(REVISING, *people("Ann", "Bob", "Cy"), answers=revising(Ann="T1", Bob="!"))
    assert asks_of(debate, "reconsider")[:3] == [("Ann", ("Ann",), ""), ("Bob", ("Bob",), ""), ("Cy", ("Cy",), "")]
    assert asks_of(debate, "revise") == [("Ann", (), "T1")]
    ask, context = guests.seen["/debate/round-1/revise#4"]
    assert ask.form is not None
    assert [field.name for field in ask.form.fields] == ["REPLACES", "ARGUMENT", "CLAIM", "ANSWER"]
    assert ask.form.fields[0].choices == ("T1",)
    assert [turn.mark for turn in context.about] == ["T1"]
    # The frame of the revision says so, the old turn stands as it stood.
    prompt = guests.prompt("/debate/round-2/revise#1")
    assert "T1 [Ann]:\n  Ann argue" in prompt
    assert "T7 [Ann] (replaces T1):\n  Ann revise" in prompt
    assert "replaces" not in prompt.replace("(replaces T1)", "")
    # A turn that was replaced is not offered again, its revision is.
    again = guests.seen["/debate/round-2/revise#1"][0].form
    assert again is not None
    assert again.fields[0].choices == ("T7", "T8")
    assert again.fields[0].required is False


async def test_who_has_said_nothing_in_sight_is_not_asked_to_revise() -> None:
    blind = Participant(name="Bob", view=View(last=0))

    def answers(ask: Ask) -> Mapping[str, Value] | None:
        return None if ask.to == "Ann" else {}

    debate, _ = await hold(Sequence(parts=(ARGUE, Revise())), *people("Ann"), blind, answers=answers)
    assert asks_of(debate, "reconsider") == []
    assert debate.transcript.closed


# ---- looking back --------------------------------------------------------------------------------------------------


async def test_each_looks_back_on_all_its_own_turns_whatever_its_view() -> None:
    windowed = Participant(name="Bob", view=View(last=1))
    talk = Rounds(each=ARGUE, most=2)
    debate, guests = await hold(Sequence(parts=(talk, Reflect())), *people("Ann"), windowed, CHAIR)
    assert asks_of(debate, "reflect") == [("Ann", (), "T1 T3"), ("Bob", (), "T2 T4")]
    prompt = guests.prompt("/debate/reflect#2")
    assert "T2 [Bob]:\n  Bob argue\n\nT4 [Bob]:\n  Bob argue\n\nYou are Bob." in prompt
    assert "Ann argue" not in prompt


async def test_who_never_spoke_does_not_look_back() -> None:
    debate, _ = await hold(Sequence(parts=(Reflect(),)), *people("Ann", "Bob"))
    assert debate.transcript.all() == ()


# ---- strategy ------------------------------------------------------------------------------------------------------


def noting(ask: Ask) -> Mapping[str, Value] | None:
    if ask.act != "strategy" or ask.to == "Cy":
        return {}
    return {"NOTE": f"secret of {ask.to}\n[Bob]: after {ask.key.split('/')[2]}"}


@pytest.mark.parametrize("view", [None, View(last=0), View(last=1), View(mine=True), View(summary_only=True)])
async def test_ones_newest_note_is_beside_each_task_and_before_nobody_else(view: View | None) -> None:
    table = tuple(Participant(name=name, view=view) for name in ("Ann", "Bob"))
    speaking_phase = Everyone(act="argue", task="Argue.", view=View(numbered=True))
    debate, guests = await hold(
        Rounds(each=Mindful(each=Sequence(parts=(speaking_phase, EVOLVE))), most=3),
        *table,
        Participant(name="Cy"),
        answers=noting,
    )
    for key, (ask, _) in guests.seen.items():
        prompt, n = guests.prompt(key), int(key.split("round-")[1][0])
        other = "Bob" if ask.to == "Ann" else "Ann"
        assert f"secret of {other}" not in prompt
        assert "strategy\n" not in prompt.replace("Cy strategy\n", "")
        if n > 1 and ask.to != "Cy":
            assert prompt.count("secret of") == 1
            assert f"nobody else sees:\n  secret of {ask.to}\n  [Bob]: after round-{n - 1}" in prompt
    # Without the field, the words are the note.
    assert "nobody else sees:\n  Cy strategy" in guests.prompt("/debate/round-2/argue#3")
    assert {turn.ask.audience for turn in debate.transcript.turns("strategy") if turn.ask} == {
        ("Ann",),
        ("Bob",),
        ("Cy",),
    }


async def test_a_note_is_beside_no_task_that_it_does_not_matter_for() -> None:
    score = Everyone(act="score", task="Score.")
    agent = Mindful(each=Sequence(parts=(ARGUE, EVOLVE, score)))
    _, guests = await hold(agent, *people("Ann", "Bob"), answers=noting)
    assert "secret" not in guests.prompt("/debate/score#1")
    assert agent.name == "sequence"


async def test_a_long_note_is_cut_visibly() -> None:
    def long(ask: Ask) -> Mapping[str, Value] | None:
        return {"NOTE": "x" * 5000} if ask.act == "strategy" else {}

    _, guests = await hold(Mindful(each=Sequence(parts=(EVOLVE, ARGUE))), *people("Ann", "Bob"), answers=long)
    assert "  " + "x" * 1000 + " […cut: 4000 more characters]" in guests.prompt("/debate/argue#1")


# ---- translations --------------------------------------------------------------------------------------------------

GERMAN = Participant(name="Ann", language="German")


async def test_the_moderator_translates_each_turn_that_it_may_see() -> None:
    chair = Participant(name="Chair", duty="moderator", hide=("open",))
    parts = (Everyone(act="open", task="Open."), ARGUE, EVOLVE, Everyone(act="vote", task="Vote."), Translate())
    debate, guests = await hold(Sequence(parts=parts), GERMAN, *people("Bob"), chair)
    assert asks_of(debate, "translate") == [("Ann", ("Ann",), "T1"), ("Chair", ("Chair",), "T3")]
    assert "Speak German." in guests.prompt("/debate/argue#1")
    own = guests.prompt("/debate/translate#1")
    assert own.index("[Ann]:\n  Ann open") < own.index("You are Ann.") < own.index("Translate the turn above")
    assert "Speak German." not in own


async def test_without_a_moderator_the_speaker_translates() -> None:
    debate, _ = await hold(Sequence(parts=(ARGUE, Translate())), GERMAN, *people("Bob"))
    assert asks_of(debate, "translate") == [("Ann", ("Ann",), "T1")]


async def test_nothing_said_nothing_translated() -> None:
    debate, _ = await hold(Sequence(parts=(ARGUE, Translate())), *people("Ann", "Bob"))
    assert asks_of(debate, "translate") == []


# ---- bad days ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", ["summarize", "reconsider", "revise", "reflect", "strategy", "translate"])
@pytest.mark.parametrize("how", ["fails", "unread"])
async def test_whatever_fails_or_is_not_read_the_debate_goes_on(bad: str, how: str) -> None:
    def answers(ask: Ask) -> Mapping[str, Value] | None:
        if ask.act == bad:
            return None if how == "fails" else {}
        return {field.name: field.choices[0] for field in ask.form.fields if field.choices} if ask.form else {}

    rounds = Rounds(each=Sequence(parts=(ARGUE, Revise(), EVOLVE, Summarize())), most=2)
    debate, _ = await hold(
        Sequence(parts=(Mindful(each=rounds), Reflect(), Translate())), GERMAN, *people("Bob"), CHAIR, answers=answers
    )
    assert debate.transcript.closed
    assert len([turn for turn in debate.transcript.failures() if turn.act == bad]) == len(debate.transcript.failures())


def test_the_frame_of_a_revision_says_what_it_replaces_only_where_turns_are_numbered() -> None:
    form = speech(())
    brief = Brief(topic="Tea?", participants=people("Ann"))
    plain = Turn(
        key="a",
        number=1,
        by="Ann",
        act="revise",
        reply=Reply(text="x"),
        ask=Ask(key="a", to="Ann", act="revise", task="", form=form),
    )
    context = Context(brief=brief, me=brief.participants[0], turns=(plain,), view=View(numbered=True))
    assert "T1 [Ann]:\n  x" in compose(Ask(key="b", to="Ann", act="argue", task="?"), context, Traits())[1].text
