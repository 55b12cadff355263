"""The list of built-in protocols, and the protocol ``moderated``.

The defaults follow measured evidence: independent drafts first, few rounds, hidden authors, shuffled order.
"""

from collections.abc import Mapping
from dataclasses import replace

from moot.core.brief import Brief
from moot.core.errors import ProtocolError
from moot.core.extensions import PROTOCOL, no_options, offered
from moot.core.text import unknown_word
from moot.phases.base import At, Phase, Rounds, Sequence
from moot.phases.choices import RANKED, STRATEGIES, Choices
from moot.phases.endings import ENDINGS, mediator
from moot.phases.helpers import with_recall, with_weights
from moot.phases.speak import SETTLEMENT, Everyone, check_names, narrowed
from moot.phases.vote import Adopt
from moot.policy.rounds import Settled
from moot.protocols import compose, spec
from moot.protocols.arena import arena
from moot.protocols.board import board
from moot.protocols.chaired import chaired
from moot.protocols.compose import add, with_judgement
from moot.protocols.council import council
from moot.protocols.fishbowl import fishbowl
from moot.protocols.formats import chain_of_thought, round_robin
from moot.protocols.grouped import grouped
from moot.protocols.measured.critic import critique
from moot.protocols.measured.findings import findings
from moot.protocols.measured.forecast import forecast
from moot.protocols.measured.gate import gate, panel
from moot.protocols.measured.independent import sample, single
from moot.protocols.measured.selection import select
from moot.protocols.mediators import mediate
from moot.protocols.open_fight import open_fight
from moot.protocols.parliament import bp_style
from moot.protocols.socratic import socratic
from moot.protocols.spec import Protocol

__all__ = ["RANKED", "STRATEGIES", "Choices"]


OPEN = (
    "This is round {round}. Open the debate: state your position and your strongest reasons for it. The others open at "
    "the same time."
)
ARGUE = "This is round {round}. Argue your position; answer the arguments of the others."
REVIEW = (
    "This is round {round} of {most}. Review all arguments so far. Say SETTLED only if the arguments allow a decision "
    "now, and then give it; else say CONTINUE and name what is still open."
)
# Who does not know that no round follows goes on once more, and the debate ends without a decision.
LAST = (
    "This is round {round} of {most}, the last: no further round follows. Review all arguments. Say SETTLED if they "
    "allow a decision, and then give it; else say CONTINUE and name what is still open."
)


def moderated(brief: Brief, choices: Choices) -> Phase:
    """All argue at once, in rounds; after each the moderator gives SUMMARY, STATUS and, when settled, the DECISION."""
    choices.no_turn_mode("moderated")
    by = mediator(brief, "moderated")
    most = choices.at_least_one("moderated", 3)
    argue = Everyone(act="argue", task=ARGUE, needs=1)
    form = narrowed(SETTLEMENT, "DECISION", brief.options)
    review = Everyone(act="moderate", task=REVIEW.replace("{most}", str(most)), who=(by,), form=form)
    parts = (
        At(each=replace(argue, task=OPEN), rounds=(1,)),
        *((At(each=argue, rounds=tuple(range(2, most + 1))),) if most > 1 else ()),
        *((At(each=review, rounds=tuple(range(1, most))),) if most > 1 else ()),
        At(each=replace(review, task=LAST.replace("{most}", str(most))), rounds=(most,)),
    )
    return Sequence(parts=(Rounds(each=Sequence(parts=parts), most=most, until=Settled()), Adopt()))


FORMATS: Mapping[str, Protocol] = {
    "round_robin": round_robin,
    "socratic": socratic,
    "bp_style": bp_style,
    "fishbowl": fishbowl,
    "chain_of_thought": chain_of_thought,
    "open_fight": open_fight,
}
"""The debate formats: the protocols that all end in the same ways."""

KNOWN: Mapping[str, Protocol] = {
    "panel": panel,
    "council": council,
    "moderated": moderated,
    "grouped": grouped,
    "arena": arena,
    "chaired": chaired,
    "board": board,
    **FORMATS,
    "gate": gate,
    "single": single,
    "sample": sample,
    "critique": critique,
    "select": select,
    "forecast": forecast,
    "findings": findings,
}
"""The protocols that are built in: the one list of their names."""

DEFAULT = "panel"

VOTES = tuple(STRATEGIES)
"""The strategies that count votes for one answer."""

DECIDED_BY: Mapping[str, tuple[str, ...]] = {
    "panel": (*VOTES, *RANKED, "vote", "vote_based"),
    "council": (*VOTES, *RANKED, "moderator", "vote", "vote_based"),
    "moderated": ("moderator",),
    "grouped": (*VOTES, "vote", "vote_based"),
    "arena": (*VOTES, *RANKED, "judge", "vote", "vote_based"),
    "chaired": ("moderator",),
    "board": (*VOTES, "vote", "vote_based"),
    "gate": (*VOTES, *RANKED, "vote", "vote_based"),
    "single": (),
    "sample": (*VOTES, "vote"),
    "critique": ("moderator",),
    "select": ("moderator", "judge"),
    "forecast": (),
    "findings": (),
}
"""The ways to decide that each protocol takes, but the debate formats."""

FORMATS_DECIDED_BY = (*ENDINGS, *VOTES)
"""The ways to decide that all debate formats take."""

GATED = ("panel", "gate")
"""The protocols that debate only where first answers differ by more than a threshold, which can be learned."""

ALONE = ("single", "sample", "findings")
"""The protocols in which nobody reads another's answer, so that one debater is enough."""

NEEDS_MODERATOR = ("moderated", "board", "chaired", "critique", "select")
TIMED = ("board",)
"""The protocols whose moderator manages the process and judges nothing: it takes no part in what is added to them."""


def names() -> tuple[str, ...]:
    """The names of all protocols: the known ones, then those of other packages."""
    return (*KNOWN, *(name for name in offered(PROTOCOL) if name not in KNOWN))


def build(name: str, brief: Brief, choices: Choices | None = None) -> Phase:
    """The phase tree of a known protocol, or of one from another package, for a brief.

    Raises:
        ProtocolError: an unknown protocol or choice, too few debaters, no moderator where one is needed.
    """
    make = KNOWN.get(name) or spec.protocol(name)
    if make is None:
        raise ProtocolError(f"no protocol is called {name!r}; {unknown_word(name, names())}", about="protocol")
    if name not in ALONE:
        check_names(brief.names("debater"))
    choices = choices or Choices()
    if name in KNOWN:
        if choices.protocol_options:
            no_options(choices.protocol_options, whose=name, where=PROTOCOL.options)
        compose.check(name, choices)
    tree = make(brief, choices)
    if choices.mediation:
        tree = mediate(tree, brief, choices)
    people = [participant for participant in brief.participants if name not in TIMED or participant.duty != "moderator"]
    judging = replace(brief, participants=tuple(people))
    # The judgement is added last, so that the moderator judges the round with everything that was added to it.
    tree = with_judgement(add(tree, judging, choices), judging, choices)
    if choices.memory:
        tree = with_recall(tree, brief, choices.memory)
    if choices.measured and choices.vote_weights:
        tree = with_weights(tree, brief, choices.vote_weights)
    return tree
