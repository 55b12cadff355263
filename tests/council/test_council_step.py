"""The documented debate step: the K cases, what stands in its prompts, and what it refuses."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.models.test import TestModel

from folkmoot import BriefError, FolkmootError, ModelError, ProtocolError
from folkmoot.core.brief import Participant
from folkmoot.council import AgentWrapper, Context, Council, DebateStep, HumanAgent, StepResult, create_agent
from tests.cli.commands import settle
from tests.council.councils import Scripted, Words, agents, decide

DOCUMENTED = {"winner", "proposals", "strategy", "votes", "abstentions", "total_votes"}
GONE = ModelError("gone", kind="server")
FOR_A, FOR_B, FOR_C = "I vote for: A", "I vote for: B", "I vote for: C"


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


def extras(result: StepResult) -> dict[str, Any]:
    assert set(result) >= DOCUMENTED
    return {key: value for key, value in result.items() if key not in DOCUMENTED}


TIE = {"tie": True, "tie_resolution": "first_proposal"}
FALLBACK = {"fallback": "first_proposal"}


def assert_told(values: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """The same keys; whoever's vote does not count is named, with the words that stood in the way."""
    assert values.keys() == wanted.keys()
    for key, value in wanted.items():
        if key in ("unparsed", "invalid_votes"):
            assert values[key].keys() == value.keys()
            assert all(words in values[key][name] for name, words in value.items())
        else:
            assert values[key] == value


