"""The companions of the moderated pattern from a program: reflection, map and reduce, debates in groups."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import get_type_hints

import pytest

from folkmoot.core.brief import Limits
from folkmoot.core.errors import BriefError, FolkmootError, LimitReached, ProtocolError
from folkmoot.pattern import (
    DebatePattern,
    GroupedDebatePattern,
    GroupedState,
    MapReducePattern,
    MapReduceState,
    ReflectionPattern,
    ReflectionState,
)
from tests.council.agents import Agent, own_place


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


# ---- reflection ----------------------------------------------------------------------------------------------------


def writing(*scores: float | str) -> Agent:
    """A writer who numbers its texts, and a reviewer who gives these scores in turn."""

    def speak(who: str, prompt: str, n: int) -> str:
        if who == "Writer":
            return f"Text {n}."
        score = scores[min(n, len(scores)) - 1]
        return score if isinstance(score, str) else f"FEEDBACK: Mend line {n}.\nSCORE: {score}"

    return Agent(speak)


def test_a_text_is_written_until_it_is_good_enough() -> None:
    result = ReflectionPattern(llm=writing(5, 8.5)).run("Write a haiku.")
    assert list(result) == list(get_type_hints(ReflectionState))
    assert result == {
        "task": "Write a haiku.",
        "final": "Text 2.",
        "score": 8.5,
        "is_accepted": True,
        "current_round": 2,
        "max_rounds": 3,
        "threshold": 8.0,
        "history": [
            {"round": 0, "draft": "Text 1.", "score": 5.0, "feedback": "Mend line 1."},
            {"round": 1, "draft": "Text 2.", "score": 8.5, "feedback": "Mend line 2."},
        ],
    }
    assert result.warnings == ()


def test_where_none_is_good_enough_the_best_is_kept() -> None:
    result = ReflectionPattern(llm=writing(5, 7, 6), max_rounds=3).run("Write a haiku.")
    assert (result["final"], result["score"], result["is_accepted"]) == ("Text 2.", 7.0, False)
    assert [item["round"] for item in result["history"]] == [0, 1, 2]


def test_a_review_that_cannot_be_read_has_no_score_and_its_words_are_kept() -> None:
    result = ReflectionPattern(llm=writing("Nice."), max_rounds=1).run("Write a haiku.")
    assert result["history"] == [{"round": 0, "draft": "Text 1.", "score": None, "feedback": "Nice."}]
    assert (result["score"], result["is_accepted"], result["final"]) == (None, False, "Text 1.")
    assert any("Reviewer" in told and "SCORE" in told and "not readable" in told for told in result.warnings)


def test_what_was_asked_for_stands_in_the_record() -> None:
    agent, store = writing(5, 7), Path("own.sqlite")
    with pytest.raises(LimitReached) as caught:
        ReflectionPattern(llm=agent, max_rounds=2, threshold=6.5, store=store, limits=Limits(asks=2)).run("Write.")
    result = ReflectionPattern(llm=agent, max_rounds=9, store=store, limits=Limits()).resume(caught.value.debate)
    assert (result["max_rounds"], result["threshold"], result["is_accepted"]) == (2, 6.5, True)


# ---- map and reduce ------------------------------------------------------------------------------------------------


def mapping(fails: str = "") -> Agent:
    def speak(who: str, prompt: str, n: int) -> str:
        if who == fails:
            raise ValueError("out of words")
        if who == "Reducer":
            return "All: " + ", ".join(re.findall(r"  (\w+) is good", prompt))
        return f"{prompt.rpartition('  ')[2].splitlines()[0]} is good."

    return Agent(speak)


def test_items_are_mapped_at_once_and_put_together() -> None:
    result = MapReducePattern(llm=mapping()).run("What is good?", ["Green", "Black", "Mint"])
    assert list(result) == list(get_type_hints(MapReduceState))
    assert result == {
        "task": "What is good?",
        "results": ["Green is good.", "Black is good.", "Mint is good."],
        "missing": [],
        "final": "All: Green, Black, Mint",
        "is_complete": True,
    }


def test_a_mapper_who_fails_is_missing_and_the_reducer_is_told() -> None:
    agent = mapping("Mapper 2")
    result = MapReducePattern(llm=agent).run("What is good?", ["Green", "Black", "Mint"])
    assert result["results"] == ["Green is good.", None, "Mint is good."]
    assert (result["missing"], result["is_complete"], result["final"]) == ([1], False, "All: Green, Mint")
    assert "No answer came for item 2 (Mapper 2)." in agent.prompts("Reducer")[0]
    assert "Mapper 2" in result.warnings[0]


def test_a_reducer_who_fails_leaves_the_results() -> None:
    result = MapReducePattern(llm=mapping("Reducer")).run("What is good?", ["Green"])
    assert (result["results"], result["final"], result["is_complete"]) == (["Green is good."], "", False)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "items must be a list of 1 to 100 texts"),
        (["x"] * 101, "items must be a list of 1 to 100 texts"),
        ("Green", "items must be a list of 1 to 100 texts"),
        (["Green", ""], "item 2 is ''; it must be a text that is not empty"),
        (["Green", 3], "item 2 is 3"),
    ],
)
def test_items_that_cannot_be_shared_out(items: object, message: str) -> None:
    with pytest.raises(BriefError, match=message):
        MapReducePattern(llm=mapping()).run("What?", items)  # pyright: ignore[reportArgumentType]


# ---- groups --------------------------------------------------------------------------------------------------------

PEOPLE = [
    {"name": f"P{chr(64 + n)}", "role": f"Expert {n}", "system_prompt": f"You argue as number {n}."}
    for n in range(1, 11)
]


def holding(answers: Mapping[str, str], callback: Callable[[str], str] = lambda form: "") -> Agent:
    """Debaters who hold an answer; whoever reports fills in the form from what lies before it."""

    def speak(who: str, prompt: str, n: int) -> str:
        if "I vote for:" in prompt:
            return "I vote for: Proposal A"
        if "\nCOUNT 1: [" not in prompt:
            return f"ANSWER: {answers[who]}\nCONFIDENCE: 0.8\nARGUMENT: {who} knows."
        laid = re.findall(r"^\[Proposal (\w)\]:\n  ANSWER: (.+)$", prompt, re.MULTILINE)
        values = dict(laid)
        lines: list[str] = []
        for number, first, count in re.findall(r"Answer (\d) is that of Proposals? (\w).*: (\d) in all", prompt):
            lines += [f"ANSWER {number}: {values[first]}", f"COUNT {number}: {count}", f"ARGUMENT {number}: Because."]
        return callback("\n".join(lines)) or "\n".join(lines)

    return Agent(speak)


VIEWS = {person["name"]: "yes" if n % 3 else "no" for n, person in enumerate(PEOPLE)}


def test_ten_debate_in_two_groups_and_decide() -> None:
    agent = holding(VIEWS)
    result = GroupedDebatePattern(llm=agent).run("Tea?", PEOPLE, options=["yes", "no"])
    assert list(result) == list(get_type_hints(GroupedState))
    assert sorted(map(len, result["groups"])) == [5, 5]
    assert (result["final_decision"], result["is_settled"], result["tally"]) == ("yes", True, {"yes": 6.0, "no": 4.0})
    assert result["debaters"] == PEOPLE
    assert Counter(item["round"] for item in result["debate_history"]) == {0: 10, 1: 10, 2: 10}
    for row in result["debate_history"]:
        assert row["name"] in result["groups"][row["group"]]
        assert row["answer"] == VIEWS[row["name"]]
    for summary in result["summaries"]:
        counted = Counter(VIEWS[name] for name in result["groups"][summary["group"]])
        assert {item["answer"]: item["count"] for item in summary["answers"]} == counted
        assert all(item["argument"] == "Because." for item in summary["answers"])
    assert result.warnings == ()
    assert len(agent.heard) == 10 + 10 + 2 + 10
    again = GroupedDebatePattern(llm=holding(VIEWS)).run("Tea?", PEOPLE, options=["yes", "no"])
    assert again["groups"] == result["groups"]


def test_open_answers_are_voted_on_and_rounds_can_be_left_out() -> None:
    result = GroupedDebatePattern(llm=holding(VIEWS), max_rounds=0).run("Tea?", PEOPLE[:6])
    assert result["current_round"] == 0
    assert Counter(item["round"] for item in result["debate_history"]) == {0: 6, 1: 6}
    assert sum(result["tally"].values()) == 6


def test_a_count_that_is_wrong_is_put_right_and_named() -> None:
    agent = holding(dict.fromkeys(VIEWS, "yes"), lambda form: form.replace("COUNT 1: 3", "COUNT 1: 2"))
    result = GroupedDebatePattern(llm=agent).run("Tea?", PEOPLE[:6], options=["yes", "no"])
    assert [item["answers"][0]["count"] for item in result["summaries"]] == [3, 3]
    assert len(result.warnings) == 2
    assert all(warning.endswith("reports 2 for 'yes'; the record has 3") for warning in result.warnings)


@pytest.mark.parametrize(
    ("people", "options", "error", "message"),
    [
        (PEOPLE[:5], (), ProtocolError, "at least 6 debaters, not 5; with fewer, use DebatePattern"),
        ([{"name": f"Q{n}", "role": "x"} for n in range(101)], (), BriefError, "101 debaters; at most 100"),
        (PEOPLE, ["yes"], BriefError, "options must be two or more different texts, or none"),
        (PEOPLE, ["yes", "Yes"], BriefError, "options must be two or more different texts, or none"),
        (PEOPLE, "yes", BriefError, "options must be a list of texts"),
        (PEOPLE, ["yes", 2], BriefError, "option 2 is 2"),
    ],
)
def test_what_cannot_be_debated_in_groups(
    people: list[dict[str, str]], options: list[str], error: type[FolkmootError], message: str
) -> None:
    agent = holding(VIEWS)
    with pytest.raises(error, match=message):
        GroupedDebatePattern(llm=agent).run("Tea?", people, options=options)
    assert agent.heard == []


# ---- all -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ReflectionPattern(max_rounds=0), "max_rounds is 0"),
        (lambda: ReflectionPattern(threshold=11), "threshold is 11; it must be a number from 0 to 10"),
        (lambda: ReflectionPattern(threshold=True), "threshold is True"),
        (lambda: GroupedDebatePattern(max_rounds=4), "max_rounds is 4; it must be a whole number from 0 to 3"),
        (lambda: MapReducePattern(""), "model is ''"),
    ],
)
def test_arguments_that_cannot_be_used(make: Callable[[], object], message: str) -> None:
    with pytest.raises(BriefError, match=message):
        make()


def test_each_goes_on_where_a_limit_stopped_it() -> None:
    store, few = Path("own.sqlite"), Limits(asks=4)
    agents = {"text": writing(5, 9), "map": mapping(), "groups": holding(VIEWS)}
    runs: list[tuple[str, Callable[[Limits | None], object], Callable[[str], Mapping[str, object]]]] = [
        (
            "text",
            lambda limits: ReflectionPattern(llm=agents["text"], store=store, limits=limits and Limits(asks=2)).run(
                "W"
            ),
            lambda name: ReflectionPattern(llm=agents["text"], store=store, limits=Limits()).resume(name),
        ),
        (
            "map",
            lambda limits: MapReducePattern(llm=agents["map"], store=store, limits=limits).run("W", list("abcd")),
            lambda name: MapReducePattern(llm=agents["map"], store=store, limits=Limits()).resume(name),
        ),
        (
            "groups",
            lambda limits: GroupedDebatePattern(llm=agents["groups"], store=store, limits=Limits(asks=12)).run(
                "W", PEOPLE[:6], ["yes", "no"]
            ),
            lambda name: GroupedDebatePattern(llm=agents["groups"], max_rounds=3, store=store, limits=Limits()).resume(
                name
            ),
        ),
    ]
    for kind, start, resume in runs:
        with pytest.raises(LimitReached) as caught:
            start(few)
        name = caught.value.debate
        with pytest.raises(BriefError, match=f"{name} is a debate of the kind .*, not moderated"):
            DebatePattern(llm=agents[kind], store=store).resume(name)
        before = list(agents[kind].heard)
        result = resume(name)
        assert result["final" if "final" in result else "final_decision"]
        assert result.get("max_rounds") == {"text": 3, "groups": 1}.get(kind), "the record's"
        assert len({*agents[kind].heard}) == len(agents[kind].heard) > len(before), "somebody was asked twice"
