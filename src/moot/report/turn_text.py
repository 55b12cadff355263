"""One turn as a report shows it. This file owns who is named, what a turn is about and how its fields read."""

import html
import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal, TypeAlias

from moot.core.brief import Brief
from moot.core.form import ABSTAIN, Value, shown
from moot.core.labels import act_of, because, label, owned, tells_all
from moot.core.reasons import beside
from moot.core.text import letter
from moot.core.transcript import SUMMARY, Transcript, Turn
from moot.report.speech import frame, link

_HEARD = (SUMMARY, "vote", "moderate", "guide", "inform", "evaluate", "reflect", "synthesize")
"""The acts that are words for others, or one's own account, whoever may see them."""

State: TypeAlias = Literal["answered", "missing", "open", "outside"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A turn that was laid before a speaker: whose it is, what it is, and the label that hid its author, if any."""

    key: str
    by: str
    act: str
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One turn.

    Attributes:
        key: its place in the record.
        mark: what others call it (``T3``), where turns were shown under their marks; "" elsewhere.
        by: who speaks, or was asked to.
        role: the speaker's role.
        moderator: whether the speaker moderates.
        act: what it is, as reports call it.
        on: what was laid before the speaker.
        link: which turn it answers, and how: ``T7 answers T3 (Ben): attack``; "" where it names none.
        state: whether there is an answer, or it is missing, or open, or the turn came from outside.
        reason: why it is missing.
        fields: the form's fields by their names in words; a vote names the proposal's author.
        text: the words; of a ballot those beside its formula.
        complete: whether the fields hold all the words.
        private: whether it only serves the debate, such as a bid or a score: nobody else at the table hears it.
        served: the model that says it answered.
        seconds: how long the answer took.
    """

    key: str
    by: str
    act: str
    state: State
    mark: str = ""
    role: str = ""
    moderator: bool = False
    on: tuple[Subject, ...] = ()
    link: str = ""
    reason: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    text: str = ""
    complete: bool = False
    private: bool = False
    served: str = ""
    seconds: float = 0.0


def speak(turn: Turn, transcript: Transcript, brief: Brief, kind: str) -> Spoken:
    """A turn in words; ``kind`` is that of its failure."""
    if turn.ask is None:
        return Spoken(key=turn.key, by=turn.by, act=turn.act, state="outside", text=turn.text)
    person = next((each for each in brief.participants if each.name == turn.by), None)
    form = turn.ask.form
    layout = (form.name, form.under, form.envelope, *_empty(turn)) if form else ()
    on = subjects(turn, transcript)
    return Spoken(
        key=turn.key,
        by=turn.by,
        act=act_of(turn),
        role=person.role if person else "",
        moderator=person is not None and person.duty == "moderator",
        on=on,
        link=link(turn, transcript),
        state="answered" if turn.reply else "missing" if kind or turn.failure else "open",
        reason=because(kind, turn.failure),
        fields=tuple((_name(turn, on, name), _value(turn, on, value)) for name, value in turn.fields.items()),
        text=beside(turn) if turn.act == "vote" else turn.text,
        complete=tells_all(turn.fields, _bare(turn), *layout, *frame(turn, transcript)),
        private=is_private(turn),
        served=turn.reply.served if turn.reply else "",
        seconds=turn.reply.seconds if turn.reply else 0.0,
    )


def is_private(turn: Turn) -> bool:
    """Whether a turn only serves the debate, such as a bid or a score: nobody but its author may see it."""
    return turn.ask is not None and turn.ask.audience == (turn.by,) and turn.act not in _HEARD


def _empty(turn: Turn) -> tuple[str, ...]:
    """The names of tags that may stand in a message with nothing in them."""
    form = turn.ask.form if turn.ask else None
    return tuple(field.name for field in form.fields) if form and form.layout == "tags" else ()


def _bare(turn: Turn) -> str:
    """The words of an answer; of one in tags without what stands in a tag beside its name, and escapes undone."""
    tagged = turn.ask is not None and turn.ask.form is not None and turn.ask.form.layout == "tags"
    return html.unescape(re.sub(r"<(\w+)\s[^<>]*>", r"<\1>", turn.text)) if tagged else turn.text


def subjects(turn: Turn, transcript: Transcript) -> tuple[Subject, ...]:
    """What was laid before a speaker, with the labels that hid the authors: ``Proposal A``, ``Critique A``."""
    hidden = turn.ask is not None and turn.ask.view.anonymous
    counted: Counter[str] = Counter()
    found: list[Subject] = []
    for each in (transcript.get(key) for key in turn.about):
        word = "Critique" if each.act == "critique" else "Proposal"
        label = f"{word} {letter(counted[word])}" if hidden else ""
        counted[word] += 1
        found.append(Subject(key=each.key, by=each.by, act=act_of(each), label=label))
    return tuple(found)


def _name(turn: Turn, on: tuple[Subject, ...], name: str) -> str:
    """A field's name; what a synthesis took from a label names whose answer stood under it."""
    for subject in on if turn.act == "synthesize" else ():
        if name.endswith(f" {subject.label}"):
            return f"{label(name.removesuffix(subject.label).strip())} {subject.by} (shown as {subject.label})"
    return "Vote" if turn.act == "vote" and "vote" in name.casefold() else label(name)


def _value(turn: Turn, on: tuple[Subject, ...], value: Value) -> str:
    """A field's value; a ballot for a label names whose proposal stood under it."""
    text = shown(value)
    if turn.act != "vote":
        return text
    if value == ABSTAIN:
        return "abstains"
    whose = {each.label: f"{owned(each.by, each.act)} (shown as {each.label})" for each in on if each.label}
    if isinstance(value, tuple):
        return "; ".join(whose.get(each, each) for each in value)
    return whose.get(text, text)
