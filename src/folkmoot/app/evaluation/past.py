"""Past debates whose right answer is known, as an evaluation: what one model, a vote or a gate would have said.

Nothing is asked again. The first answers are those on record: each alone is what one model would have said, and counted
they are a vote. A gate takes the vote where all first answers are alike, and what was debated elsewhere. The costs are
those of the calls for the first answers, and of all calls.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from folkmoot.app.evaluation.grading import Grader, answers_to_grade, result_of
from folkmoot.app.evaluation.plan import MARGINS
from folkmoot.app.evaluation.questions import Key, Question
from folkmoot.app.evaluation.responses import Block, Parts, counted, debated_of, drafts_of, exact_sum, form_of
from folkmoot.app.evaluation.scores import EvalPlan, EvalResult
from folkmoot.app.evaluation.setup import Arm, Measure
from folkmoot.app.plan.learning import owner_messages
from folkmoot.app.run.workspace import Workspace
from folkmoot.core import text
from folkmoot.core.ask import Usage
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
    """A debate on record as a question of an evaluation, with its right answer and what was used for it."""

    block: Block
    key: Key
    used: Sequence[Usage]


def _answered(block: Block) -> Mapping[str, Parts]:
    """What each arm would have answered."""
    question, drafts = block.question, block.drafts
    debate, vote = block.debates[DEBATE][0], counted(question, drafts)
    agreed = len({form_of(question, draft.answer) for draft in drafts}) == 1
    if question.kind == "probability":
        said = [float(draft.answer) for draft in drafts if draft.answer is not None]
        agreed = max(said, default=1.0) - min(said, default=0.0) <= THRESHOLD + 1e-12
    return {
        DEBATE: [(1.0, debate)],
        VOTE: [(1.0, vote)],
        SINGLE: [(1 / len(drafts), counted(question, [draft])) for draft in drafts],
        GATE: [(1.0, vote if agreed else debate)],
    }


async def read_past(workspace: Workspace, names: Sequence[str] = ()) -> EvalResult:
    """The debates whose right answer was recorded, as the result of an evaluation; without names, all of them.

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
        past = _past_debate(debate, await workspace.entries(debate), known.truth)
        if known.truth and not known.forgotten and past:
            debates.append(past)
    if len(debates) < 2:
        many = f"of {text.counted(len(wanted), 'closed debate')}, {len(debates)} with a right answer and first answers"
        raise RecordError(f"{many}; a scoreboard needs at least 2: say what was right with folkmoot learn resolve")
    return as_result(debates)


def _past_debate(debate: str, entries: Sequence[Entry], truth: str) -> PastDebate | None:
    """A closed debate and its right answer; None where it is open, or nobody gave a first answer."""
    transcript, opened = fold(entries), entries[0].event if entries else None
    if not isinstance(opened, Opened) or transcript.closed is None:
        return None
    options, outcome = opened.brief.options, truth_of(truth, probability=True)
    is_forecast = kind_of(transcript) == "probability" and outcome is not None
    kind = "probability" if is_forecast else "option" if options else "text"
    question = Question(id=debate, input=opened.brief.topic, kind=kind, options=options)
    block = Block(question=question, epoch=1, rounds=[debate], drafts=drafts_of(question, entries))
    block.debates[DEBATE] = [debated_of(question, entries)]
    if all(draft.answer is None for draft in block.drafts):
        return None
    key = Key(id=debate, truth=f"{outcome:g}" if is_forecast and outcome is not None else truth)
    used = [entry.event.usage for entry in entries if isinstance(entry.event, Called)]
    return PastDebate(block=block, key=key, used=used)


def as_result(debates: Sequence[PastDebate]) -> EvalResult:
    """The result of an evaluation whose questions are debates."""
    blocks, keys = [past.block for past in debates], {past.key.id: past.key for past in debates}
    used = [usage for past in debates for usage in past.used]
    answers = [_answered(block) for block in blocks]
    answered = {arm.name: [own[arm.name] for own in answers] for arm in ARMS}
    grader = Grader(list(keys.values()))
    grader.marks = {  # by the words of whoever said what was right
        (question.id, answer): float(is_right(answer, keys[question.id].truth, question.options))
        for question, answer in answers_to_grade(blocks, answered)
    }
    score: Measure = "log_loss" if all(block.question.kind == "probability" for block in blocks) else "credit"
    plan = EvalPlan(
        name="past debates",
        questions="",
        models=(),
        arm=ARMS,
        score=score,
        currency="usd" if exact_sum([usage.cost for usage in used]) else "tokens",
        margin=MARGINS[score],
        planned=len(debates),
        questions_hash=digest("\n".join(keys)),
        keys_hash=digest("\n".join(key.truth for key in keys.values())),
        prices_date="",
    )
    return result_of(plan, blocks, answered, grader, used)
