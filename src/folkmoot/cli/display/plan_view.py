"""Show the plan of a debate: participants, models, phases, estimated tokens and cost."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from folkmoot.app.export.plugins import Plugin
from folkmoot.app.plan.assignment import Available, is_person
from folkmoot.app.plan.estimate import Costing
from folkmoot.app.plan.server_check import ServerCheck
from folkmoot.app.plan.toolbox import offered_tools
from folkmoot.app.run.prepare import PreparedDebate
from folkmoot.cli.display.text_layout import FAINT, WARN, Indented, amount, colours, fields, joined, line, money
from folkmoot.core.brief import QUOTES, Brief, Limits, Participant
from folkmoot.core.labels import duration, duty_in_words
from folkmoot.core.text import counted, listed, percent

if TYPE_CHECKING:
    from folkmoot.app.export.plans import PresetRow


def heading(
    debate: str, protocol: str, brief: Brief, drops: Mapping[str, tuple[str, ...]], *, origin: str = ""
) -> Iterator[RenderableType]:
    """The topic, id, protocol, origin and participants of a debate."""
    yield Text(line(brief.topic), style="bold")
    yield joined(debate, line(protocol), origin)
    yield ""
    yield from people(brief, drops)


def introduction(debate: str, prepared: PreparedDebate) -> Iterator[RenderableType]:
    """The heading with the plan in one sentence and the notes."""
    yield from heading(debate, prepared.plan.name, prepared.plan.brief, prepared.drops)
    yield ""
    yield Indented(Text(f"{plan_words(prepared.costing)}."), "plan   ", "       ", FAINT)
    for note in prepared.notes:
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
        ignored = f"ignores {', '.join(drops)}" if drops else ""
        duty = "" if participant.duty == "debater" else duty_in_words(participant.duty)
        seat = _in_person(participant) if is_person(participant) else line(participant.seat)
        tools = f"tools {', '.join(map(line, offered_tools(participant)))}" if offered_tools(participant) else ""
        facts = joined(Text(line(participant.role)), seat, duty, weight, tools, Text(ignored, style=WARN))
        yield Indented(facts, name, " " * len(name), f"bold {paint[participant.name]}")


def _in_person(participant: Participant) -> str:
    """The words for a person who answers: the deadline, and the fallback model after it."""
    if participant.deadline is None:
        return "answers in person"
    return f"answers in person within {duration(participant.deadline)}" + (
        f", otherwise {line(participant.stand_in)}" if participant.stand_in else ""
    )


def plan_words(costing: Costing) -> str:
    """The plan in one sentence."""
    estimate, bounds = costing.most, costing.bounds
    asks = _range_in_words(bounds.least.asks, bounds.most.asks, "question")
    calls = _call_words(costing)
    if not estimate.calls:
        return f"{asks}; no model calls"
    tokens = f"{_token_words(costing)} tokens"
    if estimate.cost is None:
        cost = f"cost not known: no price for {', '.join(map(line, estimate.unpriced))}"
    else:
        cost = f"{'cost ' if estimate.cost else ''}{_cost_words(costing)}"
    return f"{asks}; {calls}; {tokens}; {cost}. {REPAIRS}"


REPAIRS = "An answer that is not in its form takes one call more"
"""What an estimate leaves out."""


def _range_in_words(low: int, high: int, noun: str) -> str:
    return counted(high, noun) if low == high else f"{low} to {counted(high, noun)}"


def overview(prepared: PreparedDebate, kind: str, *, details: bool = False) -> Iterator[RenderableType]:
    """The full plan, for ``folkmoot check``.

    Args:
        prepared: the debate.
        kind: the kind of the input: text or markdown.
        details: whether the bounds are shown that hold always, and that hardly any debate comes near.
    """
    brief, estimate, bounds = prepared.plan.brief, prepared.costing.most, prepared.costing.bounds
    yield Text(line(brief.topic), style="bold")
    facts = [("input", {"markdown": "Markdown", "text": "plain text"}[kind]), ("protocol", prepared.plan.name)]
    facts += [("options", " · ".join(map(line, brief.options)))] if brief.options else []
    waits = [line(participant.name) for participant in brief.participants if is_person(participant)]
    answers = "answer" if len(waits) > 1 else "answers"
    facts += [("waits for", f"{listed(waits)}, who {answers} in person")] if waits else []
    facts += [("background", " · ".join(line(source.name) for source in brief.background))] if brief.background else []
    yield from fields(facts)
    yield ""
    yield from people(brief, prepared.drops)
    yield ""
    yield Text("phases", style=FAINT)
    yield from (Indented(Text(text), "  " * depth, "  " * depth) for depth, text in _tree(estimate.phases))
    yield ""
    yield from fields(
        [
            ("questions", _range_in_words(bounds.least.asks, bounds.most.asks, "question")),
            ("calls", _call_words(prepared.costing, details=details)),
            ("tokens", _token_words(prepared.costing, details=details) if estimate.tokens else "none"),
            *(
                [("cache", f"{percent(estimate.repeated)} of the input repeats the beginning of an earlier prompt")]
                if estimate.repeated
                else []
            ),
            ("cost", _cost_words(prepared.costing, details=details)),
            ("limits", _limit_words(brief.limits)),
        ]
    )
    for note in prepared.notes:
        yield Indented(Text(line(note), style=WARN), "note    ", "        ", FAINT)
    if estimate.calls:
        yield Indented(Text(f"{REPAIRS}.", style=FAINT), "", "")
    if bounds.answer and details:
        yield Indented(Text(assumed(bounds.answer), style=FAINT), "", "")
    yield Text("Nothing has been sent to any model.", style=FAINT)


def _tree(paths: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The names of phases with their depths; the root is the debate itself."""
    for path in paths:
        parts = path.strip("/").split("/")
        yield len(parts), parts[-1].replace("_", " ")


