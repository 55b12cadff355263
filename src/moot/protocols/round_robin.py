"""The format ``round_robin``: everybody in turn, hearing all before. This file owns its order and its tasks.

Opening statements are made at once, so that nobody's first answer leans on another's. Each round begins one place
further on, because whoever speaks last has the advantage; a brief may choose another order of speaking.
"""

from moot.core.brief import Brief, View
from moot.phases.choices import Choices
from moot.phases.endings import LOG, ending, until
from moot.phases.forms import speech
from moot.phases.phases_base import Phase, Rounds, Sequence
from moot.phases.speak import Everyone, Floor

OPENING = "State your position on the topic and your main reasons."
FLOOR = "Round {round}: you have the floor. Answer what was said; add what is missing."


def round_robin(brief: Brief, choices: Choices) -> Phase:
    """Opening statements; everybody in turn, hearing all before; then the ending, by default the mediator's verdict."""
    form = speech(brief.options)
    opening = Everyone(act="open", task=OPENING, form=form, view=View(last=0), needs=1)
    floor = Floor(act="argue", task=FLOOR, turns=choices.order(), form=form, view=LOG)
    rounds = Rounds(each=floor, most=choices.at_least_one("round_robin", 3), until=until(choices))
    return Sequence(parts=(opening, rounds, *ending(brief, choices)))
