"""Results between models. This file owns which debates have one, and which results count as one.

Left out are debates without a winner among the debaters, seats that are no language model, models that play against
themselves, and results that rest on votes for oneself, on a judge of the same model, or on one of one side's family.
"""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from moot.arguments.stance import alike
from moot.core.decision import Decision
from moot.core.transcript import Transcript
from moot.learn.memory import Bout
from moot.learn.ratings import Match, side_swapped


def bouts(transcript: Transcript, final: Mapping[str, str], who: Mapping[str, str]) -> tuple[Bout, ...]:
    """What a debate says of its models.

    The winner has beaten everybody who ended with another answer; those at the top of a tie are equal.

    Args:
        transcript: of a closed debate.
        final: the last answer of each debater who gave one.
        who: who answered for each participant, as ``lessons.players`` has it.
    """
    decision = transcript.decision
    names = transcript.brief.names("debater") if transcript.brief else ()
    if decision is None or not _fair(decision, who):
        return ()
    pairs: list[tuple[str, str, float]] = []
    if decision.status == "decided" and decision.winner in names:
        own = final.get(decision.winner, "")
        losers = [name for name in names if name != decision.winner and not (own and alike(final.get(name, ""), own))]
        pairs = [(decision.winner, name, 1.0) for name in losers]
    elif decision.status == "tie":
        pairs = [(one, other, 0.5) for one, other in combinations(_tops(decision, names), 2)]
    pairs = [pair for pair in pairs if _rated(who[pair[0]]) and _rated(who[pair[1]]) and who[pair[0]] != who[pair[1]]]
    judges = {who.get(each.voter, "") for each in decision.ballots if each.voter not in names}
    pairs = [pair for pair in pairs if not any(_leans(judge, who[pair[0]], who[pair[1]]) for judge in judges)]
    return tuple(
        Bout(one=who[one], other=who[other], score=score, weight=1 / len(pairs), sides=(one, other))
        for one, other, score in pairs
    )


def _tops(decision: Decision, names: Sequence[str]) -> list[str]:
    most = max(decision.tally.values(), default=0.0)
    return [name for name, votes in decision.tally.items() if votes == most and most > 0 and name in names]


def _fair(decision: Decision, who: Mapping[str, str]) -> bool:
    """Whether all who voted are models or people, and the result is the same without votes for oneself.

    Where ballots are rankings it is so if nobody has ranked itself: what their rule made of them is not counted again.
    """
    cast = [each for each in decision.ballots if each.state == "cast"]
    if not cast or any(not who.get(each.voter) for each in cast):
        return False
    if any(each.ranks for each in cast):
        return not any(each.voter in tier for each in cast for tier in each.ranks)
    counted: dict[str, Fraction] = {}
    for each in cast:
        if each.choice != each.voter:
            counted[each.choice] = counted.get(each.choice, Fraction(0)) + Fraction(str(each.weight))
    most = max(counted.values(), default=Fraction(0))
    tops = [name for name, votes in counted.items() if votes == most]
    return set(tops) == ({decision.winner} if decision.winner else set(_tops(decision, list(decision.tally))))


def _rated(player: str) -> bool:
    """Whether a player is a model; people are many, and none of them has a name that lasts."""
    return ":" in player


def family(player: str) -> str:
    """The word with which a model's name begins: ``qwen`` of ``ollama:qwen3:8b`` and ``openrouter:qwen/qwen3-32b``."""
    name = player.partition(":")[2].rpartition("/")[2].casefold()
    begun = re.match(r"[^\W\d_]+", name)
    return begun[0] if begun else name


def _leans(judge: str, one: str, other: str) -> bool:
    """Whether a judge may favour one of two: it is one of them, or of the family of one of them alone."""
    if not _rated(judge):
        return False
    return judge in (one, other) or (family(judge) == family(one)) != (family(judge) == family(other))


def one_result(played: Sequence[tuple[str, str, Bout]]) -> tuple[Match, ...]:
    """The matches for ratings, in the order of playing: two debates on one motion with sides swapped are one result.

    Args:
        played: the motion, the domain and the bout of each, in the order of playing; such a result stands where the
            first of its two debates does.
    """
    waiting: dict[tuple[object, ...], list[int]] = {}
    found: dict[int, Match] = {}
    for n, (motion, domain, bout) in enumerate(played):
        match = Match(one=bout.one, other=bout.other, score=bout.score, domain=domain, weight=bout.weight)
        sides = dict(zip((bout.one, bout.other), bout.sides, strict=True))
        place = (motion, domain, *sorted(sides.items()))
        swapped = {bout.one: sides[bout.other], bout.other: sides[bout.one]}
        back = waiting.get((motion, domain, *sorted(swapped.items())))
        if back:
            first = back.pop(0)
            found[first] = side_swapped(found[first], match)
        else:
            waiting.setdefault(place, []).append(n)
            found[n] = match
    return tuple(found.values())
