"""The protocol ``chaired``: answers, rankings without names, and a synthesis by the chair.

All answer alone, each ranks the answers of the others, and the chair writes one answer from all of them and says what
it took from each. The chair sees letters; the record keeps whose they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.event import Ruled
from folkmoot.core.text import clip, listed
from folkmoot.core.transcript import Turn, read_field
from folkmoot.phases import base
from folkmoot.phases.base import Phase, Play, State
from folkmoot.phases.choices import Choices
from folkmoot.phases.endings import mediator
from folkmoot.phases.ranked_vote import Ranking, newest_answers, rankings
from folkmoot.phases.speak import Everyone, draft
from folkmoot.phases.verdict import other_answers
from folkmoot.phases.vote import labels, visible_turns
from folkmoot.policy.rankings import Ranked

ACTS = ("draft",)
"""The acts that hold the answers."""

FIRST = "Answer the question on your own, from what you know and from the background."

# A chair that is only asked for the best answer copies one; one that is only asked for a summary decides nothing.
SYNTHESIS = (
    "Above are all answers, without names. {ranking} Write the best answer that can be made of them: decide where "
    "they differ, and follow reasons, not the ranking alone. Then say for each what you took from it, and what you "
    "left out of all."
)
TAKEN = "TAKEN FROM {label}"
"""The field for what was taken from the answer under a label."""

NOTHING = ("none", "nothing", "n/a", "-", "–")
"""What stands there where nothing was taken."""

RULE = "synthesis"
LONG = 200
"""The most characters of what was taken from one that the decision repeats."""


def chaired(brief: Brief, choices: Choices) -> Phase:
    """Independent answers; each ranks the others' answers, authors hidden; the chair writes a synthesis of them all.

    The moderator is the chair. It is shown the rankings put together, and says what it took from which answer; the
    synthesis is the decision.
    """
    choices.no_turn_mode("chaired")
    by = mediator(brief, "chaired")
    drafts = Everyone(act="draft", task=FIRST, form=draft(brief.options), view=View(last=0), needs=1)
    synthesis = Synthesis(by=by, acts=ACTS, options=brief.options)
    return base.Sequence(parts=(drafts, Ranking(acts=ACTS), synthesis))


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesis:
    """A chair writes one answer out of all, and names what it took from whom.

    Attributes:
        by: the chair's name.
        acts: the acts that are answers.
        options: the closed set of answers, of which the chair names one; () for none.
        task: what to do; ``{ranking}`` is replaced by the rankings put together.
        name: what it is called in paths.
    """

    by: str
    acts: tuple[str, ...]
    options: tuple[str, ...] = ()
    task: str = SYNTHESIS
    name: str = "synthesis"

    def play(self, state: State) -> Play:
        """Ask the chair, and take its answer over."""
        answers = newest_answers(state.transcript, self.acts)
        shown = list(visible_turns(state, self.by, {name: (turn,) for name, turn in answers.items()}))
        ranked = Ranked(method="borda").decide(rankings(state), tuple(answers))
        all_ = other_answers({name: (turn,) for name, turn in answers.items()})
        base = Decision(status="no_decision", rule=RULE, tally=ranked.tally, ballots=ranked.ballots, minority=all_)
        if not shown:
            yield Ruled(decision=replace(base, how=f"{self.by} has no answer to draw on"))
            return
        state.chance("order").shuffle(shown)
        yield [self._ask(state, [answers[name] for name in shown], ranked)]
        yield Ruled(decision=self._decide(state.transcript.get(state.key(1)), base, shown, answers))

    def _ask(self, state: State, laid: Sequence[Turn], ranked: Decision) -> Ask:
        sees = state.transcript.sees
        listeners = tuple(
            participant.name
            for participant in state.brief.participants
            if all(sees(participant.name, turn) for turn in laid)
        )
        names = dict(zip((turn.by for turn in laid), labels(len(laid)), strict=True))
        return Ask(
            key=state.key(1),
            to=self.by,
            act="synthesize",
            task=self.task.replace("{ranking}", _ranking_in_words(ranked, names)),
            form=_form(tuple(names.values()), self.options),
            about=tuple(turn.key for turn in laid),
            # Who cannot see an answer must not read its content in the synthesis.
            audience=() if len(listeners) == len(state.brief.participants) else listeners,
            view=View(last=0, anonymous=True),
        )

    def _decide(self, turn: Turn, none: Decision, shown: Sequence[str], answers: Mapping[str, Turn]) -> Decision:
        if turn.reply is None:
            return replace(none, how=f"{self.by} gave no answer")
        text, answer = read_field(turn, "SYNTHESIS"), read_field(turn, "ANSWER")
        lacking = [
            name for name, value in (("SYNTHESIS", text), ("ANSWER", answer if self.options else "")) if value is None
        ]
        if lacking:
            return replace(none, how=f"{self.by}'s {lacking[0]} could not be read")
        adopted = _taken_answers(turn, shown)
        rest = {name: (turn,) for name, turn in answers.items() if name not in adopted}
        return replace(
            none,
            status="decided",
            winner=str(answer) if self.options else "",
            text=str(answer) if self.options else str(text),
            argument=str(text) if self.options else "",
            support=tuple(adopted),
            how=_decision_reason(
                self.by, adopted, _unmentioned_authors(turn, shown), str(read_field(turn, "LEFT OUT") or "")
            ),
            minority=other_answers(rest),
        )


def _form(names: Sequence[str], options: tuple[str, ...]) -> Form:
    closed = (Field(name="ANSWER", kind="choice", choices=options),) if options else ()
    adopted = [
        Field(name=TAKEN.format(label=label), help=f"what you took from {label}, and why; NONE if nothing")
        for label in names
    ]
    text = Field(name="SYNTHESIS", help="the answer, complete in itself, with its reasons")
    left = Field(name="LEFT OUT", help="what you left out of the answers, and why")
    return Form(name="synthesis", fields=(text, *adopted, left, *closed))


def _ranking_in_words(ranked: Decision, names: Mapping[str, str]) -> str:
    """The rankings put together, under the labels, the best first."""
    cast = [ballot for ballot in ranked.ballots if ballot.state == "cast"]
    if not cast:
        return "Nobody has ranked them."
    order = sorted(names, key=lambda name: (-ranked.tally[name], names[name]))
    places = ", ".join(f"{names[name]} {ranked.tally[name]:g}" for name in order)
    return f"They were ranked without names, nobody's own by itself, {_count(cast)}; the points (Borda): {places}."


def _count(cast: Sequence[Ballot]) -> str:
    return f"{len(cast)} ranking{'s' if len(cast) > 1 else ''} in all"


def _taken_answers(turn: Turn, shown: Sequence[str]) -> dict[str, str]:
    """What the synthesis took from each author, by name; only authors from whom it took something."""
    answers: dict[str, str] = {}
    for name, label in zip(shown, labels(len(shown)), strict=True):
        value = str(read_field(turn, TAKEN.format(label=label)) or "").strip()
        if value and value.rstrip(".").casefold() not in NOTHING:
            answers[name] = value
    return answers


def _unmentioned_authors(turn: Turn, shown: Sequence[str]) -> list[str]:
    """From whom the chair does not say what it took, be it nothing, although it was asked again for that."""
    under = zip(shown, labels(len(shown)), strict=True)
    return [name for name, label in under if read_field(turn, TAKEN.format(label=label)) is None]


def _decision_reason(by: str, adopted: Mapping[str, str], unsaid: Sequence[str], left: str) -> str:
    summaries = [f"from {name}: {clip(' '.join(words.split()), LONG)}" for name, words in adopted.items()]
    summaries += [f"it does not say what it took from {listed(unsaid)}"] if unsaid else []
    rest = [f"left out: {clip(' '.join(left.split()), LONG)}"] if left else []
    return "; ".join([f"{by} wrote the synthesis", *(summaries or ["it names nothing that it took"]), *rest])