@pytest.mark.parametrize(
    ("case", "votes", "winner", "counts", "more"),
    [
        ("K1", {"A": FOR_B, "B": FOR_B, "C": FOR_A}, "B", (1, 2, 0, 0, 3), {}),
        ("K2 all three are equal", {"A": FOR_B, "B": FOR_C, "C": FOR_A}, "A", (1, 1, 1, 0, 3), TIE),
        ("K3", {"A": FOR_B, "B": FOR_A, "C": "I abstain"}, "A", (1, 1, 0, 1, 2), TIE),
        ("K4 tie behind the first", {"A": FOR_C, "B": FOR_B, "C": "I abstain"}, "B", (0, 1, 1, 1, 2), TIE),
        ("K5", {"A": "I ABSTAIN", "B": "I ABSTAIN", "C": "I ABSTAIN"}, "A", (0, 0, 0, 3, 0), FALLBACK),
        ("K6 one vote is enough", {"A": "I abstain", "B": "I abstain", "C": FOR_C}, "C", (0, 0, 1, 2, 1), {}),
        ("K7", {"A": "I will not abstain. " + FOR_B, "B": FOR_B, "C": FOR_A}, "B", (1, 2, 0, 0, 3), {}),
        ("K8 own vote", {"A": FOR_A, "B": FOR_B, "C": FOR_B}, "B", (1, 2, 0, 0, 3), {}),
        (
            "K9",
            {"A": "I vote for: nobody", "B": FOR_B, "C": FOR_B},
            "B",
            (0, 2, 0, 0, 2),
            {"invalid_votes": {"A": "nobody"}},
        ),
        (
            "K10 a name that nobody has",
            {"A": "I vote for: Zed", "B": "I vote for: Zed", "C": "I vote for: Zed"},
            "A",
            (0, 0, 0, 0, 0),
            {**FALLBACK, "invalid_votes": dict.fromkeys("ABC", "Zed")},
        ),
        (
            "K11",
            {"A": "I vote for B", "B": FOR_C, "C": FOR_C},
            "C",
            (0, 0, 2, 0, 2),
            {"unparsed": {"A": ""}},
        ),
        (
            "K12 case and markup",
            {"A": "**i VOTE for: b**", "B": "I vote for: *B*.", "C": FOR_A},
            "B",
            (1, 2, 0, 0, 3),
            {},
        ),
        (
            "K13 never the last one silently",
            {"A": f"{FOR_A}\n{FOR_B}", "B": FOR_C, "C": FOR_C},
            "C",
            (0, 0, 2, 0, 2),
            {"unparsed": {"A": "A, B"}},
        ),
        ("K14 a reason before it", {"A": "A is dear, so:\n" + FOR_B, "B": FOR_B, "C": FOR_A}, "B", (1, 2, 0, 0, 3), {}),
        ("K15", {"A": "I vote for:\nB", "B": FOR_B, "C": FOR_A}, "B", (1, 2, 0, 0, 3), {}),
        (
            "a voter who fails",
            {"A": GONE, "B": FOR_B, "C": FOR_B},
            "B",
            (0, 2, 0, 0, 2),
            {"unparsed": {"A": "gone"}},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith(("K", "a")) else "",
)
async def test_votes_fall_as_documented(
    case: str, votes: Mapping[str, Words], winner: str, counts: tuple[int, ...], more: Mapping[str, Any]
) -> None:
    result = await decide(votes)
    assert result["winner"] == f"{winner}'s plan"
    assert tuple(result["votes"].values()) == counts[:3]
    assert (result["abstentions"], result["total_votes"]) == counts[3:]
    assert result["proposals"] == {name: f"{name}'s plan" for name in "ABC"}
    assert (result["strategy"], list(result["votes"])) == ("majority", ["A", "B", "C"])
    assert_told(extras(result), more)


@pytest.mark.parametrize(
    ("case", "levels", "winner", "scores", "more"),
    [
        ("K16 levels decide", (0.9, 0.3, 0.5), "B", (0.8, 0.9, 0.0), {}),
        ("K17 a level that is not stated", (None, 0.2, 0.2), "B", (0.4, 0.5, 0.0), {}),
        ("K18 equal scores", (0.4, 0.2, 0.2), "A", (0.4, 0.4, 0.0), TIE),
        ("levels of 0 weigh nothing", (0.0, 0.0, 0.0), "A", (0.0, 0.0, 0.0), FALLBACK),
        ("one level of 0", (0.0, 0.0, 0.1), "A", (0.1, 0.0, 0.0), {}),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) > 1 else "",
)
async def test_levels_weigh_votes(
    case: str, levels: tuple[float | None, ...], winner: str, scores: tuple[float, ...], more: Mapping[str, Any]
) -> None:
    people = agents(A=FOR_B, B=FOR_A, C=FOR_A)
    wrapped = [AgentWrapper(person.agent, person.name, level) for person, level in zip(people, levels, strict=True)]
    result = await DebateStep(wrapped, rounds=0, voting_strategy="weighted").execute("Which tea?")
    assert (result["winner"], result["votes"]) == (f"{winner}'s plan", {"A": 2, "B": 1, "C": 0})
    assert extras(result) == {"weighted_scores": dict(zip("ABC", scores, strict=True)), **more}


LONG = "The same hundred characters stand at the beginning of the texts of both, and only then do they differ. "


@pytest.mark.parametrize(
    ("case", "texts", "rounds", "winner", "more"),
    [
        ("K19", (LONG + "Yes.", LONG + "No."), 2, "A's plan", {"consensus_reached": False, "fallback": "majority"}),
        ("K20 all texts alike", ("Green tea.", "green  tea"), 1, "Green tea.", {"consensus_reached": True}),
    ],
)
async def test_consensus_is_about_whole_texts(
    case: str, texts: tuple[str, str], rounds: int, winner: str, more: Mapping[str, Any]
) -> None:
    pair = [
        Scripted(f"{name}'s plan", vote, text) for name, vote, text in zip("AB", (FOR_A, FOR_A), texts, strict=True)
    ]
    pair[1].vote = "I abstain from voting"
    pair.append(Scripted("C's plan", FOR_B, texts[1]))
    pair[0].vote = pair[1].vote = FOR_A
    people = [AgentWrapper(scripted, name) for scripted, name in zip(pair, "ABC", strict=True)]
    result = await DebateStep(people, rounds=2, voting_strategy="consensus").execute("Which tea?")
    assert (result["winner"], extras(result)) == (winner, more)
    assert len(result["proposals"]) == 3 * (1 + rounds)
    assert result["total_votes"] == (0 if more["consensus_reached"] else 3)


async def test_a_unanimous_vote_is_a_consensus() -> None:
    result = await decide({"A": FOR_B, "B": FOR_B, "C": "I abstain"}, "consensus")
    assert (result["winner"], extras(result)) == ("B's plan", {"consensus_reached": True})
    silent = await decide({"A": "I abstain", "B": "I abstain"}, "consensus")
    assert extras(silent) == {"consensus_reached": False, **FALLBACK}
    split = await decide({"A": FOR_B, "B": FOR_A}, "consensus")
    assert extras(split) == {"consensus_reached": False, "fallback": "majority", **TIE}


@pytest.mark.parametrize(
    ("case", "words", "winner", "more"),
    [
        ("K21", "I pick nobody", "A", {**FALLBACK, "invalid_votes": {"Chair": "nobody"}}),
        ("K22 a choice", "B is cheaper.\n\nI pick: B", "B", {}),
        ("K22 without the colon", "I pick B.", "B", {}),
        ("unclear", "Both are fine.", "A", {**FALLBACK, "unparsed": {"Chair": ""}}),
    ],
)
async def test_a_moderator_picks(case: str, words: str, winner: str, more: Mapping[str, Any]) -> None:
    chair = Scripted("", words)
    result = await decide({"A": "", "B": ""}, "moderator", chair)
    assert result["winner"] == f"{winner}'s plan"
    assert_told(extras(result), more)
    assert result["votes"] == {"A": 0, "B": 0} | ({} if more else {winner: 1})
    assert result["total_votes"] == (0 if more else 1)
    assert "Select the best proposal" in chair.prompts[0]


async def test_a_moderator_who_fails_picks_nobody() -> None:
    result = await decide({"A": "", "B": ""}, "moderator", Scripted("", GONE))
    assert (result["winner"], result["fallback"]) == ("A's plan", "first_proposal")
    assert "gone" in result["unparsed"]["Chair"]


async def test_a_moderator_is_asked_only_to_pick() -> None:
    chair = Scripted("", "I pick: B")
    result = await decide({"A": FOR_A, "B": FOR_A}, "majority", chair)
    assert (result["winner"], chair.prompts) == ("A's plan", [])


# ---- K23 -----------------------------------------------------------------------------------------------------------


ODD: Any = object()


def odd(value: Any) -> Any:
    """Something of a type that cannot be."""
    return value


def ab() -> list[AgentWrapper]:
    return agents(A="", B="")


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (
            lambda: DebateStep(ab(), voting_strategy="bogus"),
            ProtocolError,
            "no voting strategy is called 'bogus'; there",
        ),
        (lambda: DebateStep(ab(), voting_strategy="moderator"), ProtocolError, "needs a moderator"),
        (lambda: DebateStep([]), BriefError, "at least one agent"),
        (lambda: DebateStep([*ab(), *ab()]), BriefError, "two agents are called A"),
        (lambda: DebateStep(ab(), AgentWrapper(print, "B")), BriefError, "two agents are called B"),
        (lambda: DebateStep(agents(a="", A="")), BriefError, "two agents are called"),
        (lambda: DebateStep(agents(A="", A_round_0="")), BriefError, "A_round_0 is the name of a proposal of A"),
        (lambda: DebateStep(ab(), rounds=-1), BriefError, "rounds is -1; it must be a whole number from 0 to 20"),
        (lambda: DebateStep(ab(), ballot=ODD), BriefError, r"ballot is .* it must be original or latest"),
        (lambda: DebateStep([ODD]), BriefError, "not object; wrap it"),
        (lambda: AgentWrapper(print, "A", 1.5), BriefError, r"A: the level of expertise is 1\.5; .* 0 to 1"),
        (lambda: AgentWrapper(print, "A", odd("high")), BriefError, "A: the level of expertise is 'high'"),
        (lambda: AgentWrapper(print, odd(5)), BriefError, "the name of an agent is 5; it must be a text"),
        (lambda: AgentWrapper("nonsense", "A"), BriefError, "A: 'nonsense' has no known provider of models"),
        (lambda: AgentWrapper("builtin:other", "A"), BriefError, "A: there is no model builtin:other"),
        (lambda: AgentWrapper(print), BriefError, "needs a name"),
        (lambda: AgentWrapper(print, "nobody"), BriefError, "'nobody' cannot be a name"),
        (lambda: AgentWrapper(object(), "A"), BriefError, "an agent is a function that takes one str"),
        (lambda: create_agent("You plan.", temperature=3), BriefError, "temperature is 3; .* 0 to 2"),
        (lambda: create_agent("You plan.", tools=[ODD]), BriefError, "tools is a list of names"),
        (lambda: create_agent("You plan.", tools="search"), BriefError, "tools is a list of names: search"),
        (lambda: create_agent(odd(5)), BriefError, "system_prompt and model of an agent are texts"),
    ],
)
def test_what_cannot_be_is_refused_before_any_call(make: Any, error: type[FolkmootError], words: str) -> None:
    with pytest.raises(error, match=words):
        make()


