"""The report as Markdown. This file owns how a report looks; what it says is ``report.report``'s business.

Headings: 1 the topic, 2 the chapters, 3 the phases, 4 the turns. Words of participants get none above 5.
"""

import re
from collections.abc import Mapping, Sequence

from moot.core.labels import descent, place
from moot.core.text import listed
from moot.report.boardroom import boardroom
from moot.report.chronicle import chronicle
from moot.report.claims import chapter
from moot.report.dialogue import dialogue
from moot.report.lookups import appendix
from moot.report.markdown_text import code, inline
from moot.report.metrics import Fault, Kind
from moot.report.pieces import LONG, bullets, capital, date, table, time
from moot.report.readers_metrics import Use
from moot.report.report import Person, Report
from moot.report.scoreboard import scoreboard
from moot.report.tools import tools_chapter
from moot.report.verdict import verdict

_LABEL = re.compile(r"[A-Z][\w ]{0,30}: ")
"""How a line begins that says what it is about, such as ``Expertise: …``."""

_FAULTS: Mapping[Kind, str] = {
    "missing": "No answer",
    "open": "Open question",
    "erred": "Failed try",
    "lost": "Lost try",
    "fallback": "Another model was asked",
    "served": "Another model answered",
    "truncated": "Cut answer",
    "filtered": "Filtered answer",
    "unread": "Unreadable field",
    "noted": "Remark",
    "halted": "Ended early",
    "paused": "Paused",
    "resumed": "Resumed",
    "estimated": "Estimated tokens",
}


_OPEN = ("paused", "unfinished")


def markdown(report: Report) -> str:
    """A report to read, to print and to take to a meeting; it ends with a line break."""
    blocks = [
        *_header(report),
        *verdict(report),
        *boardroom(report.board, report.outcome.decision),
        *scoreboard(report.scores),
        *_participants(report),
        *dialogue(report.parts, report.course.translations),
        *chronicle(report.course),
        *chapter(report.arguments, report.judged),
        *tools_chapter(report.tools),
        *_faults(report.faults),
        *_record(report),
        *appendix(report.searches),
    ]
    return "\n\n".join(each for each in blocks if each) + "\n"


def _header(report: Report) -> list[str]:
    total = report.metrics.total
    called = total.attempts > 0
    topic = inline(report.topic)
    people = [_cast(person) for person in report.participants]
    facts = {
        "Protocol": inline(report.protocol),
        "Options": "; ".join(inline(option) for option in report.options),
        "Background": listed([inline(name) for name in report.background]),
        "Participants": ", ".join(people),
        "Settings": inline("; ".join(report.settings)),
        "Date": f"{date(report.began)}, took {time(report.metrics.seconds)}{_pauses(report.metrics.paused)}",
        "Calls": _calls(total),
        "Tokens": _tokens(total) if called else "",
        "Cost": _cost(total) if called else "",
        "Debate": code(report.debate),
        "Origin": inline(descent(report.forked)),
    }
    return [
        f"# {inline(report.topic, LONG)}",
        f"**{capital(inline(report.outcome.line, LONG))}**",
        bullets(f"**{name}:** {fact}" for name, fact in facts.items() if fact),
        f"**Topic:** {topic}" if len(topic) > LONG else "",
        _quoting(report),
    ]


def _quoting(report: Report) -> str:
    who = report.quoting
    if not who:
        return ""
    if len(who) == len(report.participants):
        return "*No language model took part: the participants only quote the brief's background.*"
    names = listed([inline(name) for name in who])
    verb = "are no language models: they" if len(who) > 1 else "is no language model: it"
    return f"*{names} {verb} only quote{'' if len(who) > 1 else 's'} the brief's background.*"


# ---- the participants ----------------------------------------------------------------------------------------------


def _participants(report: Report) -> list[str]:
    lines = [
        [
            inline(person.name),
            f"{person.use.answers} of {person.use.asks}",
            f"{person.use.calls}",
            f"{person.use.input_tokens:,}",
            f"{person.use.output_tokens:,}",
            _price(person.use),
            time(person.use.seconds),
        ]
        for person in report.participants
    ]
    heads = ["Participant", "Answers", "Calls", "Tokens in", "Tokens out", "Cost", "Time"]
    called = any(person.use.attempts for person in report.participants)
    bios = bullets(_bio(person) for person in report.participants)
    return ["## Participants", bios, table(heads, lines, numbers=6) if called else ""]


