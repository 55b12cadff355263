"""A record for whoever measures. This file owns the document with the tokens, the cost and the time of every turn."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from moot.core.brief import Brief, Participant
from moot.core.event import TOOL, Asked, Attempted, Called, Entry, Erred, Event, Failed, Opened, Replied
from moot.core.transcript import Turn, fold
from moot.report.readers_metrics import Use, use
from moot.report.report import Report


def metered(report: Report, entries: Sequence[Entry]) -> dict[str, object]:
    """The debate, its turns and their sums as plain JSON data.

    Args:
        report: what the record has to report.
        entries: the record, from its opening on.
    """
    transcript = fold(entries)
    opened = next(entry.event.brief for entry in entries if isinstance(entry.event, Opened))
    events: dict[str, list[Event]] = {}
    for entry in entries:
        match entry.event:
            case Asked(ask=ask):
                events.setdefault(ask.key, []).append(entry.event)
            case Attempted(key=key) | Called(key=key) | Erred(key=key) | Replied(key=key) | Failed(key=key):
                events.setdefault(key, []).append(entry.event)
            case _:
                pass
    return {
        "debate": _header(report, opened),
        "turns": [_turn(turn, events.get(turn.key, [])) for turn in transcript.all()],
        "totals": {
            **_used(report.metrics.total),
            "asks": report.metrics.total.asks,
            "answers": report.metrics.total.answers,
            "missing": report.metrics.total.missing,
            "elapsed": report.metrics.seconds,
            "paused": report.metrics.paused,
            "models": {name: _used(each) for name, each in report.metrics.models.items()},
        },
    }


def _header(report: Report, brief: Brief) -> dict[str, object]:
    decision = report.outcome.decision
    return {
        "id": report.debate,
        "topic": report.topic,
        "protocol": report.protocol,
        "options": report.options,
        "background": report.background,
        "participants": [_person(each) for each in brief.participants],
        "limits": asdict(brief.limits),
        "seed": brief.seed,
        "began": report.began,
        "ended": report.ended,
        "status": report.outcome.status,
        "how": report.outcome.line,
        "decision": decision.text or decision.winner if decision else None,
    }


def _person(each: Participant) -> dict[str, object]:
    return {
        "name": each.name,
        "role": each.role,
        "duty": each.duty,
        "seat": each.seat,
        "weight": each.weight,
        "language": each.language,
        "tools": each.tools,
    }


def _turn(turn: Turn, events: Sequence[Event]) -> dict[str, object]:
    reply = turn.reply
    tools = [event for event in events if isinstance(event, Called) and event.model.startswith(TOOL)]
    return {
        "mark": turn.mark,
        "key": turn.key,
        "round": turn.round,
        "act": turn.act,
        "by": turn.by,
        "state": "answered" if reply else "missing" if turn.failure else "open",
        "failure": turn.failure,
        "model": reply.asked if reply else "",
        "served": reply.served if reply else "",
        **_used(use(events)),
        "seconds": reply.seconds if reply else None,
        "tools": [{"tool": each.model, "seconds": each.seconds, "sources": each.sources} for each in tools],
        "text": turn.text,
        "fields": dict(turn.fields),
        "unread": reply.unread if reply else (),
        "notes": reply.notes if reply else (),
    }


def _used(used: Use) -> Mapping[str, object]:
    return {
        "calls": used.calls,
        "attempts": used.attempts,
        "retries": used.retries,
        "errors": used.errors,
        "repairs": used.repairs,
        "tokens_in": used.input_tokens,
        "tokens_out": used.output_tokens,
        "tokens_cached": used.cached_tokens,
        "estimated": used.estimated,
        "cost": used.cost,
        "seconds": used.seconds,
    }
