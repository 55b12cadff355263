"""How strongly the argument map supports each answer, and which claims the outcome depends on.

Belief is propagated along attacks and supports as in ``arguments.argument_map``: Dung's grounded extension and
Potyka's quadratic energy model. An answer is as good as its best claim: it is accepted if one of its claims is, and
has the strength of the strongest. A crux is a claim whose removal would change whether the winner is accepted.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from folkmoot.arguments.argument_map import (
    AGAINST,
    ArgumentMap,
    Judgement,
    Label,
    Node,
    Pair,
    grounded,
    short_claim,
    strengths,
)
from folkmoot.arguments.positions import bare
from folkmoot.core.transcript import Transcript

_BEST: tuple[Label, ...] = ("in", "undecided", "out")
_PROPOSED = ("draft", "propose", "revise")


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """An answer: the marks of the claims made for it that are still held, whether it stands, how strong it is."""

    answer: str
    claims: tuple[str, ...]
    standing: Label
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Crux:
    """A claim on which the winner's standing turns.

    Attributes:
        mark: of the claim.
        claim: in its author's words.
        by: who makes it.
        standing: how the winner stands without it.
        strength: how strong the winner is without it.
    """

    mark: str
    claim: str
    by: tuple[str, ...]
    standing: Label
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Beliefs:
    """The answers, the strongest first; the winner's among them, None if no claim was made for it; its cruxes."""

    answers: tuple[Belief, ...] = ()
    winner: Belief | None = None
    cruxes: tuple[Crux, ...] = ()


def beliefs(transcript: Transcript, argument_map: ArgumentMap, judged: Judgement) -> Beliefs:
    """The answers on an argument map, and the cruxes of the decided one."""
    live = {node.mark: node for node in argument_map.nodes if not node.replaced and not node.asks}
    marks_by_answer: dict[str, tuple[str, list[str]]] = {}
    for node in live.values():
        for answer in node.stances:
            marks_by_answer.setdefault(bare(answer), (answer, []))[1].append(node.mark)
    for node in live.values():
        # A claim that is an answer itself, such as that of a draft, stands for it.
        same = bare(node.claim)
        if same in marks_by_answer or any(not item.stance and item.act in _PROPOSED for item in node.made):
            marks_by_answer.setdefault(same, (node.claim, []))[1].append(node.mark)
    answers = [_belief(answer, marks, judged) for answer, marks in marks_by_answer.values()]
    answers.sort(key=lambda belief: -belief.strength)
    decision = transcript.decision
    names = [bare(name) for name in (decision.winner, short_claim(decision.text)) if name] if decision else []
    winner = next((belief for belief in answers if bare(belief.answer) in names), None)
    cruxes = _cruxes(winner, live, argument_map) if winner else ()
    return Beliefs(answers=tuple(answers), winner=winner, cruxes=cruxes)


def _belief(answer: str, marks: Sequence[str], judged: Judgement) -> Belief:
    marks = tuple(dict.fromkeys(marks))
    return Belief(
        answer=answer,
        claims=marks,
        standing=next(label for label in _BEST if any(judged.standing[mark] == label for mark in marks)),
        strength=max(judged.strength[mark] for mark in marks),
    )


def _cruxes(winner: Belief, live: Mapping[str, Node], argument_map: ArgumentMap) -> tuple[Crux, ...]:
    """The claims whose removal changes the winner's standing; one for which nothing would be left is none."""
    pairs = [edge for edge in argument_map.edges if edge.source in live and edge.target in live]
    attacks = [(edge.source, edge.target) for edge in pairs if edge.relation in AGAINST]
    supports = [(edge.source, edge.target) for edge in pairs if edge.relation == "SUPPORT"]
    near = _reaching(winner.claims, attacks)
    cruxes: list[Crux] = []
    for mark in live:
        claims = [claim for claim in winner.claims if claim != mark]
        if mark in near and claims:
            labels = grounded(*_without_claim(mark, near, attacks))
            standing: Label = next(label for label in _BEST if any(labels[claim] == label for claim in claims))
            if standing != winner.standing:
                left, against = _without_claim(mark, live, attacks)
                values = strengths(left, against, _without_claim(mark, live, supports)[1]).values
                node = live[mark]
                strength = max(values[claim] for claim in claims)
                cruxes.append(Crux(mark=mark, claim=node.claim, by=node.by, standing=standing, strength=strength))
    return tuple(cruxes)


def _reaching(marks: Collection[str], attacks: Collection[Pair]) -> dict[str, None]:
    """Those claims and all that bear on their standing: who attacks them, who attacks the attackers, and so on."""
    near = dict.fromkeys(marks)
    ahead = list(marks)
    while ahead:
        target = ahead.pop()
        for by, on in attacks:
            if on == target and by not in near:
                near[by] = None
                ahead.append(by)
    return near


def _without_claim(mark: str, among: Collection[str], pairs: Collection[Pair]) -> tuple[list[str], list[Pair]]:
    """The claims but one, and the pairs between them."""
    left = dict.fromkeys(text for text in among if text != mark)
    return list(left), [(by, on) for by, on in pairs if by in left and on in left]
