"""The format ``bp_style``: who gives which speech, who may offer a point, who fails, and the exact prompts."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from folkmoot.agents.prompt import compose
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import ProtocolError
from folkmoot.models.base import Traits
from folkmoot.phases.choices import Choices, Mediation
from folkmoot.protocols.parliament import OFFICES, assign_speeches, bp_style, speech_list
from folkmoot.report.markdown import markdown
from folkmoot.report.report import report
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from folkmoot.testing.scripted import Scripted
from tests.agents.prompts import check_words
from tests.kits.players import CHAIR, Player, Script, resume_everywhere

NAMES = ("Ann", "Bob", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal")
PEOPLE = tuple(Participant(name=name) for name in NAMES)
VOTE = Choices(strategy="vote")


def runner(people: tuple[Participant, ...], options: tuple[str, ...] = (), choices: Choices = VOTE) -> Harness:
    brief = Brief(topic="Tea?", participants=people, options=options)
    return Harness(brief=brief, protocol=bp_style(brief, choices), name="bp_style")


async def hold(people: tuple[Participant, ...], script: Script) -> tuple[HeldDebate, Player]:
    player = Player(script)
    return await runner(people).run(dict.fromkeys([person.name for person in people], player)), player


def bidding(**urgency: float) -> Script:
    """All answer; these bid so high, the others 0."""

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return {"URGENCY": urgency.get(ask.to, 0.0)} if ask.act == "bid" else {}

    return script


def without(act: str, script: Script) -> Script:
    """Whoever is asked for this fails."""
    return lambda ask, context: None if ask.act == act else script(ask, context)


def spoken(player: Player, office: str) -> list[str]:
    """Who was asked for what at a speech, in order."""
    return [f"{ask.to} {ask.act}" for ask, _ in player.asked if f"/{office}#" in ask.key]


@pytest.mark.parametrize(
    ("people", "speakers"),
    [
        (2, "Ann Bob Ann Bob Ann Bob Ann Bob"),
        (3, "Ann Bob Ann Bob Cy Bob Cy Bob"),
        (4, "Ann Bob Ann Bob Cy Dee Cy Dee"),
        (5, "Ann Bob Ann Bob Cy Dee Eve Dee"),
        (6, "Ann Bob Ann Bob Cy Dee Eve Fay"),
        (7, "Ann Bob Cy Bob Eve Dee Gus Fay"),
        (8, "Ann Bob Cy Dee Eve Fay Gus Hal"),
    ],
)
async def test_the_order_of_speaking(people: int, speakers: str) -> None:
    """S3: eight speeches in the official order; everybody has at least one, and nobody speaks on both sides."""
    debate, _ = await hold(PEOPLE[:people], bidding())
    speeches = debate.transcript.turns("argue")
    assert [turn.by for turn in speeches] == speakers.split()
    assert [turn.ask.task.partition("\n")[0] for turn in speeches if turn.ask] == [
        "You are the Prime Minister (Opening Government).",
        "You are the Leader of the Opposition (Opening Opposition).",
        "You are the Deputy Prime Minister (Opening Government).",
        "You are the Deputy Leader of the Opposition (Opening Opposition).",
        "You are the Member of the Government (Closing Government).",
        "You are the Member of the Opposition (Closing Opposition).",
        "You are the Government Whip (Closing Government).",
        "You are the Opposition Whip (Closing Opposition).",
    ]
    assert {turn.by for turn in speeches} == set(NAMES[:people])
    assert not {turn.by for turn in speeches[::2]} & {turn.by for turn in speeches[1::2]}


@pytest.mark.parametrize("people", range(2, 9))
async def test_how_many_are_asked(people: int) -> None:
    quiet, _ = await hold(PEOPLE[:people], bidding())
    loud, _ = await hold(PEOPLE[:people], bidding(**dict.fromkeys(NAMES, 5.0)))
    ending = people  # each ranks the teams
    assert len(quiet.transcript.all()) == 8 + 4 * people + ending
    assert len(loud.transcript.all()) == 24 + 4 * people + ending


async def test_the_other_side_bids_and_the_strongest_bid_is_put_and_answered() -> None:
    debate, player = await hold(PEOPLE[:4], bidding(Bob=3.0, Dee=7.0, Ann=1.0, Cy=0.5))
    assert spoken(player, "prime-minister") == ["Ann argue", "Bob bid", "Dee bid", "Dee interrupt", "Ann answer"]
    assert spoken(player, "government-whip") == ["Cy argue", "Bob bid", "Dee bid", "Dee interrupt", "Cy answer"]
    assert spoken(player, "opposition-whip") == ["Dee argue", "Ann bid", "Cy bid", "Ann interrupt", "Dee answer"]
    bids = [turn.ask for turn in debate.transcript.turns("bid") if turn.ask]
    assert all(ask.audience == (ask.to,) for ask in bids)
    logs = [context.turns for ask, context in player.asked if ask.act in ("argue", "bid", "interrupt", "answer")]
    assert not [turn for log in logs for turn in log if turn.act == "bid"]


async def test_a_report_says_the_bids_on_a_speech_in_one_line() -> None:
    debate, _ = await hold(PEOPLE[:4], bidding(Bob=3.0, Dee=7.0, Ann=1.0, Cy=0.5))
    text = markdown(report(debate.entries, debate="d"))
    assert "- *Bids: Dee 7 (T3), Bob 3 (T2).*" in text
    assert "- *Bids: Ann 1 (T7); no bid of Cy.*" in text
    assert "Urgency" not in text
    quiet, _ = await hold(PEOPLE[:4], bidding())
    assert markdown(report(quiet.entries, debate="d")).count("- *Bids: none.*") == 8


async def test_of_equal_bids_that_of_whoever_was_heard_least_wins_then_the_first() -> None:
    _, player = await hold(PEOPLE[:6], bidding(Bob=5.0, Dee=5.0, Fay=5.0))
    putting = [ask.to for ask, _ in player.asked if ask.act == "interrupt"]
    assert putting == ["Bob", "Dee", "Fay", "Fay"]


async def test_what_is_laid_before_whom() -> None:
    _, player = await hold(PEOPLE[:2], bidding(Bob=9.0))
    laid = [(ask.act, [turn.mark for turn in context.about]) for ask, context in player.asked[:5]]
    assert laid == [("argue", []), ("bid", ["T1"]), ("interrupt", ["T1", "T2"]), ("answer", ["T3"]), ("argue", [])]
    forms = [ask.form for ask, _ in player.asked[1:4]]
    aims = [{field.name: field.choices for field in form.fields}["TARGET"] for form in forms if form]
    assert aims == [("T1",), ("T1",), ("T3",)]


async def test_nobody_bids_on_a_speech_that_was_not_given() -> None:
    debate, player = await hold(PEOPLE[:4], without("argue", bidding(Bob=9.0)))
    assert [ask.act for ask, _ in player.asked] == ["argue"] * 8 + ["vote"] * 4
    assert len(debate.transcript.failures()) == 8


@pytest.mark.parametrize(
    ("lost", "speakers"),
    [
        ("bid", "Ann argue, Bob bid"),
        ("interrupt", "Ann argue, Bob bid, Bob interrupt"),
        ("answer", "Ann argue, Bob bid, Bob interrupt, Ann answer"),
    ],
)
async def test_a_debate_goes_on_without_what_failed(lost: str, speakers: str) -> None:
    debate, player = await hold(PEOPLE[:2], without(lost, bidding(Ann=9.0, Bob=9.0)))
    assert ", ".join(spoken(player, "prime-minister")) == speakers
    assert len(debate.transcript.turns("argue")) == 8
    assert debate.transcript.halts == {}


async def test_an_urgency_that_was_not_read_is_no_offer() -> None:
    _, player = await hold(PEOPLE[:2], lambda ask, context: {})
    assert not [ask for ask, _ in player.asked if ask.act == "interrupt"]


async def test_nobody_is_shown_or_asked_what_is_masked_for_him() -> None:
    deaf = replace(PEOPLE[1], hide=("Ann",))
    _, player = await hold((PEOPLE[0], deaf, *PEOPLE[2:4]), bidding(Bob=9.0))
    assert spoken(player, "prime-minister") == ["Ann argue", "Dee bid"]
    _, player = await hold((PEOPLE[0], deaf), bidding(Bob=9.0))
    assert spoken(player, "prime-minister") == ["Ann argue"]
    stubborn = replace(PEOPLE[0], hide=("interrupt",))
    _, player = await hold((stubborn, PEOPLE[1]), bidding(Bob=9.0))
    assert spoken(player, "prime-minister") == ["Ann argue", "Bob bid", "Bob interrupt"]


def test_whose_duty_is_what() -> None:
    duties = {office.title: office.duty for office in OFFICES}
    assert [title for title, duty in duties.items() if "Define the motion" in duty] == ["Prime Minister"]
    extended = [title for title, duty in duties.items() if duty.startswith("Bring an extension: a new line")]
    assert extended == ["Member of the Government", "Member of the Opposition"]
    assert [title for title, duty in duties.items() if "no new argument" in duty] == [
        "Government Whip",
        "Opposition Whip",
    ]


def test_a_side_with_two_is_two_teams() -> None:
    assert speech_list(assign_speeches(NAMES[:3])) == (
        "The house:\n"
        "- Opening Government: Ann (Prime Minister, Deputy Prime Minister)\n"
        "- Opening Opposition: Bob (Leader of the Opposition, Deputy Leader of the Opposition)\n"
        "- Closing Government: Cy (Member of the Government, Government Whip)\n"
        "- Closing Opposition: Bob (Member of the Opposition, Opposition Whip)"
    )


SILENT = Mediation(kind="silent")


@pytest.mark.parametrize(
    ("people", "choices", "deciding"),
    [
        (PEOPLE[:2], Choices(), ["Ann vote", "Bob vote"]),
        ((*PEOPLE[:2], CHAIR), Choices(), ["Chair vote"]),
        ((*PEOPLE[:2], CHAIR), Choices(mediation=SILENT), ["Ann vote", "Bob vote"]),
        ((*PEOPLE[:2], CHAIR), Choices(mediation=SILENT, strategy="ranked_reasons"), ["Chair vote"]),
        ((*PEOPLE[:2], CHAIR), VOTE, ["Ann vote", "Bob vote"]),
    ],
)
async def test_the_adjudicator_ranks_where_one_speaks(
    people: tuple[Participant, ...], choices: Choices, deciding: list[str]
) -> None:
    player = Player(bidding())
    await runner(people, choices=choices).run(dict.fromkeys([person.name for person in people], player))
    assert [f"{ask.to} {ask.act}" for ask, _ in player.asked if ask.act in ("vote", "score")] == deciding


@pytest.mark.parametrize(
    ("people", "choices", "message"),
    [
        (PEOPLE[:1], VOTE, "bp_style needs 2 to 8 debaters, not 1"),
        ((*PEOPLE, Participant(name="Ida")), VOTE, "bp_style needs 2 to 8 debaters, not 9"),
        (PEOPLE, Choices(rounds=0), "bp_style needs at least 1 round, not 0"),
        (PEOPLE, Choices(turn_mode="random"), "bp_style has its own order of speaking"),
    ],
)
def test_what_cannot_be_played_is_refused(people: tuple[Participant, ...], choices: Choices, message: str) -> None:
    with pytest.raises(ProtocolError, match=message) as refused:
        runner(people, choices=choices)
    assert refused.value.about in ("participants", "rounds", "turn_mode")


def test_more_rounds_are_no_more_speeches() -> None:
    assert runner(PEOPLE, choices=replace(VOTE, rounds=5)).protocol == runner(PEOPLE).protocol


async def test_cut_at_every_entry_and_resumed_it_is_the_same_debate() -> None:
    people = (*PEOPLE[:3], CHAIR)
    place = runner(people, ("yes", "no"), Choices())
    names = [person.name for person in people]
    whole = await place.run(dict.fromkeys(names, SeededAgent()))
    assert whole.transcript.closed
    assert whole.transcript.turns("interrupt")
    await resume_everywhere(place, whole)


SAID = {
    "argue": "OFFICE: Prime Minister (Opening Government)\nCLAIM: Tea for all.\nARGUMENT: It calms.",
    "bid": "URGENCY: 8\nPOINT: Whom?",
    "interrupt": "RELATION: QUESTION\nPOINT: Whom does it calm?",
    "answer": "ARGUMENT: The weary.",
}


async def prompts() -> list[str]:
    """The whole message lists of a debate of two, each as one text."""
    people = (replace(PEOPLE[0], role="Brewer", persona="You like steam."), PEOPLE[1])
    seat = Scripted(lambda ask, context: SAID.get(ask.act, "no words"))
    await runner(people).run({"Ann": seat, "Bob": seat})
    lists = [compose(ask, context, Traits()) for ask, context in seat.history]
    return ["\n".join(f"<{message.role}>\n{message.text}" for message in messages) + "\n" for messages in lists]


SHARED = """\
Topic: Tea?

