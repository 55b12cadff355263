"""How the built-in debater answers, bids, scores and judges: the fields that say what a turn does."""

import pytest

from folkmoot.core.ask import Field, Form, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.transcript import Turn
from folkmoot.demo import material
from folkmoot.demo.debater import DemoDebater
from folkmoot.phases.choices import Choices
from folkmoot.phases.speak import RELATIONS
from folkmoot.protocols.known import KNOWN, build
from folkmoot.testing.replay import Harness
from tests.report.quoting import PEOPLE, Room, brief

OPTIONS = ("build", "rent a hall")
YES = ("YES", "NO")


def one(name: str, kind: str = "text", choices: tuple[str, ...] = (), *, required: bool = True) -> Form:
    field = Field(name=name, kind=kind, choices=choices, required=required)  # pyright: ignore[reportArgumentType]
    return Form(name="one", fields=(field,))


async def room(options: tuple[str, ...] = ()) -> tuple[Room, list[Turn]]:
    """Ann speaks for the depot, Ben against it."""
    place = Room(brief(options=options))
    form = Form(name="f", fields=(Field(name="ANSWER", kind="choice", choices=options),)) if options else None
    return place, [await place.ask(name, "open", form, turns=()) for name in ("Ann", "Ben")]


async def put(
    place: Room, who: str, act: str, form: Form, *, turns: list[Turn] | None = None, about: list[Turn] | None = None
) -> Value | None:
    turn = await place.ask(who, act, form, turns=turns, about=about or ())
    return turn.fields.get(form.fields[0].name)


async def test_the_turn_of_the_newest_rival_is_answered() -> None:
    place, _ = await room()
    form = one("TARGET", "choice", ("T1", "T2"), required=False)
    assert await put(place, "Ann", "argue", form) == "T2"
    assert await put(place, "Ben", "argue", form, turns=place.turns[:2]) == "T1"
    assert await put(place, "Ann", "argue", one("TARGET", "choice", ("T1",), required=False)) is None
    assert await put(Room(brief()), "Ann", "open", one("TARGET", "choice", ("T1",), required=False)) is None


async def test_what_is_laid_before_one_is_answered_first() -> None:
    place, (ann, _) = await room()
    assert await put(place, "Cat", "answer", one("TARGET", "choice", ("T1", "T2")), about=[ann]) == "T1"


async def test_a_speech_answers_what_its_own_bid_named() -> None:
    place, (ann, ben) = await room()
    bid = await place.ask("Cat", "bid", one("TARGET", "choice", ("T1",)), turns=[ann])
    assert bid.fields["TARGET"] == "T1"
    form = one("TARGET", "choice", ("T1", "T2"))
    assert await put(place, "Cat", "argue", form, turns=[ann, ben], about=[bid]) == "T1"


async def test_nobody_interrupts_to_agree() -> None:
    place, (ann, _) = await room(OPTIONS)
    same = await place.ask("Cat", "open", one("ANSWER", "choice", (str(ann.fields["ANSWER"]),)), turns=[])
    form = one("RELATION", "choice", RELATIONS)
    assert await put(place, "Cat", "interrupt", form, about=[ann], turns=[same]) == "ATTACK"


@pytest.mark.parametrize(("who", "others", "wanted"), [("Ann", 1, "ATTACK"), ("Ben", 0, "ATTACK")])
async def test_the_other_side_is_attacked(who: str, others: int, wanted: str) -> None:
    place, turns = await room()
    assert await put(place, who, "argue", one("RELATION", "choice", RELATIONS), turns=[turns[others]]) == wanted


async def test_ones_own_side_is_backed() -> None:
    place = Room(brief(people=(*PEOPLE, Participant(name="Dee", role="For the depot", persona="You argue for it."))))
    ann = await place.ask("Ann", "open", turns=())
    assert await put(place, "Dee", "argue", one("RELATION", "choice", RELATIONS), turns=[ann]) == "SUPPORT"


async def test_the_same_option_is_backed_and_another_attacked() -> None:
    place, turns = await room(OPTIONS)
    answers = {turn.by: turn.fields["ANSWER"] for turn in turns}
    form = one("RELATION", "choice", RELATIONS)
    cat = await place.ask("Cat", "open", one("ANSWER", "choice", OPTIONS), turns=())
    wanted = "SUPPORT" if answers["Ann"] == cat.fields["ANSWER"] else "ATTACK"
    assert await put(place, "Cat", "argue", form, turns=[cat, turns[0]]) == wanted
    other = next(option for option in OPTIONS if option != answers["Ann"])
    ask = await place.ask("Mod", "open", one("ANSWER", "choice", (other,)), turns=())
    assert await put(place, "Ann", "argue", form, about=[ask], turns=[turns[0]]) == "ATTACK"


