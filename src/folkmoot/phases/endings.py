"""How a debate in a format ends: the conditions that stop its rounds early, closing statements, and the decision.

``consensus_reached``: all newest ANSWERs are the same. ``no_new_arguments``: the last round had no new CLAIM and no
other ANSWER. With a moderator, its judgement counts too (``protocols.compose``), because different words can have the
same meaning. ``rounds_exhausted`` always applies.

Every ending begins with closing statements, all given in parallel, so that none depends on another.
"""

from collections.abc import Mapping

from folkmoot.core.brief import Brief, View
from folkmoot.core.errors import ProtocolError
from folkmoot.phases.base import Phase
from folkmoot.phases.choices import Choices, SummaryStyle, rule_of
from folkmoot.phases.speak import VERDICT, Everyone, draft, narrowed
from folkmoot.phases.verdict import Keep, Pick, Rank
from folkmoot.phases.vote import Adopt, Count, Vote
from folkmoot.policy.rules import PLURALITY, Quorum

LOG = View(numbered=True)
"""The whole log, each turn under its mark: what the participants of a format see."""

ENDINGS = ("agent_closing", "mediator_summary", "vote", "vote_based", "ranked_reasons", "no_consensus")
"""The other ways in which a debate of a format can end."""

CLOSED = ("close",)
"""The acts that every ending looks at."""

CLOSING = "Give your closing statement: what you think now, and what persuaded you."

# A verdict that follows from the arguments is asked for, not a compromise: a mediator who may choose splits the
# difference.
SUMMING_UP: Mapping[SummaryStyle, str] = {
    "neutral": "Summarise the positions fairly, then give the verdict that follows from the arguments.",
    # What was not answered shows what a position is worth; praise does not.
    "critical": (
        "Summarise each position by its weakest point: what it left unanswered, what it claimed without evidence. "
        "Then give the verdict that survives."
    ),
    # It is to persuade those who disagree, so it must grant what is right in their case.
    "persuasive": (
        "Find the verdict that the arguments bear out. Then write the summary that would best win over those who "
        "disagree: grant what is right in their case, answer the rest, and give the verdict."
    ),
}

VOTING = "Vote for the best closing statement. You may vote for your own, or abstain. Give your reason in a sentence."
JURY_VOTING = (
    "You have heard the debate. Vote for the best closing statement, or abstain. Give your reason in a sentence."
)

# A judge prefers what is longer, what stands first and what it agrees with; only the last cannot be helped by order
# and hidden names, so it is named, and so is length.
JUDGING = (
    "Above is the whole debate without names, and once more, under letters and the same marks (T1, T2 …), the "
    "closing statements. Judge who argued best over the whole debate: evidence, and answers to what the others said. "
    "Neither length nor your own opinion on the topic counts. Vote for one."
)
RANKING = (
    "Above is the whole debate without names, and once more, under letters and the same marks (T1, T2 …), the "
    "closing statements. Rate how strong each debater's argument was over the whole debate: evidence, and answers to "
    "what the others said. Neither length nor your own opinion on the topic counts. Give the reason before the score."
)


def ending(brief: Brief, choices: Choices) -> tuple[Phase, ...]:
    """The phases after the rounds: as chosen, else the mediator's verdict if there is a mediator, else a vote.

    A silent mediator gives no verdict unless that is chosen.

    Raises:
        ProtocolError: the ending is unknown, or needs a mediator and there is none.
    """
    silent = choices.mediation is not None and choices.mediation.kind == "silent"
    usual = "mediator_summary" if brief.names("moderator") and not silent else "vote"
    name = choices.strategy or usual
    return (Everyone(act="close", task=CLOSING, form=draft(brief.options), view=LOG), *_deciding(name, brief, choices))


def _deciding(name: str, brief: Brief, choices: Choices) -> tuple[Phase, ...]:
    """The phases after the closing statements."""
    match name:
        case "mediator_summary":
            style = choices.mediation.style if choices.mediation else "neutral"
            by = (mediator(brief, name),)
            form = narrowed(VERDICT, "VERDICT", brief.options)
            verdict = Everyone(act="moderate", task=SUMMING_UP[style], who=by, form=form, view=LOG)
            return (verdict, Adopt(field="VERDICT", status="", rule="mediator"))
        case "agent_closing":
            return (Keep(acts=CLOSED, agreed=True),)
        case "no_consensus":
            return (Keep(acts=CLOSED),)
        case "vote_based":
            return (Pick(by=mediator(brief, name), acts=CLOSED, task=JUDGING, closed=bool(brief.options)),)
        case "ranked_reasons":
            return (Rank(by=mediator(brief, name), acts=CLOSED, task=RANKING),)
        case _:
            rule = Quorum(rule=PLURALITY if name == "vote" else rule_of(choices, PLURALITY, beside=ENDINGS))
            vote = Vote(rule=rule, acts=CLOSED, task=VOTING, jury=JURY_VOTING)
            return (Count(rule=rule, acts=CLOSED) if brief.options else vote,)


def mediator(brief: Brief, purpose: str) -> str:
    """The name of the mediator.

    Raises:
        ProtocolError: there is none, or more than one.
    """
    names = brief.names("moderator")
    if len(names) != 1:
        raise ProtocolError(f"{purpose} needs one moderator, not {len(names)}", about="participants")
    return names[0]