At the table:
- Ann: Brewer
- Bob

"""

HOUSE = """\
The house:
- Opening Government: Ann (Prime Minister, Deputy Prime Minister)
- Opening Opposition: Bob (Leader of the Opposition, Deputy Leader of the Opposition)
- Closing Government: Ann (Member of the Government, Government Whip)
- Closing Opposition: Bob (Member of the Opposition, Opposition Whip)
"""

FIRST = f"""\

You are the Prime Minister (Opening Government).
{HOUSE}
Define the motion: say exactly what the government proposes, in a way that can be debated. Then open the case for it \
with your strongest arguments.
"""

GIVEN = """\
T1 [Ann]:
  OFFICE: Prime Minister (Opening Government)
  CLAIM: Tea for all.
  ARGUMENT: It calms.

"""

LOG = f"""\
The debate so far:

--- Round 1 ---

{GIVEN}"""

BID = """\

You sit with the Opposition; the speech of Ann, Prime Minister (Opening Government), is over. How urgently do you \
want to put a point of information to it? A good point is short and hits what the speech rests on. 0: you offer none.
"""

POINT = """\
T2 [Bob]:
  URGENCY: 8
  POINT: Whom?

You sit with the Opposition. Ann, Prime Minister (Opening Government), takes your point of information. Put it in at \
most two sentences: a question or an objection that the speech cannot pass over.
"""

PUT = """\
T3 [Bob]:
  RELATION: QUESTION
  POINT: Whom does it calm?

"""

REPLY = """\

Bob puts the point above to your speech as Prime Minister (Opening Government). Answer it in at most three sentences.
"""


async def test_the_prompts_to_the_letter() -> None:
    first, bid, point, reply, *_ = await prompts()
    check_words(first, SHARED + FIRST)
    check_words(bid, SHARED + LOG + BID)
    check_words(point, SHARED + LOG + POINT)
    check_words(reply, SHARED + LOG + PUT + REPLY)
