"""The background as evidence: what bears on a query, which way it leans, who has quoted it. This file owns the weights.

A passage is known by its number, its place in the documents. Equal weights fall to the passage that comes first.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from moot.core.bm25 import Index
from moot.core.brief import Source
from moot.core.transcript import Turn
from moot.core.words import listed, stems, terms
from moot.demo.material import polarity, valence
from moot.demo.passages import Passage, read_passages
from moot.demo.phrases import marks

Query = Mapping[str, float]
"""Stems, each with its weight."""

PULL = 0.9
"""How much a passage gains, or loses, for leaning the right, or the wrong, way."""
_HELD = 0.5
"""What a word of the query still weighs once a chosen passage holds it: the next is to bear on something else."""
_LEAST = 0.25
"""The share of the first choice's weight that a third and further choice must have."""

_BACKWARD = listed("this these those that it they them he she his her its their such both so therefore then and but or")
_TURNING = listed("than instead unlike rather")
_LEAD = 32
_CITE = re.compile(r"[\"”»] \((?=([^\n]{1,200}?):(\d{1,7})\))")
_OPENING = re.compile('["“«]')
_OPENERS: Mapping[str, str] = {'"': '"', "”": "“", "»": "«"}
_FAR = 1000
_ENOUGH = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Stance:
    """What evidence is wanted for.

    Attributes:
        side: 1 for good news, -1 for bad news, 0 where the words of an option count or nothing does.
        words: the rarity of each word of the option, where it names a matter.
        rivals: the same of the other options.
        against: whether evidence against all this is wanted.
    """

    side: int = 0
    words: Query | None = None
    rivals: tuple[Query, ...] = ()
    against: bool = False


