"""Scores and evaluations of debaters: who rates whom, and by which form. They do not affect the decision.

The rater does not see who is rated, nobody rates itself, and no other prompt contains a score.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import Brief
from folkmoot.core.transcript import Turn
from folkmoot.phases.base import Phase, Play, State
from folkmoot.phases.endings import LOG
from folkmoot.phases.speak import SPOKEN, Everyone, asked_names
from folkmoot.phases.verdict import FAIR

POOR_TO_BEST = "0 is not at all, 10 could not be better"
SCORES = Form(
    name="scores",
    fields=(
        # The reason first: a score that is given first is only justified afterwards.
        Field(name="REASON", help="what is strong and what is weak, in two sentences"),
        Field(name="CLARITY", kind="number", low=0, high=10, help=f"can it be understood and followed; {POOR_TO_BEST}"),
        Field(name="EVIDENCE", kind="number", low=0, high=10, help=f"do facts support the claim; {POOR_TO_BEST}"),
        Field(name="ORIGINALITY", kind="number", low=0, high=10, help=f"is it new in this debate; {POOR_TO_BEST}"),
    ),
)
"""How one turn is rated."""

EVALUATION = Form(
    name="evaluation",
    fields=(
        Field(name="EVIDENCE", help="who used the better evidence, who claimed without any; name the turns"),
        Field(name="FOCUS", help="who stayed on the topic, who evaded"),
        Field(name="REPLIES", help="who answered the others' strongest points, who passed over them"),
    ),
)
"""Who argued how well, in words."""

# Scores drift to the middle of the upper half; saying what the ends mean spreads them.
SCORING = (
    "Rate the last statement above as a piece of argument, whoever made it and whether or not you agree. Use the whole "
    "scale: 5 is an ordinary turn of this debate."
)
EVALUATING = (
    "Evaluate how each debater argued, by name and with examples from the debate. Say what was done well and what "
    "badly; whether you agree with a position does not matter."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Debaters are rated by the form of scores, each rater and turn in a question of its own.

    Attributes:
        by: names of the raters; empty for the debaters: for a turn in the focus the next debater, else all others.
        acts: the acts whose newest turn of each debater is rated.
        live: whether the turns in the focus are rated instead.
        task: what to do.
        name: what it is called in paths.
    """

    by: tuple[str, ...] = ()
    acts: tuple[str, ...] = SPOKEN
    live: bool = False
    task: str = SCORING
    name: str = "score"

    def play(self, state: State) -> Play:
        """Ask all raters at once."""
        asks = [
            Ask(
                key=state.key(n),
                to=rater,
                act="score",
                task=self.task,
                form=SCORES,
                about=(turn.key,),
                audience=(rater,),
                view=FAIR,
            )
            for n, (rater, turn) in enumerate(self._pairs(state), start=1)
        ]
        if asks:
            yield asks

    def _pairs(self, state: State) -> Iterator[tuple[str, Turn]]:
        """Who rates which turn: nobody its own, or one that it cannot see."""
        names = asked_names(state, ())
        newest = {turn.by: turn for turn in state.transcript.latest(*self.acts)}
        turns = [state.transcript.get(key) for key in state.focus] if self.live else [*newest.values()]
        for turn in [turn for turn in turns if turn.by in names]:
            index = names.index(turn.by)
            raters = self.by or (*names[index + 1 :], *names[:index])
            able = [name for name in raters if name != turn.by and state.transcript.sees(name, turn)]
            yield from ((name, turn) for name in (able[:1] if self.live and not self.by else able))


def live_scoring(brief: Brief) -> Phase:
    """The turns in the focus are rated by the mediator, else by the next debater who can see them."""
    return Score(by=brief.names("moderator")[:1], live=True)


def anonymous_scoring(brief: Brief) -> Phase:
    """Each debater rates the newest turn of each other, names hidden."""
    return Score(by=brief.names("debater"))


def reasoned_evaluation(brief: Brief) -> Phase:
    """The mediator, else each debater, says in words who argued how well."""
    by = brief.names("moderator")[:1]
    return Everyone(act="evaluate", task=EVALUATING, who=by, form=EVALUATION, view=LOG)