async def test_there_is_no_relation_to_nothing() -> None:
    assert await put(Room(brief()), "Ann", "open", one("RELATION", "choice", RELATIONS, required=False)) is None


async def test_words_are_copied_exactly() -> None:
    place, (ann, _) = await room()
    quote = await put(place, "Cat", "argue", one("QUOTE", required=False), turns=[ann])
    assert isinstance(quote, str)
    assert quote
    assert quote in ann.text
    assert await put(Room(brief()), "Ann", "open", one("QUOTE", required=False)) is None


async def test_who_has_nothing_new_does_not_bid() -> None:
    place, _ = await room()
    form = one("URGENCY", "number")
    first = await put(place, "Cat", "bid", form)
    assert isinstance(first, int)
    assert first >= 1
    for _ in range(6):
        for name in ("Ann", "Ben", "Cat"):
            await place.ask(name, "argue")
    assert await put(place, "Cat", "bid", form) == 0
    assert await put(place, "Cat", "argue", one("CLAIM")) == "NONE"
    assert await put(place, "Cat", "question", one("QUESTION")) == material.ASKED_NOTHING
    assert await put(place, "Mod", "guide", one("NEXT")) == material.SPENT


async def test_claims_points_and_questions_are_quotations() -> None:
    place, (ann, _) = await room()
    for act, name in (("argue", "CLAIM"), ("bid", "POINT"), ("question", "QUESTION"), ("strategy", "NOTE")):
        assert "(doc1.md, line " in str(await put(place, "Cat", act, one(name), turns=[ann])), name


async def test_a_conclusion_is_the_option_held_or_the_first_passage() -> None:
    open_room, _ = await room()
    assert "(doc1.md, line " in str(await put(open_room, "Cat", "argue", one("CONCLUSION"), turns=[]))
    closed, _ = await room(OPTIONS)
    assert await put(closed, "Cat", "argue", one("CONCLUSION"), turns=[]) in OPTIONS


async def test_a_question_needs_a_turn() -> None:
    assert await put(Room(brief()), "Ann", "question", one("QUESTION")) == material.ASKED_NOTHING


async def test_scores_count_passages() -> None:
    place, (ann, _) = await room()
    echo = await place.ask("Cat", "close", turns=[ann], about=[ann])
    assert await put(place, "Mod", "score", one("CLARITY", "number"), about=[ann]) == 5
    assert await put(place, "Mod", "score", one("EVIDENCE", "number"), about=[ann]) in range(1, 11)
    assert await put(place, "Mod", "score", one("ORIGINALITY", "number"), about=[ann], turns=[ann]) == 10
    late = await put(place, "Mod", "score", one("ORIGINALITY", "number"), about=[echo], turns=[ann, echo])
    assert isinstance(late, int)
    assert late < 10
    empty = Turn(key="/x", by="Ben", act="argue", number=9)
    assert await put(place, "Mod", "score", one("ORIGINALITY", "number"), about=[empty]) == 0
    assert await put(place, "Mod", "score", one("EVIDENCE", "number"), turns=[]) == 5


async def test_statements_are_ranked_by_what_they_quote() -> None:
    place, turns = await room()
    ranked = [await put(place, "Mod", "score", one(f"Proposal {text}", "number"), about=turns) for text in "AB"]
    assert max(number for number in ranked if isinstance(number, int)) == 10
    assert "passages" in str(await put(place, "Mod", "score", one("Why B"), about=turns))
    empty = Turn(key="/x", by="Ben", act="argue")
    assert await put(place, "Mod", "score", one("Proposal A", "number"), about=[empty]) == 0


async def test_consent_follows_ones_own_passages() -> None:
    place, (ann, ben) = await room()
    form = one("CONSENT", "choice", ("ACCEPT", "ACCEPT_WITH_RESERVATION", "REJECT"))
    assert await put(place, "Ann", "consent", form, about=[ann]) == "ACCEPT"
    assert await put(place, "Ann", "consent", form, about=[ben]) == "ACCEPT_WITH_RESERVATION"


