"""What each vote weighs, by what is known from before. This file owns who is asked for it, and what of it counts.

What was measured stands outside the play, so a teller is asked for it before anything else: the weights are an answer
on record, with what each rests on, and a resumed debate looks nothing up again. No debater is ever shown it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from moot.core.ask import Ask
from moot.core.brief import Brief, View
from moot.core.errors import ProtocolError
from moot.core.form import Field, Form
from moot.core.weights import GROUNDS, HOW, METHOD, WEIGH, VoteWeights, given, teller, told, weight_field
from moot.phases.choices import Choices
from moot.phases.phases_base import Phase, Play, Sequence, Table

TASK = "Say what the vote of each voter weighs by what was measured in earlier debates, and what that rests on."


@dataclass(frozen=True, slots=True, kw_only=True)
class Weigh:
    """The teller is asked what the votes of all debaters and jurors weigh.

    Attributes:
        who: the teller's name.
        method: the formula.
        task: what to do.
        name: what it is called in paths.
    """

    who: str
    method: VoteWeights
    task: str = TASK
    name: str = WEIGH

    def play(self, table: Table) -> Play:
        """Ask, once."""
        voters = (*table.brief.names("debater"), *table.brief.names("juror"))
        fields = (
            Field(name=METHOD, kind="choice", choices=(self.method,)),
            *(Field(name=weight_field(voter), kind="number", low=0) for voter in voters),
            Field(name=HOW),
            Field(name=GROUNDS, kind="list"),
        )
        form = Form(name=WEIGH, fields=fields)
        alone, none = (self.who,), View(last=0)
        yield [Ask(key=table.key(1), to=self.who, act=WEIGH, task=self.task, form=form, audience=alone, view=none)]


def weights(table: Table) -> Mapping[str, float] | None:
    """What the teller has answered: the field of each voter's weight to the weight; None where it was not asked.

    Empty where all weigh the same: it gave no answer, left somebody out, or nobody would weigh anything.
    """
    turn = told(table.brief, table.transcript)
    return None if turn is None else given(turn)


def with_weights(tree: Phase, brief: Brief, choices: Choices) -> Phase:
    """The tree with the teller asked first of all, where votes weigh by what was measured.

    Raises:
        ProtocolError: there is no teller.
    """
    if not choices.measured or choices.vote_weights is None:
        return tree
    who = teller(brief)
    if not who:
        raise ProtocolError(f"vote_weights {choices.vote_weights} needs a teller at the table", about="vote_weights")
    weigh = Weigh(who=who, method=choices.vote_weights)
    return replace(tree, parts=(weigh, *tree.parts)) if isinstance(tree, Sequence) else Sequence(parts=(weigh, tree))
