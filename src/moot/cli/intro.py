"""The beginning of a debate on the screen. This file owns how a plan is shown: who, with which model, how much."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from moot.cli.layout import FAINT, WARN, Inset, colours, joined
from moot.cli.text import amount, count, line, money
from moot.desk.doors import Ready
from moot.desk.estimate import Costing


def introduction(debate: str, ready: Ready) -> Iterator[RenderableType]:
    """Topic, id, protocol, participants, plan and notes."""
    yield Text(line(ready.plan.brief.topic), style="bold")
    yield joined(debate, ready.plan.name)
    yield ""
    yield from people(ready)
    yield ""
    yield Inset(Text(f"{plan_words(ready.costing)}."), "plan   ", "       ", FAINT)
    for note in ready.notes:
        yield Inset(Text(line(note), style=WARN), "note   ", "       ", FAINT)
    yield ""


def people(ready: Ready) -> Iterator[RenderableType]:
    """Each participant with role, model, and the settings that its provider ignores."""
    brief = ready.plan.brief
    paint = colours(brief)
    wide = max(len(each.name) for each in brief.participants)
    for each in brief.participants:
        name = f"{line(each.name):<{wide}}  "
        weight = "" if each.weight is None else f"weight {each.weight:g}"
        drops = ready.drops.get(each.name, ())
        ignored = f"ignores {', '.join(drops)}" if drops else ""
        duty = "moderator" if each.duty == "moderator" else ""
        said = joined(Text(line(each.role)), line(each.seat), duty, weight, Text(ignored, style=WARN))
        yield Inset(said, name, " " * len(name), f"bold {paint[each.name]}")


def plan_words(costing: Costing) -> str:
    """The plan in one sentence."""
    least, most = costing.least, costing.most
    asks = _between(least.asks, most.asks, "ask")
    calls = _between(least.calls, most.calls, "model call")
    if not most.calls:
        return f"{asks}, no model calls"
    tokens = f"at most {amount(most.tokens)} tokens"
    if most.cost is None:
        return f"{asks}, {calls}, {tokens}, cost unknown: no price for {', '.join(map(line, most.unpriced))}"
    return f"{asks}, {calls}, {tokens}, " + (f"at most {money(most.cost)}" if most.cost else "free")


def _between(low: int, high: int, noun: str) -> str:
    return count(high, noun) if low == high else f"{low} to {count(high, noun)}"
