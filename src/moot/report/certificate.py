"""A receipt in Markdown. This file owns how it looks; what it says is ``report.receipt``'s business."""

from collections.abc import Sequence

from moot.core.decision import Ballot
from moot.report.markdown_text import code, inline
from moot.report.pieces import LONG, bullets, date, lead, table, time
from moot.report.receipt import Evidence, Receipt, Seated


def certificate(receipt: Receipt) -> str:
    """A page to read, to print and to file; it ends with a line break."""
    blocks = [
        f"# Decision receipt: {inline(receipt.question)}",
        bullets(_facts(receipt)),
        "## Decision",
        lead(inline(receipt.line), receipt.decision) if receipt.decision else f"**{inline(receipt.line)}**",
        table(["Candidate", "Votes"], [[inline(name), f"{n:g}"] for name, n in receipt.tally.items()], numbers=1),
        *_chapter("Ballots", [_ballot(each) for each in receipt.ballots]),
        *_chapter("Dissent", [_ballot(each) for each in receipt.dissent]),
        *_chapter("Answers that lost", _lost(receipt)),
        *_chapter("Evidence", [_cited(each) for each in receipt.evidence]),
        "## Participants",
        _people(receipt.participants),
    ]
    return "\n\n".join(each for each in blocks if each) + "\n"


def _facts(receipt: Receipt) -> list[str]:
    paid = receipt.paid
    cost = f"${paid.cost:.4f}" if paid.cost is not None else f"${paid.known:.4f} and calls whose price is unknown"
    return [
        f"Debate: {code(receipt.debate)}",
        f"Protocol: {inline(receipt.protocol)}",
        *([f"Options: {'; '.join(map(inline, receipt.options))}"] if receipt.options else []),
        f"Began {date(receipt.began)}, ended {date(receipt.ended)}, took {time(receipt.seconds)}",
        f"Calls: {paid.calls:,}; tokens: {paid.input_tokens:,} in, {paid.output_tokens:,} out; cost: {cost}",
        f"Record: {receipt.entries:,} entries, head {code(receipt.head)}",
    ]


def _chapter(title: str, lines: Sequence[str]) -> list[str]:
    return [f"## {title}", bullets(lines)] if lines else []


def _ballot(ballot: Ballot) -> str:
    choice = inline(ballot.choice, LONG) if ballot.state == "cast" else ballot.state
    weight = f" (weight {ballot.weight:g})" if ballot.weight != 1 else ""
    return f"{inline(ballot.voter)}: {choice}{weight}" + (f". {inline(ballot.reason, LONG)}" if ballot.reason else "")


def _lost(receipt: Receipt) -> list[str]:
    return [
        f"{inline(each.answer, LONG)} ({', '.join(map(inline, each.by)) or 'nobody'})"
        + (f": {inline(each.argument, LONG)}" if each.argument else "")
        for each in receipt.minority
    ]


def _cited(evidence: Evidence) -> str:
    said = [f"cited in {', '.join(evidence.turns)}" if evidence.turns else "not cited"]
    said += [f"not found there: the words of {', '.join(evidence.unfound)}"] if evidence.unfound else []
    said += [f"SHA-256 {code(evidence.sha256)}"] if evidence.sha256 else []
    return f"{inline(evidence.source, LONG)}: {'; '.join(said)}"


def _people(people: Sequence[Seated]) -> str:
    heads = ["Name", "Role", "Duty", "Seat", "Models asked", "Models that answered"]
    rows = [
        (each.name, each.role, each.duty, each.seat, *map(", ".join, (each.models, each.served))) for each in people
    ]
    return table(heads, [[inline(cell, LONG) or "–" for cell in row] for row in rows], numbers=0)
