"""What the owner should know before a debate begins. This file owns what is said about settings that do little.

Nothing that a brief wishes for is dropped in silence: what nobody uses, and what may never happen, is a sentence here.
"""

from collections.abc import Iterator

from moot.core.brief import Brief
from moot.desk.estimate import Costing
from moot.phases.choices import Choices


def notes_on(brief: Brief, protocol: str, choices: Choices, costing: Costing) -> Iterator[str]:
    """What the brief asks for and nobody uses, and where the estimate is no bound.

    Args:
        brief: the brief, everybody seated.
        protocol: its name.
        choices: what was chosen about the protocol.
        costing: what the debate would use.
    """
    for each in brief.participants:
        if each.name not in costing.most.asked:
            yield f"{protocol} never asks {each.name}, who stays silent."
    if brief.library and not any("rag" in each.tools for each in brief.participants):
        yield "Nobody has the tool rag, so nobody reads the library."
    if why := uneven(brief, choices):
        yield (
            f"Because {why}, it matters who wins a bid and whose answer fails: "
            f"there may be some more asks than the {costing.most.asks} of the estimate."
        )


def uneven(brief: Brief, choices: Choices) -> str:
    """Why the number of asks depends on who speaks or fails, so that the most of an estimate is no bound; "" if not."""
    debaters = [each for each in brief.participants if each.duty == "debater"]
    if any(each.hide for each in brief.participants):
        return "turns are hidden from somebody"
    if len({bool(each.language) for each in debaters}) > 1:
        return "only what some say is translated"
    if choices.extras.revision and any(each.view for each in debaters):
        return "somebody may no longer see an own turn to revise"
    return ""
