"""Past debates whose right answer is known, as an evaluation: what one model, a vote or a gate would have said.

Nothing is asked again. The first answers are those on record: each alone is what one model would have said, their
plurality is a vote. A gate takes the vote where all first answers are alike, and
what was debated elsewhere. The costs are those of the calls for the first answers, and of all calls.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from folkmoot.app.evaluation.eval_plan import MARGINS
from folkmoot.app.evaluation.scores import EvalPlan, EvalResult, Measure, PlannedArm, Score, SeatScore, State
from folkmoot.app.plan.learning import owner_messages
from folkmoot.app.run.workspace import Workspace
from folkmoot.arguments.positions import AnswerGiven, answers_given
from folkmoot.core.decision import Decision
from folkmoot.core.errors import RecordError
from folkmoot.core.event import ASIDE, Called, Entry, Opened
from folkmoot.core.text import counted
from folkmoot.core.transcript import Transcript, fold
from folkmoot.learn.calibration import CLIP
from folkmoot.learn.forecast_scores import truth_of
from folkmoot.learn.lessons import is_right, notes, option_of, players
from folkmoot.learn.panels import Answers, credit, tops
from folkmoot.policy.rounds import THRESHOLD
from folkmoot.protocols.measured.forecast import kind_of, newest_forecasts
from folkmoot.record.listing import ListQuery
from folkmoot.record.store import digest
from folkmoot.report.conclusion import answer_in_words

DEBATE, VOTE, SINGLE, GATE = "debate", "vote", "one model", "gate"
ARMS: Final = (
    PlannedArm(name=DEBATE, kind="protocol", title="what was decided", is_debate=True),
    PlannedArm(name=VOTE, kind="sample", title="the vote over the first answers; of forecasts their mean"),
    PlannedArm(name=SINGLE, kind="single", title="one of the first answers, the mean over all"),
    PlannedArm(
        name=GATE,
        kind="protocol",
        title="the vote where all first answers are alike, forecasts at most 0.2 apart; else the debate",
    ),
)
RIGHT: Final = "right"
TOOL = "tool-"
LEVEL = 0.05
NAME = "past debates"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What calls cost: US dollars (None where a price is unknown), tokens in and out, and how many calls."""

    usd: float | None
    tokens: int
    calls: int
    estimated: bool = False

    def divided(self, by: int) -> "Cost":
        """The share of one of so many, whole numbers rounded up."""
        usd = None if self.usd is None else self.usd / by
        return Cost(usd=usd, tokens=math.ceil(self.tokens / by), calls=math.ceil(self.calls / by))


