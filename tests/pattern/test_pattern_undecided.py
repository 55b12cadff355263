"""A moderator that settles without a decision is asked for one: in a pattern, in a brief, in any language."""

from pathlib import Path

import pytest

import folkmoot
from folkmoot.pattern import DebatePattern
from tests.council.agents import own_place

BRIEF = "---\nprotocol: moderated\nrounds: 1\n---\n# Build or buy?\n\n## Ann\nrole: Builds\n\n## Ben\nrole: Buys\n"
ENGLISH = ("SUMMARY: Both agree.\nSTATUS: SETTLED", "DECISION: We build.")
GERMAN = ("SUMMARY: Beide sind sich einig.\nSTATUS: SETTLED", "DECISION: We build.")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_place(tmp_path, monkeypatch)


class Chair:
    """Answers for everybody; the moderator settles the matter and says how only when it is asked again, or never."""

    def __init__(self, ruling: str, decision: str) -> None:
        self.ruling, self.decision = ruling, decision
        self.rulings: list[str] = []

    def __call__(self, prompt: str) -> str:
        if "STATUS" not in prompt:
            return "We should build, because buying costs more."
        self.rulings.append(prompt)
        return self.ruling if len(self.rulings) == 1 else f"{self.ruling}\n{self.decision}"


@pytest.mark.parametrize("words", [ENGLISH, GERMAN], ids=["English", "German"])
def test_a_decision_that_is_left_out_is_asked_for(words: tuple[str, str], tmp_path: Path) -> None:
    people = [{"name": name, "role": "Thinks"} for name in ("Ann", "Ben")]
    chair = Chair(*words)
    result = DebatePattern(llm=chair, max_rounds=1).run("Build or buy?", people)
    assert (result["is_settled"], result["final_decision"], len(chair.rulings)) == (True, "We build.", 2)
    assert "DECISION" in chair.rulings[1].removeprefix(chair.rulings[0])
    chair = Chair(*words)
    outcome = folkmoot.run(BRIEF, model=chair)
    assert outcome.decision
    assert (outcome.status, outcome.decision.text, len(chair.rulings)) == ("decided", "We build.", 2)


def test_where_it_never_comes_the_summary_stands_in_and_that_is_said() -> None:
    people = [{"name": name, "role": "Thinks"} for name in ("Ann", "Ben")]
    result = DebatePattern(llm=Chair(ENGLISH[0], ""), max_rounds=1).run("Build or buy?", people)
    assert result["final_decision"] == "Both agree."
    assert any("DECISION" in told for told in result.warnings)
    outcome = folkmoot.run(BRIEF, model=Chair(ENGLISH[0], ""))
    assert outcome.decision
    assert (outcome.status, outcome.decision.text) == ("decided", "Both agree.")
    assert any("DECISION" in told for told in outcome.warnings)
