"""A case: what the built-in debater makes of a scene. This file owns whose evidence weighs how much, for whom.

Everything follows from the brief, the documents and the turns that the scene shows; nothing is remembered.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from moot.agents.prompt import proposal_names
from moot.answers.plain_text import key
from moot.core.agent import Scene
from moot.core.ask import Ask
from moot.core.form import Value
from moot.core.transcript import INTERJECTION, Turn, read_field
from moot.demo.material import pleas, side
from moot.demo.phrases import OTHER
from moot.demo.seats_evidence import Library, Stance, named, query

_NEAR = 24
"""So many of the passages that bear most on the matter decide which option they support."""

_JUDGING = (
    *("vote", "critique", "moderate", "summarize", "gauge", "score", "evaluate", "guide", "inform"),
    *("bid", "strategy", "reflect", "reconsider", "consent", "translate", "remind", "verdict", "synthesize"),
)
"""Acts that hold no position of their own."""


class Case:
    """What lies before a participant that is asked.

    Args:
        ask: the question.
        scene: what the participant sees.
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

    def __init__(self, ask: Ask, scene: Scene, library: Library) -> None:
        self.ask, self.scene, self.library = ask, scene, library
        me, topic = scene.me, scene.brief.topic
        self.seen = tuple({turn.key: turn for turn in (*scene.turns, *scene.about)}.values())
        judging = ask.act == "vote" or me.duty == "moderator"
        self.query = query((topic, 1.0), *_interests(scene, judging=judging))
        self.weights = library.weigh(self.query)
        self.quotes = {turn.key: library.quoted(turn) for turn in self.seen}
        self.used = frozenset(number for quotes in self.quotes.values() for number in quotes)
        self.mine = [turn for turn in self.seen if turn.by == me.name and turn.act not in _JUDGING]
        self.options = scene.brief.options
        self.stance, self.answer, self.confidence = self._hold()

    # ---- one's own position ------------------------------------------------------------------------------------

    def _hold(self) -> tuple[Stance, str, float]:
        stances = self.library.stances(self.options)
        if not stances:
            stance = Stance(side=side(self.scene.me))
            return stance, "", self._share(stance)
        support = self.support(stances)
        last = read_field(self.mine[-1], "ANSWER") if self.mine else None
        held = self.options.index(str(last)) if last in self.options else support.index(max(support))
        whole = sum(support)
        return stances[held], self.options[held], support[held] / whole if whole else 1 / len(support)

    def hold(self, answer: str) -> None:
        """Hold another of the options from here on."""
        held = self.options.index(answer)
        support = self.support(self.library.stances(self.options))
        self.stance, self.answer = self.library.stances(self.options)[held], answer
        self.confidence = support[held] / sum(support) if sum(support) else self.confidence

    def support(self, stances: Sequence[Stance], *, among: Iterable[int] | None = None) -> list[float]:
        """The weight of the evidence for each of these stances, and of what one's persona says for or against it.

        Args:
            stances: one for each option.
            among: the passages that count; None for those that bear most on the matter.
        """
        if among is None:
            among = sorted(range(len(self.weights)), key=lambda number: -self.weights[number])[:_NEAR]
        numbers = tuple(among)
        said, mine = pleas(self.scene.me), side(self.scene.me)
        found: list[float] = []
        for stance in stances:
            weight = sum(self.weights[n] * max(0.0, self.library.favour(n, stance)) for n in numbers)
            leaning = sum(count * named(words, stance.words) for count, words in said) if stance.words else 0.0
            leaning += stance.side * mine
            found.append((weight + 0.01) * max(0.1, 1 + 2 * leaning))
        return found

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
        whole = sum(weight * abs(lean) for weight, lean in leaning)
        return fitting / whole if whole else 0.5

    # ---- the others --------------------------------------------------------------------------------------------

    def label(self, turn: Turn) -> str:
        """What the author of a turn is called: by name, or where authors are hidden by the letter of the proposal."""
        if not self.scene.view.anonymous:
            return " ".join(turn.by.split())
        about = self.scene.about
        keys = [each.key for each in about]
        return proposal_names(self.scene.view, about)[keys.index(turn.key)] if turn.key in keys else OTHER

    def rival(self) -> Turn | None:
        """The newest turn of somebody else who holds a position or came in from outside."""
        moderators = self.scene.brief.names("moderator")
        for turn in reversed(self.seen):
            if turn.by != self.scene.me.name and turn.by not in moderators and turn.act not in _JUDGING:
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
            for name in self.scene.brief.names("debater")
            if any(turn.by == name for turn in speaking)
        }

    def answers(self) -> dict[str, tuple[Turn, ...]]:
        """The turns of others that give each answer, in the order in which they are shown."""
        given: dict[str, tuple[Turn, ...]] = {}
        for turn in self.scene.about:
            answer = read_field(turn, "ANSWER")
            if answer is not None and turn.act not in _JUDGING:
                given[str(answer)] = (*given.get(str(answer), ()), turn)
        return given

    def news(self) -> list[int]:
        """How many passages each round has quoted for the first time, in the order of the rounds."""
        seen: set[int] = set()
        counts: dict[int, int] = {}
        for turn in self.seen:
            if turn.act in _JUDGING or turn.act == INTERJECTION:
                continue
            fresh = [number for number in self.quotes[turn.key] if number not in seen]
            seen.update(fresh)
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
        found = query(*((text, 1.0) for text in texts))
        for word, weight in self.query.items():
            found[word] = found.get(word, 0.0) + (0.4 if numbers else 0.1) * weight
        return found


def _interests(scene: Scene, *, judging: bool) -> list[tuple[str, float]]:
    """What matters beside the topic: one's role and persona; to whoever judges, what matters to all debaters, too."""
    me = scene.me
    own = [(me.role, 1.5), (me.persona, 2.0)] if me.duty == "debater" else []
    if not judging:
        return own
    others = [each.persona for each in scene.brief.participants if each.duty == "debater" and each.name != me.name]
    return [(text, weight / 3) for text, weight in own] + [(text, 0.5) for text in others]
