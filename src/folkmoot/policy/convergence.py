"""Convergence: whether debaters have come to agree, or only repeat themselves.

Debaters have converged if their answers in the fields are the same. Similarity of their texts does not show that: in
recorded debates the sides' texts grow alike while their positions stay opposed, and a position and its denial share
nearly all their words. Similarity has one use: if all debaters give nearly the same words and the same answers as the
time before, the debate is stalled.

Similarity is measured by an embedding model if one was asked (``phases.helpers``), else by words.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import sqrt

from folkmoot.core.text import stems, terms
from folkmoot.core.transcript import Transcript, Turn, normalise, read_field, wording

LIKEN = "liken"
"""The act of a turn that states the similarity of proposals."""

WORDS = "words"
"""The name of the method that needs no model: the cosine of the counts of words and of pairs of words."""

DENIALS = frozenset(
    stems("no not cannot never neither nor none nobody nothing without against reject refuse oppose deny")
)
"""The stems of words that turn a position into its denial."""

NEAR = 0.5
"""How alike two texts are by their words that are on the same matter, so that one more denial is a denial of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How alike texts are, each number from 0, nothing in common, to 1, the same.

    Attributes:
        own: how much the newest text of everybody is like the same author's before; the least of all authors.
        between: how much the newest texts of two are like each other; the mean of all pairs.
        method: what measured it: ``words``, or an embedding model.
    """

    own: float
    between: float
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stalled:
    """Everybody repeats the own answer of the time before, in nearly the same words.

    Attributes:
        acts: the acts that are proposals.
        least: how alike two texts of one author must be.
    """

    acts: tuple[str, ...]
    least: float = 0.9

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see ``policy.rounds.Stop``."""
        steps = last_steps(transcript, self.acts)
        if not steps or any(wording(old) != wording(new) for old, new in steps):
            return ""
        similarity = measured(transcript, steps) or measure(steps)
        if similarity.own < self.least:
            return ""
        sentence = f"each {similarity.own:.2f} or more like its last text, two of them {similarity.between:.2f} alike"
        return f"stalled: everybody repeats itself ({sentence}, by {similarity.method})"


def last_steps(transcript: Transcript, acts: tuple[str, ...]) -> tuple[tuple[Turn, Turn], ...]:
    """Everybody's newest proposal with the one before it; () where somebody has given only one, or nobody any."""
    turns_by_speaker = [transcript.turns(*acts, by=newest.by) for newest in transcript.latest(*acts)]
    return (
        tuple((turns[-2], turns[-1]) for turns in turns_by_speaker)
        if all(len(turns) > 1 for turns in turns_by_speaker)
        else ()
    )


def measure(steps: Sequence[tuple[Turn, Turn]]) -> Likeness:
    """How alike proposals are by their words; there is at least one."""
    return Likeness(
        own=min(likeness(text(old), text(new)) for old, new in steps),
        between=mean([likeness(text(turn), text(other)) for (_, turn), (_, other) in combinations(steps, 2)]),
        method=WORDS,
    )


def measured(transcript: Transcript, steps: Sequence[tuple[Turn, Turn]]) -> Likeness | None:
    """How alike these proposals are by the newest turn that measured them; None where none did."""
    keys = {turn.key for step in steps for turn in step}
    turns = [turn for turn in transcript.turns(LIKEN) if set(turn.about) == keys]
    fields = [read_field(turns[-1], name) for name in ("OWN", "BETWEEN", "METHOD")] if turns else []
    match fields:
        case [int() | float() as own, int() | float() as between, str() as method]:
            return Likeness(own=float(own), between=float(between), method=method)
        case _:
            return None


def text(turn: Turn) -> str:
    """The text of a proposal that is compared: its ARGUMENT, else all its words."""
    return str(read_field(turn, "ARGUMENT") or turn.text)


def likeness(first_text: str, other: str) -> float:
    """How alike two texts are by their words, 0 to 1: the cosine of their counts of words and pairs of words."""
    first, second = _counts(first_text), _counts(other)
    shared = sum(n * second[value] for value, n in first.items())
    # The root of the product, not the product of the roots: the same text is exactly 1 then.
    lengths = sqrt(sum(n * n for n in first.values()) * sum(n * n for n in second.values()))
    return shared / lengths if lengths else float(first == second)


def denies(first_text: str, other: str) -> bool:
    """Whether one of two texts, as far as words show, denies what the other says.

    That is so where one alone denies anything, and where one denies more in much the same words. What a denial is
    about nobody knows by words, so two who agree may seem opposed; two who are opposed shall not seem to agree.
    """
    first_denials, other_denials = (
        sum(stem in DENIALS or stem.endswith("n't") for stem in stems(text)) for text in (first_text, other)
    )
    return first_denials != other_denials and (
        not first_denials or not other_denials or likeness(first_text, other) >= NEAR
    )


def swaps(first_text: str, other: str) -> bool:
    """Whether each of two texts has a word with a meaning that the other lacks: ``raise`` may stand for ``lower``."""
    first_terms, other_terms = set(terms(first_text)), set(terms(other))
    return bool(first_terms - other_terms and other_terms - first_terms)


def mean(values: Sequence[float]) -> float:
    """The mean; 1 where there is nothing to compare."""
    return sum(values) / len(values) if values else 1.0


def _counts(words: str) -> Counter[str]:
    single_words = normalise(words).split()
    return Counter([*single_words, *(f"{word} {two}" for word, two in pairwise(single_words))])