async def test_an_empty_task_and_a_seat_that_is_not_there_are_refused() -> None:
    for task in ("  ", None, 5):
        for execute in (DebateStep(ab()).execute, Council(steps=[DebateStep(ab())]).execute):
            with pytest.raises(BriefError, match=f"the task is {task!r}; it must be a text that is not empty"):
                await execute(odd(task))
    with pytest.raises(BriefError, match=r"the topic is empty"):
        await DebateStep(ab()).execute("\x00")
    with pytest.raises(BriefError, match=r"openai needs a key"):
        await DebateStep([AgentWrapper("openai:gpt-4o-mini", "A")]).execute("Which tea?")


# ---- prompts -------------------------------------------------------------------------------------------------------


async def test_task_and_context_stand_in_every_prompt_and_texts_are_clipped_as_documented() -> None:
    long = Scripted("x" * 499 + "A" + "y" * 300, FOR_A, "z" * 600)
    short = Scripted("B's plan", FOR_A, "B again")
    chair = Scripted("", "I pick: B")
    people = [AgentWrapper(long, "A"), AgentWrapper(short, "B")]
    context = Context({"budget": "ten\ncrowns"})
    result = await DebateStep(people, rounds=2).execute("Which tea?\n\nSay why.", context)
    picked = await DebateStep(people, AgentWrapper(chair, "Chair"), 0, "moderator").execute("Which tea?", context)
    assert (result["winner"], picked["winner"]) == ("x" * 499 + "A" + "y" * 300, "B's plan")
    propose, first, second, vote = short.prompts[:4]
    for prompt in (propose, first, second, vote):
        assert "Which tea?\n\nSay why." in prompt
        assert "budget:" in prompt
        assert "crowns" in prompt
    assert "Debate Round 1\n\nCurrent Proposals:" in first
    assert "Debate Round 2\n\nCurrent Proposals:" in second
    assert ("x" * 499 + "A […cut: 300 more" in first, "Ay" in first, "B's plan" in first) == (True, False, True)
    assert ("z" * 500 + " […cut: 100 more" in second, "B again" in second, "x" * 9 in second) == (True, True, False)
    assert ("x" * 499 + "A […cut: 300 more" in vote, "B's plan" in vote, "B again" in vote) == (True, True, True)
    assert vote.count("z" * 500 + " […cut: 100 more") == 3, "two rounds, and the newest proposal"
    alone = Scripted("x" * 800, FOR_A)
    await DebateStep([AgentWrapper(alone, "A"), AgentWrapper(short, "B")], rounds=0).execute("Which tea?")
    assert "x" * 200 + " […cut: 600 more" in alone.prompts[-1]
    assert "I abstain from voting" in vote
    assert "y" * 300 in chair.prompts[0]
    assert "A's" not in propose


