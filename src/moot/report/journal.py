"""Every question in full: what was asked, what was shown, what it took to answer. This file owns this appendix."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import TypeAlias

from moot.core.ask import Ask
from moot.core.brief import View
from moot.core.event import TOOL, Attempted, Called, Entry, Erred, Failed
from moot.core.form import Field, Form
from moot.core.labels import act_of, noun, place
from moot.core.transcript import Transcript, Turn, fold
from moot.report.markdown_text import code, inline
from moot.report.pieces import LONG, lead
from moot.report.report import Report

_Effort: TypeAlias = Attempted | Called | Erred | Failed

LONGEST = 2000
"""The most characters of a tool's result."""


def journal(report: Report, entries: Sequence[Entry]) -> str:
    """The appendix in Markdown; it ends with a line break."""
    transcript = fold(entries)
    events: dict[str, list[_Effort]] = {}
    for entry in entries:
        if isinstance(entry.event, Attempted | Called | Erred | Failed):
            events.setdefault(entry.event.key, []).append(entry.event)
    asks = [(turn, turn.ask) for turn in transcript.all() if turn.ask]
    blocks = [piece for turn, ask in asks for piece in _question(turn, ask, transcript, events.get(turn.key, []))]
    return "\n\n".join([f"## Every question of {code(report.debate)}", *(blocks or ["Nothing was asked."])]) + "\n"


def _question(turn: Turn, ask: Ask, transcript: Transcript, events: Sequence[_Effort]) -> Iterator[str]:
    yield f"### {turn.mark} {inline(turn.by)}: {inline(noun(act_of(turn)))}, {inline(place(turn.key))}"
    yield lead("Task", ask.task)
    yield "\n".join(f"- {line}" for line in _facts(ask, transcript))
    if events:
        yield "**What it took**\n\n" + "\n".join(f"{n}. {_step(event)}" for n, event in enumerate(events, start=1))


def _facts(ask: Ask, transcript: Transcript) -> Iterator[str]:
    yield f"**Key:** {code(ask.key)}"
    yield f"**View:** {_view(ask.view)}"
    if ask.about:
        turns = [transcript.get(key) for key in ask.about]
        yield f"**Laid before:** {', '.join(f'{turn.mark} ({inline(turn.by)})' for turn in turns)}"
    if ask.audience:
        yield f"**Seen by:** {', '.join(inline(name) for name in ask.audience)} alone"
    if ask.form:
        yield f"**Form:** {_form(ask.form)}"


def _view(view: View) -> str:
    """What differs from the whole log as it stands."""
    usual = View()
    told = [
        inline(each.name if getattr(view, each.name) is True else f"{each.name} {getattr(view, each.name)}")
        for each in fields(View)
        if getattr(view, each.name) != getattr(usual, each.name)
    ]
    return ", ".join(told) or "the whole log"


def _form(form: Form) -> str:
    return f"{inline(form.name)}, as {form.layout}: {'; '.join(_field(each) for each in form.fields)}"


def _field(field: Field) -> str:
    choices = f" ({' / '.join(inline(choice) for choice in field.choices)})" if field.choices else f" ({field.kind})"
    return f"{inline(field.name)}{choices}{'' if field.required else ', may be left out'}"


def _step(event: _Effort) -> str:
    match event:
        case Attempted(call=call, n=n, model=model):
            return f"{inline(call)}: try {n}{f' of {code(model)}' if model else ''}"
        case Erred(call=call, n=n, kind=kind, reason=reason):
            return f"{inline(call)}: try {n} failed, {inline(kind)}: {inline(reason, 2 * LONG)}"
        case Failed(kind=kind, reason=reason):
            return f"no answer, {inline(kind)}: {inline(reason, 2 * LONG)}"
        case _:
            return f"{inline(event.call)}: {_called(event)}"


def _called(event: Called) -> str:
    used = event.usage
    told = [f"answered in {event.seconds:.1f} s", *([f"by {code(event.served)}"] if event.served else [])]
    if used.input_tokens or used.output_tokens:
        told.append(f"{used.input_tokens:,} tokens in, {used.output_tokens:,} out")
    told += [f"ended by {inline(event.finish)}"] if event.finish else []
    told += [f"asks for {code(f'{each.name} {each.arguments}')}" for each in event.tools]
    told += [f"from {inline(source)}" for source in event.sources]
    result = f": {inline(event.text, LONGEST)}" if event.model.startswith(TOOL) else ""
    return f"{', '.join(told)}{result}"