def _token_words(costing: Costing, *, details: bool = False) -> str:
    """The expected number of tokens, and what they usually stay below."""
    expected, usual, bound = costing.expected_total, costing.usual_total, costing.bounds.most
    words = f"about {amount(expected.tokens)}, usually below {amount(usual.tokens)}"
    return f"{words}, at most {amount(bound.tokens)}" if details else words


def _call_words(costing: Costing, *, details: bool = False) -> str:
    """The calls where none is repeated."""
    least, usual, bound = costing.bounds.least, costing.usual_total, costing.bounds.most
    calls = _range_in_words(least.calls, usual.calls, "model call")
    return f"{calls}, at most {bound.calls}" if details and usual.calls != bound.calls else calls


def assumed(answer: int) -> str:
    """What the words "at most" assume."""
    return f'"At most" holds if no answer is longer than {answer:,} tokens and nobody joins in from outside.'


def _cost_words(costing: Costing, *, details: bool = False) -> str:
    if costing.most.cost is None or costing.expected_cost is None:
        return f"not known: no price for {', '.join(map(line, costing.most.unpriced))}"
    if not costing.most.cost:
        return "free"
    expected, usual, bound = costing.expected_total, costing.usual_total, costing.bounds.most
    words = f"about {money(expected.cost)}, usually below {money(usual.cost)}"
    return f"{words}, at most {money(bound.cost)}" if details else words


def _limit_words(limits: Limits) -> str:
    words = [
        counted(limits.asks, "question") if limits.asks else "",
        counted(limits.tokens, "token") if limits.tokens else "",
    ]
    words += ["" if limits.cost is None else f"${limits.cost:g}", f"{duration(limits.turn_seconds)} for each answer"]
    words += [f"{duration(limits.total_seconds)} in total" if limits.total_seconds else ""]
    words += [f"a quorum of {limits.quorum} with {duration(limits.grace)} of grace" if limits.quorum else ""]
    return ", ".join(filter(None, words))


def reachable(reach: Available, checks: Sequence[ServerCheck] = ()) -> Iterator[RenderableType]:
    """The models that can be used now, and what was found of the servers among them."""
    up = [server for server in reach.servers if server.up]
    for server in up:
        yield Text.assemble((server.provider, "bold"), (f" at {server.url}", FAINT))
        yield from (Indented(Text(line(model))) for model in server.models or ("no models yet",))
        yield from (Indented(_found(check)) for check in checks if check.provider == server.provider)
    if reach.keys:
        yield Text("API keys", style="bold")
        yield from (Indented(joined(Text(provider), f"from {name}")) for provider, name in reach.keys)
    if reach.agents:
        yield Text("Agents of your subscriptions", style="bold")
        yield from (Indented(Text(agent)) for agent in reach.agents)
    yield Text.assemble(
        (QUOTES, "bold"), ("  always available; not a language model: it only quotes the background", FAINT)
    )
    silent = [server.provider for server in reach.servers if not server.up]
    if silent:
        yield Indented(Text(", ".join(silent), style=FAINT), "not running  ", " " * 13, FAINT)
    if reach.missing:
        yield Indented(
            Text(", ".join(name for name, _ in reach.missing), style=FAINT), "no key       ", " " * 13, FAINT
        )
    for sentence in reach.advice:
        yield Text(sentence)


def _found(check: ServerCheck) -> RenderableType:
    """What was found of a server of one's own."""
    context = f"{check.context:,} tokens of context" if check.context else "context not told"
    if check.fault:
        return joined(f"{counted(check.slots, 'call')} at once", context, Text(line(check.fault), style=WARN))
    schema = "holds answers to a schema" if check.schema else "does not hold answers to a schema"
    took = f"a short answer took {check.seconds:.1f} s ({check.speed:.0f} tokens/s)"
    return joined(f"{counted(check.slots, 'call')} at once", context, schema, took)


def preset_table(rows: "Sequence[PresetRow]") -> Iterator[RenderableType]:
    """The presets: models, protocol and cost of a usual question, and under each what to know before."""
    if not rows:
        yield Text("There are no presets. To write some: folkmoot presets init")
    for row in rows:
        yield joined(
            Text(line(row.name), style="bold"), line(row.protocol), ", ".join(map(line, dict.fromkeys(row.models)))
        )
        if row.problem:
            yield Indented(Text(line(row.problem), style=WARN))
            continue
        known = f"a usual question costs about {money(row.expected)}, at most {money(row.most)}"
        free = "a usual question is free" if row.most == 0 else known
        cost = "the cost is not known" if row.expected is None else free
        yield Indented(joined(cost, line(row.where)))
        for warning in row.warnings:
            yield Indented(Text(line(warning), style=WARN))


def plugin_table(plugins: Sequence[Plugin]) -> RenderableType:
    """What other packages add: one line for each, and under it why it cannot be used."""
    if not plugins:
        return Text("No package adds anything to Folkmoot. How to write one: docs/how-to/extend-folkmoot.md")
    lines: list[RenderableType] = []
    for plugin in plugins:
        package = f"  {line(plugin.package)} {line(plugin.version)}"
        lines.append(Text.assemble((f"{plugin.kind} ", FAINT), (line(plugin.name), "bold"), (package, FAINT)))
        if plugin.broken:
            lines.append(Indented(Text(line(plugin.broken), style=WARN)))
        lines += [Indented(joined(f"{option.name}: {option.help}", option.takes)) for option in plugin.options]
    return Group(*lines)
