"""The formats ``round_robin`` and ``chain_of_thought``.

``round_robin``: opening statements are made in parallel, so that none depends on another. Then all speak in turn and
hear everything before. Each round begins one place further on, because the last speaker has an advantage; a brief can
choose another order of speaking.

``chain_of_thought``: all speak in parallel. Each builds a chain (claim, evidence, reasoning, conclusion) without seeing
the others. In every round each sees all chains, checks one step of one of them, and gives its own again.
"""

from dataclasses import replace

from folkmoot.core.ask import Field, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.transcript import TARGET
from folkmoot.phases.base import Phase, Rounds, Sequence
from folkmoot.phases.choices import Choices, until
from folkmoot.phases.endings import LOG, ending
from folkmoot.phases.speak import Everyone, Floor, speech

ROUND_ROBIN_OPENING = "State your position on the topic and your main reasons."
FLOOR = "Round {round}: you have the floor. Answer what was said; add what is missing."


def round_robin(brief: Brief, choices: Choices) -> Phase:
    """Opening statements; everybody in turn, hearing all before; then the ending, by default the mediator's verdict."""
    form = speech(brief.options)
    opening = Everyone(act="open", task=ROUND_ROBIN_OPENING, form=form, view=View(last=0), needs=1)
    floor = Floor(act="argue", task=FLOOR, turns=choices.order(), form=form, view=LOG)
    rounds = Rounds(each=floor, most=choices.at_least_one("round_robin", 3), until=until(choices))
    return Sequence(parts=(opening, rounds, *ending(brief, choices)))


STEPS = ("CLAIM", "EVIDENCE", "REASONING", "CONCLUSION")
"""The steps of a chain, each a field of its own, so that others can attack one without the rest."""

# Steps that are kept apart can be checked apart; evidence that already argues hides a leap.
OPENING = (
    "Build your argument as a chain of four steps. Keep them apart: what you claim, the facts it rests on, how the "
    "facts lead there, and what follows. The chain is as strong as its weakest step."
)

# The weakest link of the strongest chain: an attack on the weakest opponent teaches nobody anything.
CHECK = (
    "Round {round}: choose the chain above that speaks most strongly against yours, and check the step on which most "
    "of it depends. Is the evidence true and to the point? Does the reasoning follow? Then give your own chain anew, "
    "mended where somebody found a fault in it."
)

_CHAIN = (
    Field(name="CLAIM", help="what you claim, in one sentence"),
    Field(name="EVIDENCE", help="the facts that it rests on, each with its source"),
    Field(name="REASONING", help="how the evidence leads to the conclusion, one inference after the other"),
    Field(name="CONCLUSION", help="what follows for the topic, and how sure it is"),
)


def chain(options: tuple[str, ...]) -> Form:
    """A chain; the answer comes after the steps, so that it follows from them."""
    return Form(name="chain", fields=(*_CHAIN, speech(options).fields[-1]))


def checked(options: tuple[str, ...]) -> Form:
    """What was found in one step of another's chain, then a chain."""
    target, relation, *_ = speech(options).fields
    step = Field(name="STEP", kind="choice", choices=STEPS, required=False, help=f"the step of {TARGET} that you check")
    finding = Field(
        name="CHECK", required=False, help="what you found in that step: why it's right, or where it breaks"
    )
    claim, *steps = chain(options).fields
    same = replace(claim, help="what you claim, in one sentence; word for word as before if nothing changed")
    return Form(name="checked_chain", fields=(target, relation, step, finding, same, *steps))


def chain_of_thought(brief: Brief, choices: Choices) -> Phase:
    """All give a chain of four steps at once; in each round all check a step of another's; then the ending.

    By default the ending is the mediator's verdict, without one a vote.
    """
    choices.no_turn_mode("chain_of_thought")
    opening = Everyone(act="open", task=OPENING, form=chain(brief.options), view=View(last=0), needs=1)
    check = Everyone(act="argue", task=CHECK, form=checked(brief.options), view=LOG, needs=1)
    rounds = Rounds(each=check, most=choices.at_least_one("chain_of_thought", 3), until=until(choices))
    return Sequence(parts=(opening, rounds, *ending(brief, choices)))
