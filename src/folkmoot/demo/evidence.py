"""Evidence for the built-in debater: passages that bear on a query, for which side, and who quoted them.

A passage is known by its number, its place in the documents. Of equal weights the first passage wins. Everything
follows from the brief, the documents and the turns that the context shows; nothing is remembered.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from folkmoot.answers.text import key
from folkmoot.core.agent import Context, proposal_names
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Source
from folkmoot.core.text import Index, stems, terms, word_set
from folkmoot.core.transcript import INTERJECTION, Turn, read_field
from folkmoot.demo.material import OTHER, Passage, argued_points, marks, polarity, read_passages, side, valence

Query = Mapping[str, float]
"""Stems, each with its weight."""

PULL = 0.9
"""How much a passage gains, or loses, for leaning the right, or the wrong, way."""
_HELD = 0.5
"""What a word of the query still weighs once a chosen passage holds it: the next is to bear on something else."""
_LEAST = 0.25
"""The share of the first choice's weight that a third and further choice must have."""

_BACKWARD = word_set(
    "this these those that it they them he she his her its their such both so therefore then and but or"
)
_TURNING = word_set("than instead unlike rather")
_LEAD = 32
_CITE = re.compile(r"[\"”»] \((?=([^\n]{1,200}?)(?:, line |:)(\d{1,7})\))")
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
        self.passages = tuple(passage for passage in read_passages(background) if marks(passage.text))
        self._stems = [stems(passage.text) for passage in self.passages]
        self.leans = [valence(words) for words in self._stems]
        headed = [(*words, *terms(passage.heading)) for words, passage in zip(self._stems, self.passages, strict=True)]
        self._index = Index(headed)
        self._fit = [_fitness(passage) for passage in self.passages]
        self._at: dict[tuple[str, str], list[int]] = {}
        self._leads: dict[str, int] = {}
        for number, passage in enumerate(self.passages):
            self._at.setdefault((" ".join(passage.source.split()), str(passage.line)), []).append(number)
            self._leads.setdefault(passage.text[:_LEAD], number)

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
        stances: list[Stance] = []
        for n, (option, sided, own) in enumerate(zip(options, sides, words, strict=True)):
            rivals = tuple(value for m, value in enumerate(words) if m != n and value)
            # "no change" beside options with names of their own is what speaks against those.
            is_side = sided and (not rivals or len(stems(option)) == 1)
            stances.append(Stance(side=sided) if is_side else Stance(words=own, rivals=rivals))
        return tuple(stances)

    def favour(self, number: int, stance: Stance) -> float:
        """How far a passage speaks for a stance, -1 to 1."""
        lean, words = self.leans[number], self._stems[number]
        if stance.words is None:
            score = stance.side * lean
        else:
            own = named(words, stance.words)
            others = max((named(words, rival) for rival in stance.rivals), default=0.0, key=abs)
            score = max(-1.0, min(1.0, lean * (own - others) + 0.2 * max(own, 0.0)))
        return -score if stance.against else score

    # ---- choices -----------------------------------------------------------------------------------------------

    def choose(self, query: Query, stance: Stance, limit: int, *, but: Collection[int] = ()) -> tuple[int, ...]:
        """At most ``limit`` passages that bear on a query and fit a stance, the best first, each on something new.

        Args:
            query: what they are to bear on.
            stance: which way they are to lean.
            limit: how many, from 1.
            but: passages that are out of the question.
        """
        chosen: list[int] = []
        left = dict(query)
        floor = 0.0
        pulls = {
            number: 1 + PULL * self.favour(number, stance) for number in range(len(self.passages)) if number not in but
        }
        while len(chosen) < limit:
            weights = self.weigh(left)
            scores = {number: weights[number] * pull for number, pull in pulls.items() if number not in chosen}
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
        return tuple(dict.fromkeys(number for text in texts for number in self._passages_in(" ".join(text.split()))))

    def _passages_in(self, text: str) -> Iterable[int]:
        """Passages with their place, or without one but with enough of their words to be known."""
        for match in _CITE.finditer(text):
            before = text[max(0, match.start() - _FAR) : match.start()].rpartition(_OPENERS[match[0][0]])[2]
            for number in self._at.get((match[1], match[2]), ()):
                text_of_passage = self.passages[number].text
                if before == text_of_passage or (
                    len(before) >= _ENOUGH and before.removesuffix(" …") in text_of_passage
                ):
                    yield number
        for match in _OPENING.finditer(text):
            lead = text[match.end() : match.end() + _LEAD]
            if len(lead) == _LEAD and lead in self._leads:
                yield self._leads[lead]


def named(words: Sequence[str], option: Query) -> float:
    """The share of an option's words that a text names, 0 to 1; those behind a "than" count against it."""
    signs, sign = dict[str, float](), 1.0
    for word in words:
        if word in _TURNING:
            sign = -1.0
        elif word in option:
            signs.setdefault(word, sign)
    total = sum(option.values())
    return sum(sign * option[word] for word, sign in signs.items()) / total if total else 0.0