async def test_the_originals_stand_for_election_unless_the_latest_shall() -> None:
    def pair() -> list[AgentWrapper]:
        return [AgentWrapper(Scripted(f"{name} first", FOR_B, f"{name} later"), name) for name in "AB"]

    original = await DebateStep(pair(), rounds=1).execute("Which tea?")
    latest = await DebateStep(pair(), rounds=1, ballot="latest").execute("Which tea?")
    assert (original["winner"], latest["winner"]) == ("B first", "B later")
    assert original["proposals"] == {"A": "A first", "B": "B first", "A_round_0": "A later", "B_round_0": "B later"}


# ---- failures and single agents -------------------------------------------------------------------------------------


async def test_a_failing_agent_is_absent_and_the_step_goes_on() -> None:
    people = [
        AgentWrapper(Scripted(GONE, FOR_B), "A"),
        AgentWrapper(Scripted("B's plan", FOR_C, GONE), "B"),
        AgentWrapper(Scripted("C's plan", FOR_B, "C again"), "C"),
    ]
    result = await DebateStep(people, rounds=1).execute("Which tea?")
    assert list(result["proposals"]) == ["B", "C", "C_round_0"]
    assert (result["winner"], result["votes"], result["total_votes"]) == ("B's plan", {"B": 2, "C": 1}, 3)
    assert list(result["failed"]) == ["A", "B"]
    assert all("gone" in reason for reason in result["failed"].values())


