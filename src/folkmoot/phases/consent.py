"""Consent: all agree to one text, or it is amended and put to them again.

This is no vote: what counts is whether anybody objects, not which side has more support.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import View
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.event import Ruled
from folkmoot.core.transcript import Turn, read_field
from folkmoot.phases.base import Play, State
from folkmoot.phases.speak import asked_names
from folkmoot.phases.verdict import other_answers
from folkmoot.phases.vote import candidates
from folkmoot.policy.rules import strength

ANSWERS = ("ACCEPT", "ACCEPT_WITH_RESERVATION", "REJECT")
CONSENT = Form(
    name="consent",
    fields=(
        Field(name="REASON", help="what you object to or would change, in a sentence or two"),
        Field(name="CONSENT", kind="choice", choices=ANSWERS),
    ),
)
"""A debater's answer to a text proposed to all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """Every debater accepts or rejects the newest text of a mediator; it is adopted if nobody rejects it.

    More than half of the debaters must have answered.

    Attributes:
        acts: the acts whose newest turns hold the perspectives that are kept where the text does not stand.
        task: what to do.
        act: the mediator's act.
        field: the field that holds the text.
        name: what it is called in paths.
    """

    acts: tuple[str, ...]
    task: str
    act: str = "moderate"
    field: str = "PROPOSAL"
    name: str = "consent"

    def play(self, state: State) -> Play:
        """Ask all debaters at once."""
        drafts = state.transcript.turns(self.act)
        text = read_field(drafts[-1], self.field) if drafts else None
        groups = candidates(state.transcript, self.acts, latest=True)
        none = Decision(status="no_decision", rule=self.name, minority=other_answers(groups))
        if text is None:
            yield Ruled(decision=replace(none, how="there is no text to consent to"))
            return
        names = [name for name in asked_names(state, ()) if state.transcript.sees(name, drafts[-1])]
        asks = [self._ask(state.key(n), name, drafts[-1]) for n, name in enumerate(names, start=1)]
        yield asks
        answers = {ask.to: _answer(state.transcript.get(ask.key)) for ask in asks}
        unasked = Ballot(voter="", state="missing", reason="the text is hidden from this debater")
        ballots = [answers.get(name, replace(unasked, voter=name)) for name in asked_names(state, ())]
        yield Ruled(decision=self._decide(none, ballots, str(text)))

    def _ask(self, key: str, name: str, draft: Turn) -> Ask:
        return Ask(
            key=key,
            to=name,
            act="consent",
            task=self.task,
            form=CONSENT,
            about=(draft.key,),
            audience=(name,),
            view=View(numbered=True),
        )

    def _decide(self, none: Decision, ballots: Sequence[Ballot], text: str) -> Decision:
        cast = [ballot for ballot in ballots if ballot.state == "cast"]
        against = [ballot for ballot in cast if ballot.choice == "REJECT"]
        accept = [ballot.voter for ballot in cast if ballot.choice != "REJECT"]
        counted = replace(
            none,
            ballots=tuple(ballots),
            tally={choice: float(sum(ballot.choice == choice for ballot in cast)) for choice in ANSWERS},
            share=len(accept) / len(cast) if cast else 0.0,
            dissent=tuple(f"{ballot.voter}: {ballot.reason or 'no reason given'}" for ballot in against),
        )
        if 2 * len(cast) <= len(ballots):
            return replace(counted, how=f"no quorum: {len(cast)} of {len(ballots)} answers could be read")
        if against:
            return replace(counted, how=f"{len(against)} of {len(cast)} reject the text")
        return replace(
            counted,
            status="decided",
            text=text,
            support=tuple(accept),
            strength=strength(Fraction(len(accept), len(ballots))),
            how=f"nobody of {len(cast)} rejects the text",
        )


def _answer(turn: Turn) -> Ballot:
    """What a debater says to the text."""
    ballot = Ballot(voter=turn.by, state="missing", reason=turn.failure)
    if turn.reply is None:
        return ballot
    choice, reason = read_field(turn, "CONSENT"), read_field(turn, "REASON")
    if choice is None:
        return replace(ballot, state="unread", reason=turn.why_unread)
    return replace(ballot, state="cast", choice=str(choice), reason=str(reason or ""))
