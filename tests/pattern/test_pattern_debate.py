"""The moderated pattern as its document has it; the ids are those of the conformance cases."""

import asyncio
from pathlib import Path
from typing import get_type_hints

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from folkmoot.core.brief import Limits, Participant
from folkmoot.core.errors import (
    BriefError,
    FolkmootError,
    LimitReached,
    ModelError,
    ProtocolError,
)
from folkmoot.pattern import DebatePattern, DebateState
from tests.council.agents import Agent, Speech, chaired, own_place

TOPIC = "Should we invest $1M?"
BULL = {"name": "Bull", "role": "Optimistic investor", "system_prompt": "You see what could be."}
BEAR = {"name": "Bear", "role": "Cautious risk analyst", "system_prompt": "You see what could go wrong."}
OWL = {"name": "Owl", "role": "Historian"}
TWO = [BULL, BEAR]
SETTLED = "SUMMARY: Enough was said.\nSTATUS: SETTLED\nDECISION: Half of it."
GOES_ON = "SUMMARY: Costs are open.\nSTATUS: CONTINUE"


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("reviews", "most", "rounds", "settled", "decision"),
    [
        ([SETTLED], 3, 1, True, "Half of it."),  # A1
        ([GOES_ON, SETTLED], 3, 2, True, "Half of it."),
        ([GOES_ON], 2, 2, False, ""),  # A3
        (["SUMMARY: No.\nSTATUS: UNSETTLED\nDECISION: Half."], 2, 2, False, ""),  # A5
        (["SUMMARY: No.\nSTATUS: NOT SETTLED\nDECISION: Half."], 2, 2, False, ""),  # A5
        (["SUMMARY: Yes.\nSTATUS: settled\nDECISION: Half."], 3, 1, True, "Half."),  # A7
        (["SUMMARY: Yes.\nSTATUS: **SETTLED**\nDECISION: Half."], 3, 1, True, "Half."),
        (["SUMMARY: the DECISION: is near\nSTATUS: SETTLED\nDECISION: Half."], 3, 1, True, "Half."),  # A9
        (["SUMMARY: Yes.\nSTATUS: SETTLED"], 3, 1, True, "Yes."),
    ],
)
def test_the_moderator_settles_or_goes_on(
    reviews: list[str], most: int, rounds: int, settled: bool, decision: str
) -> None:
    agent = chaired(reviews)
    result = DebatePattern(llm=agent, max_rounds=most).run(TOPIC, TWO)
    assert (result["current_round"], result["is_settled"], result["final_decision"]) == (rounds, settled, decision)
    assert len(result["debate_history"]) == 2 * rounds
    assert len([who for who, _ in agent.heard if who != "Moderator"]) == 2 * rounds


def test_the_result_has_exactly_the_documented_keys() -> None:
    result = DebatePattern(llm=chaired([SETTLED])).run(TOPIC, [BULL, Participant(name="Owl", role="Historian")])
    assert list(result) == list(get_type_hints(DebateState))
    assert {key: value for key, value in result.items() if key != "debate_history"} == {
        "topic": TOPIC,
        "debaters": [BULL, {"name": "Owl", "role": "Historian", "system_prompt": ""}],
        "current_round": 1,
        "max_rounds": 3,
        "moderator_summary": "Enough was said.",
        "final_decision": "Half of it.",
        "is_settled": True,
    }
    assert result.warnings == ()
    assert result.outcome.status == "decided"


def test_garbage_at_every_round_settles_nothing_and_says_so() -> None:  # A11
    result = DebatePattern(llm=chaired(["Hm. Hard to say."]), max_rounds=2).run(TOPIC, TWO)
    assert (result["is_settled"], result["final_decision"], result["current_round"]) == (False, "", 2)
    assert result["moderator_summary"] == "Hm. Hard to say."
    assert any("Moderator" in told and "STATUS" in told and "not readable" in told for told in result.warnings)


async def test_the_order_of_the_debaters_is_that_of_the_history() -> None:  # A13
    first = asyncio.Event()
    plain = chaired([SETTLED])

    async def late(prompt: str) -> str:
        if "You are Bull" in prompt:
            await first.wait()
        if "You are Owl" in prompt:
            first.set()
        return await plain(prompt)

    result = await DebatePattern(llm=late).arun(TOPIC, [*TWO, OWL])
    assert plain.heard[0][0] != "Bull"
    assert result["debate_history"] == [
        {"name": row["name"], "role": row["role"], "argument": f"{row['name']} argues, 1.", "round": 0}
        for row in (*TWO, OWL)
    ]


