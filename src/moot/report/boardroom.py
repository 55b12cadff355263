"""A board in Markdown. This file owns how the chapter looks; what it says is ``report.board``'s business."""

from collections.abc import Sequence

from moot.core.decision import Decision
from moot.core.roles import Standing
from moot.core.text import listed
from moot.report.board import Attachment, Board, Whisper
from moot.report.markdown_text import block, inline, quoted
from moot.report.pieces import LONG, bullets, lead, table


def boardroom(found: Board | None, decision: Decision | None) -> list[str]:
    """The chapter on the board, as blocks: who stands where, what was attached, what was whispered; [] for no board."""
    if found is None:
        return []
    undecided = decision is not None and decision.status != "decided"
    return [
        "## The board",
        lead("Recommendation", decision.text) if decision and undecided else "",
        "**The board is split.**" if found.split else "",
        _members(found.members),
        *_refused(found.members),
        *_attachments(found.attachments),
        *_unknown(found),
        *_whispers(found.whispers),
    ]


def _members(members: Sequence[Standing]) -> str:
    lines = [
        [
            inline(each.name),
            inline(each.verdict, LONG) or ("abstained" if each.abstained else "none"),
            inline(each.reasoning, LONG) or "–",
            " → ".join(f"{inline(given.verdict, LONG)} ({given.mark})" for given in each.history)
            if each.changed
            else "–",
            each.withdrawn or ("absent" if each.absent else "–"),
            f"{each.messages}",
        ]
        for each in members
    ]
    return table(["Member", "Verdict", "Reasons", "Changes", "Withdrew", "Messages"], lines, numbers=1)


def _refused(members: Sequence[Standing]) -> list[str]:
    told = [f"{inline(each.name)} ({', '.join(each.refused)})" for each in members if each.refused]
    return [f"*Withdrawals without a verdict counted as nothing: {listed(told)}.*"] if told else []


def _attachments(attachments: Sequence[Attachment]) -> list[str]:
    return ["### Artifacts", *(piece for each in attachments for piece in _attachment(each))] if attachments else []


def _attachment(each: Attachment) -> list[str]:
    cited = listed([f"{inline(by)} ({mark})" for by, mark in each.cited])
    head = f"**{each.mark}: {inline(each.title)}**, attached by {inline(each.by)}"
    return [f"{head}; {f'cited by {cited}' if cited else 'cited by nobody'}.", quoted(block(each.text))]


def _unknown(found: Board) -> list[str]:
    told = [f"{inline(words, LONG)} ({inline(by)}, {mark})" for mark, by, words in found.unknown]
    return [f"*Cited, but neither an artifact nor a document: {'; '.join(told)}.*"] if told else []


def _whispers(whispers: Sequence[Whisper]) -> list[str]:
    if not whispers:
        return []
    told = "Each was shown to its author and to the member named, and to nobody else."
    lines = [
        f"{each.mark}, {inline(each.by)} to {inline(each.to) if each.to else 'nobody who is at the table'}: "
        f"{inline(each.text, 2 * LONG)}"
        for each in whispers
    ]
    return ["### Whispers", told, bullets(lines)]
