"""The protocol ``arena``: proposals are criticised, answered and improved over rounds.

A critique names an issue, the words concerned, how serious it is, what would fix it, and which claims lack a source.
The author accepts or rejects each critique with a reason and answers again. Authors and critics never see names.
"""

from collections.abc import Mapping

from folkmoot.core.ask import Field, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.errors import ProtocolError
from folkmoot.phases.base import Phase, Sequence
from folkmoot.phases.choices import RANKED, Choices, ranks, rule_of
from folkmoot.phases.endings import mediator
from folkmoot.phases.ranked_vote import vote
from folkmoot.phases.speak import ISSUES, Critique, Everyone, draft, revision
from folkmoot.phases.verdict import JUDGE, Pick
from folkmoot.phases.vote import Vote
from folkmoot.policy.pairing import Pairs, Topology
from folkmoot.policy.rounds import Alike, Showing
from folkmoot.policy.rules import SUPERMAJORITY, Quorum
from folkmoot.protocols import compose
from folkmoot.protocols.council import JURY_TASK, VOTE_TASK

ACTS = ("propose", "revise")
"""The acts that are proposals."""

ALL = 4
"""Up to this number, all debaters criticise each other; more are paired adaptively: cheaper and about as good."""

REVISE = (
    "Above is your proposal and what was said against it. Accept or reject each critique with a reason: accept what "
    "is right and mend it, reject what is wrong, for a critique is no order. Then answer again."
)

# A judge prefers what is longer, what stands first and what it agrees with; so order, names and length are dealt with.
JUDGING = (
    "Above is the whole debate without names, and once more, under letters and the same marks (T1, T2 …), the "
    "proposals as they stand now. Judge which of them withstood the critiques best: what was said against it, and what "
    "its author answered. Neither length nor your own opinion on the topic counts. Vote for one."
)


SPARSITY: Mapping[Topology, float] = {"sparse": 0.75, "random-graph": 0.5}
"""The topologies that leave links out by chance, and the probability with which they do unless the brief says it."""


def arena(brief: Brief, choices: Choices) -> Phase:
    """Parallel proposals; rounds of critique (by a topology) and revision; a vote that needs two thirds.

    With options in the brief, an answer that is none of them is no candidate.
    """
    choices.no_turn_mode("arena")
    names = brief.names("debater")
    pairs = paired(brief, choices)
    propose = Everyone(
        act="propose",
        task="Propose an answer to the topic, with your reasons.",
        form=draft(brief.options),
        view=View(last=0),
        needs=1,
    )
    critique = Critique(of=ACTS, pairs=pairs, task="Criticise this proposal: where is it weakest?", form=ISSUES)
    shown = (Showing(acts=ACTS, whose="own"), Showing(acts=("critique",), whose="to_me", mine=ACTS))
    hidden = View(last=0, anonymous=True)
    revise = Everyone(act="revise", task=REVISE, form=response(brief.options), show=shown, view=hidden)
    max_rounds = 2 if choices.rounds is None else choices.rounds
    size = (max_rounds, pairs.least(len(names)) + len(names))
    rounds = compose.rounds((critique, revise), brief, choices, acts=ACTS, usual=Alike(acts=ACTS), size=size)
    closed = bool(brief.options)
    if choices.strategy == JUDGE:
        decide: Phase = Pick(by=mediator(brief, "the strategy judge"), acts=ACTS, task=JUDGING, closed=closed)
    elif ranks(choices):
        decide = vote(choices, brief, ACTS)
    else:
        rule = Quorum(rule=rule_of(choices, SUPERMAJORITY, beside=(*RANKED, JUDGE)))
        decide = Vote(rule=rule, acts=ACTS, task=VOTE_TASK, jury=JURY_TASK, closed=closed)
    return Sequence(parts=(propose, rounds, compose.early(decide, choices)))


def paired(brief: Brief, choices: Choices) -> Pairs:
    """Who criticises whom: as chosen, else all criticise all in a small debate; highest weight is strongest.

    Raises:
        ProtocolError: a hub or a sparsity for a topology that has none, or a hub that is no debater.
    """
    people = [participant for participant in brief.participants if participant.duty == "debater"]
    topology = choices.topology or ("all-to-all" if len(people) <= ALL else "adaptive")
    weights = {participant.name: participant.weight for participant in people if participant.weight is not None}
    strongest = tuple(name for name, weight in weights.items() if weight == max(weights.values()))
    if choices.hub and (topology != "star" or choices.hub not in brief.names("debater")):
        problem = f"{choices.hub!r} is not a debater" if topology == "star" else "hub goes with topology: star"
        raise ProtocolError(f"{problem}; allowed are {', '.join(brief.names('debater'))}", about="hub")
    if choices.sparsity is not None and topology not in SPARSITY:
        raise ProtocolError(f"sparsity goes with topology: {' or '.join(SPARSITY)}, not {topology}", about="sparsity")
    sparsity = SPARSITY.get(topology, 0.75) if choices.sparsity is None else choices.sparsity
    return Pairs(
        topology=topology,
        hub=choices.hub,
        density=round(1 - sparsity, 6),
        strongest=strongest if topology == "adaptive" else (),
    )


def response(options: tuple[str, ...]) -> Form:
    """A revision that says of each critique whether it is accepted, and why."""
    *reasons, answer = revision(options).fields
    return Form(
        name="response",
        fields=(
            Field(
                name="ACCEPTS",
                kind="list",
                required=False,
                help="the critiques that you accept, each by its letter and with what you changed",
            ),
            Field(
                name="REJECTS",
                kind="list",
                required=False,
                help="the critiques that you reject, each by its letter and with the reason",
            ),
            *reasons,
            answer,
        ),
    )