def test_the_prompt_of_round_two() -> None:  # A15
    agent = chaired([GOES_ON, SETTLED])
    DebatePattern(llm=agent).run(TOPIC, TWO)
    for who, prompt in ((who, agent.prompts(who)[1]) for who in ("Bull", "Bear")):
        assert "--- Round 1 ---" in prompt
        assert "[Bull (Optimistic investor)]:\n  Bull argues, 1." in prompt
        assert "[Bear (Cautious risk analyst)]:\n  Bear argues, 1." in prompt
        assert "SUMMARY: Costs are open." in prompt
        assert "This is round 2." in prompt
        assert f"You are {who}." in prompt
    assert "You see what could be." in agent.prompts("Bull")[1]
    assert "You see what could be." not in agent.prompts("Bear")[1]
    assert TOPIC in agent.prompts("Moderator")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_rounds": 0}, "max_rounds is 0; it must be a whole number from 1 to 20"),  # A17
        ({"max_rounds": 21}, "max_rounds is 21"),
        ({"model": ""}, "model is ''; it must be a name such as 'gpt-4o-mini'"),
        ({"model": None}, "model is None"),
    ],
)
def test_what_no_pattern_can_be_made_of(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(BriefError, match=message):
        DebatePattern(**arguments)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("topic", "debaters", "message"),
    [
        (TOPIC, [], r"debaters is \[\]; it must be a list of"),  # A17
        (TOPIC, None, "debaters is None"),
        (TOPIC, [BULL, "Bear"], "debater 2 is 'Bear'; it must be a mapping with name, role, system_prompt"),
        (TOPIC, [BULL, {"name": "Bear"}], "debater 2 has no role"),  # A17
        (TOPIC, [BULL, {**BEAR, "role": " "}], "debater 2 has a wrong role"),
        (TOPIC, [BULL, {**BEAR, "system_prompt": 3}], "debater 2 has a wrong system_prompt"),
        (TOPIC, [BULL, {"role": "x"}], "debater 2 has no name"),
        (TOPIC, [BULL, {**BEAR, "prompt": "x"}], "debater 2 has the key 'prompt'"),
        (TOPIC, [BULL, {**BEAR, "name": "bull"}], "the name 'bull' is taken by 'Bull'"),
        (TOPIC, [BULL, {**BEAR, "name": "Moderator"}], "the name 'Moderator' is taken by 'Moderator'"),
        (TOPIC, [BULL, {**BEAR, "name": "T3"}], "'T3' cannot be a name"),
        (TOPIC, [BULL, Participant(name="Mo", role="x", duty="moderator")], "'Mo' cannot debate here"),
        (" ", TWO, "topic is ' '; it must be a text that is not empty"),
    ],
)
def test_what_cannot_be_debated_is_refused_before_any_call(topic: object, debaters: object, message: str) -> None:
    agent = chaired([SETTLED])
    with pytest.raises(BriefError, match=message):
        DebatePattern(llm=agent).run(topic, debaters)  # pyright: ignore[reportArgumentType]
    assert agent.heard == []
    assert not Path("folkmoot.sqlite").exists()


def test_one_debater_is_no_debate() -> None:
    agent = chaired([SETTLED])
    with pytest.raises(ProtocolError, match="at least 2 debaters, not 1"):
        DebatePattern(llm=agent).run(TOPIC, [BULL])
    assert agent.heard == []


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("gpt-4o-mini", "OPENAI_API_KEY"),
        ("nowhere:model", "nowhere"),
        ("builtin:other", "builtin:other"),
    ],
)
def test_a_model_that_cannot_be_asked_is_said_before_any_call(model: str, message: str) -> None:
    with pytest.raises(BriefError, match=message):
        DebatePattern(model).run(TOPIC, TWO)


def test_the_built_in_seat_debates_too() -> None:
    result = DebatePattern("builtin:quotes").run(TOPIC, TWO)
    assert len(result["debate_history"]) == 2 * result["current_round"]
    assert [participant.seat for participant in result.outcome.transcript.brief.participants] == ["builtin:quotes"] * 3  # pyright: ignore[reportOptionalMemberAccess]


