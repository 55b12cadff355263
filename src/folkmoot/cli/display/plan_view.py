"""Show the plan of a debate: participants, models, phases, estimated tokens and cost."""

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.text import Text

from folkmoot.app.plan.assignment import is_person
from folkmoot.app.plan.estimate import Costing
from folkmoot.app.plan.toolbox import offered_tools
from folkmoot.app.run.prepare import PreparedDebate
from folkmoot.cli.display.text_layout import FAINT, WARN, Indented, amount, colours, fields, joined, line, money
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.labels import duration, duty_in_words
from folkmoot.core.text import counted, listed, percent

REPAIRS = "An answer that is not in its form takes one call more"
"""What an estimate leaves out."""

NAMES, NOTES = 12, 5
"""The most names and notes in the short heading of a debate."""


def heading(
    debate: str, protocol: str, brief: Brief, drops: Mapping[str, tuple[str, ...]], *, origin: str = ""
) -> Iterator[RenderableType]:
    """The topic, id, protocol, origin and participants of a debate."""
    yield Text(line(brief.topic), style="bold")
    yield joined(debate, line(protocol), origin)
    yield ""
    yield from people(brief, drops)


def introduction(debate: str, prepared: PreparedDebate, *, full: bool) -> Iterator[RenderableType]:
    """The debate that is about to run, with the plan in one sentence and the notes."""
    brief, notes = prepared.plan.brief, prepared.notes
    if full:
        yield from heading(debate, prepared.plan.name, brief, prepared.drops)
        yield ""
    else:
        yield Text(line(brief.topic), style="bold")
        yield joined(debate, line(prepared.plan.name))
        people = [participant.name for participant in brief.participants if participant.duty == "debater"]
        more = f" and {len(people) - NAMES} more" if len(people) > NAMES else ""
        seats = {_seat(participant) for participant in brief.participants}
        by = f", answered by {seats.pop()}" if len(seats) == 1 else ""
        yield Indented(Text(line(", ".join(people[:NAMES]) + more + by)), "who    ", "       ", FAINT)
        notes = notes[:NOTES]
    yield Indented(Text(f"{plan_words(prepared.costing)}."), "plan   ", "       ", FAINT)
    for note in notes:
        yield Indented(Text(line(note), style=WARN), "note   ", "       ", FAINT)
    yield ""


def people(brief: Brief, dropped: Mapping[str, tuple[str, ...]]) -> Iterator[RenderableType]:
    """Each participant with role, model, tools, and the settings that its provider ignores."""
    paint = colours(brief)
    wide = max(len(participant.name) for participant in brief.participants)
    for participant in brief.participants:
        name = f"{line(participant.name):<{wide}}  "
        weight = "" if participant.weight is None else f"weight {participant.weight:g}"
        drops = dropped.get(participant.name, ())
        duty = "" if participant.duty == "debater" else duty_in_words(participant.duty)
        tools = f"tools {', '.join(map(line, offered_tools(participant)))}" if offered_tools(participant) else ""
        ignored = Text(f"ignores {', '.join(drops)}" if drops else "", style=WARN)
        facts = joined(Text(line(participant.role)), _seat(participant), duty, weight, tools, ignored)
        yield Indented(facts, name, " " * len(name), f"bold {paint[participant.name]}")


def _seat(participant: Participant) -> str:
    """The model that answers, or that a person does: until when, and the fallback model after that."""
    if not is_person(participant):
        return line(participant.seat)
    if participant.deadline is None:
        return "answers in person"
    instead = f", otherwise {line(participant.stand_in)}" if participant.stand_in else ""
    return f"answers in person within {duration(participant.deadline)}{instead}"


def plan_words(costing: Costing) -> str:
    """The plan in one sentence."""
    questions = _range(costing.bounds.least.asks, costing.bounds.most.asks, "question")
    if not costing.most.calls:
        return f"{questions}; no model calls"
    calls, tokens, cost = _estimates(costing)
    free_or_unknown = not costing.most.cost
    costs = cost if free_or_unknown and costing.most.cost is not None else f"cost {cost}"
    return f"{questions}; {calls}; {tokens} tokens; {costs}. {REPAIRS}"


