"""What votes weigh by what memory holds. This file owns how graded answers and bouts become weights, with the grounds.

A seat that weighs votes. This file owns what is asked of memory for it, and what is answered where there is none.

Whoever answers is known by its seat: a model. People are many, and none of them has a name that lasts; seats without a
language model are nobody's performance. So neither is measured. The domain of a question is not looked at.

It looks at the seats of the voters and at memory, never at a word of the brief or of anybody.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from moot.arguments.positions import bare
from moot.core.agent import Context, Recorder
from moot.core.ask import Ask, Reply, Value
from moot.core.errors import RecordError
from moot.core.roles import GROUNDS, HOW, METHOD, VOTE_WEIGHER, VoteWeights, weight_field
from moot.core.text import clean, listed
from moot.learn.calibration import Forecast, document_weight, ece
from moot.learn.lessons import BUILTIN, one_result
from moot.learn.memory import Bout
from moot.learn.memory_store import Item, MemoryStore
from moot.learn.panels import ENOUGH, Marks, log_odds_weight, log_odds_weights
from moot.learn.ratings import Match, elo
from moot.learn.tables import Place

START = 1500.0
"""The points of a model that has no bout yet."""

UNKNOWN = 0.5
"""The calibration of a model of which no graded confidence is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A participant's last answer in a debate whose truth is known.

    Attributes:
        player: the model that gave it, or ``human``.
        right: whether it was the truth.
        confidence: what was given for it, 0 to 1; None where nothing was.
    """

    player: str
    right: bool
    confidence: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What memory knows of how well models do: their graded answers, and the matches in which one of them won."""

    graded: tuple[Graded, ...] = ()
    matches: tuple[Match, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """What votes weigh.

    Attributes:
        weights: the weight of each voter, finite and from 0.
        how: by what, or why all weigh the same, in a line.
        grounds: what each weight rests on, a line for each voter.
    """

    weights: Mapping[str, float]
    how: str
    grounds: tuple[str, ...]


# ---- what memory holds ---------------------------------------------------------------------------------------------


def measured(shelf: MemoryStore) -> Measured:
    """What a shelf holds of how well models do.

    Raises:
        RecordError: it cannot be read.
    """
    about = {each.debate: (bare(str(each.body["topic"])), str(each.body["domain"])) for each in shelf.bodies("outcome")}
    bouts = [(*about[each.debate], _bout(each)) for each in shelf.bodies("bout")]
    return Measured(graded=tuple(_graded(shelf.bodies("position"))), matches=one_result(bouts))


def _graded(items: Sequence[Item]) -> Iterator[Graded]:
    """One for each person, and for each model and debate: of several seats that it has there the first one counts."""
    seen: set[tuple[str, str]] = set()
    for each in items:
        body, player = each.body, str(each.body["player"])
        place = (each.debate, player if ":" in player else str(body["who"]))
        if body["last"] and body["right"] is not None and player and place not in seen:
            seen.add(place)
            given = cast("float | None", body["confidence"])
            yield Graded(player=player, right=bool(body["right"]), confidence=given)


def _bout(item: Item) -> Bout:
    body = cast("dict[str, object]", item.body)
    one, other = cast("list[str]", body["sides"])
    return Bout(
        one=str(body["one"]),
        other=str(body["other"]),
        score=cast("float", body["score"]),
        weight=cast("float", body["weight"]),
        sides=(one, other),
    )


def forecasts(graded: Sequence[Graded]) -> dict[str, list[Forecast]]:
    """The confidences that were given, with what came true, by player in their sorted order."""
    found: dict[str, list[Forecast]] = {}
    for each in sorted(graded, key=lambda each: each.player):
        if each.confidence is not None:
            found.setdefault(each.player, []).append(Forecast(confidence=each.confidence, right=each.right))
    return found


def marks(graded: Sequence[Graded], player: str) -> Marks:
    """How many graded answers of a player were right, and of how many."""
    right = [each.right for each in graded if each.player == player]
    return Marks(right=sum(right), n=len(right))


# ---- what votes weigh ----------------------------------------------------------------------------------------------


def by_log_odds(seats: Mapping[str, str], known: Measured, *, options: int = 2) -> Weighing:
    """Weights by the log-odds of measured accuracy; see ``panels.log_odds_weights``.

    Args:
        seats: the seat of each voter.
        known: what memory knows.
        options: how many answers there are to choose from, 2 or more.
    """
    found = {voter: marks(known.graded, _player(seat)) for voter, seat in seats.items()}
    grounds = tuple(
        f"{_who(voter, seats)}: {each.right} of {each.n} graded answers right" for voter, each in found.items()
    )
    if few := list(dict.fromkeys(seats[voter] for voter, each in found.items() if each.n < ENOUGH)):
        return equal(seats, f"fewer than {ENOUGH} graded answers for {listed(few)}", grounds)
    weights = log_odds_weights(found, options=options)
    if not any(log_odds_weight(each, options=options) for each in found.values()):
        return equal(seats, "nobody's graded answers are better than chance", grounds)
    how = f"by the log-odds of graded answers that were right, with {options} answers to choose from"
    return Weighing(weights=weights, how=how, grounds=grounds)


def by_elo(seats: Mapping[str, str], known: Measured) -> Weighing:
    """Weights by the formula of the phases document; see ``calibration.document_weight``.

    Points are rounded to tenths and calibration to hundredths, so that the grounds give the same weight again. Less
    than nothing counts as nothing.

    Args:
        seats: the seat of each voter.
        known: what memory knows.
    """
    points, sure = elo(known.matches, start=START), forecasts(known.graded)
    weights: dict[str, float] = {}
    grounds: list[str] = []
    for voter, seat in seats.items():
        player = _player(seat)
        mine = round(points.get(player, START), 1)
        said = sure.get(player, []) if player else []
        calibration = round(1 - ece(said), 2) if said else UNKNOWN
        weight = document_weight(mine, calibration)
        weights[voter] = max(weight, 0.0)
        bouts = "" if player in points else " (no bout)"
        rests = f"1 - ECE of {len(said)} answers" if said else "no graded confidence"
        below = f"; {weight:g} is below 0 and counts as 0" if weight < 0 else ""
        grounds.append(f"{_who(voter, seats)}: Elo {mine:.1f}{bouts}, calibration {calibration:.2f} ({rests}){below}")
    if not any(weights.values()):
        return equal(seats, "by Elo and calibration nobody's vote weighs anything", tuple(grounds))
    how = "by Elo and calibration, (Elo - 1000) / 500 x (0.5 + calibration)"
    return Weighing(weights=weights, how=how, grounds=tuple(grounds))


def would_weigh(known: Measured) -> dict[str, float | None]:
    """What the vote of each model would weigh beside others of whom enough is known; None for whom it is not.

    With two answers to choose from; see ``panels.log_odds_weight``.
    """
    players = sorted({_player(each.player) for each in known.graded} - {""})
    found = {player: marks(known.graded, player) for player in players}
    return {player: log_odds_weight(each) if each.n >= ENOUGH else None for player, each in found.items()}


def equal(seats: Mapping[str, str], why: str, grounds: tuple[str, ...] = ()) -> Weighing:
    """All weigh 1, and why."""
    return Weighing(weights=dict.fromkeys(seats, 1.0), how=f"equally: {why}", grounds=grounds)


def _player(seat: str) -> str:
    """Who is measured for a seat: its model; "" for a person, and for a seat without a language model."""
    return seat if ":" in seat and not seat.startswith(BUILTIN) else ""


def _who(voter: str, seats: Mapping[str, str]) -> str:
    return f"{voter} ({seats[voter]})"


ELO: VoteWeights = "elo_calibration"


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteWeigher:
    """The seat that weighs votes.

    Attributes:
        shelf: the file or database with what was learned; None where there is none.
        lacks: tells what memory lacks, in a sentence; None where nobody knows.
    """

    shelf: Place | None = field(repr=False)
    lacks: Callable[[], Awaitable[str]] | None = None

    async def answer(self, ask: Ask, context: Context, say: Recorder) -> Reply:
        """Give each voter's weight and what it rests on; see ``core.agent.Seat``. No model is called.

        Where memory cannot be read all weigh 1; the answer says so, and the debate goes on.
        """
        asked = {field.name: field for field in ask.form.fields} if ask.form else {}
        seats = {each.name: each.seat for each in context.brief.participants if weight_field(each.name) in asked}
        by_points = METHOD in asked and ELO in asked[METHOD].choices
        options = max(len(context.brief.options), 2)
        known, notes = None, tuple[str, ...]()
        try:
            known = await asyncio.to_thread(self._look)
            notes = tuple(filter(None, [await self.lacks()])) if self.lacks else ()
        except RecordError as error:
            notes = (clean(f"memory cannot be read: {error}"),)
            found = equal(seats, notes[0])
        else:
            if known is None:
                found = equal(seats, "there is no memory of earlier debates")
            else:
                found = by_elo(seats, known) if by_points else by_log_odds(seats, known, options=options)
        if known and notes:  # who is told what votes weigh by is told this too
            found = replace(found, how=f"{found.how}; {notes[0]}")
        text = "\n".join([f"Votes weigh {found.how}.", *_lines(found)])
        say.delta(text)
        fields = {**({METHOD: asked[METHOD].choices[0]} if METHOD in asked else {}), **_fields(found)}
        return Reply(text=text, fields=fields, asked=VOTE_WEIGHER, served=VOTE_WEIGHER, notes=notes)

    def _look(self) -> Measured | None:
        """Runs in a thread."""
        if self.shelf is None:
            return None
        with MemoryStore.open(self.shelf) as shelf:
            return measured(shelf)


def _fields(found: Weighing) -> Mapping[str, Value]:
    weights = {weight_field(voter): weight for voter, weight in found.weights.items()}
    return {**weights, HOW: found.how, GROUNDS: found.grounds}


def _lines(found: Weighing) -> list[str]:
    weights = [f"- {voter}: {weight:g}" for voter, weight in found.weights.items()]
    return [*weights, *(["What that rests on:"] if found.grounds else []), *(f"- {each}" for each in found.grounds)]
