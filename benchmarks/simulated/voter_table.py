"""Simulated voters under all protocols and rules, with liars among them: ``python -m benchmarks.simulated voters --table``.

How often voters read each other, and whether a round waits for a difference, comes from the protocols themselves; the
rules that count are those that ship. What is simulated is what reading each other does to voters (``Talk``).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Final, Literal, TypeAlias

import numpy as np

from benchmarks.simulated.worlds import LURE, Drawn, Talk, Voters
from folkmoot.app.plan.pretend import parts
from folkmoot.core.brief import QUOTES, Brief, Participant
from folkmoot.core.decision import Ballot
from folkmoot.phases.base import Rounds
from folkmoot.phases.choices import STRATEGIES, Choices
from folkmoot.policy.rounds import THRESHOLD, Close
from folkmoot.protocols.board import Meeting
from folkmoot.protocols.grouped import Groups
from folkmoot.protocols.known import ALONE, DECIDED_BY, FORMATS, KNOWN, NEEDS_MODERATOR, VOTES, build

QUESTIONS: Final = 20_000
LIARS: Final = (0, 1, 2)
LEAST: Final = 3
"""The least number of voters of whom two can lie."""

OPTIONS: Final = ("right", "lure", "third", "fourth")
"""What the numbers of simulated answers stand for; see ``worlds``."""

NO_ANSWERS: Final = (
    "bp_style",
    "forecast",
    "findings",
)
"""Protocols without an answer of each voter: sides are given, a probability is stated, or defects are listed."""


Ending: TypeAlias = Literal["votes", "one", "judge", "pick", "critic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How voters get from first answers to a decision.

    Attributes:
        rounds: how often at most they read each other.
        gated: whether no round takes place where answers are no further apart than the threshold.
        grouped: whether they read only their own group, until all read all once.
        ending: who decides: the ``votes`` of all; ``one``, who answers for all; a ``judge`` who reads all answers; a
            judge who has to ``pick`` one of them; or a judge who reads one answer and a ``critic`` of it.
    """

    rounds: int
    gated: bool = False
    grouped: bool = False
    ending: Ending = "votes"


ENDINGS: Final[Mapping[str, Ending]] = {
    "single": "one",
    "moderated": "judge",
    "chaired": "judge",
    "select": "pick",
    "critique": "critic",
}
"""The protocols in which one decides, and how."""

GROUPED: Final = ("grouped",)
LEAST_GROUPED: Final = 6
"""The least number of voters for two groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """Shares of questions: decided right, and decided wrong; the rest is undecided."""

    right: float
    wrong: float

    def __str__(self) -> str:
        return f"{100 * self.right:.1f} / {100 * self.wrong:.1f}"


def shapes(voters: int) -> dict[Shape, list[str]]:
    """The protocols by shape, those without rounds first."""
    named: dict[Shape, list[str]] = {}
    for name in KNOWN:
        if name not in NO_ANSWERS:
            named.setdefault(_shape(name, max(voters, LEAST_GROUPED)), []).append(name)
    return dict(sorted(named.items(), key=lambda item: (item[0].ending != "one", item[0].rounds)))


def _shape(name: str, voters: int) -> Shape:
    people = [Participant(name=f"Voter {n + 1}", seat=QUOTES) for n in range(voters)]
    if name in NEEDS_MODERATOR:
        people.append(Participant(name="Judge", seat=QUOTES, duty="moderator"))
    brief = Brief(topic="Which?", participants=tuple(people), options=OPTIONS)
    votes = name in FORMATS or VOTES[0] in DECIDED_BY[name]
    tree = list(parts(build(name, brief, Choices(strategy=VOTES[0]) if votes and name not in ALONE else Choices())))
    rounds = sum(part.most for part in tree if isinstance(part, Rounds))
    # Who opens a meeting, or a debate before a moderator, has read nobody yet.
    rounds += sum(part.rounds - 1 for part in tree if isinstance(part, Meeting))
    rounds -= name == "moderated"
    # In groups one more time all read all.
    rounds += sum(part.rounds + 1 for part in tree if isinstance(part, Groups))
    return Shape(
        rounds=rounds,
        gated=any(isinstance(part, Close) for part in tree),
        grouped=name in GROUPED,
        ending=ENDINGS.get(name, "votes"),
    )


def answers_after(shape: Shape, voters: Voters, talk: Talk, *, seed: int) -> Drawn:
    """The answers from which is decided, by question and voter; a judge who reads them all is the last."""
    chance = np.random.default_rng(seed)
    n = len(voters.accuracies)
    judges = int(shape.ending not in ("votes", "one"))
    accuracies = (*voters.accuracies, *list(voters.accuracies)[-1:] * judges)
    drafts = replace(voters, accuracies=accuracies).drafts(chance, QUESTIONS)[:, :, 0]
    if shape.ending == "critic":
        return _criticised(drafts, talk, chance)
    answers = talk.with_liars(drafts[:, :n])
    for number in range(1, shape.rounds + 1):
        apart = shape.grouped and number < shape.rounds
        after = _in_groups(answers, talk, chance) if apart else talk.after(answers, chance)
        answers = np.where(_are_apart(answers)[:, None] | (not shape.gated), after, answers)
    if judges:
        all_answers = np.concatenate([answers, drafts[:, n:]], axis=1)
        answers = np.concatenate([answers, talk.after(all_answers, chance)[:, n:]], axis=1)
    return answers


def _in_groups(answers: Drawn, talk: Talk, chance: np.random.Generator) -> Drawn:
    """A round in which each half of the voters reads its own; the liars are all in the first half."""
    half = answers.shape[1] // 2
    halves = (talk.after(answers[:, :half], chance), replace(talk, liars=0).after(answers[:, half:], chance))
    return np.concatenate(halves, axis=1)


def _criticised(drafts: Drawn, talk: Talk, chance: np.random.Generator) -> Drawn:
    """The answer of one voter, what a critic of it holds, and what the judge holds who has read both.

    Who answers and who criticises is drawn for each question, so a liar may be neither.
    """
    who = np.argsort(chance.random((len(drafts), drafts.shape[1] - 1)), axis=1)[:, :2]
    lies = who < talk.liars
    spoken_answers = np.where(lies, LURE, np.take_along_axis(drafts, who, axis=1))
    answers = np.concatenate([spoken_answers, drafts[:, -1:]], axis=1)
    read = [replace(talk, liars=0).after(answers, chance)[:, -1]]
    for liars in (1, 2):
        turned = chance.random(len(drafts)) < 1 - (1 - talk.persuade) ** liars
        read.append(np.where(turned, LURE, read[0]))
    answers[:, -1] = np.choose(lies.sum(axis=1), read)
    return answers


def _are_apart(answers: Drawn) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Whether the answers to a question are further apart than the threshold."""
    voters = answers.shape[1]
    most = np.stack([(answers == answer).sum(axis=1) for answer in range(len(OPTIONS))]).max(axis=0)
    limit = Fraction(str(THRESHOLD))
    return np.array([1 - Fraction(int(count), voters) > limit for count in range(voters + 1)])[most]