def _range(low: int, high: int, noun: str) -> str:
    return counted(high, noun) if low == high else f"{low} to {counted(high, noun)}"


def _estimates(costing: Costing, *, details: bool = False) -> tuple[str, str, str]:
    """Calls, tokens and cost: what is expected, what they usually stay below, and with ``details`` what always holds."""
    expected, usual, bound = costing.expected_total, costing.usual_total, costing.bounds.most
    calls = _range(costing.bounds.least.calls, usual.calls, "model call")
    if details and usual.calls != bound.calls:
        calls += f", at most {bound.calls}"
    tokens = f"about {amount(expected.tokens)}, usually below {amount(usual.tokens)}"
    cost = f"about {money(expected.cost)}, usually below {money(usual.cost)}"
    if details:
        tokens, cost = f"{tokens}, at most {amount(bound.tokens)}", f"{cost}, at most {money(bound.cost)}"
    if costing.most.cost is None or costing.expected_cost is None:
        cost = f"not known: no price for {', '.join(map(line, costing.most.unpriced))}"
    return calls, tokens, cost if costing.most.cost != 0 else "free"


def overview(prepared: PreparedDebate, kind: str, *, details: bool = False) -> Iterator[RenderableType]:
    """The full plan, for ``folkmoot check``.

    Args:
        prepared: the debate.
        kind: the kind of the input: text or markdown.
        details: whether the bounds are shown that hold always, and that hardly any debate comes near.
    """
    brief, estimate, bounds = prepared.plan.brief, prepared.costing.most, prepared.costing.bounds
    waits = [line(participant.name) for participant in brief.participants if is_person(participant)]
    answers = "answer" if len(waits) > 1 else "answers"
    facts = [
        ("input", {"markdown": "Markdown", "text": "plain text"}[kind]),
        ("protocol", prepared.plan.name),
        ("options", " · ".join(map(line, brief.options))),
        ("waits for", f"{listed(waits)}, who {answers} in person" if waits else ""),
        ("background", " · ".join(line(source.name) for source in brief.background)),
    ]
    yield Text(line(brief.topic), style="bold")
    yield from fields((name, value) for name, value in facts if value)
    yield ""
    yield from people(brief, prepared.drops)
    yield ""
    yield Text("phases", style=FAINT)
    for path in estimate.phases:
        parts = path.strip("/").split("/")
        yield Indented(Text(parts[-1].replace("_", " ")), "  " * len(parts), "  " * len(parts))
    yield ""
    calls, tokens, cost = _estimates(prepared.costing, details=details)
    repeated = f"{percent(estimate.repeated)} of the input repeats the beginning of an earlier prompt"
    facts = [
        ("questions", _range(bounds.least.asks, bounds.most.asks, "question")),
        ("calls", calls),
        ("tokens", tokens if estimate.tokens else "none"),
        ("cache", repeated if estimate.repeated else ""),
        ("cost", cost),
        ("limits", _limit_words(brief.limits)),
    ]
    yield from fields((name, value) for name, value in facts if value)
    for note in prepared.notes:
        yield Indented(Text(line(note), style=WARN), "note    ", "        ", FAINT)
    if estimate.calls:
        yield Text(f"{REPAIRS}.", style=FAINT)
    if bounds.answer and details:
        longest = f'"At most" is right if no answer is longer than {bounds.answer:,} tokens and nobody joins in.'
        yield Text(longest, style=FAINT)
    yield Text("Nothing has been sent to any model.", style=FAINT)


def _limit_words(limits: Limits) -> str:
    words = (
        counted(limits.asks, "question") if limits.asks else "",
        counted(limits.tokens, "token") if limits.tokens else "",
        "" if limits.cost is None else f"${limits.cost:g}",
        f"{duration(limits.turn_seconds)} for each answer",
        f"{duration(limits.total_seconds)} in total" if limits.total_seconds else "",
        f"a quorum of {limits.quorum} with {duration(limits.grace)} of grace" if limits.quorum else "",
    )
    return ", ".join(filter(None, words))
