"""How a debate of a format ends. This file owns what comes behind the rounds: closing statements and the decision."""

from moot.core.brief import Brief, View
from moot.core.errors import ProtocolError
from moot.phases.base import Phase
from moot.phases.choices import Choices
from moot.phases.forms import VERDICT, draft
from moot.phases.judge import Adopt, Vote
from moot.phases.speak import Everyone
from moot.phases.until import until as until  # formats take it from here, with the rest of what ends them
from moot.policy.rules import PLURALITY, Quorum

LOG = View(numbered=True)
"""The whole log, each turn under its mark: what the participants of a format see."""

CLOSING = "Give your closing statement: what you hold now, and what persuaded you."
SUMMING_UP = "Summarise the positions fairly, then give the verdict that follows from the arguments."
VOTING = "Vote for the best closing statement. You may vote for your own, or abstain. Give your reason in a sentence."


def ending(brief: Brief, choices: Choices) -> tuple[Phase, ...]:
    """The phases behind the rounds: as chosen, else the mediator's verdict where there is one, else a vote.

    Raises:
        ProtocolError: an ending that there is not, or one that needs a mediator where there is none.
    """
    name = choices.strategy or ("mediator_summary" if brief.names("moderator") else "vote")
    closing = Everyone(act="close", task=CLOSING, form=draft(brief.options), view=LOG)
    if name == "mediator_summary":
        by = mediator(brief, name)
        verdict = Everyone(act="moderate", task=SUMMING_UP, who=(by,), form=VERDICT, view=LOG)
        return (closing, verdict, Adopt(field="VERDICT", status="", rule="mediator"))
    if name == "vote":
        return (closing, Vote(rule=Quorum(rule=PLURALITY), acts=("close",), task=VOTING))
    raise ProtocolError(f"no debate can end by {name!r}; there are mediator_summary, vote", about="strategy")


def mediator(brief: Brief, what: str) -> str:
    """The name of the one who mediates.

    Raises:
        ProtocolError: there is none, or more than one.
    """
    names = brief.names("moderator")
    if len(names) != 1:
        raise ProtocolError(f"{what} needs one moderator, not {len(names)}", about="participants")
    return names[0]
