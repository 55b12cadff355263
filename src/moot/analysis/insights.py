"""What an analysis comes to in plain sentences. This file owns the sentences; each is computed, none is guessed."""

from collections.abc import Iterator, Mapping

from moot.analysis.analysis import Analysis
from moot.analysis.disagreement import Tie
from moot.arguments.argument_map import AGAINST
from moot.arguments.semantics import Label
from moot.core.text import clean, listed

STANDS: Mapping[Label, str] = {"in": "stands", "out": "does not stand", "undecided": "stays undecided"}
"""The standing of a claim or an answer, as a verb."""

_LONG = 80


def insights(found: Analysis) -> tuple[str, ...]:
    """The sentences on one debate, the most telling first."""
    said = (_agreement, _turns, _flips, _grounds, _cruxes, _points, _critics, _missing)
    return (*(sentence for tell in said for sentence in tell(found)), *found.notes)


def _agreement(found: Analysis) -> Iterator[str]:
    stages = found.agreement.stages
    if len(stages) > 1:
        first, last = stages[0].tally.share, stages[-1].tally.share
        moved = "rose" if last > first else "fell" if last < first else "stayed"
        span = f"at {last:.0%}" if last == first else f"from {first:.0%} to {last:.0%}"
        yield f"Agreement {moved} {span} between {_the(stages[0].name)} and {_the(stages[-1].name)}."


def _the(name: str) -> str:
    return name if name.startswith("round") else f"the {name}"


def _turns(found: Analysis) -> Iterator[str]:
    for each in found.agreement.moments:
        if each.turned:
            after = f"the lead passed to {_short(each.after.leading)}" if each.after.leading else "nothing led any more"
            yield f"With {each.mark} of {clean(each.by)} {after}."


def _flips(found: Analysis) -> Iterator[str]:
    flips = found.agreement.flips
    if flips:
        stated = sum(bool(each.causes) for each in flips)
        who = listed([clean(name) for name in dict.fromkeys(each.by for each in flips)])
        yield f"{who} changed the answer, {_times(len(flips))} in all; what caused it is stated {_times(stated)}."
    elif len(found.agreement.stages) > 1:
        yield "Nobody changed the answer."


def _grounds(found: Analysis) -> Iterator[str]:
    bare = [each for each in found.grounds if not each.supported]
    if found.grounds:
        yield (
            f"{len(found.grounds) - len(bare)} of {len(found.grounds)} claims of the decision have a source or another "
            "participant behind them."
        )
    unfound = list(dict.fromkeys(name for each in found.grounds for name in each.unfound))
    if unfound:
        yield f"The decision rests on words that do not stand in {listed([clean(name) for name in unfound])}."


def _cruxes(found: Analysis) -> Iterator[str]:
    winner, cruxes = found.beliefs.winner, found.beliefs.cruxes
    if winner and winner.standing != "in":
        yield f"The decided answer {STANDS[winner.standing]} on the argument map."
    if cruxes:
        yield f"The outcome turns on {'each of ' if len(cruxes) > 1 else ''}{listed([each.mark for each in cruxes])}."
    best = found.beliefs.answers[:1]
    if winner and best and best[0].strength > winner.strength:
        yield f"On the argument map {_short(best[0].answer)} is stronger than the decided answer."


def _points(found: Analysis) -> Iterator[str]:
    attacks = sum(each.relation in AGAINST for each in found.disagreement.points)
    questions = len(found.disagreement.points) - attacks
    told = [f"{n} {word}{'' if n == 1 else 's'}" for n, word in ((attacks, "attack"), (questions, "question")) if n]
    if told:
        yield f"{listed(told).capitalize()} {'was' if attacks + questions == 1 else 'were'} not answered."


def _critics(found: Analysis) -> Iterator[str]:
    moved: list[Tie] = [each for each in found.ties if each.moved]
    if moved:
        names = dict.fromkeys(each.by for each in moved)
        counts = {name: sum(each.moved for each in moved if each.by == name) for name in names}
        most = max(counts.values())
        tops = [clean(name) for name, n in counts.items() if n == most]
        yield f"{listed(tops)} changed most minds: {_times(most)}{' each' if len(tops) > 1 else ''}."


def _missing(found: Analysis) -> Iterator[str]:
    if found.use.missing:
        yield f"{found.use.missing} of {found.use.asks} answers are missing."


def _times(n: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(n, f"{n} times")


def _short(answer: str) -> str:
    words = " ".join(clean(answer).split())
    return f"“{words if len(words) <= _LONG else words[: _LONG - 1].rstrip() + '…'}”"
