"""Rounds: whose turn it is, which turns an ask is about, and when rounds end.

A stop rule compares only wording, after normalising, with typed fields and statuses. Similarity of texts is no sign:
opponents who repeat themselves share more and more words and still hold opposite positions. An answer that is not
readable counts as new, because a debate that goes on too long costs little.

How far answers are apart (``spread``): words by the share of those who do not give the most frequent answer; numbers
from 0 to 1 by the distance of the greatest and the least; other numbers by it as a share of the largest of them.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Literal, NamedTuple, Protocol

from folkmoot.core.ask import Field
from folkmoot.core.brief import Participant
from folkmoot.core.roles import Standing
from folkmoot.core.transcript import SUMMARY, Transcript, Turn, alike, normalise, read_field, within, wording
from folkmoot.policy.early_stop import chance_ahead

SHARE = 2
"""The most turns of one speaker in a floor where the addressed participant speaks next."""

THRESHOLD = 0.20
"""How far apart answers may be without a debate, where nobody has chosen or learned another number."""


class Turns(Protocol):
    """An order of speaking."""

    def next(self, turns: Sequence[Turn], people: Sequence[Participant], floor: "FloorView") -> str:
        """Who speaks next.

        Args:
            turns: the turns of this floor so far, answered or not.
            people: who may speak, in the order of the table.
            floor: what else an order may read.

        Returns:
            A name; "" where the floor is closed.
        """
        ...


class FloorView(NamedTuple):
    """What an order may read: round, transcript, chance (the same each time), where a board's members stand."""

    round: int
    transcript: Transcript
    chance: Random
    states: Mapping[str, Standing] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InTurn:
    """Everybody once, in the order of the table.

    Attributes:
        rotate: whether each round begins one place further on, so that nobody always has the last word.
    """

    rotate: bool = True

    def next(self, turns: Sequence[Turn], people: Sequence[Participant], floor: FloorView) -> str:
        """The next in the order; see Turns."""
        if len(turns) >= len(people):
            return ""
        start = (max(floor.round, 1) - 1) % len(people) if self.rotate else 0
        return people[(start + len(turns)) % len(people)].name


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Everybody once, in an order drawn by chance for each floor."""

    def next(self, turns: Sequence[Turn], people: Sequence[Participant], floor: FloorView) -> str:
        """The next in the order that was drawn; see Turns."""
        order = [participant.name for participant in people]
        floor.chance.shuffle(order)
        return order[len(turns)] if len(turns) < len(order) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByPriority:
    """Each once, highest priority first; ties in the brief's order."""

    def next(self, turns: Sequence[Turn], people: Sequence[Participant], floor: FloorView) -> str:
        """The next in the order of priority; see Turns."""
        order = sorted(people, key=lambda participant: -participant.priority)
        return order[len(turns)].name if len(turns) < len(order) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reacting:
    """The addressed participant answers; a floor has as many turns as people, and nobody has all of them.

    Addressed is the author of the turn that the newest turn says it answers. Where nobody is, or has used up his
    share, whoever has been asked least speaks: in this floor, then in the debate, then in the order of the table.
    Nobody speaks twice running while somebody else may.
    """

    def next(self, turns: Sequence[Turn], people: Sequence[Participant], floor: FloorView) -> str:
        """Who has to react; see Turns."""
        if len(turns) >= len(people):
            return ""
        had = Counter(turn.by for turn in turns)
        spoken = _public_turns(floor.transcript, people)
        newest = spoken[-1] if spoken else None
        free = [participant.name for participant in people if had[participant.name] < SHARE]
        free = [name for name in free if newest is None or name != newest.by] or free
        target = floor.transcript.target(newest) if newest else None
        if target and target.by in free:
            return target.by
        asked_before = Counter(turn.by for turn in spoken)
        return min(free, key=lambda name: (had[name], asked_before[name]))


def _is_said(turn: Turn) -> bool:
    return turn.ask is not None and not turn.ask.audience and turn.act != SUMMARY


