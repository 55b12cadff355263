"""Summaries of debates for MCP tools: status, decision, turns, votes, and what to do next."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from moot.app.plan.next_steps import NextStep, next_steps
from moot.app.run.outcome import opening
from moot.app.run.people import allowed_values
from moot.app.run.record_reader import OpenQuestion, open_asks
from moot.app.serve.answer_types import FormField, LiveStatus
from moot.app.serve.view_model import frames
from moot.app.serve.visibility import visible_entries
from moot.core.ask import Field
from moot.core.decision import Minority
from moot.core.event import Entry
from moot.core.labels import act_of, noun
from moot.core.text import clean, clip, listed
from moot.core.transcript import Transcript, fold
from moot.mcp.clients import Client
from moot.mcp.tool_results import Memo, Minor, SaidResult, StateResult, Vote, WaitedResult
from moot.report.conclusion import told_decision

_PICTURE = re.compile(r"<(?=(?:img|image|picture|source|svg|video|audio|iframe|embed|object|link)\b)", re.IGNORECASE)
"""The start of an HTML tag that would make a screen fetch something."""

MOST_WORDS = 30_000
"""The most characters of turns in one result; agents accept little more."""

ENDS: tuple[LiveStatus, ...] = ("decided", "tie", "no_decision", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The current state of a debate.

    Attributes:
        entries: its record; empty while its participants are being generated, or if that failed.
        transcript: the transcript of the record.
        status: the status in one word.
        reason: why it ended or is paused.
        waits: people who have to answer.
        runs: whether it runs now.
    """

    entries: tuple[Entry, ...]
    transcript: Transcript
    status: LiveStatus
    reason: str
    waits: tuple[OpenQuestion, ...]
    runs: bool = False


async def standing(client: Client, debate: str) -> Standing:
    """The state of a debate now. The caller must have checked that the client may see it."""
    workspace, now = client.workspace, await client.runner.running_state(debate)
    runs, error = bool(now.by), now.error
    if not await workspace.store.read(debate, limit=1):
        status, reason = ("casting", "") if runs else ("failed", str(error or "it was never started"))
        return Standing(entries=(), transcript=Transcript(), status=status, reason=reason, waits=(), runs=runs)
    entries = await workspace.entries(debate)
    transcript = fold(entries)
    waits = () if transcript.closed else await open_asks(workspace, debate)
    status, reason = _status(transcript, runs=runs, waits=len(waits))
    text = reason or str(error or "")
    return Standing(entries=entries, transcript=transcript, status=status, reason=text, waits=waits, runs=runs)


def _status(transcript: Transcript, *, runs: bool, waits: int) -> tuple[LiveStatus, str]:
    closed, paused = transcript.closed, transcript.paused
    if closed:
        return closed.status, closed.reason
    if runs:
        return ("waiting" if waits == len(unanswered(transcript)) > 0 else "running"), ""
    if paused:
        return ("waiting" if waits else "paused"), paused.reason
    return "open", "it was interrupted; resume_debate continues it"


def unanswered(transcript: Transcript) -> list[str]:
    """The keys of the open questions."""
    return [turn.key for turn in transcript.all() if turn.ask and not transcript.answered(turn.key)]


async def memo_of(client: Client, debate: str) -> Memo:
    """The outcome of a debate, or its state if it has not ended."""
    now = await standing(client, debate)
    transcript, decision = now.transcript, now.transcript.decision
    usage = transcript.usage
    memo = Memo(
        id=debate,
        topic=_topic(now),
        status=now.status,
        over=now.status in ENDS,
        reason=now.reason,
        next=_next(debate, now),
        asked=sum(turn.ask is not None for turn in transcript.all()),
        missing=len(transcript.failures()),
        tokens=usage.input_tokens + usage.output_tokens,
        cost=usage.cost,
        report=f"debate://{debate}/report",
        waits_for=[_waited(open_ask) for open_ask in now.waits] if now.status == "waiting" else [],
    )
    if decision is None:
        return memo
    decision = told_decision(decision)
    return memo.model_copy(
        update={
            "winner": plain(decision.winner),
            "decision": plain(decision.text),
            "argument": plain(decision.argument),
            "strength": decision.strength,
            "share": decision.share,
            "rule": decision.rule,
            "how": plain(decision.how),
            "votes": _votes(now),
            "dissent": [plain(text) for text in decision.dissent],
            "minority": [_minor(minority) for minority in decision.minority],
            "answers": [_minor(answer) for answer in decision.answers],
            "ways": [f"{way.command}: {way.words}" for way in _ways(debate, now)],
        }
    )


