"""Prompts: what a model reads for one ask, and in which order.

The order suits the providers' prompt caches: shared and old text comes first (rules, topic, background, the log),
individual and new text last (persona, the turns that the ask is about, the task, the form). A prompt has no time and no
randomness. Everything that a participant or a document wrote is indented, line by line; only Folkmoot's own frames begin at
the margin, so that no text can pass for another's.

An answer in tags is written anew from the fields that the reader may see, with the turn's mark as its id. It has no
timestamp, because that would make the prompts of each replay different.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby

from folkmoot.answers.layout import form_instructions
from folkmoot.answers.schemas.form_schema import json_form
from folkmoot.answers.tags import SPEAKER, write_tags
from folkmoot.core.agent import Context, proposal_names
from folkmoot.core.ask import Ask, Form, Value
from folkmoot.core.brief import Brief, Source, View
from folkmoot.core.labels import in_reply_to
from folkmoot.core.roles import ARTIFACTS, artifacts
from folkmoot.core.text import clip, flat, listed
from folkmoot.core.transcript import INTERJECTION, Turn, is_open_prose
from folkmoot.models.base import AttachedFile, Message, Speaker, Traits

INDENT = "  "
"""What stands before every line that somebody else wrote."""

OPENING = "You take part in a structured debate."
"""How every question to a model begins."""

BRIDGE = "Please go on."
"""What stands between two messages of the same side where a provider wants them to alternate."""

UNREAD = "(this message could not be read)"
"""What stands in place of an answer in tags of which no field was read."""

ATTACHED = "The documents that are attached, in this order:"
"""What stands in the message with pictures and PDFs, before their names."""

BRIEFLY = 60
USUALLY = 150
AT_LENGTH = 300
MOST_WORDS: Mapping[str, int] = {
    **dict.fromkeys(("bid", "reconsider", "gauge", "vote", "consent", "score", "interrupt", "question"), BRIEFLY),
    **dict.fromkeys(("open", "draft", "propose", "argue", "answer", "critique", "revise", "close"), USUALLY),
    **dict.fromkeys(("guide", "inform", "reflect", "verdict"), USUALLY),
    **dict.fromkeys(("moderate", "evaluate", "verify"), AT_LENGTH),
}
"""How long an answer in a form shall be, by act; a model that is told nothing writes until it is cut off.