class Library:
    """The passages of a background, weighed.

    Args:
        background: the documents.

    Attributes:
        passages: what can be quoted, in the order of the documents.
        leans: the good or bad news of each passage, above -1 and below 1.
    """

    def __init__(self, background: Sequence[Source]) -> None:
        self.passages = tuple(each for each in read_passages(background) if marks(each.text))
        self._stems = [stems(each.text) for each in self.passages]
        self.leans = [valence(words) for words in self._stems]
        headed = [(*words, *terms(each.heading)) for words, each in zip(self._stems, self.passages, strict=True)]
        self._index = Index(headed)
        self._fit = [_fitness(each) for each in self.passages]
        self._at: dict[tuple[str, str], list[int]] = {}
        self._leads: dict[str, int] = {}
        for number, each in enumerate(self.passages):
            self._at.setdefault((" ".join(each.source.split()), str(each.line)), []).append(number)
            self._leads.setdefault(each.text[:_LEAD], number)

    # ---- weights -----------------------------------------------------------------------------------------------

    def weigh(self, query: Query) -> list[float]:
        """How much each passage bears on a query; one that does not stand well alone weighs less."""
        return [score * fit for score, fit in zip(self._index.weigh(query), self._fit, strict=True)]

    def words(self, number: int) -> Query:
        """The words of a passage as a query."""
        return dict.fromkeys(terms(self.passages[number].text), 1.0)

    def stances(self, options: Sequence[str]) -> tuple[Stance, ...]:
        """What counts as evidence for each of a closed set of options."""
        sides = [polarity(option) for option in options]
        if len(options) == 2 and sum(sides) == -1:
            # "build" beside "do not build": yes and no.
            yes, no = sorted(options, key=polarity, reverse=True)
            if set(terms(yes)) <= set(terms(no)):
                return tuple(Stance(side=side or 1) for side in sides)
        words = [
            {} if side else {word: self._index.rarity(word) for word in terms(option) or stems(option)}
            for side, option in zip(sides, options, strict=True)
        ]
        found: list[Stance] = []
        for n, (option, side, own) in enumerate(zip(options, sides, words, strict=True)):
            rivals = tuple(each for m, each in enumerate(words) if m != n and each)
            # "no change" beside options with names of their own is what speaks against those.
            bare = side and (not rivals or len(stems(option)) == 1)
            found.append(Stance(side=side) if bare else Stance(words=own, rivals=rivals))
        return tuple(found)

    def favour(self, number: int, stance: Stance) -> float:
        """How far a passage speaks for a stance, -1 to 1."""
        lean, words = self.leans[number], self._stems[number]
        if stance.words is None:
            found = stance.side * lean
        else:
            own = named(words, stance.words)
            others = max((named(words, rival) for rival in stance.rivals), default=0.0, key=abs)
            found = max(-1.0, min(1.0, lean * (own - others) + 0.2 * max(own, 0.0)))
        return -found if stance.against else found

    # ---- choices -----------------------------------------------------------------------------------------------

    def choose(self, query: Query, stance: Stance, most: int, *, but: Collection[int] = ()) -> tuple[int, ...]:
        """At most so many passages that bear on a query and fit a stance, the best first, each on something new.

        Args:
            query: what they are to bear on.
            stance: which way they are to lean.
            most: how many, from 1.
            but: passages that are out of the question.
        """
        chosen: list[int] = []
        left = dict(query)
        floor = 0.0
        while len(chosen) < most:
            weights = self.weigh(left)
            scores = {
                number: weight * (1 + PULL * self.favour(number, stance))
                for number, weight in enumerate(weights)
                if number not in but and number not in chosen
            }
            best = max(scores, key=scores.__getitem__, default=-1)
            if best < 0 or (chosen and scores[best] <= (floor if len(chosen) > 1 else 0.0)):
                break
            floor = floor or scores[best] * _LEAST
            chosen.append(best)
            for word in dict.fromkeys(self._stems[best]):
                if word in left:
                    left[word] *= _HELD
        return tuple(chosen)

    # ---- who quoted what ---------------------------------------------------------------------------------------

    def quoted(self, turn: Turn) -> tuple[int, ...]:
        """The passages that a turn quotes, in the order in which it first quotes them."""
        texts = [turn.text, *(str(value) for value in turn.fields.values())]
        return tuple(dict.fromkeys(number for text in texts for number in self._found(" ".join(text.split()))))

    def _found(self, text: str) -> Iterable[int]:
        """Passages with their place, or without one but with enough of their words to be known."""
        for found in _CITE.finditer(text):
            said = text[max(0, found.start() - _FAR) : found.start()].rpartition(_OPENERS[found[0][0]])[2]
            for number in self._at.get((found[1], found[2]), ()):
                whole = self.passages[number].text
                if said == whole or (len(said) >= _ENOUGH and said.removesuffix(" …") in whole):
                    yield number
        for found in _OPENING.finditer(text):
            lead = text[found.end() : found.end() + _LEAD]
            if len(lead) == _LEAD and lead in self._leads:
                yield self._leads[lead]


def named(words: Sequence[str], option: Query) -> float:
    """The share of an option's words that a text names, 0 to 1; those behind a "than" count against it."""
    found, sign = dict[str, float](), 1.0
    for word in words:
        if word in _TURNING:
            sign = -1.0
        elif word in option:
            found.setdefault(word, sign)
    whole = sum(option.values())
    return sum(sign * option[word] for word, sign in found.items()) / whole if whole else 0.0


def query(*parts: tuple[str, float]) -> dict[str, float]:
    """Texts, each with its weight, as one query; a word weighs once for each text that holds it."""
    weights: dict[str, float] = {}
    for text, weight in parts:
        for word in dict.fromkeys(terms(text)):
            weights[word] = weights.get(word, 0.0) + weight
    return weights


def _fitness(passage: Passage) -> float:
    """How well a passage stands alone, 0 to 1: not if it points back, asks, announces or says next to nothing."""
    words = passage.text.casefold().split()
    fit = 0.7 if words[0].strip("\"'“‘(*_,") in _BACKWARD else 1.0
    if passage.text.endswith((":", "?", "？")):
        fit *= 0.6
    return fit * 0.6 if len(words) < 6 else fit
