"""What voters and the moderator of a debate step see, and when a moderator's choice counts."""

from pathlib import Path

import pytest

from folkmoot.council import AgentWrapper, DebateStep
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


@pytest.mark.parametrize(
    ("text", "winner", "extra"),
    [
        ("It's the one with tests.\nI pick: Bo\nThank you all.", "Bo's plan", {}),
        ("The best proposal is Bo.", "", {"unparsed": ["Chair"]}),
        ("I would not pick Bo.", "", {"unparsed": ["Chair"]}),
        ("Nobody convinced me.", "Ada's plan", {"fallback": "first_proposal", "unparsed": ["Chair"]}),
        ("Both Ada and Bo are strong.", "", {"unparsed": ["Chair"]}),
        ("I pick: Ada and Bo", "", {"unparsed": ["Chair"]}),
        ("I pick: Ada\nI pick: Bo", "", {"unparsed": ["Chair"]}),
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
    told = {key: result[key] for key in keys if key in result}
    assert {key: value if key == "fallback" else list(value) for key, value in told.items()} == extra
    assert len(texts) <= 2, "it is asked again once at most"
    if not winner:
        assert result.outcome
        assert result.outcome.decision
        assert "Chair names" in result.outcome.decision.how