HALF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastScores:
    """What a probability was worth: the share of right sides, log loss and Brier score."""

    credit: float
    loss: float
    brier: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecasts:
    """The probabilities of a debate and what came true.

    Attributes:
        outcome: 1 or 0.
        before: the first forecast of each.
        after: the last forecast of each.
        decided: the mean that was decided; None for none.
        debated: whether anybody forecast again after having read others.
    """

    outcome: int
    before: Mapping[str, float]
    after: Mapping[str, float]
    decided: float | None
    debated: bool

    @property
    def close(self) -> bool:
        """Whether the first forecasts are no further apart than the threshold of a gate."""
        return max(self.before.values()) - min(self.before.values()) <= THRESHOLD + 1e-12

    @property
    def first_mean(self) -> float:
        """The mean of the first forecasts."""
        return math.fsum(self.before.values()) / len(self.before)

    def worth(self, probabilities: Sequence[float]) -> ForecastScores:
        """The mean scores of these probabilities; 0.5 is half right."""
        hits = [value if self.outcome else 1 - value for value in probabilities]
        n = len(hits)
        return ForecastScores(
            credit=math.fsum(0.5 if hit == HALF else hit > HALF for hit in hits) / n,
            loss=math.fsum(-math.log(min(max(hit, CLIP), 1 - CLIP)) for hit in hits) / n,
            brier=math.fsum((1 - hit) ** 2 for hit in hits) / n,
        )

    def right(self, probability: float | None) -> bool | None:
        """Whether a probability is on the right side; None for none."""
        return None if probability is None else (probability > HALF) == bool(self.outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class PastDebate:
    """A debate on record and its right answer.

    Attributes:
        debate: its id.
        truth: what was right.
        options: the closed set of answers; empty for none.
        answers: of each debater, oldest first.
        models: of each debater; "" for several or none.
        decision: what was decided; None for nothing.
        first: what the first answers cost.
        whole: what everything cost.
        forecasts: where it was about a probability, the forecasts in place of answers; None for answers.
    """

    debate: str
    truth: str
    options: tuple[str, ...]
    answers: Mapping[str, Sequence[AnswerGiven]]
    models: Mapping[str, str]
    decision: Decision | None
    first: Cost
    whole: Cost
    forecasts: Forecasts | None = None

    def right(self, answer: str) -> bool:
        """Whether an answer is the right one."""
        return is_right(answer, self.truth, self.options)

    def ballots(self) -> Answers:
        """The first answers as ballots: all right ones are one, others go by the option or the words."""
        return {
            name: RIGHT if self.right(items[0].answer) else self._ballot(items[0].answer)
            for name, items in self.answers.items()
        }

    def _ballot(self, answer: str) -> str:
        return f"wrong: {option_of(answer, self.options) or ' '.join(answer.casefold().split())}"

    @property
    def talked(self) -> bool:
        """Whether anybody answered again."""
        return self.forecasts.debated if self.forecasts else any(len(items) > 1 for items in self.answers.values())

    def first_and_last(self) -> dict[str, tuple[str, str, bool | None, bool | None]]:
        """The first and the last answer of each, and whether they were right."""
        if own := self.forecasts:
            return {
                debater: (f"{first:g}", f"{own.after[debater]:g}", own.right(first), own.right(own.after[debater]))
                for debater, first in own.before.items()
            }
        ends = {debater: (items[0].answer, items[-1].answer) for debater, items in self.answers.items()}
        return {debater: (first, last, self.right(first), self.right(last)) for debater, (first, last) in ends.items()}

    def decided(self) -> tuple[State, float, str | None]:
        """The state of the decision, its credit, and its words; a tie that holds the truth has a share of 1."""
        if self.decision is None or self.decision.status in ("failed", "no_decision"):
            return "failed", 0.0, None
        if self.decision.status == "tie":
            highest = max(self.decision.tally.values(), default=0.0)
            tied = [name for name, weight in self.decision.tally.items() if weight == highest]
            stood = [self.answers[name][-1].answer if name in self.answers else name for name in tied]
            return "tied", float(any(map(self.right, stood))) / max(len(tied), 1), None
        words = answer_in_words(self.decision)
        right = any(text and self.right(text) for text in (words, self.decision.winner))
        return "answered", float(right), words


async def read_past(workspace: Workspace, names: Sequence[str] = ()) -> EvalResult:
    """The debates whose right answer was recorded, as the result of an evaluation.

    Args:
        workspace: with the store.
        names: of debates; empty for all.

    Raises:
        RecordError: fewer than two debates have a right answer, or there is no such debate.
    """
    wanted = [await workspace.find(name) for name in names]
    if not wanted:
        listed = (await workspace.page(ListQuery())).debates
        wanted = [summary.debate for summary in reversed(listed) if summary.over and not summary.forked]
    debates = [past for debate in dict.fromkeys(wanted) if (past := await _read(workspace, debate)) is not None]
    if len(debates) < 2:
        many = f"of {counted(len(wanted), 'closed debate')}, {len(debates)} with a right answer and first answers"
        raise RecordError(f"{many}; a scoreboard needs at least 2: say what was right with folkmoot resolve")
    return as_result(debates)


async def _read(workspace: Workspace, debate: str) -> PastDebate | None:
    """A debate with its right answer; None if there is none, or nobody answered, or its owner had it forgotten."""
    known = notes(await owner_messages(workspace.store, debate, workspace.clock).read())
    entries = await workspace.entries(debate)
    transcript = fold(entries)
    if not known.truth or known.forgotten or transcript.closed is None:
        return None
    return past_debate(debate, entries, transcript, known.truth)


def past_debate(debate: str, entries: Sequence[Entry], transcript: Transcript, truth: str) -> PastDebate | None:
    """A closed debate and its right answer; None where no debater answered.

    Args:
        debate: its id.
        entries: its record.
        transcript: the same, folded.
        truth: the right answer.
    """
    opened = entries[0].event if entries else None
    if not isinstance(opened, Opened):
        return None
    forecasts, answers = read_forecasts(transcript, truth), answers_given(transcript)
    own = {name: answers[name] for name in opened.brief.names("debater") if name in answers}
    if not own and forecasts is None:
        return None
    calls = [entry.event for entry in entries if isinstance(entry.event, Called)]
    firsts = {items[0].key for items in own.values()}
    if forecasts:
        firsts = {turn.key for turn in transcript.turns("draft")}
    return PastDebate(
        debate=debate,
        truth=truth,
        options=opened.brief.options,
        answers=own,
        models=players(entries, transcript, opened.brief),
        decision=transcript.decision,
        first=_cost(call for call in calls if call.key in firsts),
        whole=_cost(calls),
        forecasts=forecasts,
    )


def _cost(calls: Iterator[Called] | Sequence[Called]) -> Cost:
    """What calls cost; uses of tools are no calls of models, but what they cost counts."""
    items = list(calls)
    prices = [call.usage.cost for call in items]
    known = [price for price in prices if price is not None]
    return Cost(
        usd=math.fsum(known) if len(known) == len(prices) else None,
        tokens=sum(call.usage.input_tokens + call.usage.output_tokens for call in items),
        calls=sum(not call.model.startswith(ASIDE) and not call.call.startswith(TOOL) for call in items),
        estimated=any(call.usage.estimated for call in items),
    )


def as_result(debates: Sequence[PastDebate]) -> EvalResult:
    """The result of an evaluation whose questions are debates."""
    scores = tuple(score for past in debates for score in _scores(past))
    paid = [past.whole.usd for past in debates if past.whole.usd is not None]
    score: Measure = "log_loss" if all(past.forecasts for past in debates) else "credit"
    plan = EvalPlan(
        name=NAME,
        arms=ARMS,
        score=score,
        currency="usd" if len(paid) == len(debates) and any(paid) else "tokens",
        margin=MARGINS[score],
        alpha=LEVEL,
        looks=(1.0,),
        epochs=1,
        planned=len(debates),
        questions_hash=digest("\n".join(past.debate for past in debates)),
        keys_hash=digest("\n".join(past.truth for past in debates)),
        prices_date="",
        seed=0,
    )
    return EvalResult(
        plan=plan,
        scores=scores,
        seats=tuple(seat for past in debates for seat in _seats(past)),
        paid_usd=math.fsum(paid) if len(paid) == len(debates) else None,
        paid_tokens=sum(past.whole.tokens for past in debates),
        paid_estimated=any(past.whole.estimated for past in debates),
    )


def _scores(past: PastDebate) -> Iterator[Score]:
    if past.forecasts:
        yield from _forecast_scores(past, past.forecasts)
        return
    ballots = past.ballots()
    leading = tops(ballots)
    alike = len(set(ballots.values())) == 1
    state, debate_credit, words = past.decided()
    debate = _score(past, DEBATE, past.whole, debate_credit)
    debate = replace(debate, state=state, answer=words, debated=past.talked)
    vote = _score(past, VOTE, past.first, credit(leading, RIGHT))
    vote = replace(vote, state="answered" if len(leading) == 1 else "tied")
    right = sum(ballot == RIGHT for ballot in ballots.values()) / len(ballots)
    yield debate
    yield vote
    yield _score(past, SINGLE, past.first.divided(len(ballots)), right)
    yield replace(vote if alike else debate, arm=GATE)


def _forecast_scores(past: PastDebate, forecasts: Forecasts) -> Iterator[Score]:
    """The rows of a forecast: as answers, a probability above one half is yes."""
    mean, decided = forecasts.first_mean, forecasts.decided
    vote = _forecast_score(past, VOTE, past.first, forecasts.worth([mean]), mean)
    if decided is None:
        debate = replace(_score(past, DEBATE, past.whole, 0.0), state="failed")
    else:
        debate = _forecast_score(past, DEBATE, past.whole, forecasts.worth([decided]), decided)
    debate = replace(debate, debated=past.talked)
    single = past.first.divided(len(forecasts.before))
    yield debate
    yield vote
    yield _forecast_score(past, SINGLE, single, forecasts.worth(list(forecasts.before.values())), None)
    yield replace(vote if forecasts.close else debate, arm=GATE)


def _forecast_score(past: PastDebate, arm: str, cost: Cost, worth: ForecastScores, probability: float | None) -> Score:
    answer = None if probability is None else f"{probability:g}"
    return replace(_score(past, arm, cost, worth.credit), loss=worth.loss, brier=worth.brier, answer=answer)


def _score(past: PastDebate, arm: str, cost: Cost, credit_: float) -> Score:
    return Score(
        question=past.debate,
        group=past.debate,
        arm=arm,
        epoch=1,
        answer=None,
        credit=credit_,
        loss=None,
        brier=None,
        usd=cost.usd,
        tokens=cost.tokens,
        calls=cost.calls,
        state="answered",
        debated=False,
        record=past.debate,
    )


def _seats(past: PastDebate) -> Iterator[SeatScore]:
    for name, (first, last, first_right, last_right) in past.first_and_last().items():
        seat = SeatScore(
            question=past.debate,
            group=past.debate,
            arm=DEBATE,
            epoch=1,
            seat=name,
            model=past.models.get(name, ""),
            first=first,
            last=last,
            first_right=first_right,
            last_right=last_right,
        )
        yield seat
        yield replace(seat, arm=VOTE, last=None, last_right=None)


# ---- debates that ended in a probability -----------------------------------------------------------------------------


def read_forecasts(transcript: Transcript, truth: str) -> Forecasts | None:
    """The probabilities of a debate; None where it has none, or what came true is neither yes nor no."""
    outcome = truth_of(truth, probability=True)
    if kind_of(transcript) != "probability" or outcome is None:
        return None
    first = {who: values[0] for who, values in newest_forecasts(transcript, "probability", acts=("draft",)).items()}
    last = {who: values[0] for who, values in newest_forecasts(transcript, "probability").items()}
    decision = transcript.decision
    decided = float(decision.text) if decision is not None and decision.status == "decided" else None
    if not first:
        return None
    last = {who: last[who] for who in first}
    again = bool(transcript.turns("revise"))
    return Forecasts(outcome=int(outcome), before=first, after=last, decided=decided, debated=again)
