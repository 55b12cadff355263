"""The format ``socratic``: one participant asks questions, the others answer.

The first debater in the brief is the questioner, all others are respondents. The respondents state their theses in
parallel, so that none depends on another. In each round the questioner asks each respondent one question in turn and
hears the answer before the next question. Each round begins with the next respondent, because the last one to answer
has heard most.
"""

from dataclasses import dataclass, replace

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.event import Halted
from folkmoot.core.transcript import TARGET, Turn
from folkmoot.phases.base import ROOT, Phase, Play, Rounds, Sequence, State
from folkmoot.phases.choices import Choices, until
from folkmoot.phases.endings import LOG, ending
from folkmoot.phases.speak import Everyone, check_names, linked, speech

STATEMENTS = ("open", "answer")
"""The acts of a respondent that are examined."""

# A thesis that can be tested says what would refute it; else the questioner spends a round to find that out.
THESIS = "State your thesis on the topic, your main reasons, and what would refute it."

# One question, because of several the respondent would answer the easiest; and no view of the questioner's own,
# because an examination shows what follows from what the respondent already holds.
QUESTION_TASK = (
    "Round {round}: you examine {name}. Above is what {name} said last. Ask ONE question, on the point on which most "
    "of it depends. Do not argue, and do not answer it yourself."
)

# Where the thesis failed or is hidden there is nothing to test yet.
UNHEARD = "Round {round}: you examine {name}, of whom you have heard nothing yet. Ask what {name} thinks, and why."

# The direct answer comes first: models like to restate their case instead. A change of mind is offered as an equal.
ANSWER_TASK = (
    "Round {round}: {name} asks you the question above. First answer just that, directly. Then say what follows for "
    "your thesis: keep it, narrow it, or give it up."
)

QUESTION = Form(
    name="question",
    fields=(
        Field(name=TARGET, kind="choice", required=False, help="the turn that you ask about"),
        Field(
            name="AIM",
            kind="choice",
            choices=("CLARIFY", "PROBE_ASSUMPTION", "PROBE_EVIDENCE", "PROBE_CONSEQUENCE", "COUNTEREXAMPLE"),
            required=False,
            help="what the question tests",
        ),
        Field(name="QUESTION", help="your one question"),
    ),
)
"""What the questioner gives."""

CONCEDES = Field(
    name="CONCEDES",
    kind="choice",
    choices=("YES", "PARTLY", "NO"),
    required=False,
    help="whether the question shows a fault in what you said",
)


def answer_form(options: tuple[str, ...]) -> Form:
    """What a respondent gives: a speech that also says whether the question struck home."""
    *link, argument, claim, position = speech(options).fields
    direct = replace(argument, help="your direct answer to the question, then what follows for your thesis")
    return Form(name="answer", fields=(*link, direct, CONCEDES, claim, position))


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """One asks, each of the others answers in turn. A question that failed is not answered.

    Attributes:
        by: the name of the questioner.
        who: the names of the respondents; each round begins one further on.
        form: the fields that an answer must have.
        question: the fields that a question must have.
        task: what the questioner is to do; ``{name}`` is replaced by the respondent, ``{round}`` by the round.
        unheard: the same where there is no statement of the respondent that the questioner may see.
        reply: what the respondent is to do; ``{name}`` is replaced by the questioner.
        view: which turns of the log go along.
        name: what it is called in paths.
    """

    by: str
    who: tuple[str, ...]
    form: Form
    question: Form = QUESTION
    task: str = QUESTION_TASK
    unheard: str = UNHEARD
    reply: str = ANSWER_TASK
    view: View = LOG
    name: str = "examination"

    def play(self, state: State) -> Play:
        """Examine all, one after the other."""
        start = (max(state.round, 1) - 1) % len(self.who)
        keys: list[str] = []
        for name in (*self.who[start:], *self.who[:start]):
            keys.append(state.key(len(keys) + 1))
            yield [self._question(state, keys[-1], name)]
            answer = state.transcript.get(keys[-1])
            if answer.reply and state.transcript.sees(name, answer):
                keys.append(state.key(len(keys) + 1))
                yield [self._answer(state, keys[-1], name, answer)]
        if not any(state.transcript.get(key).reply for key in keys):
            yield Halted(path=ROOT, reason=f"none of {len(keys)} answered")

    def _question(self, state: State, key: str, name: str) -> Ask:
        statements = [
            turn for turn in state.transcript.turns(*STATEMENTS, by=name) if state.transcript.sees(self.by, turn)
        ]
        # Only the one who is examined can be asked about, but an older statement may be held against the newest.
        others = tuple(participant.name for participant in state.brief.participants if participant.name != name)
        task = self.task if statements else self.unheard
        return Ask(
            key=key,
            to=self.by,
            act="question",
            task=_filled_task(task, state, name),
            form=linked(self.question, state, self.by, replace(self.view, hide=(*self.view.hide, *others))),
            about=tuple(turn.key for turn in statements[-1:]),
            view=self.view,
        )

    def _answer(self, state: State, key: str, name: str, question: Turn) -> Ask:
        return Ask(
            key=key,
            to=name,
            act="answer",
            task=_filled_task(self.reply, state, self.by),
            form=linked(self.form, state, name, self.view),
            about=(question.key,),
            view=self.view,
        )


def _filled_task(task: str, state: State, name: str) -> str:
    return task.replace("{round}", str(state.round)).replace("{name}", name)


def socratic(brief: Brief, choices: Choices) -> Phase:
    """Theses; in each round the first debater questions each of the others, who answers; then the ending.

    The first debater states no thesis. By default the ending is the mediator's verdict, without one a vote.
    """
    names = brief.names("debater")
    check_names(names)
    choices.no_turn_mode("socratic")
    by, *answerers = names
    opening = Everyone(act="open", task=THESIS, who=tuple(answerers), form=speech(brief.options), view=View(last=0))
    examination = Examination(by=by, who=tuple(answerers), form=answer_form(brief.options))
    rounds = Rounds(each=examination, most=choices.at_least_one("socratic", 3), until=until(choices))
    return Sequence(parts=(opening, rounds, *ending(brief, choices)))