def _public_turns(transcript: Transcript, people: Sequence[Participant]) -> list[Turn]:
    """What these people were asked to say to all, answered or not, but summaries; all else is for one alone."""
    names = {participant.name for participant in people}
    return [turn for turn in transcript.all() if _is_said(turn) and turn.by in names]


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """A choice of turns.

    Attributes:
        acts: the acts to choose from.
        whose: ``all``, ``others``, ``own``, or those that are about one's own newest turn of ``mine`` (``to_me``).
        mine: with ``to_me``, the acts of one's own turn.
        distinct: whether of turns with the same ANSWER only the one with the most confidence is shown.
        shuffle: whether the order is drawn by chance (it is on record); else the order of the asks.
    """

    acts: tuple[str, ...]
    whose: Literal["all", "others", "own", "to_me"] = "all"
    mine: tuple[str, ...] = ()
    distinct: bool = False
    shuffle: bool = False

    def keys(self, transcript: Transcript, who: str, chance: Random) -> tuple[str, ...]:
        """The keys of the chosen turns, in the order in which they are to be presented."""
        chosen = [turn for turn in self._pick(transcript, who) if transcript.sees(who, turn)]
        if self.distinct:
            chosen = strongest(chosen)
        if self.shuffle:
            chance.shuffle(chosen)
        return tuple(turn.key for turn in chosen)

    def _pick(self, transcript: Transcript, reader: str) -> list[Turn]:
        if self.whose == "to_me":
            mine = transcript.last(reader, *self.mine)
            return [turn for turn in transcript.turns(*self.acts) if mine and mine.key in turn.about]
        newest = transcript.latest(*self.acts)
        if self.whose == "own":
            return [turn for turn in newest if turn.by == reader]
        return [turn for turn in newest if self.whose == "all" or turn.by != reader]


def strongest(turns: list[Turn]) -> list[Turn]:
    """Of the turns with the same answer the one with the most confidence, in the order in which the answers came."""
    best: dict[str, Turn] = {}
    for turn in turns:
        answer = wording(turn) or turn.key
        if answer not in best or confidence(turn) > confidence(best[answer]):
            best[answer] = turn
    return list(best.values())


def confidence(turn: Turn) -> float:
    """The confidence that a turn states, 0 to 1; 0 where it states none."""
    value = read_field(turn, "CONFIDENCE")
    return float(value) if isinstance(value, int | float) else 0.0


# ---- stop rules -----------------------------------------------------------------------------------------------------

CLAIM = "CLAIM"
"""The field in which a turn states its main claim."""

NONE = "none"
"""The normalised claim of a turn that adds nothing."""


def claim(turn: Turn) -> str | None:
    """What a turn claims, as it is compared: its field CLAIM, or the whole words where its form asks for no claim.

    Returns:
        "" where the turn says NONE; None where there is no answer or its claim could not be read.
    """
    if turn.reply is None:
        return None
    value = read_field(turn, CLAIM)
    if value is not None:
        text = normalise(value)
        return "" if text == NONE else text
    return None if asks_for(turn, CLAIM) else normalise(turn.text)


def asks_for(turn: Turn, name: str) -> bool:
    """Whether the form of a turn asks for a field of that name."""
    fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    return any(field.name.casefold() == name.casefold() for field in fields)


def adds_nothing(turn: Turn, before: Sequence[Turn]) -> bool:
    """Whether a turn claims nothing that anybody claimed not before, and gives its author's answer of before.

    Args:
        turn: the turn.
        before: the turns of earlier rounds, oldest first.
    """
    text = claim(turn)
    known = text == "" or (text is not None and text in [claim(turn) for turn in before])
    return known and not _changes(turn, before)


def _changes(turn: Turn, before: Sequence[Turn]) -> bool:
    """Whether a turn gives another answer than its author's newest one; one without an answer changes none."""
    answer = wording(turn)
    earlier = [wording(item) for item in before if item.by == turn.by]
    wordings = [text for text in earlier if text is not None]
    return answer is not None and wordings[-1:] != [answer]