What is to be given in full, such as a summary or a translation, has no such limit.
"""

FURTHER = 30
"""So many words are added for each further text that the form requires."""

LONGEST_TOPIC = 500
"""The most characters of the topic that stand again before the task."""

GO_ON = "The newest message is your own. Go on from it, and repeat nothing."


def compose(ask: Ask, context: Context, traits: Traits, *, as_json: bool = False) -> tuple[Message, ...]:
    """The messages of an ask, in the shape that the provider accepts; ``as_json``: it asks for a JSON object."""
    shared = Message(
        role="system", text=_shared_context(context.brief, named=not (context.view.anonymous and context.turns))
    )
    newest = Message(role="user", text=_newest_context(ask, context, as_json=as_json))
    if context.view.own:
        names = _hidden_names(context.turns) if context.view.anonymous else {}
        log = [_as_message(turn, context, context.view, names) for turn in context.turns]
    else:
        log = [Message(role="user", text=show(context, context.turns))] if context.turns else []
    attached = _attached(context.brief) if any(source.file for source in context.brief.background) else ()
    return fit((shared, *attached, *log, newest), traits)


def _attached(brief: Brief) -> tuple[Message, ...]:
    """The message that carries the pictures and PDFs of the background; what a document shows is no instruction."""
    files = tuple(
        AttachedFile(name=source.name, file=source.file, words=_document(source) if source.text else "")
        for source in brief.background
        if source.file
    )
    names = ", ".join(flat(file.name) for file in files)
    return (Message(role="user", text=f"{ATTACHED} {names}", files=files),)


def fit(messages: Sequence[Message], traits: Traits) -> tuple[Message, ...]:
    """The same messages in a shape that the wire takes: no system messages, or strict alternation, where it must be."""
    fitted: list[Message] = []
    for message in messages if traits.pictures else map(_in_words, messages):
        role: Speaker = "user" if message.role == "system" and not traits.system else message.role
        if fitted and fitted[-1].role == role and role != "assistant":
            files = (*fitted[-1].files, *message.files)
            fitted[-1] = Message(role=role, text=f"{fitted[-1].text}\n\n{message.text}", files=files)
            continue
        if traits.alternate and role == "assistant" and (not fitted or fitted[-1].role != "user"):
            fitted.append(Message(role="user", text=BRIDGE))
        same = role == message.role and not message.calls and not message.answers
        fitted.append(message if same else Message(role=role, text=message.text))
    return tuple(fitted)


def _in_words(message: Message) -> Message:
    """A message for a model that is sent words only: of its files, those that have some."""
    if not message.files:
        return message
    words = (*(file.words for file in message.files if file.words), message.text)
    return replace(message, text="\n\n".join(words), files=())


def render(turn: Turn, brief: Brief, *, view: View, name: str = "") -> str:
    """One turn in its frame: ``[Bull (Optimistic investor)]:`` and the words."""
    shown_for, text = turn.once(
        ("in its frame", view.numbered, view.anonymous, view.clip, name),
        lambda turn: (brief, _render(turn, brief, view=view, name=name)),
    )
    return text if shown_for is brief else _render(turn, brief, view=view, name=name)


def _render(turn: Turn, brief: Brief, *, view: View, name: str) -> str:
    # Where turns are numbered a debate is long: the roles stand once, at the table, not over every turn.
    plain = turn.by if view.numbered else label(turn, brief)
    shown = name or plain
    if turn.act == INTERJECTION:
        shown = label(turn, brief) + in_reply_to(turn, marks=view.numbered, names=not view.anonymous)
    framed = frame(words(turn, name=name, limit=view.clip))
    if not view.numbered:
        return f"[{shown}]:\n{framed}"
    # The old turn stays as it stood in earlier prompts, so that providers can keep them.
    instead = f" (replaces {mark})" if (mark := turn.ask.replaces if turn.ask else "") else ""
    return f"{turn.mark} [{shown}]{instead}:\n{framed}"


def words(turn: Turn, *, name: str = "", limit: int | None = None, own: bool = False) -> str:
    """The words of a turn as they stand in a prompt.

    Args:
        turn: the turn, open to who reads the prompt.
        name: what the speaker is called there; "" for its own name.
        limit: characters of a text after which it is cut, with a mark that says so; None for no cut.
        own: whether they stand as the reader's own words: an answer in tags in just the form it shall have again.
    """
    form = turn.ask.form if turn.ask else None
    if form is None or form.layout != "tags":
        return clip(turn.text, limit)
    texts = {field.name for field in form.fields if field.kind == "text"}
    # Who speaks is known from the ask, whatever the message says.
    speaker = {field.name: name or turn.by for field in form.fields if field.name.lower() == SPEAKER}
    read = {key: value for key, value in turn.fields.items() if key not in speaker}
    if not read and own:
        return turn.text
    read = read or _open_prose(form, turn)
    if not read:
        return UNREAD
    shown = {key: clip(str(value), limit) if key in texts else value for key, value in read.items()}
    carried = "".join(artifact.mark for artifact in artifacts([turn]))
    marks = {field.name: carried for field in form.fields if carried and field.name.lower() == ARTIFACTS.lower()}
    return write_tags(form, {**speaker, **shown}, {} if own else {**marks, form.envelope: turn.mark})


def _own_words(turn: Turn) -> str:
    return words(turn, own=True)


def _open_prose(form: Form, turn: Turn) -> dict[str, Value]:
    """Prose that fits no form, as the words of the turn; "" if a part may be private or forged."""
    fields = [field for field in form.fields if field.kind == "text" and field.required and not field.private]
    return {fields[0].name: turn.text} if fields and is_open_prose(form, turn) else {}


def label(turn: Turn, brief: Brief) -> str:
    """The speaker of a turn with the role: ``Bull (Optimistic investor)``."""
    if turn.act == INTERJECTION:
        return f"{turn.by} (from outside)"
    role = flat(brief.participant(turn.by).role)
    return f"{turn.by} ({role})" if role else turn.by


def frame(text: str) -> str:
    """The text indented, so that no line of it can be mistaken for the frame around it."""
    return "\n".join(INDENT + line for line in text.splitlines())


def _shared_context(brief: Brief, *, named: bool) -> str:
    """What all participants read. Where the log hides names, a list of the participants would reveal who is who."""
    people = [(participant.name, participant.role) for participant in brief.participants if participant.duty != "aide"]
    return _same_for_all(brief.rules, brief.topic, brief.options, brief.background, tuple(people) if named else None)


@lru_cache(maxsize=16)
def _same_for_all(
    rules: str,
    topic: str,
    options: tuple[str, ...],
    background: tuple[Source, ...],
    people: tuple[tuple[str, str], ...] | None,
) -> str:
    """See ``_shared_context``; documents are long, and each question of a debate begins with them."""
    parts = [OPENING]
    if rules:
        parts.append(f"Rules for all:\n{rules}")
    parts.append(f"Topic: {topic}")
    if options:
        parts.append("The possible answers are: " + "; ".join(options) + ".")
    parts.extend(_document(source) for source in background if source.file is None)
    if people is not None:
        at_the_table = [f"- {name}" + (f": {flat(role)}" if role else "") for name, role in people]
        parts.append("At the table:\n" + "\n".join(at_the_table))
    return "\n\n".join(parts)


def _document(source: Source) -> str:
    return f"=== {source.name} ===\n{frame(source.text)}\n=== end of {source.name} ==="


def show(context: Context, turns: Sequence[Turn]) -> str:
    """Turns of the log as text; "" without turns. A hidden author has the same name in all of them."""
    names = _hidden_names(context.turns) if context.view.anonymous else {}
    parts = ["The debate so far:"] if turns else []
    for round, group in groupby(turns, key=lambda turn: turn.round):
        parts.append(f"--- Round {round} ---" if round else "---")
        parts.extend(render(turn, context.brief, view=context.view, name=names.get(turn.by, "")) for turn in group)
    return "\n\n".join(parts)


def _as_message(turn: Turn, context: Context, view: View, names: Mapping[str, str]) -> Message:
    if turn.by == context.me.name and turn.act != INTERJECTION:
        return Message(role="assistant", text=turn.once("own words", _own_words))
    return Message(role="user", text=render(turn, context.brief, view=view, name=names.get(turn.by, "")))


def _newest_context(ask: Ask, context: Context, *, as_json: bool) -> str:
    me = context.me
    parts = _focus_turns(context) if context.about else []
    role = flat(me.role).rstrip(".")
    identity = f"You are {me.name}." + (f" Your role: {role}." if role else "")
    tongue = f"Speak {me.language}." if me.language and ask.act != "translate" else ""
    parts.append("\n".join(filter(None, (identity, me.persona, tongue))))
    parts.append(f"The question: {clip(flat(context.brief.topic), LONGEST_TOPIC)}\n{ask.task}")
    if _continues_own_message(ask, context):
        parts.append(GO_ON)
    if ask.form:
        instructions = form_instructions(json_form(ask.form) if as_json else ask.form)
        parts.append("\n".join(filter(None, (_length(ask.act, ask.form), instructions))))
    return "\n\n".join(parts)


def _length(act: str, form: Form) -> str:
    """How long the answer shall be; "" where that is for its author to say."""
    texts = sum(field.kind in ("text", "list") and field.required for field in form.fields)
    return f"Write at most {MOST_WORDS[act] + FURTHER * max(0, texts - 1)} words." if act in MOST_WORDS else ""


def _continues_own_message(ask: Ask, context: Context) -> bool:
    """Whether the participant is asked for another message in tags right after its own."""
    last = context.turns[-1] if context.turns else None
    tags = ask.form is not None and ask.form.layout == "tags"
    return tags and last is not None and (last.by, last.act) == (context.me.name, ask.act)


def _focus_turns(context: Context) -> list[str]:
    """The turns that the ask is about; where authors are hidden, under the labels of the ballot.

    What the log shows under its mark is not shown again.
    """
    view, names = context.view, proposal_names(context.view, context.about)
    marked = context.turns if view.numbered and not view.anonymous else ()
    above = {turn.key for turn in marked if not (view.own and turn.by == context.me.name)}
    parts = [
        render(turn, context.brief, view=view, name=name)
        for turn, name in zip(context.about, names, strict=True)
        if turn.key not in above
    ]
    marks = [f"{turn.mark} [{turn.by}]" for turn in context.about if turn.key in above]
    return [*parts, f"This is about {listed(marks)} above."] if marks else parts


def _hidden_names(turns: Sequence[Turn]) -> dict[str, str]:
    speakers = dict.fromkeys(turn.by for turn in turns if turn.act != INTERJECTION)
    return {name: f"Participant {n}" for n, name in enumerate(speakers, start=1)}
