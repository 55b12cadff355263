"""Logs of a debate in the form that its owner chose: report, summary, metered JSON, verbose report, or argument map.

``full_markdown`` is the report. ``summary_only`` has the last words of each and what follows. ``json_log`` has the
tokens, cost and time of every turn. ``verbose`` is the report with every question in full. ``visual_tree`` is the
argument map.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from folkmoot.arguments.tree import as_data
from folkmoot.core.brief import Brief, LogMode, Participant
from folkmoot.core.event import TOOL, Asked, Attempted, Called, Entry, Erred, Event, Failed, Opened, Replied
from folkmoot.core.text import clean_data
from folkmoot.core.transcript import Turn, fold
from folkmoot.report import phrases
from folkmoot.report.conclusion import answer_in_words
from folkmoot.report.gaps import turn_gaps
from folkmoot.report.markdown import markdown
from folkmoot.report.metrics import Use, use
from folkmoot.report.report import Person, Report
from folkmoot.report.templates import render_markdown
from folkmoot.report.turn_text import Spoken

_POSITIONS = ("open", "draft", "propose", "argue", "answer", "revise", "close")
"""The acts in which debaters say what they hold."""


def summary(report: Report) -> str:
    """The last words of each debater, and what follows: its closing statement, else its newest turn."""
    turns = [turn for part in report.parts for turn in part.turns if turn.state == "answered"]
    last_words: list[tuple[Person, Spoken]] = []
    for person in report.participants:
        own = [turn for turn in turns if turn.by == person.name and turn.act in _POSITIONS]
        closing = [turn for turn in own if turn.act == "close"] or own
        if person.duty == "debater" and closing:
            last_words.append((person, closing[-1]))
    sums = [turn for turn in turns if turn.act == "summarize"]
    return render_markdown(
        "report/summary.md.jinja",
        report=report,
        phrase=phrases,
        last_words=last_words,
        summary=sums[-1] if sums else None,
    )


def questions(report: Report, entries: Sequence[Entry]) -> str:
    """Every question in full, with its calls."""
    transcript = fold(entries)
    events: dict[str, list[phrases.Effort]] = {}
    for entry in entries:
        if isinstance(entry.event, Attempted | Called | Erred | Failed):
            events.setdefault(entry.event.key, []).append(entry.event)
    return render_markdown(
        "report/questions.md.jinja",
        debate=report.debate,
        transcript=transcript,
        questions=[(turn, events.get(turn.key, ())) for turn in transcript.all() if turn.ask],
        phrase=phrases,
    )


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
            **_usage_data(report.metrics.total),
            "asks": report.metrics.total.asks,
            "answers": report.metrics.total.answers,
            "missing": report.metrics.total.missing,
            "elapsed": report.metrics.seconds,
            "paused": report.metrics.paused,
            "models": {name: _usage_data(value) for name, value in report.metrics.models.items()},
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
        "participants": [_person(participant) for participant in brief.participants],
        "limits": asdict(brief.limits),
        "seed": brief.seed,
        "began": report.began,
        "ended": report.ended,
        "status": report.outcome.status,
        "how": report.outcome.line,
        "decision": answer_in_words(decision) if decision else None,
    }


def _person(participant: Participant) -> dict[str, object]:
    return {
        "name": participant.name,
        "role": participant.role,
        "duty": participant.duty,
        "seat": participant.seat,
        "weight": participant.weight,
        "language": participant.language,
        "tools": participant.tools,
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
        **_usage_data(use(events)),
        "seconds": reply.seconds if reply else None,
        "tools": [{"tool": call.model, "seconds": call.seconds, "sources": call.sources} for call in tools],
        "text": turn.text,
        "fields": dict(turn.fields),
        "unread": [
            {"field": name, "reason": gap.reason, "seen": gap.seen, "why": gap.why}
            for gap in turn_gaps(turn)
            for name in gap.fields
        ],
        "notes": reply.notes if reply else (),
    }


def _usage_data(used: Use) -> Mapping[str, object]:
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


def write(mode: LogMode, report: Report, entries: Sequence[Entry]) -> Mapping[str, str]:
    """A record as texts.

    Args:
        mode: which of LOGS.
        report: what the record has to report.
        entries: the record.

    Returns:
        The suffix of each file's name, with its text; the first file is the one to read.
    """
    match mode:
        case "full_markdown":
            return {".md": markdown(report)}
        case "summary_only":
            return {".summary.md": summary(report)}
        case "json_log":
            return {".log.json": _json(metered(report, entries))}
        case "verbose":
            return {".verbose.md": f"{markdown(report)}\n{questions(report, entries)}"}
        case _:
            argument_map = as_data(report.arguments, report.judged)
            return {
                ".tree.md": render_markdown("report/map_page.md.jinja", report=report, phrase=phrases),
                ".tree.json": _json({"debate": report.debate, "topic": report.topic, **argument_map}),
            }


def _json(data: Mapping[str, object]) -> str:
    return json.dumps(clean_data(data), ensure_ascii=False, indent=2) + "\n"