class Stop(Protocol):
    """A reason to end rounds."""

    def met(self, transcript: Transcript) -> str:
        """The reason in words; "" as long as there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """All have answered and their newest answers are the same.

    Attributes:
        acts: the acts that hold answers; a turn whose form does not ask for the field is passed over.
        field: the field that holds the answer; "" for the whole text.
        of: how many must have answered.
    """

    acts: tuple[str, ...]
    field: str = "ANSWER"
    of: int = 2

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        newest = {turn.by: turn for turn in transcript.turns(*self.acts) if _could_answer(turn, self.field)}
        answers = [answer_of(turn, self.field) for turn in newest.values()]
        known = [answer for answer in answers if answer is not None]
        if len(known) >= self.of and len(known) == len(answers) and alike(known):
            return f"all {len(known)} give the same answer"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """Everybody who spoke twice or more gave the same answer as the time before."""

    acts: tuple[str, ...]
    field: str = "ANSWER"

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        pairs = 0
        for newest in transcript.latest(*self.acts):
            answers = [wording(turn, self.field) for turn in transcript.turns(*self.acts, by=newest.by)]
            if len(answers) < 2 or answers[-1] is None or answers[-1] != answers[-2]:
                return ""
            pairs += 1
        return "nobody changed the answer since the round before" if pairs else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingNew:
    """The last round brought no new claim, and nobody gave another answer than before.

    What comes before the first round counts as a round. Where somebody's turn is missing, or a claim could not be
    read, nobody knows whether it was new: the rounds go on.

    Attributes:
        acts: the acts that carry claims.
    """

    acts: tuple[str, ...]

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        spoken = [(_round(turn), turn) for turn in transcript.all() if turn.act in self.acts]
        rounds = list(dict.fromkeys(round_path for round_path, _ in spoken))
        paths = [path for path in transcript.entered if re.search(r"/round-\d+$", path)]
        if spoken and paths and not any(within(turn.key, paths[-1]) for _, turn in spoken):
            return "nobody had anything to say in the last round"
        if len(rounds) <= 1:
            return ""
        before = [turn for round_path, turn in spoken if round_path != rounds[-1]]
        if all(adds_nothing(turn, before) for round_path, turn in spoken if round_path == rounds[-1]):
            return "the last round brought no new claim and no other answer"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The moderator's newest turn has this value in this field.

    Attributes:
        act: the moderator's act.
        field: the field that says so.
        value: what it must hold.
        saying: what follows behind the moderator's name in the reason; "" for ``says`` and the value.
    """

    act: str = "moderate"
    field: str = "STATUS"
    value: str = "SETTLED"
    saying: str = ""

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        turns = transcript.turns(self.act)
        if turns and read_field(turns[-1], self.field) == self.value:
            return f"{turns[-1].by} {self.saying or f'says {self.value}'}"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confident:
    """All have answered, and every newest answer states at least this confidence. Models are more confident than right.

    Attributes:
        acts: the acts that hold answers.
        least: the confidence that each must state, 0 to 1.
        of: how many must have answered.
    """

    acts: tuple[str, ...]
    least: float = 0.9
    of: int = 2

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        stated = [confidence(turn) for turn in transcript.latest(*self.acts)]
        if len(stated) >= self.of and min(stated) >= self.least:
            return f"all {len(stated)} state a confidence of {self.least:g} or more"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """One answer is ahead of the second with at least this probability; the newest answers count as independent draws.

    Attributes:
        acts: the acts that hold answers.
        field: the field that holds the answer.
        least: the probability that is needed, as a decimal in words.
    """

    acts: tuple[str, ...]
    field: str = "ANSWER"
    least: str = "0.95"

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        answers = [answer_of(turn, self.field) for turn in transcript.latest(*self.acts)]
        counts = [n for _, n in Counter(text for text in answers if text is not None).most_common(2)]
        first, second = (*counts, 0, 0)[:2]
        chance = chance_ahead(first, second)
        if chance < Fraction(self.least):
            return ""
        return f"{first} of {len(answers)} give one answer, which leads with a probability of {float(chance):.3f}"


