"""Vote weights from memory: graded answers and matches become weights with their grounds, given by the vote weigher.

A participant is known by its model. People have no lasting name, and agents without a language model have no
performance, so neither is measured. The weigher reads the voters' models and memory, never a word of the brief; the
domain of a question is ignored.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from folkmoot.arguments.positions import bare
from folkmoot.core.agent import Context, Recorder
from folkmoot.core.ask import Ask, Reply, Value
from folkmoot.core.brief import BUILTIN
from folkmoot.core.errors import RecordError
from folkmoot.core.roles import GROUNDS, HOW, METHOD, VOTE_WEIGHER, VoteWeights, weight_field
from folkmoot.core.text import clean, listed
from folkmoot.learn.calibration import Forecast, document_weight, ece
from folkmoot.learn.memory import ModelMatch
from folkmoot.learn.memory_store import Item, MemoryStore
from folkmoot.learn.model_matches import joined_matches
from folkmoot.learn.panels import ENOUGH, Marks, log_odds_weight, log_odds_weights
from folkmoot.learn.ratings import Match, elo
from folkmoot.learn.tables import Place

START = 1500.0
"""The points of a model that has no match yet."""

UNKNOWN = 0.5
"""The calibration of a model of which no graded confidence is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A participant's last answer in a debate whose truth is known.

    Attributes:
        player: the model that gave it, or ``human``.
        right: whether it was the truth.
        confidence: what was given for it, 0 to 1; None if nothing was.
    """

    player: str
    right: bool
    confidence: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What memory knows of the performance of models: their graded answers, and their matches."""

    graded: tuple[Graded, ...] = ()
    matches: tuple[Match, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """The weights of votes.

    Attributes:
        weights: the weight of each voter, finite and from 0.
        how: the method, or why all weigh the same, in one line.
        grounds: what each weight rests on, a line for each voter.
    """

    weights: Mapping[str, float]
    how: str
    grounds: tuple[str, ...]


# ---- what memory holds ---------------------------------------------------------------------------------------------


def measured(store: MemoryStore) -> Measured:
    """The performance of models in the memory store.

    Raises:
        RecordError: it cannot be read.
    """
    about = {body.debate: (bare(str(body.body["topic"])), str(body.body["domain"])) for body in store.bodies("outcome")}
    matches = [(*about[body.debate], _match(body)) for body in store.bodies("bout")]
    return Measured(graded=tuple(_graded(store.bodies("position"))), matches=joined_matches(matches))


def _graded(items: Sequence[Item]) -> Iterator[Graded]:
    """The last answer of each participant, where a model or a person gave it and the truth is known."""
    for item in items:
        body, player = item.body, str(item.body["player"])
        if body["last"] and body["right"] is not None and player:
            confidence = cast("float | None", body["confidence"])
            yield Graded(player=player, right=bool(body["right"]), confidence=confidence)


def _match(item: Item) -> ModelMatch:
    body = cast("dict[str, object]", item.body)
    name, other = cast("list[str]", body["sides"])
    return ModelMatch(
        one=str(body["one"]),
        other=str(body["other"]),
        score=cast("float", body["score"]),
        weight=cast("float", body["weight"]),
        sides=(name, other),
    )


def forecasts(graded: Sequence[Graded]) -> dict[str, list[Forecast]]:
    """The confidences that were given, with what came true, by player in their sorted order."""
    by_player: dict[str, list[Forecast]] = {}
    for item in sorted(graded, key=lambda graded: graded.player):
        if item.confidence is not None:
            by_player.setdefault(item.player, []).append(Forecast(confidence=item.confidence, right=item.right))
    return by_player


def count_right(graded: Sequence[Graded], player: str) -> Marks:
    """How many graded answers of a player were right, and of how many."""
    right = [item.right for item in graded if item.player == player]
    return Marks(right=sum(right), n=len(right))


# ---- what votes weigh ----------------------------------------------------------------------------------------------


def by_log_odds(models: Mapping[str, str], known: Measured, *, options: int = 2) -> Weighing:
    """Weights by the log-odds of measured accuracy; see ``panels.log_odds_weights``.

    Args:
        models: the model of each voter.
        known: what memory knows.
        options: how many answers there are to choose from, 2 or more.
    """
    counts = {voter: count_right(known.graded, _player(seat)) for voter, seat in models.items()}
    grounds = tuple(
        f"{_voter_label(voter, models)}: {value.right} of {value.n} graded answers right"
        for voter, value in counts.items()
    )
    if few := list(dict.fromkeys(models[voter] for voter, value in counts.items() if value.n < ENOUGH)):
        return equal(models, f"fewer than {ENOUGH} graded answers for {listed(few)}", grounds)
    weights = log_odds_weights(counts, options=options)
    if not any(log_odds_weight(item, options=options) for item in counts.values()):
        return equal(models, "nobody's graded answers are better than chance", grounds)
    how = f"by the log-odds of graded answers that were right, with {options} answers to choose from"
    return Weighing(weights=weights, how=how, grounds=grounds)


def by_elo(models: Mapping[str, str], known: Measured) -> Weighing:
    """Weights by the formula of the phases document; see ``calibration.document_weight``.

    Points are rounded to tenths and calibration to hundredths, so that the grounds give the same weight again. Less
    than nothing counts as nothing.

    Args:
        models: the model of each voter.
        known: what memory knows.
    """
    points, sure = elo(known.matches, start=START), forecasts(known.graded)
    weights: dict[str, float] = {}
    grounds: list[str] = []
    for voter, seat in models.items():
        player = _player(seat)
        mine = round(points.get(player, START), 1)
        graded = sure.get(player, []) if player else []
        calibration = round(1 - ece(graded), 2) if graded else UNKNOWN
        weight = document_weight(mine, calibration)
        weights[voter] = max(weight, 0.0)
        unrated = "" if player in points else " (no match)"
        rests = f"1 - ECE of {len(graded)} answers" if graded else "no graded confidence"
        below = f"; {weight:g} is not above 0, so this vote weighs nothing" if weight <= 0 else ""
        grounds.append(
            f"{_voter_label(voter, models)}: Elo {mine:.1f}{unrated}, calibration {calibration:.2f} ({rests}){below}"
        )
    if not any(weights.values()):
        return equal(models, "by Elo and calibration nobody's vote weighs anything", tuple(grounds))
    how = "by Elo and calibration, (Elo - 1000) / 500 x (0.5 + calibration)"
    return Weighing(weights=weights, how=how, grounds=tuple(grounds))


def would_weigh(known: Measured) -> dict[str, float | None]:
    """The vote weight of each model if enough is known of the others; None if too little is known of it.

    With two answers to choose from; see ``panels.log_odds_weight``.
    """
    players = sorted({_player(graded.player) for graded in known.graded} - {""})
    counts = {player: count_right(known.graded, player) for player in players}
    return {player: log_odds_weight(value) if value.n >= ENOUGH else None for player, value in counts.items()}


def equal(models: Mapping[str, str], why: str, grounds: tuple[str, ...] = ()) -> Weighing:
    """All weigh 1, and why."""
    return Weighing(weights=dict.fromkeys(models, 1.0), how=f"equally: {why}", grounds=grounds)


def _player(seat: str) -> str:
    """The measured model of an agent; "" for a person, and for an agent without a language model."""
    return seat if ":" in seat and not seat.startswith(BUILTIN) else ""


def _voter_label(voter: str, models: Mapping[str, str]) -> str:
    return f"{voter} ({models[voter]})"


ELO: VoteWeights = "elo_calibration"


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteWeigher:
    """The agent that gives each vote its weight.

    Attributes:
        place: the file or database with what was learned; None if there is none.
        missing: tells what memory lacks, in a sentence; None if nobody knows.
    """

    place: Place | None = field(repr=False)
    missing: Callable[[], Awaitable[str]] | None = None

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        """Give each voter's weight and what it rests on; see ``core.agent.Agent``. No model is called.

        Where memory cannot be read all weigh 1; the answer says so, and the debate goes on.
        """
        form_fields = {field.name: field for field in ask.form.fields} if ask.form else {}
        models = {
            participant.name: participant.seat
            for participant in context.brief.participants
            if weight_field(participant.name) in form_fields
        }
        by_points = METHOD in form_fields and ELO in form_fields[METHOD].choices
        options = max(len(context.brief.options), 2)
        known, notes = None, tuple[str, ...]()
        try:
            known = await asyncio.to_thread(self._look)
            notes = tuple(filter(None, [await self.missing()])) if self.missing else ()
        except RecordError as error:
            notes = (clean(f"memory cannot be read: {error}"),)
            weighing = equal(models, notes[0])
        else:
            if known is None:
                weighing = equal(models, "there is no memory of earlier debates")
            else:
                weighing = by_elo(models, known) if by_points else by_log_odds(models, known, options=options)
        if known and notes:  # who is told what votes weigh by is told this too
            weighing = replace(weighing, how=f"{weighing.how}; {notes[0]}")
        text = "\n".join([f"Votes weigh {weighing.how}.", *_lines(weighing)])
        recorder.delta(text)
        fields = {**({METHOD: form_fields[METHOD].choices[0]} if METHOD in form_fields else {}), **_fields(weighing)}
        return Reply(text=text, fields=fields, asked=VOTE_WEIGHER, served=VOTE_WEIGHER, notes=notes)

    def _look(self) -> Measured | None:
        """Runs in a thread."""
        if self.place is None:
            return None
        with MemoryStore.open(self.place) as store:
            return measured(store)


def _fields(weighing: Weighing) -> Mapping[str, Value]:
    weights = {weight_field(voter): weight for voter, weight in weighing.weights.items()}
    return {**weights, HOW: weighing.how, GROUNDS: weighing.grounds}


def _lines(weighing: Weighing) -> list[str]:
    weights = [f"- {voter}: {weight:g}" for voter, weight in weighing.weights.items()]
    return [
        *weights,
        *(["What that rests on:"] if weighing.grounds else []),
        *(f"- {ground}" for ground in weighing.grounds),
    ]
