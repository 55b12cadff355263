"""Who may see what, and what of it is shown: masks, audiences, views, and the scene that a seat is given."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from folkmoot.core.agent import context_of, without_private_fields
from folkmoot.core.ask import Ask, Field, Form, Reply, Value
from folkmoot.core.brief import Brief, Participant, View
from folkmoot.core.event import Asked, Interjected, Opened, Replied
from folkmoot.core.transcript import Transcript, Turn
from folkmoot.core.unread import Unread

FORM = Form(name="speech", fields=(Field(name="TARGET", kind="choice", choices=("T1", "T2", "T3")),))


def transcript_of(*people: Participant) -> Transcript:
    """Ann and Bob speak in two rounds; Bob's second turn answers Ann's first; the chair sums up between the rounds."""
    transcript = Transcript()
    transcript.apply(Opened(brief=Brief(topic="Tea?", participants=people), protocol={}))
    for key, by, act, fields in (
        ("/debate/rounds/round-1/argue#1", "Ann", "argue", {}),
        ("/debate/rounds/round-1/argue#2", "Bob", "argue", {}),
        ("/debate/rounds/round-1/summarize#1", "Chair", "summarize", {}),
        ("/debate/rounds/round-2/argue#1", "Bob", "argue", {"TARGET": "T1"}),
        ("/debate/rounds/round-2/critique#1", "Cy", "critique", {}),
    ):
        say(transcript, Ask(key=key, to=by, act=act, task="", form=FORM), fields)
    return transcript


def say(transcript: Transcript, ask: Ask, fields: Mapping[str, Value] | None = None) -> None:
    transcript.apply(Asked(ask=ask))
    transcript.apply(Replied(key=ask.key, reply=Reply(text=f"{ask.to} {ask.act}", fields=fields or {})))


def table(hide: tuple[str, ...] = ()) -> tuple[Participant, ...]:
    names = [Participant(name="Ann", hide=hide), Participant(name="Bob"), Participant(name="Cy")]
    return (*names, Participant(name="Chair", duty="moderator"))


def test_turns_are_numbered_in_the_order_of_asking() -> None:
    transcript = transcript_of(*table())
    transcript.apply(Interjected(by="Guest", text="hello"))
    assert [turn.mark for turn in transcript.all()] == ["T1", "T2", "T3", "T4", "T5", "T6"]


@pytest.mark.parametrize(
    ("hide", "visible"),
    [
        ((), "T1 T2 T3 T4 T5"),
        (("Bob",), "T1 T3 T5"),
        (("critique",), "T1 T2 T3 T4"),
        (("round 1",), "T1 T4 T5"),  # one's own turns are never hidden
        (("Bob round 2",), "T1 T2 T3 T5"),
        (("critique round 2", "Chair"), "T1 T2 T4"),
        (("Bob round 3", "nobody"), "T1 T2 T3 T4 T5"),
    ],
)
def test_a_mask_hides_turns_whatever_the_view(hide: tuple[str, ...], visible: str) -> None:
    transcript = transcript_of(*table(hide=hide))
    assert " ".join(turn.mark for turn in transcript.look(View(), "Ann")) == visible
    assert " ".join(turn.mark for turn in transcript.look(View(), "Cy")) == "T1 T2 T3 T4 T5"


@pytest.mark.parametrize(
    ("view", "who", "visible"),
    [
        (View(last=2), "Ann", "T4 T5"),
        (View(last=0), "Ann", ""),
        (View(summary=True), "Ann", "T3 T4 T5"),
        (View(summary_only=True), "Ann", "T3"),
        (View(mine=True), "Ann", "T1 T3 T4"),  # T4 answers T1; the chair speaks to all
        (View(mine=True), "Bob", "T2 T3 T4"),
        (View(mine=True), "Cy", "T3 T5"),
        (View(mine=True, last=1), "Ann", "T4"),
        (View(hide=("critique", "Chair")), "Ann", "T1 T2 T4"),
    ],
)
def test_a_view_chooses_among_what_may_be_seen(view: View, who: str, visible: str) -> None:
    assert " ".join(turn.mark for turn in transcript_of(*table()).look(view, who)) == visible


def test_what_is_for_its_author_alone_stands_in_no_log() -> None:
    transcript = transcript_of(*table())
    say(transcript, Ask(key="#6", to="Ann", act="bid", task="", audience=("Ann",)))
    say(transcript, Ask(key="#7", to="Ann", act="argue", task="", audience=("Ann", "Bob")))
    bid = transcript.get("#6")
    assert [turn.mark for turn in transcript.look(View(last=2), "Ann")] == ["T5", "T7"]
    assert (transcript.sees("Ann", bid), transcript.sees("Bob", bid)) == (True, False)


def test_what_is_about_ones_own_turn_concerns_one() -> None:
    transcript = transcript_of(*table())
    say(transcript, Ask(key="#6", to="Cy", act="critique", task="", about=("/debate/rounds/round-1/argue#2",)))
    transcript.apply(Interjected(by="Guest", text="hello"))
    assert [turn.mark for turn in transcript.look(View(mine=True), "Bob")] == ["T2", "T3", "T4", "T6", "T7"]


def test_a_turn_names_the_turn_that_it_answers() -> None:
    transcript = transcript_of(*table())
    first, *_, answer, _ = transcript.all()
    assert transcript.target(answer) is first
    assert transcript.target(first) is None


def test_a_transcript_without_a_brief_masks_nobody() -> None:
    transcript = Transcript()
    say(transcript, Ask(key="#1", to="Ann", act="argue", task=""))
    assert [turn.mark for turn in transcript.look(View(mine=True), "Bob")] == []
    assert [turn.mark for turn in transcript.look(View(), "Bob")] == ["T1"]


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (View(), None, View()),
        (View(last=3), View(), View(last=3)),
        (View(last=3), View(last=0), View(last=0)),
        (View(summary=True), View(summary_only=True), View(summary=True, summary_only=True)),
        (View(hide=("a", "b"), clip=9), View(hide=("b", "c"), clip=5), View(hide=("a", "b", "c"), clip=5)),
        (View(mine=True, own=True), View(anonymous=True, numbered=True),
         View(mine=True, own=True, anonymous=True, numbered=True)),
    ],
)  # fmt: skip
def test_two_views_show_what_both_show(one: View, other: View | None, both: View) -> None:
    assert one.narrowed(other) == both


def test_a_scene_holds_nothing_that_must_not_be_seen_whatever_the_ask_says() -> None:
    people = (Participant(name="Ann", hide=("Bob",), view=View(last=2)), *table()[1:])
    transcript = transcript_of(*people)
    keys = tuple(turn.key for turn in transcript.all()[:3])
    context = context_of(
        Brief(topic="Tea?", participants=people), transcript, Ask(key="#", to="Ann", act="x", task="", about=keys)
    )
    assert [turn.mark for turn in context.about] == ["T1", "T3"]
    assert [turn.mark for turn in context.turns] == ["T3", "T5"]
    assert context.view == View(last=2)


@pytest.mark.parametrize(
    ("act", "choices", "mark"), [("revise", ("T3",), "T3"), ("revise", (), ""), ("vote", ("T3",), "")]
)
def test_what_an_answer_replaces_stands_in_its_ask(act: str, choices: tuple[str, ...], mark: str) -> None:
    form = Form(name="revision", fields=(Field(name="REPLACES", kind="choice", choices=choices),))
    assert Ask(key="#", to="Ann", act=act, task="", form=form).replaces == mark


SCAFFOLD = Form(
    name="message",
    fields=(
        Field(name="Content"),
        Field(name="Whisper", required=False, private=True, to="WhisperTo"),
        Field(name="WhisperTo", kind="choice", choices=("Bob", "Cy"), required=False, private=True, to="WhisperTo"),
        Field(name="Thoughts", required=False, private=True),
    ),
)
SECRETS = {"Content": "aloud", "Whisper": "psst", "WhisperTo": "Bob", "Thoughts": "hm"}


@pytest.mark.parametrize(
    ("who", "text", "read"),
    [
        ("Ann", "as it came: psst hm", set(SECRETS)),
        ("Bob", "Content: aloud\nWhisper: psst\nWhisperTo: Bob", {"Content", "Whisper", "WhisperTo"}),
        ("Cy", "Content: aloud", {"Content"}),
    ],
)
def test_private_fields_are_for_whom_they_name(who: str, text: str, read: set[str]) -> None:
    people = tuple(Participant(name=name) for name in ("Ann", "Bob", "Cy"))
    transcript = Transcript()
    transcript.apply(Opened(brief=Brief(topic="Tea?", participants=people), protocol={}))
    transcript.apply(Asked(ask=Ask(key="#1", to="Ann", act="argue", task="", form=SCAFFOLD)))
    reply = Reply(text="as it came: psst hm", fields=SECRETS, unread=(Unread("Thoughts", "empty", "hm?"),))
    transcript.apply(Replied(key="#1", reply=reply))
    ask = Ask(key="#2", to=who, act="argue", task="", about=("#1",))
    context = context_of(Brief(topic="Tea?", participants=people), transcript, ask)
    for turn in (*context.turns, *context.about):
        assert (turn.text, set(turn.fields)) == (text, read)
        assert (turn.reply is not None and turn.reply.unread == ()) == (who != "Ann")


def test_of_an_answer_that_could_not_be_read_others_read_nothing_where_it_may_hold_secrets() -> None:
    turn = Turn(key="#1", by="Ann", act="argue", ask=Ask(key="#1", to="Ann", act="argue", task="", form=SCAFFOLD))
    assert without_private_fields("Bob", turn) == turn
    assert without_private_fields("Bob", replace(turn, reply=Reply(text="psst"))).text == ""
