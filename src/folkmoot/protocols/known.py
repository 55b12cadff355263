"""The list of built-in protocols, and the protocols ``panel``, ``gate`` and ``moderated``.

A panel debates only where first answers differ. Among recorded forecasts a debate paid only where different models,
with the same documents before them, did not agree. Where they agreed, it cost calls and changed nothing.

The defaults follow measured evidence: independent drafts first, few rounds, hidden authors, shuffled order.
"""

from collections.abc import Mapping
from dataclasses import replace

from folkmoot.core.brief import Brief
from folkmoot.core.errors import ProtocolError
from folkmoot.core.extensions import PROTOCOL, no_options, offered
from folkmoot.core.text import unknown_word
from folkmoot.phases.base import At, Phase, Rounds, Sequence, Undebated
from folkmoot.phases.choices import RANKED, STRATEGIES, Choices, ranks, rule_of
from folkmoot.phases.endings import ENDINGS, mediator
from folkmoot.phases.helpers import with_final_answer, with_recall, with_weights
from folkmoot.phases.ranked_vote import vote
from folkmoot.phases.speak import AGAIN, HIDDEN, SETTLEMENT, Everyone, alone, check_names, narrowed, revision
from folkmoot.phases.vote import Adopt, Count, Vote
from folkmoot.policy.rounds import THRESHOLD, AnyOf, Close, Settled, Showing, Unchanged
from folkmoot.policy.rules import PLURALITY, Quorum
from folkmoot.protocols import compose, spec
from folkmoot.protocols.arena import arena
from folkmoot.protocols.board import board
from folkmoot.protocols.chaired import chaired
from folkmoot.protocols.compose import add, with_judgement
from folkmoot.protocols.council import JURY_TASK, VOTE_TASK, council
from folkmoot.protocols.fishbowl import fishbowl
from folkmoot.protocols.formats import chain_of_thought, round_robin
from folkmoot.protocols.grouped import grouped
from folkmoot.protocols.measured.critic import critique
from folkmoot.protocols.measured.findings import findings
from folkmoot.protocols.measured.forecast import forecast
from folkmoot.protocols.measured.independent import sample, single
from folkmoot.protocols.measured.selection import select
from folkmoot.protocols.mediators import mediate
from folkmoot.protocols.open_fight import open_fight
from folkmoot.protocols.parliament import bp_style
from folkmoot.protocols.socratic import socratic
from folkmoot.protocols.spec import Protocol

__all__ = ["RANKED", "STRATEGIES", "Choices"]


ANSWERS = ("draft", "revise")
"""The acts that hold the answers."""

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


def panel(brief: Brief, choices: Choices) -> Phase:
    """Alone first, with the same documents; a round of debate only where the answers differ by more than a threshold.

    How far answers differ is the share of those who do not give the most frequent one; of numbers it is the distance
    between the greatest and the least. The threshold is 0.20 unless the brief sets another; with 0 every difference is
    debated. Where no debate takes place, the decision says so. In a round all read the different answers, authors
    hidden. One round by default, at most three; then a vote, or a count of the newest answers where the brief has
    options. Where the brief says what ends the rounds and sets no threshold, that alone ends them.
    """
    return _gated_panel("panel", brief, choices, always=choices.threshold is not None or not choices.until)


def gate(brief: Brief, choices: Choices) -> Phase:
    """The protocol panel, whose threshold holds also where the brief says what ends the rounds."""
    return _gated_panel("gate", brief, choices, always=True)


def _gated_panel(name: str, brief: Brief, choices: Choices, *, always: bool) -> Phase:
    choices.no_turn_mode(name)
    size = (choices.rounds_before_vote(name, 1), len(brief.names("debater")))
    usual = AnyOf(stops=(_closeness(choices), Unchanged(acts=ANSWERS)))
    talk = compose.rounds((_second_answers(brief),), brief, choices, acts=ANSWERS, usual=usual, size=size)
    talk = compose.gated(talk, _closeness(choices)) if always else talk
    deciding = compose.early(_deciding_phase(brief, choices), choices)
    return Sequence(parts=(alone(brief), talk, Undebated(each=deciding)))


def _closeness(choices: Choices) -> Close:
    """What makes a debate needless: answers that are no further apart than the chosen threshold."""
    return Close(acts=ANSWERS, threshold=THRESHOLD if choices.threshold is None else choices.threshold)


def _second_answers(brief: Brief) -> Phase:
    """All answer once more, with the different answers before them, in an order drawn by chance and without names."""
    answers = Showing(acts=ANSWERS, distinct=True, shuffle=True)
    return Everyone(act="revise", task=AGAIN, form=revision(brief.options), show=(answers,), view=HIDDEN)


def _deciding_phase(brief: Brief, choices: Choices) -> Phase:
    """A ranking where the strategy asks for one, a count of the answers where the brief has options, else a vote."""
    if ranks(choices):
        return vote(choices, brief, ANSWERS)
    rule = Quorum(rule=rule_of(choices, PLURALITY, after=RANKED))
    if brief.options:
        return Count(rule=rule, acts=ANSWERS)
    return Vote(rule=rule, acts=ANSWERS, task=VOTE_TASK, jury=JURY_TASK)


def moderated(brief: Brief, choices: Choices) -> Phase:
    """All argue at once, in rounds; after each the moderator gives SUMMARY, STATUS and, when settled, the DECISION."""
    choices.no_turn_mode("moderated")
    by = mediator(brief, "moderated")
    last = choices.at_least_one("moderated", 3)
    argue = Everyone(act="argue", task=ARGUE, needs=1)
    form = narrowed(SETTLEMENT, "DECISION", brief.options)
    review = Everyone(act="moderate", task=REVIEW.replace("{most}", str(last)), who=(by,), form=form)
    parts = (
        At(each=replace(argue, task=OPEN), rounds=(1,)),
        *((At(each=argue, rounds=tuple(range(2, last + 1))),) if last > 1 else ()),
        *((At(each=review, rounds=tuple(range(1, last))),) if last > 1 else ()),
        At(each=replace(review, task=LAST.replace("{most}", str(last))), rounds=(last,)),
    )
    return Sequence(parts=(Rounds(each=Sequence(parts=parts), most=last, until=Settled()), Adopt()))


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

WITHOUT_ROUNDS = (*ALONE, "chaired", "select")
"""The protocols that have no rounds, so that a number of rounds has no effect."""

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
    return with_final_answer(tree, brief, choices.final) if choices.final else tree
