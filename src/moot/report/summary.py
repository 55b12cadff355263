"""What a debate came to, on a page: what each said last, the last summary, what follows. This file owns this page."""

from moot.report.dialogue import body
from moot.report.markdown_text import code, inline, quoted
from moot.report.pieces import LONG, bullets, capital, date
from moot.report.report import Report
from moot.report.turn_text import Spoken
from moot.report.verdict import verdict

_POSITIONS = ("open", "draft", "propose", "argue", "answer", "revise", "close")
"""The acts in which debaters say what they hold."""


def summary(report: Report) -> str:
    """The page; it ends with a line break."""
    turns = [turn for part in report.parts for turn in part.turns if turn.state == "answered"]
    blocks = [
        f"# {inline(report.topic, LONG)}",
        f"**{capital(inline(report.outcome.line, LONG))}**",
        bullets(
            [
                f"**Protocol:** {inline(report.protocol)}",
                f"**Date:** {date(report.began)}",
                f"**Debate:** {code(report.debate)}",
            ]
        ),
        *_last_words(report, turns),
        *_summed_up(turns),
        *verdict(report),
    ]
    return "\n\n".join(each for each in blocks if each) + "\n"


def _last_words(report: Report, turns: list[Spoken]) -> list[str]:
    """Each debater's closing statement, else its newest turn."""
    blocks: list[str] = []
    for person in report.participants:
        own = [turn for turn in turns if turn.by == person.name and turn.act in _POSITIONS]
        last = ([turn for turn in own if turn.act == "close"] or own)[-1:]
        if person.duty == "debater" and last:
            role = f" ({inline(person.role)})" if person.role else ""
            blocks += [f"### {inline(person.name)}{role}", *body(last[0])]
    return ["## Final statements", *(blocks or ["Nobody said anything."])]


def _summed_up(turns: list[Spoken]) -> list[str]:
    """The newest summary; the moderator's verdict stands with the decision."""
    sums = [turn for turn in turns if turn.act == "summarize"]
    if not sums:
        return []
    return ["## Summary", quoted("\n\n".join(body(sums[-1])))]