def outcomes(answers: Drawn, shape: Shape, rule: str) -> Outcomes:
    """How often a rule decides right and wrong; a tie decides nothing. One who answers for all is any of the voters."""
    if shape.ending != "votes":
        right = float((_decided_by_one(answers, shape.ending) == 0).mean())
        return Outcomes(right=right, wrong=1 - right)
    counts = np.stack([(answers == answer).sum(axis=1) for answer in range(len(OPTIONS))], axis=1)
    tally = Counter(tuple(int(count) for count in row) for row in counts)
    won = Counter[str]()
    for votes, many in tally.items():
        won[_winner(rule, votes)] += many
    decided = sum(many for winner, many in won.items() if winner)
    return Outcomes(right=won[OPTIONS[0]] / len(answers), wrong=(decided - won[OPTIONS[0]]) / len(answers))


def _decided_by_one(answers: Drawn, ending: Ending) -> Drawn:
    """The answer that one decides for; with ``one`` those of all voters, because any of them may be the one."""
    if ending == "one":
        return answers
    judge, others = answers[:, -1], answers[:, :-1]
    if ending == "critic":  # who agrees with the answer names no error, so it stands
        return np.where(others[:, 0] == others[:, 1], others[:, 0], judge)
    # Whose own answer is not among those to pick from picks any of them: that of the next voter in turn.
    places = np.arange(len(others))
    any_other = others[places, places % others.shape[1]]
    is_there = (others == judge[:, None]).any(axis=1)
    return np.where(is_there | (ending == "judge"), judge, any_other)


@cache
def _winner(rule: str, votes: tuple[int, ...]) -> str:
    """Who wins under a rule that ships; "" for nobody."""
    names = [option for option, many in zip(OPTIONS, votes, strict=True) for _ in range(many)]
    ballots = [Ballot(voter=f"Voter {n + 1}", choice=name) for n, name in enumerate(names)]
    decision = STRATEGIES[rule].decide(ballots, OPTIONS)
    return decision.winner if decision.status == "decided" else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """Protocols of one shape under rules that come to the same, with their outcomes by the number of liars."""

    protocols: Sequence[str]
    rules: Sequence[str]
    voters: int
    by_liars: Mapping[int, Outcomes]


def table(voters: Voters, talk: Talk, *, seed: int = 0) -> Iterator[TableRow]:
    """All protocols that answer questions under all rules for votes, without liars, with one and with two.

    Args:
        voters: who votes; the first ones lie.
        talk: what a round of reading each other does.
        seed: of the draws.
    """
    for shape, protocols in shapes(len(voters.accuracies)).items():
        people = _enough(voters) if shape.grouped else voters
        drawn = {liars: answers_after(shape, people, replace(talk, liars=liars), seed=seed) for liars in LIARS}
        same: dict[tuple[Outcomes, ...], list[str]] = {}
        for rule in STRATEGIES:
            same.setdefault(tuple(outcomes(drawn[liars], shape, rule) for liars in LIARS), []).append(rule)
        for results, rules in same.items():
            yield TableRow(
                protocols=protocols,
                rules=rules if shape.ending == "votes" else (),
                voters=len(people.accuracies),
                by_liars=dict(zip(LIARS, results, strict=True)),
            )


def _enough(voters: Voters) -> Voters:
    """The voters, and as many like the last one as two groups need."""
    missing = max(0, LEAST_GROUPED - len(voters.accuracies))
    return replace(voters, accuracies=(*voters.accuracies, *list(voters.accuracies)[-1:] * missing))


def table_lines(rows: Sequence[TableRow]) -> Iterator[str]:
    """The table in Markdown."""
    yield "| protocols | rule | no liar | 1 liar | 2 liars | points lost |"
    yield "| --- | --- | --- | --- | --- | --- |"
    usual = min(row.voters for row in rows)
    for row in rows:
        names, rules = (", ".join(f"`{name}`" for name in items) or "none" for items in (row.protocols, row.rules))
        names += f" ({row.voters} voters)" * (row.voters > usual)
        lost = " / ".join(f"{100 * (row.by_liars[0].right - row.by_liars[liars].right):.1f}" for liars in LIARS[1:])
        yield f"| {names} | {rules} | {' | '.join(str(row.by_liars[liars]) for liars in LIARS)} | {lost} |"
