"""Past debates whose right answer is known, as an evaluation: what one model, a vote or a gate would have said.

Nothing is asked again. The first answers are those on record: each alone is what one model would have said, and counted
they are a vote. A gate takes the vote where all first answers are alike, and what was debated elsewhere. The costs are
those of the calls for the first answers, and of all calls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from folkmoot.app.evaluation.arms import Arm
from folkmoot.app.evaluation.eval_plan import MARGINS
from folkmoot.app.evaluation.grading import Grader, rows_of, seats_of
from folkmoot.app.evaluation.responses import Block, Parts, counted, debated_of, drafts_of, exact_sum
from folkmoot.app.evaluation.scores import EvalPlan, EvalResult, Measure
from folkmoot.app.plan.learning import owner_messages
from folkmoot.app.questions.data_sets import Key, Question
from folkmoot.app.run.workspace import Workspace
from folkmoot.core import text
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Called, Entry, Opened
from folkmoot.core.transcript import fold
from folkmoot.learn.forecast_scores import truth_of
from folkmoot.learn.lessons import is_right, notes
from folkmoot.policy.rounds import THRESHOLD
from folkmoot.protocols.measured.forecast import kind_of
from folkmoot.record.listing import ListQuery
from folkmoot.record.store import digest

DEBATE, VOTE, SINGLE, GATE = "debate", "vote", "one model", "gate"
ARMS: Final = (
    Arm(name=DEBATE, kind="debate", title="what was decided"),
    Arm(name=VOTE, kind="sample", title="the vote over the first answers; of forecasts their mean"),
    Arm(name=SINGLE, kind="single", title="one of the first answers, the mean over all"),
    Arm(
        name=GATE,
        kind="adaptive",
        title="the vote where all first answers are alike, forecasts at most 0.2 apart; else the debate",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PastDebate:
    """A debate on record as a question of an evaluation, with its right answer and what was paid for it."""

    block: Block
    key: Key
    paid: Sequence[Called]

    def answered(self, arm: str) -> Parts:
        """What an arm would have answered."""
        question, drafts = self.block.question, self.block.drafts
        debate, vote = self.block.debates[DEBATE][0], counted(question, drafts)
        if arm == SINGLE:
            return [(1 / len(drafts), counted(question, [draft])) for draft in drafts]
        if arm == GATE:
            return [(1.0, vote if self._is_agreed() else debate)]
        return [(1.0, debate if arm == DEBATE else vote)]

    def _is_agreed(self) -> bool:
        """Whether a gate would have asked for no debate."""
        drafts = self.block.drafts
        if self.block.question.kind == "probability":
            said = [float(draft.answer) for draft in drafts if draft.answer is not None]
            return max(said, default=1.0) - min(said, default=0.0) <= THRESHOLD + 1e-12
        return len({draft.form for draft in drafts}) == 1

    def marks(self) -> dict[tuple[str, str], float]:
        """The credit of each of its answers, by the words of whoever said what was right."""
        question = self.block.question
        seats = [seat for debate in self.block.debates[DEBATE] for seat in debate.seats]
        said = {answer for seat in seats for answer in (seat.first, seat.last) if answer is not None}
        said |= {answer for arm in ARMS for _, response in self.answered(arm.name) for answer in response.answers}
        return {(question.id, answer): is_right(answer, self.key.truth, question.options) for answer in said}


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
    debates: list[PastDebate] = []
    for debate in dict.fromkeys(wanted):
        known = notes(await owner_messages(workspace.store, debate, workspace.clock).read())
        past = past_debate(debate, await workspace.entries(debate), known.truth)
        if known.truth and not known.forgotten and past:
            debates.append(past)
    if len(debates) < 2:
        many = f"of {text.counted(len(wanted), 'closed debate')}, {len(debates)} with a right answer and first answers"
        raise RecordError(f"{many}; a scoreboard needs at least 2: say what was right with folkmoot resolve")
    return as_result(debates)


def past_debate(debate: str, entries: Sequence[Entry], truth: str) -> PastDebate | None:
    """A closed debate and its right answer; None where it is open, or nobody gave a first answer.

    Args:
        debate: its id.
        entries: its record.
        truth: the right answer.
    """
    transcript, opened = fold(entries), entries[0].event if entries else None
    if not isinstance(opened, Opened) or transcript.closed is None:
        return None
    options, outcome = opened.brief.options, truth_of(truth, probability=True)
    is_forecast = kind_of(transcript) == "probability" and outcome is not None
    question = Question(
        id=debate,
        input=opened.brief.topic,
        kind="probability" if is_forecast else "option" if options else "text",
        options=options,
    )
    block = Block(question=question, epoch=1, rounds=[debate], drafts=drafts_of(question, entries))
    block.debates[DEBATE] = [debated_of(question, entries)]
    if all(draft.answer is None for draft in block.drafts):
        return None
    key = Key(id=debate, truth=f"{outcome:g}" if is_forecast and outcome is not None else truth)
    paid = [entry.event for entry in entries if isinstance(entry.event, Called)]
    return PastDebate(block=block, key=key, paid=paid)


def as_result(debates: Sequence[PastDebate]) -> EvalResult:
    """The result of an evaluation whose questions are debates."""
    blocks, grader = [past.block for past in debates], Grader([past.key for past in debates])
    grader.marks = {name: credit for past in debates for name, credit in past.marks().items()}
    used = [called.usage for past in debates for called in past.paid]
    paid = exact_sum([usage.cost for usage in used])
    score: Measure = "log_loss" if all(block.question.kind == "probability" for block in blocks) else "credit"
    plan = EvalPlan(
        name="past debates",
        arms=ARMS,
        score=score,
        currency="usd" if paid else "tokens",
        margin=MARGINS[score],
        alpha=0.05,
        looks=(1.0,),
        epochs=1,
        planned=len(debates),
        questions_hash=digest("\n".join(past.key.id for past in debates)),
        keys_hash=digest("\n".join(past.key.truth for past in debates)),
        prices_date="",
        seed=0,
    )
    answered = {arm.name: [past.answered(arm.name) for past in debates] for arm in ARMS}
    return EvalResult(
        plan=plan,
        scores=tuple(row for name, parts in answered.items() for row in rows_of(name, blocks, parts, grader)),
        seats=tuple(seats_of(blocks, grader)),
        paid_usd=paid,
        paid_tokens=sum(usage.input_tokens + usage.output_tokens for usage in used),
        paid_estimated=any(usage.estimated for usage in used),
    )
