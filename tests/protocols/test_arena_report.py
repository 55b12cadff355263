"""An arena in the report: critiques with all that they name, and what authors make of each of them."""

from collections.abc import Mapping
from dataclasses import replace

from folkmoot.arguments.argument_map import argument_map, judge
from folkmoot.core.agent import Context, Recorder
from folkmoot.core.ask import Ask, Reply, Value
from folkmoot.core.brief import Brief
from folkmoot.core.transcript import Transcript
from folkmoot.phases.choices import Choices
from folkmoot.phases.vote import BALLOT
from folkmoot.protocols.known import build
from folkmoot.report.markdown import markdown
from folkmoot.report.report import report
from folkmoot.testing.replay import Harness, HeldDebate
from tests.kits.players import ANN, BOB, CY

ISSUE: Mapping[str, Value] = {
    "ISSUE": "It is dear.",
    "WHERE": "four cups a day",
    "SEVERITY": 7.0,
    "SUGGESTION": "Say what it costs.",
    "UNSOURCED": ("Tea is cheap.", "Tea keeps for a year."),
}


def as_text(value: Value) -> str:
    return "".join(f"\n- {text}" for text in value) if isinstance(value, tuple) else str(value)


class Talker:
    """A seat whose words are its fields, as a model's are."""

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        assert ask.form
        fields: dict[str, Value] = {"ANSWER": f"{ask.to} wins", "CONFIDENCE": 0.5, "ARGUMENT": "Reasons speak for it."}
        if ask.act == "critique":
            fields = dict(ISSUE)
        elif ask.act == "revise":
            fields |= {"ACCEPTS": ("A: the cost is in now",), "REJECTS": ("B: a year is what the packet says",)}
        elif ask.act == "vote":
            fields = {BALLOT: ask.form.fields[0].choices[0]}
        return Reply(text="\n".join(f"{name}: {as_text(value)}" for name, value in fields.items()), fields=fields)


async def hold(rounds: int = 1) -> HeldDebate:
    brief = Brief(topic="Tea or coffee?", participants=(ANN, BOB, CY))
    place = Harness(brief=brief, protocol=build("arena", brief, Choices(rounds=rounds)))
    return await place.run({participant.name: Talker() for participant in brief.participants})


async def test_a_critique_is_shown_with_where_it_is_how_grave_what_mends_it_and_what_lacks_a_source() -> None:
    text = markdown(report((await hold()).entries, debate="d"))
    critique = text.split("critique on Bob's proposal")[1].split("####")[0]
    for word in ("It is dear.", "four cups a day", "7", "Say what it costs.", "Tea is cheap.", "Tea keeps for a year."):
        assert word in critique
    assert "**Unsourced:**" in critique


async def test_the_letters_by_which_authors_answer_critiques_are_explained() -> None:
    debate = await hold()
    text = markdown(report(debate.entries, debate="d"))
    revision = text.split("Ann: revision")[1].split("####")[0]
    (turn,) = [spoken_turn for spoken_turn in debate.transcript.turns("revise") if spoken_turn.by == "Ann"]
    own, first, second = (debate.transcript.get(key).by for key in turn.about)
    assert own == "Ann"
    assert f"Critique A is {first}'s critique and Critique B is {second}'s critique" in revision
    assert "A: the cost is in now" in revision
    assert "B: a year is what the packet says" in revision


async def test_what_an_author_accepts_or_rejects_by_its_letter_is_no_open_point() -> None:
    debate = await hold()
    arguments = argument_map(debate.transcript)
    critiques = {turn.mark for turn in debate.transcript.turns("critique")}
    assert set(arguments.answered) == critiques
    assert judge(arguments).unanswered == ()
    assert "Unanswered attacks" not in markdown(report(debate.entries, debate="d"))


async def test_what_an_author_passes_over_stays_open() -> None:
    class Deaf(Talker):
        """Accepts what stands under A, and says nothing of what stands under B."""

        async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
            reply = await super().answer(ask, context, recorder)
            fields = {name: value for name, value in reply.fields.items() if name != "REJECTS"}
            # Each critique has a point of its own, or the same point would stand for all of them.
            return replace(reply, fields={**fields, "ISSUE": f"{ask.key} is dear."} if "ISSUE" in fields else fields)

    brief = Brief(topic="Tea or coffee?", participants=(ANN, BOB, CY))
    place = Harness(brief=brief, protocol=build("arena", brief, Choices(rounds=1)))
    debate = await place.run({participant.name: Deaf() for participant in brief.participants})
    passed = {debate.transcript.get(turn.about[2]).mark for turn in debate.transcript.turns("revise")}
    assert {edge.source for edge in judge(argument_map(debate.transcript)).unanswered} == passed


async def test_positions_are_tracked_from_fields() -> None:
    transcript: Transcript = (await hold()).transcript
    assert dict(transcript.positions("ANSWER")) == {
        "Ann": ("Ann wins", "Ann wins"),
        "Bob": ("Bob wins", "Bob wins"),
        "Cy": ("Cy wins", "Cy wins"),
    }