def test_llm_goes_before_model_and_may_be_a_name() -> None:
    result = DebatePattern("nowhere:model", "builtin:quotes", max_rounds=1).run(TOPIC, TWO)
    assert result["current_round"] == 1


def silent(name: str, first: int = 1) -> Speech:
    def speak(who: str, prompt: str, n: int) -> str:
        if who == name and n >= first:
            raise ValueError("out of words")
        return f"{who} argues, {n}."

    return speak


def test_who_fails_is_missing_and_named() -> None:
    result = DebatePattern(llm=chaired([GOES_ON, SETTLED], silent("Bear", 2))).run(TOPIC, TWO)
    rows = [(item["name"], item["round"]) for item in result["debate_history"]]
    assert rows == [("Bull", 0), ("Bear", 0), ("Bull", 1)]
    assert (result["is_settled"], result["final_decision"]) == (True, "Half of it.")
    assert len(result.warnings) == 1
    assert result.warnings[0].startswith("Bear gave no answer")


def test_a_moderator_who_fails_settles_nothing() -> None:
    def speak(who: str, prompt: str, n: int) -> str:
        if who == "Moderator":
            raise ValueError("out of words")
        return f"{who} argues."

    result = DebatePattern(llm=Agent(speak), max_rounds=2).run(TOPIC, TWO)
    assert (result["current_round"], result["is_settled"], result["moderator_summary"]) == (2, False, "")
    assert [told.partition(" (")[0] for told in result.warnings] == ["Moderator gave no answer"]


def test_where_nobody_argues_it_raises_and_says_why() -> None:
    pattern = DebatePattern(llm=Agent(lambda who, prompt, n: ""))
    with pytest.raises(ModelError, match=r"nobody answered: 0 of 2 answered, .* to go on; Bull: .* no words") as caught:
        pattern.run(TOPIC, TWO)
    assert (caught.value.kind, caught.value.debate.startswith("should-we-invest-1m-")) == ("failed", True)
    with pytest.raises(ModelError, match="nobody answered"):
        pattern.resume(caught.value.debate)


def test_at_a_limit_it_pauses_and_goes_on_without_paying_twice() -> None:
    agent = chaired([GOES_ON, SETTLED])
    store = Path("own.sqlite")
    with pytest.raises(
        LimitReached, match=r"the limit of 4 questions is reached; .* resume\('should-we-invest"
    ) as caught:
        DebatePattern(llm=agent, store=store, limits=Limits(asks=4)).run(TOPIC, TWO)
    name = caught.value.debate
    assert f"resume({name!r})" in str(caught.value)
    count = len(agent.heard)
    with pytest.raises(LimitReached):
        DebatePattern(llm=agent, store=store, limits=Limits(asks=4)).resume(name)
    assert len(agent.heard) == count == 3
    result = DebatePattern(llm=chaired([SETTLED]), max_rounds=9, store=store, limits=Limits()).resume(name)
    assert result["max_rounds"] == 3, "the record's"
    assert [item["round"] for item in result["debate_history"]] == [0, 0, 1, 1]
    assert result["is_settled"]
    assert DebatePattern(llm=agent, store=store).resume(name) == result, "one that is over is only read"


def test_a_langchain_chat_model_debates() -> None:
    class Fake(GenericFakeChatModel):
        """Gives the next of its messages to whoever is asked."""

    messages = [AIMessage("It grows."), AIMessage("It burns."), AIMessage(SETTLED)]
    result = DebatePattern(llm=Fake(messages=iter(messages)), limits=Limits(parallel=1)).run(TOPIC, TWO)
    assert [item["argument"] for item in result["debate_history"]] == ["It grows.", "It burns."]
    assert result["final_decision"] == "Half of it."


async def test_in_a_running_loop_run_says_what_to_await() -> None:
    pattern = DebatePattern(llm=chaired([SETTLED]))
    with pytest.raises(FolkmootError, match=r"an event loop is running: await DebatePattern.arun\(…\) there"):
        pattern.run(TOPIC, TWO)
    with pytest.raises(FolkmootError, match=r"await DebatePattern.aresume"):
        pattern.resume("x")
