"""How alike proposals are, asked of an instrument. This file owns what it is asked, and who is one.

An embedding model is outside the play, so what it finds has to be an answer on record like any other. The instrument
is an aide: it is asked in private, and gives numbers in fields.
"""

from dataclasses import dataclass

from moot.core.ask import Ask
from moot.core.brief import LIKENESS, Brief, View
from moot.core.form import Field, Form
from moot.phases.phases_base import Play, Table
from moot.policy.convergence import LIKEN, last_steps

LIKE = Form(
    name="likeness",
    fields=(
        Field(name="OWN", kind="number", low=0, high=1, help="the least likeness of a text to its author's before"),
        Field(name="BETWEEN", kind="number", low=0, high=1, help="the mean likeness of two newest texts"),
        Field(name="METHOD", help="what measured it"),
    ),
)
"""What the instrument gives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Liken:
    """The instrument measures the newest proposals and those before them, once everybody has given two.

    Attributes:
        who: the instrument's name.
        acts: the acts that are proposals.
        name: what it is called in paths.
    """

    who: str
    acts: tuple[str, ...]
    name: str = LIKEN

    def play(self, table: Table) -> Play:
        """Ask it."""
        steps = last_steps(table.transcript, self.acts)
        if not steps:
            return
        task = "Measure how alike these texts are: of each author the one before, then the newest."
        about = tuple(turn.key for step in steps for turn in step)
        yield [
            Ask(
                key=table.key(1),
                to=self.who,
                act=LIKEN,
                task=task,
                form=LIKE,
                about=about,
                audience=(self.who,),
                view=View(last=0),
            )
        ]


def instrument(brief: Brief) -> str:
    """The name of the one who measures likeness; "" where there is none."""
    return next((each.name for each in brief.participants if each.seat.startswith(LIKENESS)), "")