def _bio(person: Person) -> str:
    duty = "" if person.role.casefold() == person.duty else person.duty
    weight = "" if person.weight is None else f"weight {person.weight:g}"
    language = f"speaks {inline(person.language)}" if person.language else ""
    tools = f"tools: {listed([inline(tool) for tool in person.tools])}" if person.tools else ""
    told = (inline(person.role), duty, code(person.seat), weight, language, tools)
    facts = ", ".join(fact for fact in told if fact)
    persona = f". {inline(_persona(person), LONG)}" if person.persona.strip() else ""
    return f"**{inline(person.name)}:** {facts}{persona}"


def _persona(person: Person) -> str:
    """The persona for one line, with a mark where a labelled line of it begins."""
    rows = [row.strip() for row in person.persona.strip().split("\n")]
    return rows[0] + "".join(f" · {row}" if _LABEL.match(row) else f" {row}" for row in rows[1:])


def _cast(person: Person) -> str:
    return f"{inline(person.name)} ({code(person.seat)})" if person.seat else inline(person.name)


# ---- what went wrong, and the record -------------------------------------------------------------------------------


def _faults(faults: Sequence[Fault]) -> list[str]:
    """One line for each kind, participant and reason."""
    found: dict[tuple[Kind, str, str], list[Fault]] = {}
    for fault in faults:
        who = "" if fault.kind == "estimated" else fault.who
        found.setdefault((fault.kind, who, fault.reason), []).append(fault)
    lines = [_fault(kind, who, reason, same) for (kind, who, reason), same in found.items()]
    return ["## What went wrong", bullets(lines) or "Nothing went wrong."]


def _fault(kind: Kind, who: str, reason: str, same: Sequence[Fault]) -> str:
    places = list(dict.fromkeys(place(fault.key) for fault in same if "#" in fault.key))
    where = inline(places[0]) if len(places) == 1 else ""
    times = f"{len(same)} times" if len(same) > 1 else ""
    told = ", ".join(part for part in (inline(who), where, times) if part)
    head = f"**{_FAULTS[kind]}**{f' ({told})' if told else ''}"
    return f"{head}: {inline(reason, 2 * LONG)}" if reason else head


def _record(report: Report) -> list[str]:
    many = "1 entry" if report.entries == 1 else f"{report.entries:,} entries"
    lines = [
        f"**Kept in:** {code(report.where)}" if report.where else "",
        f"**Length:** {many}, the last one of {date(report.ended)}",
        f"**Hash of the last entry:** {code(report.head)}" if report.head else "",
        f"**Go on with it:** {code(f'moot resume {report.debate}')}" if report.outcome.status in _OPEN else "",
        f"**Check that nothing was changed:** {code(f'moot verify {report.debate}')}",
        f"**Read it again:** {code(f'moot show {report.debate}')}",
    ]
    return ["## Record", bullets(line for line in lines if line)]


def _calls(use: Use) -> str:
    if not use.attempts:
        return "none"
    more = [
        _count(use.retries, "retry", "retries"),
        _count(use.repairs, "repair question", "repair questions"),
        _count(use.errors, "failed try", "failed tries"),
        _count(use.lost, "lost try", "lost tries"),
    ]
    told = listed([each for each in more if each])
    return f"{use.calls:,} answered{f', with {told}' if told else ''}"


def _count(n: int, one: str, many: str) -> str:
    return f"{n:,} {one if n == 1 else many}" if n else ""


def _tokens(use: Use) -> str:
    cached = f" ({use.cached_tokens:,} of them from the provider's cache)" if use.cached_tokens else ""
    estimated = f"; estimated for {_count(use.estimated, 'call', 'calls')}" if use.estimated else ""
    return f"{use.input_tokens:,} in{cached}, {use.output_tokens:,} out{estimated}"


def _price(use: Use) -> str:
    return "unknown" if use.cost is None else f"${use.cost:.4f}" if use.cost else "$0"


def _cost(use: Use) -> str:
    known = f"; the calls with a known price cost ${use.known:.4f}" if use.cost is None and use.known else ""
    unpriced = f" (no price for {listed([code(model) for model in use.unpriced])}{known})" if use.unpriced else ""
    failed = "; failed and lost tries are not in it" if use.errors + use.lost else ""
    return f"{_price(use)}{unpriced}{failed}"


def _pauses(seconds: float) -> str:
    return f" and stood still for {time(seconds)}" if seconds else ""
