"""Reflection: one participant writes, another reviews, until a review reaches the required score.

The reviewer sees only the newest text, without its author and without earlier reviews, so that scores are independent.
A later text can be worse than an earlier one, so the best one is kept, not the last.
"""

from dataclasses import dataclass

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import RECORDED_ROUNDS, View
from folkmoot.core.decision import Decision
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Entered, Ruled
from folkmoot.core.transcript import Transcript, Turn, read_field
from folkmoot.phases.base import Play, State

WRITING = "Do the task that the topic states. Give the result in full and nothing else."
# Without leave to decline, models give way to every point, also to wrong ones.
IMPROVING = (
    "Above are your text, which is Proposal A, and what a reviewer says against it. Take up what is right and leave "
    "what is wrong. Write the text anew, in full, and nothing else."
)
# A reviewer who names no place says nothing that can be mended; one who begins with the score argues for it.
REVIEWING = (
    "Above is a text that was written for the task which the topic states. Review it by the task alone; neither length "
    "nor style counts unless the task asks for it. For each weakness name the place and say what would mend it. Then "
    "give the score."
)
REVIEWED = Form(
    name="review",
    fields=(
        Field(name="FEEDBACK", help="each weakness: where it is, and what would fix it; NONE if there is none"),
        Field(name="SCORE", kind="number", low=0, high=10, help="0 misses the task, 10 could not be better"),
    ),
)
SCORE = "SCORE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """A text is written, reviewed and written anew, until its score is high enough or the rounds are used up.

    A text that got no review is put to the reviewer again before another is written.

    Attributes:
        writer: who writes.
        reviewer: who reviews.
        most: the greatest number of rounds, from 1.
        threshold: the score, 0 to 10, at which a text is accepted.
        write: the question for the first text.
        improve: the question for every later one.
        review: the question for a review.
        form: the fields of a review.
        name: what it is called in paths.
    """

    writer: str
    reviewer: str
    most: int = 3
    threshold: float = 8.0
    write: str = WRITING
    improve: str = IMPROVING
    review: str = REVIEWING
    form: Form = REVIEWED
    name: str = "reflection"

    def __post_init__(self) -> None:
        if not 1 <= self.most <= RECORDED_ROUNDS:
            raise ProtocolError(f"rounds: {self.most} is not a number from 1 to {RECORDED_ROUNDS}", about="rounds")

    def play(self, state: State) -> Play:
        """Play the rounds, then take the best text over."""
        for n in range(1, self.most + 1):
            round_state = state.at(f"round-{n}")
            yield Entered(path=round_state.path)
            text = self._text(state)
            if text is None or self._review(state, text):
                yield [self._ask_writer(round_state, text)]
            text = self._text(state)
            if text is not None and self._review(state, text) is None:
                yield [self._ask_reviewer(round_state, text)]
            if (score := self._best_text(state)[1]) is not None and score >= self.threshold:
                break
        yield Ruled(decision=self._decide(state))

    def _text(self, state: State) -> Turn | None:
        return state.transcript.last(self.writer, "draft", "revise", under=state.path)

    def _review(self, state: State, text: Turn) -> Turn | None:
        return review_of(state.transcript, text)

    def _ask_writer(self, here: State, text: Turn | None) -> Ask:
        review = self._review(here, text) if text else None
        about = tuple(turn.key for turn in (text, review) if turn)
        act, task = ("revise", self.improve) if text else ("draft", self.write)
        view = View(last=0, anonymous=True)
        return Ask(key=here.key(1), to=self.writer, act=act, task=task, about=about, view=view)

    def _ask_reviewer(self, here: State, text: Turn) -> Ask:
        return Ask(
            key=here.key(2),
            to=self.reviewer,
            act="critique",
            task=self.review,
            form=self.form,
            about=(text.key,),
            view=View(last=0, anonymous=True),
        )

    def _best_text(self, state: State) -> tuple[Turn | None, float | None]:
        """The text with the highest score, of equal ones the newest; without any score the newest text."""
        texts = state.transcript.turns("draft", "revise", by=self.writer, under=state.path)
        scored = [(score, n) for n, turn in enumerate(texts) if (score := score_of(state.transcript, turn)) is not None]
        if scored:
            score, n = max(scored)
            return texts[n], score
        return (texts[-1] if texts else None), None

    def _decide(self, state: State) -> Decision:
        text, score = self._best_text(state)
        if text is None:
            return Decision(status="no_decision", rule="review", how=f"{self.writer} gave no text")
        if score is None:
            how = f"no score of {self.reviewer}'s could be read; the newest text is kept"
            return Decision(status="no_decision", text=text.text, rule="review", how=how)
        counted = f"{self.reviewer} gives the text of round {text.round} {score:g} of 10; {self.threshold:g} accept it"
        reached = score >= self.threshold
        return Decision(
            status="decided" if reached else "no_decision",
            winner=self.writer if reached else "",
            text=text.text,
            rule="review",
            how=counted if reached else f"{counted}: the best text is kept: the rounds were used up",
        )


def review_of(transcript: Transcript, text: Turn) -> Turn | None:
    """The review of a text; None if there is none."""
    return next((turn for turn in transcript.turns("critique") if text.key in turn.about), None)


def score_of(transcript: Transcript, text: Turn) -> float | None:
    """The score of a text, 0 to 10; None if there is none that could be read."""
    review = review_of(transcript, text)
    value = read_field(review, SCORE) if review else None
    return float(value) if isinstance(value, int | float) else None
