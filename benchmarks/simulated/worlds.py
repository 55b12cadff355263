"""Simulated voters of known accuracy: shared errors, own habits, a tempting wrong answer, and what talk does to them.

An answer is a number: 0 is right, 1 is the lure, the others are further wrong answers. A seat is right where
``sqrt(shared) z + sqrt(own) u + sqrt(1 - shared - own) e > -probit(accuracy)``: z is the question's, u the seat's on
that question, e the draft's.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from folkmoot.evaluation.paired import Floats
from folkmoot.evaluation.quantiles import normal

Drawn = NDArray[np.int64]
LURE = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Voters:
    """Seats and how they err.

    Attributes:
        accuracies: of each seat, between 0 and 1.
        shared: the share of the variance that all seats have in common.
        own: the share that is the seat's on a question; drafts of one seat have it in common.
        lure: the chance that a wrong answer is the tempting one.
        wrong: how many wrong answers there are.
    """

    accuracies: Sequence[float]
    shared: float = 0.3
    own: float = 0.2
    lure: float = 0.6
    wrong: int = 3

    def drafts(self, chance: np.random.Generator, questions: int, *, drafts_each: int = 1) -> Drawn:
        """Answers by question, seat and draft.

        Args:
            chance: the generator.
            questions: how many.
            drafts_each: drafts of each seat.
        """
        seats = len(self.accuracies)
        common = math.sqrt(self.shared) * chance.normal(size=(questions, 1, 1))
        habit = math.sqrt(self.own) * chance.normal(size=(questions, seats, 1))
        noise = math.sqrt(1 - self.shared - self.own) * chance.normal(size=(questions, seats, drafts_each))
        needed = np.array([-normal(accuracy) for accuracy in self.accuracies])[None, :, None]
        tempted = chance.random((questions, seats, drafts_each)) < self.lure
        others = chance.integers(LURE, self.wrong + 1, (questions, seats, drafts_each))
        return np.where(common + habit + noise > needed, 0, np.where(tempted, LURE, others))


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """What one round of reading each other does.

    Attributes:
        conform: the chance that a seat takes the answer of a seat at random.
        learn: the chance that a wrong seat which sees a right answer takes it.
        misled: the chance that a right seat which sees a wrong answer takes the lure.
        liars: how many of the first seats always say the lure.
        persuade: the chance that a liar turns a seat in a round.
    """

    conform: float = 0.1
    learn: float = 0.2
    misled: float = 0.05
    liars: int = 0
    persuade: float = 0.2

    def after(self, answers: Drawn, chance: np.random.Generator) -> Drawn:
        """The answers by question and seat after a round; everybody reads the answers before it."""
        questions, seats = answers.shape
        draws = chance.random((4, questions, seats))
        right = answers == 0
        any_right, any_wrong = right.any(axis=1, keepdims=True), (~right).any(axis=1, keepdims=True)
        result = np.where(~right & any_right & (draws[0] < self.learn), 0, answers)
        result = np.where(right & any_wrong & (draws[1] < self.misled), LURE, result)
        copied = np.take_along_axis(answers, chance.integers(0, seats, (questions, seats)), axis=1)
        result = np.where(draws[2] < self.conform, copied, result)
        if self.liars:
            result = np.where(draws[3] < 1 - (1 - self.persuade) ** self.liars, LURE, result)
        return self.with_liars(result)

    def with_liars(self, answers: Drawn) -> Drawn:
        """The answers with the liars' own."""
        result = answers.copy()
        result[:, : self.liars] = LURE
        return result


def vote_credits(answers: Drawn) -> Floats:
    """The credit of the plurality of each question: a share of 1 where the right answer ties with others."""
    counts = np.stack([(answers == answer).sum(axis=1) for answer in range(int(answers.max()) + 1)])
    highest = counts.max(axis=0)
    return np.where(counts[0] == highest, 1 / (counts == highest).sum(axis=0), 0.0)


def accuracy_of_votes(
    voters: Voters, talk: Talk, *, rounds: int, questions: int = 20_000, seed: int = 0
) -> Mapping[str, tuple[float, float]]:
    """The accuracy of single seats and of their vote, alone and after each round.

    Args:
        voters: the seats.
        talk: what a round does.
        rounds: how many rounds.
        questions: how many are simulated.
        seed: of the draws.
    """
    chance = np.random.default_rng(seed)
    answers = talk.with_liars(voters.drafts(chance, questions)[:, :, 0])
    rows = {"alone": (float((answers == 0).mean()), float(vote_credits(answers).mean()))}
    for number in range(1, rounds + 1):
        answers = talk.after(answers, chance)
        rows[f"round {number}"] = float((answers == 0).mean()), float(vote_credits(answers).mean())
    return rows