def query(*parts: tuple[str, float]) -> dict[str, float]:
    """Texts, each with its weight, as one query; a word weighs once for each text that holds it."""
    weights: dict[str, float] = {}
    for text, weight in parts:
        for word in _different_terms(text):
            weights[word] = weights.get(word, 0.0) + weight
    return weights


@lru_cache(maxsize=256)  # each question of a debate holds its topic and its earlier answers
def _different_terms(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(terms(text)))


def _fitness(passage: Passage) -> float:
    """How well a passage stands alone, 0 to 1: not if it points back, asks, announces or says next to nothing."""
    words = passage.text.casefold().split()
    fit = 0.7 if words[0].strip("\"'“‘(*_,") in _BACKWARD else 1.0
    if passage.text.endswith((":", "?", "？")):
        fit *= 0.6
    return fit * 0.6 if len(words) < 6 else fit


_NEAR = 24
"""So many of the passages that bear most on the matter decide which option they support."""

_JUDGING = (
    *("vote", "critique", "moderate", "summarize", "gauge", "score", "evaluate", "guide", "inform"),
    *("bid", "strategy", "reflect", "reconsider", "consent", "translate", "remind", "verdict", "synthesize"),
)
"""Acts that hold no position of their own."""


class Situation:
    """What lies before a participant that is asked.

    Args:
        ask: the question.
        context: what the participant is shown.
        library: the background.

    Attributes:
        seen: all turns before it, each once: the log, then those laid before it.
        query: what matters to it: words of the topic, its role and its persona.
        weights: how much each passage bears on that.
        quotes: the passages that each turn quotes, by the turn's key.
        used: all passages that have been quoted.
        mine: its own turns that hold a position, oldest first.
        stance: what it wants evidence for.
        answer: the option that it holds; "" where the brief names none.
        confidence: the share of the evidence that speaks for what it holds, 0 to 1.
    """

    def __init__(self, ask: Ask, context: Context, library: Library) -> None:
        self.ask, self.context, self.library = ask, context, library
        me, topic = context.me, context.brief.topic
        self.seen = tuple({turn.key: turn for turn in (*context.turns, *context.about)}.values())
        judging = ask.act == "vote" or me.duty == "moderator"
        self.query = query((topic, 1.0), *_interests(context, judging=judging))
        self.weights = library.weigh(self.query)
        self.quotes = {turn.key: library.quoted(turn) for turn in self.seen}
        self.used = frozenset(number for quotes in self.quotes.values() for number in quotes)
        self.mine = [turn for turn in self.seen if turn.by == me.name and turn.act not in _JUDGING]
        self.options = context.brief.options
        self.stance, self.answer, self.confidence = self._chosen_stance()

    # ---- one's own position ------------------------------------------------------------------------------------

    def _chosen_stance(self) -> tuple[Stance, str, float]:
        stances = self.library.stances(self.options)
        if not stances:
            stance = Stance(side=side(self.context.me))
            return stance, "", self._share(stance)
        support = self.support(stances)
        last = read_field(self.mine[-1], "ANSWER") if self.mine else None
        chosen = self.options.index(str(last)) if last in self.options else support.index(max(support))
        total = sum(support)
        return stances[chosen], self.options[chosen], support[chosen] / total if total else 1 / len(support)

    def change_answer(self, answer: str) -> None:
        """Change the answer to another of the options, with its stance and confidence."""
        index = self.options.index(answer)
        support = self.support(self.library.stances(self.options))
        self.stance, self.answer = self.library.stances(self.options)[index], answer
        self.confidence = support[index] / sum(support) if sum(support) else self.confidence

    def support(self, stances: Sequence[Stance], *, among: Iterable[int] | None = None) -> list[float]:
        """The weight of the evidence for each of these stances, and of what one's persona says for or against it.

        Args:
            stances: one for each option.
            among: the passages that count; None for those that bear most on the matter.
        """
        if among is None:
            among = sorted(range(len(self.weights)), key=lambda number: -self.weights[number])[:_NEAR]
        numbers = tuple(among)
        plea_counts, mine = argued_points(self.context.me), side(self.context.me)
        supports: list[float] = []
        for stance in stances:
            weight = sum(self.weights[n] * max(0.0, self.library.favour(n, stance)) for n in numbers)
            leaning = sum(count * named(words, stance.words) for count, words in plea_counts) if stance.words else 0.0
            leaning += stance.side * mine
            supports.append((weight + 0.01) * max(0.1, 1 + 2 * leaning))
        return supports

    def _share(self, stance: Stance) -> float:
        """The share of what bears most on the matter that leans one's way; without a side, that is said first."""
        near = sorted(self.weights, reverse=True)[:_NEAR]
        if not stance.side:
            return sum(near[:3]) / sum(near) if sum(near) else 0.0
        leaning = [
            (weight, self.library.favour(number, stance))
            for number, weight in enumerate(self.weights)
            if weight >= near[-1]
        ]
        fitting = sum(weight * max(0.0, lean) for weight, lean in leaning)
        total = sum(weight * abs(lean) for weight, lean in leaning)
        return fitting / total if total else 0.5

    # ---- the others --------------------------------------------------------------------------------------------

    def label(self, turn: Turn) -> str:
        """What the author of a turn is called: by name, or where authors are hidden by the letter of the proposal."""
        if not self.context.view.anonymous:
            return " ".join(turn.by.split())
        about = self.context.about
        keys = [turn.key for turn in about]
        return proposal_names(self.context.view, about)[keys.index(turn.key)] if turn.key in keys else OTHER

    def rival(self) -> Turn | None:
        """The newest turn of somebody else who holds a position or came in from outside."""
        moderators = self.context.brief.names("moderator")
        for turn in reversed(self.seen):
            if turn.by != self.context.me.name and turn.by not in moderators and turn.act not in _JUDGING:
                return turn
        return None

    def weigh(self, numbers: Iterable[int]) -> float:
        """The weight of these passages together, each counted once."""
        return sum(self.weights[number] for number in dict.fromkeys(numbers))

    def best(self, numbers: Iterable[int]) -> int | None:
        """The passage of most weight among these, the first of equals; None where there are none."""
        return max(dict.fromkeys(numbers), key=self.weights.__getitem__, default=None)

    def positions(self) -> dict[str, tuple[int, ...]]:
        """The passages that each debater who has spoken has brought, in the order of the brief; the first counts."""
        speaking = [turn for turn in self.seen if turn.act not in _JUDGING]
        first: dict[int, str] = {}
        for turn in speaking:
            for number in self.quotes[turn.key]:
                first.setdefault(number, turn.by)
        return {
            name: tuple(number for number, by in first.items() if by == name)
            for name in self.context.brief.names("debater")
            if any(turn.by == name for turn in speaking)
        }

    def answers(self) -> dict[str, tuple[Turn, ...]]:
        """The turns of others that give each answer, in the order in which they are shown."""
        turns: dict[str, tuple[Turn, ...]] = {}
        for turn in self.context.about:
            answer = read_field(turn, "ANSWER")
            if answer is not None and turn.act not in _JUDGING:
                turns[str(answer)] = (*turns.get(str(answer), ()), turn)
        return turns

    def news(self) -> list[int]:
        """How many passages each round has quoted for the first time, in the order of the rounds."""
        used: set[int] = set()
        counts: dict[int, int] = {}
        for turn in self.seen:
            if turn.act in _JUDGING or turn.act == INTERJECTION:
                continue
            fresh = [number for number in self.quotes[turn.key] if number not in used]
            used.update(fresh)
            counts[turn.round] = counts.get(turn.round, 0) + len(fresh)
        return list(counts.values())

    def agreed(self) -> bool:
        """Whether at least two debaters gave an answer last and all gave the same."""
        last: dict[str, Value] = {}
        for turn in self.seen:
            if (answer := read_field(turn, "ANSWER")) is not None:
                last[turn.by] = answer
        return len(last) > 1 and len({key(str(answer)) for answer in last.values()}) == 1

    def against(self, turn: Turn) -> Stance:
        """What would be evidence against what a turn holds: against its answer, or leaning the other way."""
        answer = read_field(turn, "ANSWER")
        if answer in self.options:
            return replace(self.library.stances(self.options)[self.options.index(str(answer))], against=True)
        lean = sum(self.library.leans[number] for number in self.quotes[turn.key])
        return Stance(side=(lean < 0) - (lean > 0))

    def matter(self, turn: Turn) -> dict[str, float]:
        """What a turn is about, as a query: the passages it quotes, else its words; one's own interest weighs less."""
        numbers = self.quotes[turn.key]
        texts = [self.library.passages[number].text for number in numbers] or [turn.text]
        matter = query(*((text, 1.0) for text in texts))
        for word, weight in self.query.items():
            matter[word] = matter.get(word, 0.0) + (0.4 if numbers else 0.1) * weight
        return matter


def _interests(context: Context, *, judging: bool) -> list[tuple[str, float]]:
    """What matters beside the topic: one's role and persona; to whoever judges, what matters to all debaters, too."""
    me = context.me
    own = [(me.role, 1.5), (me.persona, 2.0)] if me.duty == "debater" else []
    if not judging:
        return own
    others = [
        participant.persona
        for participant in context.brief.participants
        if participant.duty == "debater" and participant.name != me.name
    ]
    return [(text, weight / 3) for text, weight in own] + [(text, 0.5) for text in others]
