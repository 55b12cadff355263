"""What a decision rests on and what speaks against it, for every screen: from the record alone, up to the decision.

The count says what would change it, the argument map says what objects to it, and the answers say who moved whom.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from folkmoot.arguments.argument_map import AGAINST, ArgumentMap, Edge, Judgement, Node, argument_map, judge
from folkmoot.arguments.positions import Change, alike, answers_given, bare, explained
from folkmoot.core.decision import Decision
from folkmoot.core.text import counted
from folkmoot.core.transcript import Transcript, read_field
from folkmoot.report.markdown_text import without_markdown


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """A claim against the winner: the mark of its turn, by whom, the words, and whether nobody attacked it in turn."""

    mark: str
    by: tuple[str, ...]
    claim: str
    unanswered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """The argument with which somebody took the winning answer: the turn's mark, the words, and the answer before."""

    by: str
    mark: str
    words: str
    before: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionGrounds:
    """What a decision rests on.

    Attributes:
        reasons: why those who are for the winner chose it, in the order of the debate; see ``reasons``.
        margin: how many votes would have changed it, in one sentence; "" where it was not decided by a plain count.
        objection: the strongest claim against the winner, one that nobody attacked before all others; None for none.
        moves: who changed the answer, in which turn, and after which turns of whom.
    """

    reasons: tuple[Reason, ...] = ()
    margin: str = ""
    objection: Objection | None = None
    moves: tuple[Change, ...] = ()


def decision_grounds(transcript: Transcript) -> DecisionGrounds:
    """What the decision of a record rests on; nothing where there is none."""
    decision = transcript.decision
    if decision is None:
        return DecisionGrounds()
    arguments = argument_map(transcript)
    won = decision.status == "decided"
    return DecisionGrounds(
        reasons=reasons(transcript, decision.winner) if won else (),
        margin=margin(decision),
        objection=_objection(decision, arguments, judge(arguments)) if won else None,
        moves=_moves(transcript),
    )


def _moves(transcript: Transcript) -> tuple[Change, ...]:
    """Who changed the answer, in the order of the turns."""
    moves = explained(transcript, answers_given(transcript))
    return tuple(sorted(moves, key=lambda change: transcript.get(change.key).number))


def reasons(transcript: Transcript, answer: str) -> tuple[Reason, ...]:
    """The arguments with which those who are for an answer at the end took it.

    Such an argument gives a reason, or a condition. Later ones rebut what others have said, and nobody can follow them
    alone. What several say in the same words is that of the first.
    """
    taken: list[tuple[int, Reason]] = []
    for name, given in answers_given(transcript).items():
        if bare(given[-1].answer) != bare(answer):
            continue
        others = [n for n, item in enumerate(given) if bare(item.answer) != bare(answer)]
        place = others[-1] + 1 if others else 0
        turn, before = transcript.get(given[place].key), given[place - 1].answer if place else ""
        if words := without_markdown(str(read_field(turn, "ARGUMENT") or "")).strip():
            taken.append((turn.number, Reason(by=name, mark=turn.mark, words=words, before=before)))
    in_order = [reason for _, reason in sorted(taken, key=lambda item: item[0])]
    return tuple({bare(reason.words): reason for reason in reversed(in_order)}.values())[::-1]


PLAIN = "plurality"
"""The rule of a plain count: whoever has the most votes wins."""


def margin(decision: Decision) -> str:
    """How many votes would have changed a plain count, in one sentence; "" for any other decision."""
    votes = {ballot.choice: 0 for ballot in decision.ballots if ballot.state == "cast"}
    for ballot in decision.ballots:
        if ballot.state == "cast":
            votes[ballot.choice] += 1
    equal = {name: number for name, number in decision.tally.items() if number} == votes
    if decision.status != "decided" or decision.rule != PLAIN or not equal or decision.winner not in votes:
        return ""
    others = {name: votes.get(name, 0) for name in decision.tally if name != decision.winner}
    if not others:
        return ""
    second = max(others, key=lambda name: others[name])
    lead = votes[decision.winner] - others[second]
    if lead < 1:
        return ""
    change = f"{counted((lead + 1) // 2, 'vote')} for {second} instead of {decision.winner}"
    return f"{change} would have made it a tie." if lead % 2 == 0 else f"{change} would have made {second} the winner."


def _objection(decision: Decision, arguments: ArgumentMap, judged: Judgement) -> Objection | None:
    """The strongest attack on a claim for the winner."""
    ours = {node.mark for node in arguments.nodes if not node.replaced and is_for(node, decision.winner)}
    edges = [edge for edge in arguments.edges if edge.relation in AGAINST and edge.target in ours]
    edges = [edge for edge in edges if edge.source in judged.strength and edge.source not in ours]
    unmet = [edge for edge in edges if edge in judged.unanswered]
    best = _strongest(unmet or edges, judged)
    if best is None:
        return None
    node = arguments.node(best.source)
    return Objection(mark=node.mark, by=node.by, claim=node.claim, unanswered=best in unmet)


def _strongest(edges: Sequence[Edge], judged: Judgement) -> Edge | None:
    return max(edges, key=lambda edge: judged.strength[edge.source], default=None)


def is_for(node: Node, winner: str) -> bool:
    """Whether a claim is made for the winner, or is that answer itself, or comes from the participant who won."""
    return winner in node.by or any(alike(words, winner) for words in (node.claim, *node.stances))
