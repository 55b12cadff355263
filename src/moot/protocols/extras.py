"""What a brief adds to any protocol. This file owns the order in which it is woven in, and nothing of what it does.

Behind each turn: interruptions, so that they are rated like other turns; then ratings. In each round, behind what the
protocol and its mediator do: revisions, so that they are rated too; notes on strategy; a summary last, so that it holds
the revisions. Behind the rounds: scores, then evaluations, before what ends the debate. Behind everything: looking
back, because nobody should argue by it; then translations, of that too.
"""

from dataclasses import replace

from moot.core.brief import Brief
from moot.phases.choices import Choices
from moot.phases.forms import SPOKEN
from moot.phases.phases_base import At, Phase, Rounds, Sequence
from moot.phases.rethink import EVOLVE, Mindful, Revise
from moot.phases.revise import Reflect, Summarize, Translate
from moot.phases.score import anonymous_scoring, live_scoring, reasoned_evaluation
from moot.protocols.interrupt import with_interruptions
from moot.protocols.weave import DECIDING, after_rounds, after_turns, at_end, before_end


def add(tree: Phase, brief: Brief, choices: Choices) -> Phase:
    """The tree with everything that the choices and the participants ask for beside the protocol and its mediator."""
    extras = choices.extras
    if extras.interruptions:
        tree = with_interruptions(tree)
    if extras.revision:
        tree = after_rounds(tree, Revise())
    if extras.live_scoring:
        tree = after_turns(tree, live_scoring(brief), SPOKEN)
    if extras.evolution:
        tree = _mindful(after_rounds(tree, EVOLVE))
    tree = summarise(tree, brief, choices.summarize)
    ratings = (
        *((anonymous_scoring(brief),) if extras.anonymous_scoring else ()),
        *((reasoned_evaluation(brief),) if extras.reasoned_evaluation else ()),
    )
    if ratings:
        tree = before_end(tree, *ratings)
    if extras.self_reflection:
        tree = at_end(tree, Reflect())
    if any(each.language for each in brief.participants if each.duty == "debater"):
        tree = at_end(tree, Translate(chaired=bool(brief.names("moderator"))))
    return tree


def summarise(tree: Phase, brief: Brief, every: int) -> Phase:
    """The tree with a summary after every so many rounds, 0 for none.

    Whoever is shown nothing but the newest summary needs one of what opens the debate, and one after every round
    where no other number was chosen.
    """
    alone = any(each.view is not None and each.view.summary_only for each in brief.participants)
    if every or alone:
        tree = after_rounds(tree, Summarize(), every=every or 1)
    if alone and isinstance(tree, Sequence):
        opened = next((n for n, part in enumerate(tree.parts) if isinstance(part, Rounds)), 0)
        middle = (Summarize(),) if opened else ()
        return replace(tree, parts=(*tree.parts[:opened], *middle, *tree.parts[opened:]))
    return tree


def _mindful(tree: Phase) -> Phase:
    """The tree with everybody's own note beside each task, wherever something is asked that is not a decision."""
    if isinstance(tree, Sequence):
        return replace(tree, parts=tuple(_mindful(part) for part in tree.parts))
    if isinstance(tree, Rounds | At):
        return replace(tree, each=_mindful(tree.each))
    return tree if isinstance(tree, DECIDING) else Mindful(each=tree)