async def test_looking_back_tells_a_change_of_the_answer() -> None:
    place, turns = await room(OPTIONS)
    form = one("CHANGED", "choice", YES)
    assert await put(place, "Ann", "reflect", form) == "NO"
    other = next(option for option in OPTIONS if option != turns[0].fields["ANSWER"])
    await place.ask("Ann", "close", one("ANSWER", "choice", (other,)))
    answered = [turn.fields["ANSWER"] for turn in place.turns if turn.by == "Ann" and "ANSWER" in turn.fields]
    assert await put(place, "Ann", "reflect", form) == ("YES" if len(set(answered)) > 1 else "NO")


async def test_the_moderator_judges_by_what_was_quoted() -> None:
    place, turns = await room()
    assert await put(place, "Mod", "guide", one("ON_TOPIC", "choice", YES)) == "YES"
    assert await put(place, "Mod", "gauge", one("NEW", "choice", ("CLAIMS", "NONE")), turns=turns) == "CLAIMS"
    assert await put(place, "Mod", "gauge", one("NEW", "choice", ("CLAIMS", "NONE")), turns=[]) == "NONE"
    assert await put(place, "Mod", "gauge", one("CONSENSUS", "choice", ("REACHED", "OPEN")), turns=turns) == "OPEN"
    points = await put(place, "Mod", "guide", one("RECONSIDER", "list"), turns=turns)
    assert isinstance(points, tuple)
    assert [point.split(":")[0] for point in points] == ["Ann", "Ben"]
    alone = await put(place, "Mod", "guide", one("RECONSIDER", "list"), turns=turns[:1])
    assert alone == (f"Ann: {material.SPENT}",)
    text = await put(place, "Mod", "moderate", one("PROPOSAL"), turns=turns)
    assert str(text).startswith("Most of what fits the topic was brought by ")
    assert await put(place, "Mod", "inform", one("DISPUTED"), turns=[]) == material.SPENT
    disputed = await put(place, "Mod", "inform", one("DISPUTED"), turns=turns)
    assert disputed != await put(place, "Mod", "inform", one("FOUND"), turns=turns)
    sources = await put(place, "Mod", "inform", one("SOURCES", "list", required=False), turns=turns)
    assert isinstance(sources, tuple)
    assert all(source.startswith("doc1.md:") for source in sources)
    assert await put(place, "Mod", "inform", one("SOURCES", "list", required=False), turns=[]) is None


async def test_what_it_cannot_know_it_leaves_out() -> None:
    place, (ann, _) = await room()
    assert await put(place, "Ann", "revise", one("REPLACES", "choice", ("T1",), required=False)) is None
    assert await put(place, "Mod", "translate", one("TRANSLATION"), about=[ann]) == material.UNTRANSLATED


def seated(name: str) -> Brief:
    about = brief()
    return about if name != "moderated" else brief(people=PEOPLE)


@pytest.mark.parametrize("name", KNOWN)
async def test_it_takes_part_in_every_protocol(name: str) -> None:
    about = seated(name)
    seat = DemoDebater()
    debate = await Harness(brief=about, protocol=build(name, about, Choices(rounds=2))).run(
        {participant.name: seat for participant in about.participants}
    )
    assert not debate.transcript.failures()
    assert [turn.key for turn in debate.transcript.turns() if turn.reply and turn.reply.unread] == []
    assert debate.transcript.closed


async def test_the_teams_of_a_parliament_are_ranked_by_what_their_speeches_quote() -> None:
    """A judge who only quotes counts what was quoted, and says so of each office."""
    place = Room(brief())
    office = Field(name="OFFICE", kind="choice", choices=("Prime Minister (Opening Government)",))
    spoken = await place.ask("Ann", "argue", Form(name="speech", fields=(office, Field(name="ARGUMENT"))), turns=())
    assert spoken.fields["OFFICE"] == "Prime Minister (Opening Government)"
    teams = ("Opening Opposition", "Opening Government")
    assert await put(place, "Cat", "vote", one("RANKING", "list", teams), turns=[spoken]) == teams[::-1]
    assert (
        await put(place, "Cat", "vote", one("Prime Minister"), turns=[spoken])
        == "It quotes 2 passages of the documents."
    )
    assert await put(place, "Cat", "vote", one("Opposition Whip"), turns=[spoken]) == "Its speech was not given."