def _ways(debate: str, now: Standing) -> Iterator[NextStep]:
    """What may decide a debate that nobody won."""
    return next_steps(opening(debate, now.entries), debate, now.transcript)


def _minor(minority: Minority) -> Minor:
    argument = plain(minority.argument)
    return Minor(answer=plain(minority.answer), by=list(minority.by), share=minority.share, argument=argument)


async def state_of(client: Client, debate: str, after: int) -> StateResult:
    """The state of a debate, with the turns after an entry, as many as fit."""
    now = await standing(client, debate)
    transcript, usage = now.transcript, now.transcript.usage
    turns, last, more = _turns(
        visible_entries(now.entries, ""), after
    )  # the agent that asks a person must not know the others' answers
    asked = [turn for turn in transcript.all() if turn.ask]
    return StateResult(
        id=debate,
        topic=_topic(now),
        protocol=opening(debate, now.entries).name if now.entries else "",
        status=now.status,
        over=now.status in ENDS,
        reason=now.reason,
        runs=now.runs,
        asked=len(asked),
        done=sum(transcript.answered(turn.key) for turn in asked),
        turns=turns,
        after=last,
        more=more,
        votes=_votes(now),
        waits_for=[_waited(wait) for wait in now.waits],
        winner=plain(transcript.decision.winner) if transcript.decision else "",
        tokens=usage.input_tokens + usage.output_tokens,
        cost=usage.cost,
    )


def plain(text: str) -> str:
    """A text without pictures that a screen would fetch from elsewhere."""
    return _PICTURE.sub("&lt;", clean(text).replace("![", "!\\["))


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


def _turns(entries: Sequence[Entry], after: int) -> tuple[list[SaidResult], int, bool]:
    """The turns after an entry, the last entry that they reach, and whether there are more."""
    saids: list[SaidResult] = []
    words = 0
    for frame in frames(entries):
        turn = frame.get("turn")
        seq = cast("int", frame["seq"])
        if seq <= after or not isinstance(turn, dict):
            continue
        said = _said(seq, cast("dict[str, object]", turn))
        if saids and words + len(said.text) > MOST_WORDS:
            return saids, saids[-1].seq, True
        words += len(said.text)
        saids.append(said)
    return saids, max(after, entries[-1].seq if entries else 0), False


def _said(seq: int, turn: Mapping[str, object]) -> SaidResult:
    ballot = turn.get("ballot")
    choice = cast("dict[str, list[str]]", ballot)["choice"] if isinstance(ballot, dict) else []
    return SaidResult(
        seq=seq,
        mark=str(turn["mark"]),
        by=str(turn["by"]),
        role=str(turn["role"]),
        act=str(turn["act"]),
        round=cast("int", turn["round"]),
        text=plain(clip(_words(turn), MOST_WORDS)),
        choice=plain(", ".join(choice)),
    )


def _words(turn: Mapping[str, object]) -> str:
    """The full content of a turn: its fields, then its text."""
    facts = [f"{name}: {value}" for name, value in cast("list[list[str]]", turn["facts"])]
    aside = [str(item) for item in cast("list[object]", turn["aside"])]
    return "\n\n".join(filter(None, ("\n".join([*facts, *aside]), str(turn["text"]))))


def _votes(now: Standing) -> list[Vote]:
    """The ballots as they were counted, or as they were given so far."""
    if now.transcript.decision and now.transcript.decision.ballots:
        counted = now.transcript.decision.ballots
        return [
            Vote(by=ballot.voter, choice=plain(ballot.choice), reason=plain(ballot.reason) or _uncast(ballot.state))
            for ballot in counted
        ]
    turns = [cast("dict[str, object]", data["turn"]) for data in frames(now.entries) if "turn" in data]
    saids = [_said(0, turn) for turn in turns if "ballot" in turn]
    return [Vote(by=said.by, choice=said.choice) for said in saids]


def _uncast(state: str) -> str:
    return "" if state == "cast" else state


def _waited(each: OpenQuestion) -> WaitedResult:
    ask = each.turn.ask
    assert ask is not None
    return WaitedResult(
        name=each.turn.by,
        key=each.turn.key,
        act=noun(act_of(each.turn)),
        task=ask.task,
        fields=[_field(field) for field in (ask.form.fields if ask.form else ())],
        left=each.left,
    )


def _field(field: Field) -> FormField:
    return FormField(
        name=field.name,
        kind=field.kind,
        choices=list(field.choices),
        required=field.required,
        allowed=allowed_values(field),
    )
