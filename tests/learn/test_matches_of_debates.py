"""Matches from whole debates: after every protocol that has a winner ratings move, and votes weigh by them."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.export.learned import domain_ratings
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.prepare import Overrides, prepare
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Context
from folkmoot.core.ask import ABSTAIN, Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.learn.lessons import lessons
from folkmoot.learn.model_matches import joined_matches
from folkmoot.learn.ratings import elo
from folkmoot.learn.vote_weights import START
from folkmoot.models.custom import FunctionAgent
from folkmoot.phases.choices import Choices
from folkmoot.phases.vote import BALLOT
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness, HeldDebate
from tests.cli.commands import settle
from tests.kits.players import Player

NAMES = ("Ada", "Bo", "Cy", "Dee", "Eve", "Fay", "Gil", "Hal")
CHAIR = Participant(name="Chair", duty="moderator", seat="mistral:chair")
HOLDS = {name: "Build" if name in ("Bo", "Dee") else f"plan of {name}" for name in NAMES}
CLOSED = {name: "no" if name in ("Ada", "Gil", "Hal") else "yes" for name in NAMES}
WINNER = "Bo"


def brief(n: int, *others: Participant, options: tuple[str, ...] = ()) -> Brief:
    people = tuple(Participant(name=name, role="r", seat=f"maker{i}:model-{i}") for i, name in enumerate(NAMES[:n]))
    return Brief(topic="Build or buy?", participants=(*people, *others), options=options, seed=5)


class People:
    """Debaters who hold what they hold; nobody votes for itself; a judge is for the newest answer of Bo."""

    def __init__(self, holds: Mapping[str, str]) -> None:
        self.holds = holds

    def __call__(self, ask: Ask, context: Context) -> Mapping[str, Value]:
        values: dict[str, Value] = {}
        for field in ask.form.fields if ask.form else ():
            value = self.value(ask, field.name, context)
            if value is None and field.kind == "choice":
                value = field.choices[0]
            elif value is None:
                value = self.plain(field.kind, field.choices, ask)
            values[field.name] = value
        return values

    def plain(self, kind: str, choices: Sequence[str], ask: Ask) -> Value:
        if kind == "number":
            return 1.0 if ask.act == "bid" else 0.5
        return tuple(choices) if kind == "list" else f"words of {ask.to}"

    def value(self, ask: Ask, name: str, context: Context) -> Value | None:
        if ask.form and ask.form.name == "adjudication" and name == "RANKING":
            teams = ask.form.fields[-1].choices
            return tuple(sorted(teams, key=lambda team: team != WINNING))
        if name in ("ANSWER", "POSITION", "Verdict"):
            return self.holds.get(ask.to, self.holds[WINNER])
        if name in ("Withdrawn", "STATUS"):
            return None
        if name == BALLOT or name in ("RANKING", "ACCEPTABLE"):
            return self.ballot(ask, name, context)
        if ask.act == "score" and ask.form and ask.form.name == "ranking" and not name.startswith("Why"):
            labels = [field.name for field in ask.form.fields if not field.name.startswith("Why")]
            return 9.0 if context.about[labels.index(name)].by == WINNER else 3.0
        return None

    def ballot(self, ask: Ask, name: str, context: Context) -> Value:
        assert ask.form
        choices = next(field.choices for field in ask.form.fields if field.name == name)
        by = dict(zip(choices, (turn.by for turn in context.about), strict=True))
        mine = self.holds.get(ask.to)
        wished = [label for label, who in by.items() if self.holds[who] == self.holds[WINNER] != mine]
        others = [label for label, who in by.items() if who != ask.to and self.holds[who] != mine]
        order = (*wished, *(label for label in others if label not in wished))
        if name != BALLOT:
            return order
        return wished[0] if wished else ABSTAIN


async def hold(protocol: str, parsed_brief: Brief, choices: Choices | None = None) -> HeldDebate:
    holds = CLOSED if parsed_brief.options else HOLDS
    player = Player(People(holds))
    place = Harness(brief=parsed_brief, protocol=build(protocol, parsed_brief, choices), name=protocol)
    return await place.run({person.name: player for person in parsed_brief.participants})


def sides(debate: HeldDebate) -> set[tuple[str, str, float]]:
    return {(*match.sides, match.score) for match in lessons(debate.entries).matches}


OPEN = {(text, other, 1.0) for text, other in product(("Bo", "Dee"), ("Ada", "Cy"))}
YES = {(text, other, 1.0) for text, other in product(("Bo", "Cy", "Dee"), ("Ada",))}
BY_NAME = {("Bo", other, 1.0) for other in ("Ada", "Cy")}
EIGHT = {(text, other, 1.0) for text, other in product(("Bo", "Dee"), ("Ada", "Cy", "Eve", "Fay", "Gil", "Hal"))}
OPTIONS = ("yes", "no")
WINNING = "Opening Opposition"
TEAMS = {(text, other, 1.0) for text, other in product(("Bo", "Dee"), ("Ada", "Cy", "Eve", "Fay", "Gil", "Hal"))}

CASES: list[tuple[str, Brief, Choices | None, set[tuple[str, str, float]]]] = [
    ("panel", brief(4), None, OPEN),
    ("panel", brief(4, options=OPTIONS), None, YES),
    ("panel", brief(4), Choices(strategy="borda"), BY_NAME),
    ("arena", brief(4), Choices(rounds=1, strategy="plurality"), OPEN),
    ("arena", brief(4, options=OPTIONS), Choices(rounds=1), YES),
    ("arena", brief(4, CHAIR), Choices(rounds=1, strategy="judge"), OPEN),
    ("grouped", brief(8), None, EIGHT),
    ("board", brief(4, CHAIR, options=OPTIONS), None, YES),
    ("chaired", brief(4, CHAIR, options=OPTIONS), None, YES),
    ("round_robin", brief(4), Choices(rounds=1), OPEN),
    ("round_robin", brief(4), Choices(rounds=1, strategy="vote"), OPEN),
    ("round_robin", brief(4, options=OPTIONS), Choices(rounds=1, strategy="vote"), YES),
    ("round_robin", brief(4, CHAIR), Choices(rounds=1, strategy="ranked_reasons"), BY_NAME),
    ("round_robin", brief(4, CHAIR), Choices(rounds=1, strategy="vote_based"), OPEN),
    ("bp_style", brief(8), Choices(strategy="vote"), TEAMS),
    ("socratic", brief(4), Choices(rounds=1, strategy="vote"), OPEN),
    ("chain_of_thought", brief(4), Choices(rounds=1, strategy="vote"), OPEN),
    ("fishbowl", brief(4), Choices(rounds=1, strategy="vote"), OPEN),
    ("open_fight", brief(4), Choices(rounds=1, strategy="vote"), OPEN),
]


@pytest.mark.parametrize(("protocol", "brief", "choices", "expected"), CASES)
async def test_a_debate_with_a_winner_has_matches(
    protocol: str, brief: Brief, choices: Choices | None, expected: set[tuple[str, str, float]]
) -> None:
    debate = await hold(protocol, brief, choices)
    decision = debate.transcript.decision
    assert decision
    assert decision.status == "decided", decision.how
    assert decision.winner
    assert sides(debate) == expected
    taught = lessons(debate.entries)
    assert sum(match.weight for match in taught.matches) == pytest.approx(1.0)
    points = elo(joined_matches([("motion", "", match) for match in taught.matches]))
    assert points["maker1:model-1"] > START > points["maker0:model-0"]


# ---- from the first debate to a vote that weighs what was learned ---------------------------------------------------

SEATS = ("guest:one", "guest:two", "guest:three")
ARENA = "---\nprotocol: arena\nstrategy: majority\nrounds: 1\n---\n# Case {n}: build or buy?\n\n"
WEIGHED = "---\nprotocol: panel\nstrategy: weighted\nvote_weights: elo-calibration\noptions: [yes, no]\n---\n# Buy?\n\n"
PEOPLE = "## Ada\nrole: a\n\n## Bo\nrole: b\n\n## Cy\nrole: c\n"


def speak(name: str) -> Callable[[str], str]:
    """Each has a plan of its own; all others vote for that of the second seat."""

    def answer(prompt: str) -> str:
        if "I vote for:" in prompt:
            label = re.findall(r"\[(Proposal \w)\]:\n  ANSWER: The plan of two", prompt)[-1]
            return "I abstain from voting" if name == "two" else f"I vote for: {label}"
        if "\nISSUE: [" in prompt:
            return "ISSUE: It is dear.\nSEVERITY: 2\nQUOTE: plan\nSUGGESTION: Save."
        words = "yes" if 'one of "yes", "no"' in prompt else f"The plan of {name}"
        return f"ANSWER: {words}\nBECAUSE: so\nCONFIDENCE: 0.8\nARGUMENT: So."

    return answer


async def test_after_arena_debates_votes_weigh_by_elo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    workspace = Workspace.at(tmp_path / "record.sqlite")
    workspace.config = Config()
    for seat in SEATS:
        name = seat.partition(":")[2]
        workspace.pool.add_agent(name, FunctionAgent(name, speak(name)))
    for n in range(3):
        ready = await prepare(workspace, read_brief(ARENA.format(n=n) + PEOPLE, name="b.md"), Overrides(models=SEATS))
        came = await workspace.run(ready.plan, f"d{n}")
        assert came.decision
        assert came.decision.winner == "The plan of two", came.decision.how
    rated = {
        rating.name: rating for domain_rating in await domain_ratings(workspace) for rating in domain_rating.ratings
    }
    assert {name: rated[name].games for name in SEATS} == {SEATS[0]: 3, SEATS[1]: 6, SEATS[2]: 3}
    ready = await prepare(workspace, read_brief(WEIGHED + PEOPLE, name="w.md"), Overrides(models=SEATS))
    outcome = await workspace.run(ready.plan, "weighed")
    assert outcome.decision
    weights = {ballot.voter: ballot.weight for ballot in outcome.decision.ballots}
    assert weights["Bo"] > 1.0 > max(weights["Ada"], weights["Cy"])
    grounds = outcome.transcript.turns("weigh")[0].fields["GROUNDS"]
    assert isinstance(grounds, tuple)
    assert not any("no match" in line for line in grounds)
    await workspace.close()