async def test_one_agent_alone_wins_without_a_vote() -> None:
    only = Scripted("A's plan")
    result = await DebateStep([AgentWrapper(only, "A")], rounds=0).execute("Which tea?")
    assert (result["winner"], result["votes"], extras(result)) == ("A's plan", {"A": 0}, FALLBACK)
    picked = await decide({"A": ""}, "moderator", Scripted("", "I pick: A"))
    assert (picked["winner"], extras(picked)) == ("A's plan", FALLBACK)
    assert len(only.prompts) == 1


async def test_agents_may_be_participants_seats_functions_and_people() -> None:
    async def talk(prompt: str) -> str:
        return "I vote for: Bo" if "I vote for:" in prompt else "Async tea."

    people = [
        Participant(name="Ann", seat="builtin:quotes", weight=0.1),
        AgentWrapper("builtin:quotes", "Bo"),
        AgentWrapper(create_agent("You plan.", "builtin:quotes", 0.5), "Cy"),
        AgentWrapper(create_agent("You save."), "Di"),
        AgentWrapper(talk, "Ed"),
        AgentWrapper(HumanAgent(input_handler=lambda prompt: "I vote for: Bo" if "vote" in prompt else "Mint."), "Flo"),
        HumanAgent(input_handler=talk),
    ]
    result = await Council("all", [DebateStep(people, rounds=0)]).execute("Which tea?")
    assert result.outcome
    assert result.outcome.transcript.brief
    seats = [participant.seat for participant in result.outcome.transcript.brief.participants]
    assert seats == [*["builtin:quotes"] * 4, "guest:Ed", "human", "human"]
    assert (result["proposals"]["Flo"], result["proposals"]["Human"]) == ("Mint.", "Async tea.")
    assert result["votes"]["Bo"] >= 3


async def test_agents_of_other_packages_take_part_as_they_are() -> None:
    ballot = "I vote for: Rook"
    chat = FakeListChatModel(responses=["Chat tea.", ballot])
    guest = PydanticAgent(TestModel(custom_output_text=f"Black tea.\n\n{ballot}"))
    result = await DebateStep([AgentWrapper(chat, "Crow"), AgentWrapper(guest, "Rook")], rounds=0).execute("Which tea?")
    assert result["proposals"] == {"Crow": "Chat tea.", "Rook": f"Black tea.\n\n{ballot}"}
    assert (result["winner"], result["votes"]) == (result["proposals"]["Rook"], {"Crow": 0, "Rook": 2})


async def test_a_proposal_that_begins_with_its_authors_name_stays_whole():
    words = "SQLite: because it is one file in the process, and no server."
    council = [AgentWrapper(Scripted(words, "I vote for: SQLite"), "SQLite"), AgentWrapper(Scripted("Redis."), "Redis")]
    result = await DebateStep(council, None, 0, "majority").execute("Where do we keep the queue?")
    assert (result["winner"], result["proposals"]["SQLite"]) == (words, words)
