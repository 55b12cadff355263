"""What voters and the moderator of a debate step see, and how a moderator's own words are read."""

from pathlib import Path

import pytest

from folkmoot.council import AgentWrapper, DebateStep
from folkmoot.protocols.council import choice_in_prose
from tests.council.councils import Scripted


class Voter(Scripted):
    """It votes for whoever has the word "tested" in the newest proposal that the ballot shows."""

    def __call__(self, prompt: str) -> str:
        if "I vote for:" in prompt or "I pick:" in prompt:
            self.prompts.append(prompt)
            laid = prompt.rpartition("You are ")[0]
            best = [name for name in ("Ada", "Bo", "Cy") if "tested" in laid.rpartition(f"[{name}]:")[2].split("[")[0]]
            return f"I {'pick' if 'I pick:' in prompt else 'vote for'}: {best[0] if best else 'Ada'}"
        return super().__call__(prompt)


async def hold(folder: Path, rounds: int, voting: str) -> tuple[dict[str, object], str]:
    """A step in which Bo's proposal becomes the best one in the second round; the result and the last prompt."""
    people = {
        "Ada": Voter("Ada's plan", "", "Ada's plan, longer"),
        "Bo": Voter("Bo's plan", "", "Bo's plan, cheaper", "Bo's plan, cheaper and tested"),
        "Cy": Voter("Cy's plan", "", "Cy's plan again"),
    }
    chair = Voter("none")
    moderator = AgentWrapper(chair, "Chair") if voting == "moderator" else None
    agents = [AgentWrapper(agent, name) for name, agent in people.items()]
    step = DebateStep(agents, moderator, rounds, voting, store=folder / f"{voting}{rounds}.sqlite")
    result = await step.execute("Which plan?")
    return dict(result), (chair if moderator else people["Cy"]).prompts[-1]


@pytest.mark.parametrize("voting", ["majority", "weighted", "consensus", "moderator"])
async def test_rounds_can_change_the_winner(tmp_path: Path, voting: str) -> None:
    first, early = await hold(tmp_path, 0, voting)
    after, late = await hold(tmp_path, 2, voting)
    assert (first["winner"], after["winner"]) == ("Ada's plan", "Bo's plan")
    assert "tested" not in early
    assert late.count("Bo's plan, cheaper and tested") == 2, "in the debate, and as the newest proposal"
    assert "--- Round 1 ---" in late
    assert late.index("Bo's plan, cheaper\n") < late.rindex("[Ada]:")


NAMES = ("Ada", "Bo", "Al B")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The best proposal is Bo.", "Bo"),
        ("The winner is: Bo", "Bo"),
        ("**Winner:** Al B", "Al B"),
        ("Bo has the best proposal", "Bo"),
        ("Select: Bo", "Bo"),
        ("I go with Bo, because it is cheap.", "Bo"),
        ("Ada is good, but Bo is better.", "Bo"),
        ("Ada did not convince me. I choose Bo.", "Bo"),
        ("The best proposal is Bo's. Ada's lacks detail.", "Bo"),
        ("Winner:\nBo", "Bo"),
        ("I would not pick Bo.", ""),
        ("Neither Ada nor Bo wins.", ""),
        ("I pick nobody", ""),
        ("Bob wins.", ""),
        ("> The best proposal is Bo.\nI agree with nobody.", ""),
        ("Ada wins. Bo wins.", "?Ada,Bo"),
        ("Both Ada and Bo are strong.", "?Ada,Bo"),
        ("Bo is thorough.", "?Bo"),
        ("I pick: Ada and Bo", "?Ada,Bo"),
        ("I pick: Ada\nI pick: Bo", "?Ada,Bo"),
        ("Ada and Bo are both best.", "?Ada,Bo"),
        ("The best is Ada, Bo.", "?Ada,Bo"),
        ("Ada picked React. I am with Bo.", "?Ada,Bo"),
        ("Ada's choice of React is fine. Bo's proposal covers everything.", "?Ada,Bo"),
        ("Ada says the best is: Bo", "?Ada,Bo"),
        ("Many will pick Ada. Bo covers more.", "?Ada,Bo"),
        ("I was going to pick Ada. Then I read Bo again.", "?Ada,Bo"),
        ("The best is Ada. Bo, on reflection.", "?Ada,Bo"),
        ("The best is Ada. On Tuesday it was Bo.", "?Ada,Bo"),
        ("The best is Ada. No, not Ada.", "?Ada"),
        ("The best is Ada. I take that back.", "?Ada"),
        ("Is Ada the best? I doubt it.", "?Ada"),
        ("Is it Bo? Bo?", "?Bo"),
        ("Ada is better at tests.", "?Ada"),
        ("Ada came second best.", ""),
    ],
)
def test_whom_a_moderator_chooses_in_words_of_its_own(text: str, expected: str) -> None:
    named = tuple(filter(None, expected.removeprefix("?").split(",")))
    assert choice_in_prose(text, NAMES) == (named, bool(named) and not expected.startswith("?"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The best proposal is May.", (("May",), True)),
        ("I choose No, because it is cheap.", (("No",), True)),
        ("May may be the best.", (("May",), False)),
        ("The best proposal is not No.", ((), False)),
    ],
)
def test_a_name_that_is_a_common_word_denies_nothing(text: str, expected: tuple[tuple[str, ...], bool]) -> None:
    assert choice_in_prose(text, ("May", "No")) == expected


@pytest.mark.parametrize(
    ("text", "winner", "extra"),
    [
        ("The best proposal is Bo.", "Bo's plan", {}),
        ("Nobody convinced me.", "Ada's plan", {"fallback": "first_proposal", "unparsed": {"Chair": "no_form"}}),
        ("Both Ada and Bo are strong.", "", {"unparsed": {"Chair": "no_form"}}),
        ("I pick: Ada and Bo", "", {"unparsed": {"Chair": "ambiguous"}}),
        ("I pick: Ada\nI pick: Bo", "", {"unparsed": {"Chair": "ambiguous"}}),
    ],
)
async def test_the_first_proposal_never_wins_while_another_was_named(
    tmp_path: Path, text: str, winner: str, extra: dict[str, object]
) -> None:
    texts: list[str] = []

    def chair(prompt: str) -> str:
        texts.append(prompt)
        return text

    agents = [AgentWrapper(Scripted(f"{name}'s plan"), name) for name in ("Ada", "Bo")]
    step = DebateStep(agents, AgentWrapper(chair, "Chair"), 0, "moderator", store=tmp_path / "r.sqlite")
    result = await step.execute("Which plan?")
    assert result["winner"] == winner
    keys = ("fallback", "unparsed", "invalid_votes")
    assert {key: result[key] for key in keys if key in result} == extra
    assert len(texts) <= 2, "it is asked again once at most"
    if not winner:
        assert result.outcome
        assert result.outcome.decision
        assert result.outcome.decision.how.endswith("Chair names Ada and Bo and chooses none of them clearly")