def spread(turns: Sequence[Turn], field: str = "ANSWER") -> Fraction | None:
    """How far apart the answers of these turns are, from 0 (all the same) to 1.

    Args:
        turns: one of each participant.
        field: the field that holds the answer.

    Returns:
        The distance; None if there are fewer than two answers, or one could not be read.
    """
    answers = [answer_of(turn, field) for turn in turns]
    if len(answers) < 2 or None in answers:
        return None
    asked_field = _field(turns[0], field)
    if asked_field is not None and asked_field.kind == "number":
        values = [Fraction(str(read_field(turn, field))) for turn in turns]
        distance = max(values) - min(values)
        scale = Fraction(1) if (asked_field.low, asked_field.high) == (0, 1) else max(map(abs, values))
        return min(distance / scale, Fraction(1)) if distance else Fraction(0)
    return 1 - Fraction(max(Counter(answers).values()), len(answers))


def newest_with(transcript: Transcript, acts: Sequence[str], field: str) -> tuple[Turn, ...]:
    """The newest turn of each participant whose form asks for that field."""
    newest = {turn.by: turn for turn in transcript.turns(*acts) if asks_for(turn, field)}
    return tuple(newest.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Close:
    """All have answered, and their newest answers are no further apart than the threshold.

    Attributes:
        acts: the acts that hold answers.
        field: the field that holds the answer.
        threshold: the greatest distance without a debate, 0 to 1; see ``spread``.
    """

    acts: tuple[str, ...]
    field: str = "ANSWER"
    threshold: float = THRESHOLD

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        turns = newest_with(transcript, self.acts, self.field)
        distance = spread(turns, self.field)
        if distance is None or distance > Fraction(str(self.threshold)):
            return ""
        if not distance:
            return f"all {len(turns)} give the same answer"
        return f"the answers differ by {float(distance):.2f}, which is not more than {self.threshold:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """Another stop, whose reason says how many calls of the rounds were saved.

    Attributes:
        stop: the stop.
        most: the greatest number of rounds.
        calls: the calls of one round, where none has been played; else the calls of the last one count.
        rounds: what the rounds are called in paths.
        fewer: the calls that the last round does without; no round follows it, so nothing judges whether one should.
    """

    stop: Stop
    most: int
    calls: int
    rounds: str = "rounds"
    fewer: int = 0

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        if not (reason := self.stop.met(transcript)):
            return ""
        played = [path for path in transcript.entered if re.search(rf"/{self.rounds}/round-\d+$", path)]
        calls = [sum(within(turn.key, path) for turn in transcript.all()) for path in played]
        saved = (self.most - len(played)) * (calls[-1] if calls else self.calls) - self.fewer
        return f"{reason}; {saved} of {sum(calls) + saved} calls of the rounds saved"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """The first of these stops that is met."""

    stops: tuple[Stop, ...]

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        for stop in self.stops:
            if reason := stop.met(transcript):
                return reason
        return ""


def answer_of(turn: Turn, field: str) -> str | None:
    """What a turn answers, as it is compared: that field, or with "" the whole text; None where it was not read."""
    return wording(turn, field) if field else normalise(turn.text)


def _could_answer(turn: Turn, field: str) -> bool:
    """Whether a turn could give an answer: it has no form, or one that asks for the field."""
    return not field or turn.ask is None or turn.ask.form is None or asks_for(turn, field)


def _round(turn: Turn) -> str:
    """The outermost round in which a turn stands, as a path; "" outside rounds."""
    match = re.match(r".*?/round-\d+", turn.key)
    return match[0] if match else ""


def _field(turn: Turn, name: str) -> Field | None:
    """The field of that name in the form of a turn."""
    fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    return next((field for field in fields if field.name.casefold() == name.casefold()), None)
