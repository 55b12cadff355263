"""The transcript in Markdown: phases and turns, and as an appendix every question in full.

A moderator's turns are block quotations, a missing turn is shown in its place, and turns from outside are marked.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import groupby
from typing import TypeAlias

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import View
from folkmoot.core.event import TOOL, Attempted, Called, Entry, Erred, Failed
from folkmoot.core.labels import act_of, duration, ending, noun, place, plural, with_author
from folkmoot.core.text import about, listed
from folkmoot.core.transcript import Transcript, Turn, fold
from folkmoot.report.markdown_text import LONG, block, capital, code, inline, lead, quoted
from folkmoot.report.report import Part, Report
from folkmoot.report.turn_text import Spoken, Subject, parted

ANSWERING = ("Accepts", "Rejects")
"""The fields that name critiques by their letters."""

_ROLE = 48
"""The most characters of a role over a turn; the whole role stands with the participants."""


APART = ("strategy", "translate")
"""The acts whose answers stand elsewhere: notes in a chapter of their own, translations beneath what they translate."""


def dialogue(parts: Sequence[Part], translations: Mapping[str, str]) -> list[str]:
    """The parts; from the first closing statements on, they have a chapter of their own.

    Args:
        parts: what was said.
        translations: turns in the language of the topic, by their keys.
    """
    blocks: list[str] = []
    last = ""
    for part in parts:
        turns = [turn for turn in part.turns if turn.act not in APART or turn.state != "answered"]
        if not turns and not part.ends:
            continue
        if blocks and not part.ends and all(_is_aside(turn) and turn.act == "score" for turn in turns):
            # Scores belong to the turns above them, not beneath a heading of their own.
            blocks += [_aside_line(turn) for turn in turns]
            continue
        chapter = "## Final statements" if part.closing or last == "## Final statements" else "## The debate"
        blocks += [chapter] if chapter != last else []
        blocks += [f"### {inline(part.title)}", *_turns(turns, translations)]
        blocks += [f"*{inline(ending(end.path))} ended early: {inline(end.reason)}.*" for end in part.ends]
        last = chapter
    return blocks or ["## The debate", "Nothing was said."]


def _turns(turns: Sequence[Spoken], translations: Mapping[str, str]) -> Iterator[str]:
    """The turns of a part; bids that follow each other are one line."""
    for bids, group in groupby(turns, key=lambda turn: turn.act == "bid" and _is_aside(turn)):
        if bids:
            yield _bids(list(group))
        else:
            yield from (piece for turn in group for piece in _turn(turn, translations))


def _bids(turns: Sequence[Spoken]) -> str:
    """Who bid how urgently, the most urgent first, and who did not; the verbose log has every bid in full."""
    urgent = {turn.key: float(value) for turn in turns for name, value in turn.fields if name == "Urgency"}
    bidding = sorted((turn for turn in turns if urgent.get(turn.key, 0.0) >= 1), key=lambda turn: -urgent[turn.key])
    silent = [inline(turn.by) for turn in turns if turn not in bidding]
    bids = [f"{inline(turn.by)} {urgent[turn.key]:g}{f' ({turn.mark})' if turn.mark else ''}" for turn in bidding]
    return f"- *Bids: {', '.join(bids) or 'none'}{f'; no bid of {listed(silent)}' if silent and bids else ''}.*"


def _is_aside(turn: Spoken) -> bool:
    """Whether a turn is shown in one line."""
    return turn.private and turn.state == "answered"


def _aside_line(turn: Spoken) -> str:
    """A bid, a score or the like in one line."""
    on = turn.on[0] if len(turn.on) == 1 else None
    about = f" on {with_author(on.by, on.act)}" if on else ""
    rest = [f"{name}: {value}" for name, value in turn.fields if name not in ("Target", "Relation")]
    facts = [" ".join(fact.split()) for fact in (turn.link, *(rest or [turn.text]))]
    mark = f"{turn.mark} " if turn.mark else ""
    return f"- {mark}{inline(turn.by)}, {inline(noun(turn.act) + about)}. {' '.join(_fact_lines(facts))}"


def _short_role(role: str) -> str:
    """A role over a turn: the parts of a long one, between its commas, that have room."""
    words = " ".join(role.split())
    return words if len(words) <= _ROLE else words[: _ROLE + 1].rpartition(", ")[0] or words


def _turn(turn: Spoken, translations: Mapping[str, str]) -> list[str]:
    if _is_aside(turn):
        return [_aside_line(turn)]
    heading = f"{inline(turn.by)}{f' ({inline(_short_role(turn.role), _ROLE)})' if turn.role else ''}"
    heading = f"#### {turn.mark} {heading}" if turn.mark else f"#### {heading}"
    if turn.state == "outside":
        return [f"{heading}, from outside the debate", _words(turn.text)]
    single = turn.on[0] if len(turn.on) == 1 else None
    about = f" on {inline(with_author(single.by, single.act))}" if single else ""
    head = f"{heading}: {inline(noun(turn.act))}{about}"
    if turn.state != "answered":
        reason = f"*no answer: {inline(turn.reason)}*" if turn.state == "missing" else "*no answer yet*"
        return [head, reason]
    shown = "\n\n".join(text for text in (_subjects(turn), *body(turn)) if text)
    text = translations.get(turn.key, "").strip()
    translation = [quoted(f"*Translated:*\n\n{block(text)}")] if text else []
    return [head, quoted(shown) if turn.moderator else shown, *translation]


def _subjects(turn: Spoken) -> str:
    """What the speaker was asked about, where the heading does not say it; the labels, where the words use them."""
    labels = [on.label for on in turn.on if on.label]
    # A and I are words of English too.
    letters = [label.split()[-1] for label in labels if not label.endswith((" A", " I"))]
    answers = any(name in ANSWERING for name, _ in turn.fields)
    if labels and (answers or re.search(rf"\b(?:{'|'.join([*labels, *letters])})\b", turn.text)):
        pairs = listed([f"{on.label} is {inline(with_author(on.by, on.act))}" for on in turn.on])
        return f"*Shown without names: {pairs}.*"
    if len(turn.on) < 2 or turn.act == "vote":
        return ""
    acts = dict.fromkeys(on.act for on in turn.on)
    about = listed([_subject_label(act, [on for on in turn.on if on.act == act]) for act in acts])
    return f"*On {about}{', shown without names' if labels else ''}.*"


def _subject_label(act: str, on: Sequence[Subject]) -> str:
    if len(on) == 1:
        return inline(with_author(on[0].by, act))
    return f"the {inline(plural(act))} of {listed([inline(subject.by) for subject in on])}"


def body(turn: Spoken) -> list[str]:
    """What an answered turn says, as blocks: a speech is its argument, after a line on what it claims and answers."""
    if not turn.complete:
        fields = _fields(turn.fields) if turn.act == "vote" else []
        return [*_fact_lines([turn.link]), *fields, _words(turn.text)]
    speech = parted(turn.fields)
    facts = [turn.link, *map(capital, speech.aside), *(f"{name}: {value}" for name, value in speech.facts)]
    return [*_fact_lines(facts), *([_words(speech.words)] if speech.words else []), *_fields(speech.rest)]


def _fact_lines(facts: Iterable[str]) -> list[str]:
    """Facts as sentences of one line."""
    line = " ".join(inline(fact if fact.endswith((".", "?", "!")) else f"{fact}.") for fact in facts if fact)
    return [f"*{line}*"] if line else []


def _fields(fields: Iterable[tuple[str, str]]) -> list[str]:
    """Short fields in one list, long ones as blocks of their own."""
    blocks: list[str] = []
    for name, value in fields:
        text = lead(inline(name), value)
        if "\n" in text:
            blocks.append(text)
        elif blocks and "\n\n" not in blocks[-1]:
            blocks[-1] += f"\n- {text}"
        else:
            blocks.append(f"- {text}")
    return blocks


def _words(text: str) -> str:
    return block(text) if text.strip() else "*(an empty answer)*"


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
    return (
        "\n\n".join([f"## Appendix: every question of {code(report.debate)}", *(blocks or ["Nothing was asked."])])
        + "\n"
    )


def _question(turn: Turn, ask: Ask, transcript: Transcript, events: Sequence[_Effort]) -> Iterator[str]:
    yield f"### {turn.mark} {inline(turn.by)}: {inline(noun(act_of(turn)))}, {inline(place(turn.key))}"
    yield lead("Task", ask.task)
    yield "\n".join(f"- {line}" for line in _facts(ask, transcript))
    if events:
        yield "**Calls**\n\n" + "\n".join(f"{n}. {_step(event)}" for n, event in enumerate(events, start=1))


def _facts(ask: Ask, transcript: Transcript) -> Iterator[str]:
    yield f"**Key:** {code(ask.key)}"
    yield f"**View:** {_view(ask.view)}"
    if ask.about:
        turns = [transcript.get(key) for key in ask.about]
        yield f"**Turns shown:** {', '.join(f'{turn.mark} ({inline(turn.by)})' for turn in turns)}"
    if ask.audience:
        yield f"**Visible to:** only {', '.join(inline(name) for name in ask.audience)}"
    if ask.form:
        yield f"**Form:** {_form(ask.form)}"


def _view(view: View) -> str:
    """How a view differs from the whole log."""
    usual = View()
    shown_parts = [
        inline(field.name if getattr(view, field.name) is True else f"{field.name} {getattr(view, field.name)}")
        for field in fields(View)
        if getattr(view, field.name) != getattr(usual, field.name)
    ]
    return ", ".join(shown_parts) or "the whole log"


def _form(form: Form) -> str:
    return f"{inline(form.name)}, as {form.layout}: {'; '.join(_field(field) for field in form.fields)}"


def _field(field: Field) -> str:
    choices = f" ({' / '.join(inline(choice) for choice in field.choices)})" if field.choices else f" ({field.kind})"
    return f"{inline(field.name)}{choices}{'' if field.required else ', optional'}"


def _step(event: _Effort) -> str:
    match event:
        case Attempted(call=call, n=n, model=model):
            return f"{inline(call)}: attempt {n}{f' of {code(model)}' if model else ''}"
        case Erred(call=call, n=n, kind=kind, reason=reason):
            return f"{inline(call)}: attempt {n} failed, {inline(kind)}: {inline(reason, 2 * LONG)}"
        case Failed(kind=kind, reason=reason):
            return f"no answer, {inline(kind)}: {inline(reason, 2 * LONG)}"
        case _:
            return f"{inline(event.call)}: {_call_sentence(event)}"


def _call_sentence(event: Called) -> str:
    used = event.usage
    parts = [f"answered in {duration(event.seconds)}", *([f"by {code(event.served)}"] if event.served else [])]
    if used.input_tokens or used.output_tokens:
        parts.append(about(f"{used.input_tokens:,} tokens in, {used.output_tokens:,} out", used.estimated))
    parts += [f"ended by {inline(event.finish)}"] if event.finish else []
    parts += [f"{'' if call.is_note else 'asks for '}{code(f'{call.name} {call.arguments}')}" for call in event.tools]
    parts += [f"from {inline(source)}" for source in event.sources]
    result = f": {inline(event.text, LONGEST)}" if event.model.startswith(TOOL) else ""
    return f"{', '.join(parts)}{result}"
