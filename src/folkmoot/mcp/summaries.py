"""Summaries of debates for MCP tools: status, decision, turns, votes, and what to do next."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from folkmoot.app.plan.next_steps import next_steps
from folkmoot.app.run.access import claimed
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.people import allowed_values
from folkmoot.app.run.record_reader import OpenQuestion, open_asks
from folkmoot.app.serve.answer_types import FormField
from folkmoot.app.serve.entry_view import EntryView, TurnView
from folkmoot.app.serve.settle import unanswered
from folkmoot.app.serve.view_model import entry_views
from folkmoot.app.serve.visibility import visible_entries
from folkmoot.core.decision import LiveStatus, Minority
from folkmoot.core.event import Entry
from folkmoot.core.labels import act_of, noun
from folkmoot.core.text import clean, clip, listed
from folkmoot.core.transcript import Transcript, fold
from folkmoot.mcp.clients import Client
from folkmoot.mcp.tool_results import AwaitedPersonResult, LosingAnswer, Memo, StateResult, TurnResult, Vote
from folkmoot.report.conclusion import BALLOT_STATES, OutcomeView, cautions, conclusion, outcome_view
from folkmoot.report.turn_text import Choice

_PICTURE = re.compile(r"<(?=(?:img|image|picture|source|svg|video|audio|iframe|embed|object|link)\b)", re.IGNORECASE)
"""The start of an HTML tag that would make a screen fetch something."""

MOST_WORDS = 30_000
"""The most characters of turns in one result; agents accept little more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The current state of a debate.

    Attributes:
        entries: its record; empty while its participants are being generated, or if that failed.
        transcript: the transcript of the record.
        outcome: how it stands by its record.
        status: the same, with what is known of a debate that has not ended.
        reason: why it ended or is paused.
        waits: people who have to answer.
        runs: whether it runs now.
    """

    entries: tuple[Entry, ...]
    transcript: Transcript
    outcome: OutcomeView
    status: LiveStatus
    reason: str
    waits: tuple[OpenQuestion, ...]
    runs: bool = False

    @property
    def over(self) -> bool:
        """Whether it has ended; one whose participants could not be generated has no record."""
        return self.outcome.over or self.status == "failed"


async def standing(client: Client, debate: str) -> Standing:
    """The state of a debate now. The caller must have checked that the client may see it."""
    workspace, now = client.workspace, await client.runner.running_state(debate)
    runs, error = bool(now.by), now.error
    entries, transcript, waits = (), Transcript(), ()
    outcome = outcome_view(transcript)
    if await workspace.store.read(debate, limit=1):
        entries = await workspace.entries(debate)
        transcript = fold(entries)
        outcome = outcome_view(transcript)
        waits = () if transcript.closed else await open_asks(workspace, debate)
        if runs and not outcome.over:
            # It waits only if nothing but people's answers is missing.
            status = "waiting" if len(waits) == len(unanswered(transcript)) > 0 else "running"
            reason = ""
        else:
            status = "waiting" if waits and outcome.status == "paused" else outcome.status
            reason = outcome.reason
    else:
        status, reason = ("casting", "") if runs else ("failed", str(error or "it was never started"))
    return Standing(
        entries=entries,
        transcript=transcript,
        outcome=outcome,
        status=status,
        reason=reason or str(error or ""),
        waits=waits,
        runs=runs,
    )


async def memo_of(client: Client, debate: str) -> Memo:
    """The outcome of a debate, or its state if it has not ended."""
    now = await standing(client, debate)
    decision, sums = now.outcome.decision, now.outcome.sums
    memo = Memo(
        id=debate,
        topic=_topic(now),
        status=now.status,
        over=now.over,
        reason=now.reason,
        next=_next(debate, now),
        asked=sums.asked,
        missing=sums.missing,
        tokens=sums.tokens,
        cost=sums.cost,
        estimated=sums.estimated,
        report=f"debate://{debate}/report",
        waits_for=[_waiting_result(open_ask) for open_ask in now.waits] if now.status == "waiting" else [],
    )
    if decision is None:
        return memo
    return memo.model_copy(
        update={
            "winner": plain(decision.winner),
            "decision": plain(decision.text),
            "argument": plain(decision.argument),
            "strength": decision.strength,
            "share": decision.share,
            "rule": decision.rule,
            "how": plain(decision.how),
            "warnings": await _warnings(client, debate, now),
            "votes": _votes(now),
            "dissent": [plain(text) for text in decision.dissent],
            "minority": [_cleaned_minority(minority) for minority in decision.minority],
            "answers": [_cleaned_minority(answer) for answer in decision.answers],
            "ways": [
                f"{step.command}: {step.words}"
                for step in next_steps(opening(debate, now.entries), debate, now.transcript)
            ],
        }
    )


def _cleaned_minority(minority: Minority) -> LosingAnswer:
    argument = plain(minority.argument)
    return LosingAnswer(answer=plain(minority.answer), by=list(minority.by), share=minority.share, argument=argument)


async def state_of(client: Client, debate: str, after: int) -> StateResult:
    """The state of a debate, with the turns after an entry, as many as fit."""
    now = await standing(client, debate)
    sums = now.outcome.sums
    turns, last, more = turns_after(
        visible_entries(now.entries, ""), after
    )  # the agent that asks a person must not know the others' answers
    return StateResult(
        id=debate,
        topic=_topic(now),
        protocol=opening(debate, now.entries).name if now.entries else "",
        status=now.status,
        over=now.over,
        reason=now.reason,
        runs=now.runs,
        asked=sums.asked,
        done=sums.done,
        turns=turns,
        after=last,
        more=more,
        votes=_votes(now),
        waits_for=[_waiting_result(wait) for wait in now.waits],
        winner=plain(now.outcome.decision.winner) if now.outcome.decision else "",
        warnings=await _warnings(client, debate, now),
        tokens=sums.tokens,
        cost=sums.cost,
        estimated=sums.estimated,
    )


def plain(text: str) -> str:
    """A text without pictures that a screen would fetch from elsewhere."""
    return _PICTURE.sub("&lt;", clean(text).replace("![", "!\\["))


async def _warnings(client: Client, debate: str, now: Standing) -> list[str]:
    """What makes the decision weaker than it looks, and whether the documents have changed since."""
    brief, claim = now.transcript.brief, await claimed(client.workspace, debate)
    stale = await client.runner.stale_warnings(debate, brief, now.transcript.place, claim) if brief else []
    seen = fold(visible_entries(now.entries, ""))
    return [plain(warning) for warning in (*cautions(seen), *stale)]


def _topic(now: Standing) -> str:
    return now.transcript.brief.topic if now.transcript.brief else ""


def _next(debate: str, now: Standing) -> str:
    match now.status:
        case "running" | "casting":
            return f"it continues by itself; call wait_for_debate with {debate}, or come back later"
        case "waiting":
            names = listed(list(dict.fromkeys(wait.turn.by for wait in now.waits)))
            return (
                f"{names} must answer: put the question of waits_for to the person, "
                f"then call answer_question with {debate}"
            )
        case "paused" | "open":
            return f"call resume_debate with {debate} to continue"
        case _:
            return ""


def turns_after(entries: Sequence[Entry], after: int) -> tuple[list[TurnResult], int, bool]:
    """The turns after an entry, the last entry that they reach, and whether there are more."""
    turns: list[TurnResult] = []
    words = 0
    for view in entry_views(entries):
        if view.seq <= after or view.turn is None or view.kind == "asked":
            continue
        shown = _turn_result(view, view.turn)
        if turns and words + len(shown.text) > MOST_WORDS:
            return turns, turns[-1].seq, True
        words += len(shown.text)
        turns.append(shown)
    return turns, max(after, entries[-1].seq if entries else 0), False


def _turn_result(view: EntryView, turn: TurnView) -> TurnResult:
    speech = turn.speech
    facts = [f"{name}: {value}" for name, value in (*speech.facts, *speech.rest)]
    text = "\n\n".join(filter(None, ("\n".join([*facts, *speech.aside]), speech.words)))
    return TurnResult(
        seq=view.seq,
        mark=turn.mark,
        by=turn.spoken.by,
        role=turn.spoken.role,
        act=turn.act,
        round=turn.round,
        text=plain(clip(text, MOST_WORDS)),
        choice=_choice(turn.ballot),
        missing=plain(turn.spoken.reason or "; ".join(gap.remark for gap in turn.unread)),
    )


def _choice(ballot: Choice | None) -> str:
    if ballot is None:
        return ""
    return "abstains" if ballot.abstains else plain(", ".join(ballot.words))


def _votes(now: Standing) -> list[Vote]:
    """The ballots as they were counted, or as they were given so far."""
    if now.transcript.decision and now.transcript.decision.ballots:
        return [
            Vote(
                by=ballot.voter,
                choice=plain(ballot.choice),
                reason=plain(ballot.reason) or BALLOT_STATES.get(ballot.state, ""),
            )
            for ballot in conclusion(now.transcript).ballots
        ]
    turns = [view.turn for view in entry_views(now.entries) if view.turn and view.turn.ballot]
    return [Vote(by=turn.spoken.by, choice=_choice(turn.ballot)) for turn in turns]


def _waiting_result(question: OpenQuestion) -> AwaitedPersonResult:
    ask = question.turn.ask
    assert ask is not None
    return AwaitedPersonResult(
        name=question.turn.by,
        key=question.turn.key,
        act=noun(act_of(question.turn)),
        task=ask.task,
        fields=[
            FormField(
                name=field.name,
                kind=field.kind,
                choices=list(field.choices),
                required=field.required,
                allowed=allowed_values(field),
            )
            for field in (ask.form.fields if ask.form else ())
        ],
        left=question.left,
    )
