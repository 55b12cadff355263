"""Entries under the documented names: each kind, in order, one start and one end."""

from collections.abc import Mapping

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.event import Entry, Paused
from folkmoot.phases.base import Sequence
from folkmoot.phases.choices import Choices
from folkmoot.phases.speak import Everyone
from folkmoot.phases.vote import BALLOT
from folkmoot.protocols.known import build
from folkmoot.report.turn_text import NAMES, Named, Namer
from folkmoot.testing.replay import Harness
from tests.kits.players import ANN, BOB, CY, Player


def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
    if (ask.act, ask.to) == ("revise", "Cy"):
        return None
    if ask.act == "vote":
        assert ask.form
        return {BALLOT: ask.form.fields[0].choices[0]} if ask.to == "Ann" else {}
    return {"ISSUE": "It is dear."} if ask.act == "critique" else {"ANSWER": f"{ask.to}'s"}


async def names_of(*people: Participant) -> list[Named]:
    brief = Brief(topic="Tea?", participants=people)
    place = Harness(brief=brief, protocol=build("arena", brief, Choices(rounds=1, topology="ring")))
    debate = await place.run({person.name: Player(script) for person in people})
    namer = Namer()
    return [named for entry in debate.entries if (named := namer.name(entry))]


async def test_a_debate_under_its_documented_names() -> None:
    named_events = await names_of(ANN, BOB, CY, Participant(name="Likeness", seat="likeness:ollama:e", duty="aide"))
    assert [named.type for named in named_events] == [
        "debate_start",
        *["agent_message"] * 3,
        "round_start",
        *["critique"] * 3,
        *["agent_message"] * 2,
        "agent_error",
        *["vote"] * 3,
        "consensus",
        "debate_end",
    ]
    assert {named.type for named in named_events} < set(NAMES)
    assert [named.seq for named in named_events] == sorted({named.seq for named in named_events})
    first: dict[str, Mapping[str, object]] = {}
    for event in named_events:
        first.setdefault(event.type, event.data)
    assert first["debate_start"] == {"task": "Tea?", "agents": ["Ann", "Bob", "Cy"]}
    assert first["round_start"] == {"round": 1}
    assert first["agent_message"] == {
        "agent": "Ann",
        "act": "propose",
        "round": 0,
        "text": "Ann propose /debate/propose#1",
    }
    critique = first["critique"]
    assert (critique["agent"], critique["of"], critique["fields"]) == ("Ann", "Bob", {"ISSUE": "It is dear."})
    assert first["agent_error"] == {"agent": "Cy", "act": "revise", "reason": "ValueError: no answer"}
    votes = [named.data for named in named_events if named.type == "vote"]
    assert [vote["agent"] for vote in votes] == ["Ann", "Bob", "Cy"]
    assert [bool(vote["choice"]) for vote in votes] == [True, False, False]
    assert [first["consensus"][text] for text in ("status", "winner", "text")] == ["no_decision", "", ""]
    assert first["consensus"]["rule"] == "supermajority"
    assert first["debate_end"]["status"] == "no_decision"


async def test_aides_and_what_is_for_its_author_alone_have_no_name() -> None:
    """A librarian answers and a teller fails; bids are for their author alone; the floor is heard by all."""

    def bids(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if ask.to == "Scribe":
            return None
        return {"BID": 5.0, "WHY": "me"} if ask.act == "bid" else {}

    aides = (Participant(name="Likeness", duty="aide"), Participant(name="Scribe", duty="aide"))
    brief = Brief(topic="Tea?", participants=(ANN, BOB, *aides))
    say = Everyone(act="argue", task="Argue.", who=("Ann", "Likeness", "Scribe"))
    bid = Everyone(act="bid", task="Bid.", private=True)
    place = Harness(brief=brief, protocol=Sequence(parts=(bid, say)))
    debate = await place.run({participant.name: Player(bids) for participant in brief.participants})
    assert {turn.by for turn in debate.transcript.all()} == {"Ann", "Bob", "Likeness", "Scribe"}
    namer = Namer()
    named_events = [named for entry in debate.entries if (named := namer.name(entry))]
    assert [
        (named_event.type, named_event.data.get("agent"), named_event.data.get("act")) for named_event in named_events
    ] == [
        ("debate_start", None, None),
        ("agent_message", "Ann", "argue"),
        ("debate_end", None, None),
    ]


async def test_a_result_names_what_was_decided() -> None:
    def agreed(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return {"ANSWER": "Tea"}

    brief = Brief(topic="Tea?", participants=(ANN, BOB))
    debate = await Harness(brief=brief, protocol=build("arena", brief, Choices(rounds=0))).run(
        {participant.name: Player(agreed) for participant in brief.participants}
    )
    namer = Namer()
    (came,) = [named for entry in debate.entries if (named := namer.name(entry)) and named.type == "consensus"]
    assert (came.data["status"], came.data["winner"], came.data["text"]) == ("decided", "Tea", "Tea")


def test_a_pause_has_a_name_too() -> None:
    entry = Entry(seq=7, at=0.0, event=Paused(reason="enough", kind="limit"))
    assert Namer().name(entry) == Named(type="debate_pause", data={"status": "limit", "reason": "enough"}, seq=7)


async def test_a_ranking_is_a_vote_for_several() -> None:
    def ranks(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if ask.act != "vote":
            return {"ANSWER": f"{ask.to}'s"}
        assert ask.form
        reason, ranking = ask.form.fields
        return {reason.name: "It is warm.", ranking.name: ranking.choices}

    brief = Brief(topic="Tea?", participants=(ANN, BOB, CY))
    place = Harness(brief=brief, protocol=build("arena", brief, Choices(rounds=0, strategy="borda")))
    debate = await place.run({participant.name: Player(ranks) for participant in brief.participants})
    namer = Namer()
    votes = [named.data for entry in debate.entries if (named := namer.name(entry)) and named.type == "vote"]
    assert [vote["choice"] for vote in votes] == [("Proposal A", "Proposal B")] * 3
