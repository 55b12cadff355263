"""Answers in tags, ``<Label>text</Label>``: one message, its fields on the outer level, each once. One pass.

A closing tag in a field's own words can't end the field and go on as another one: what is left over shows, and nothing
is read then.
"""

import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from folkmoot.answers.own_words import any_of, are_foreign, without_comments
from folkmoot.answers.text import fold, key
from folkmoot.answers.values import Fault, FieldValues, Known, read_value, value_text
from folkmoot.core.ask import ABSTAIN, VERDICT, Form, Value, needed
from folkmoot.core.unread import Unread

SPEAKER = "speaker"
"""The field, compared without case, that says who a message is from."""

_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#39|#34|#9|#10|#13);")


def escape(text: str) -> str:
    """The text as it may stand inside a tag."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def unescape(text: str) -> str:
    """The text that ``escape`` was given."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)


def read_tags(form: Form, text: str, known: Known) -> FieldValues:
    """Read a form laid out as tags; a message in somebody else's name, or behind a row ``Ben:``, isn't the author's."""
    if text.count("<!--") > text.count("-->"):
        return _nothing(form, "malformed")  # a comment in a field would take the rest of the message with it
    text = without_comments(text)
    messages, torn = _messages(form, text, known.others)
    foreign = are_foreign(text, [(message.start, message.end) for message in messages], known.others)
    own = [
        message
        for message, strange in zip(messages, foreign, strict=True)
        if not known.speaker or {*map(key, message.words.get(SPEAKER, ()))} <= {"", key(known.speaker)}
        if not strange
    ]
    if torn or not own:
        return _nothing(form, torn or ("speaker_mismatch" if messages else "no_form"))
    words = own[0].words
    if any(message.words != words for message in own) or any(len(texts) > 1 for texts in words.values()):
        return _nothing(form, "ambiguous")
    behind = _NO_WORDS.sub("", text[messages[-1].end :]).strip()
    if form.envelope and not known.final and re.search(r"\w", behind):
        return _nothing(form, "words_behind", behind)
    values = FieldValues()
    for item in form.fields:
        texts = words.get(item.name.casefold())
        values.add(item, read_value(item, texts[0], known) if texts else Fault("missing"))
    verdict = VERDICT.casefold()
    if verdict in own[0].nested and verdict not in words:
        values.note(VERDICT, "inside_content", own[0].nested[verdict])
    given = values.fields.get(VERDICT, ABSTAIN)
    reasons = next((needed(item, given) for item in form.fields if item.name == VERDICT), "")
    if given != ABSTAIN and reasons and reasons not in values.fields:
        values.note(VERDICT, "no_reasons", str(values.fields.pop(VERDICT)))
    return values


_NO_WORDS = re.compile(r"^[ \t]*>.*$|```\w*", re.M)


def _nothing(form: Form, reason: str, seen: str = "") -> FieldValues:
    names = [item.name for item in form.fields if item.required] or [form.name]
    return FieldValues(unread=[Unread(name, reason, seen).cleaned() for name in names])


@dataclass(slots=True)
class _Message:
    """A message: where it stands, the words of its fields, and by field the words of those that stand inside others."""

    start: int
    end: int = 0
    words: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    nested: dict[str, str] = field(default_factory=dict[str, str])


DEEPEST = 20
"""The most tags inside one another; what is deeper is no message, so that reading stays linear."""

_TAG = r"<(?P<shut>/?)(?P<name>{known}|[A-Za-z][\w.-]{{0,40}})(?P<beside>\s[^<>]{{0,400}}?)?(?P<self>/?)>"
_OWN_ID = re.compile(r"\s*(?:id\s*=\s*\S{1,40}\s*)?")


def _messages(form: Form, text: str, others: Sequence[str]) -> tuple[list[_Message], str]:
    """The messages in a text, and why they can't be told.

    Fields without a message around them are one message, where there's no other. What stands in an element that the
    form doesn't know, such as ``<quote>…</quote>``, isn't on the outer level.
    """
    names, envelope = {item.name.casefold() for item in form.fields}, form.envelope.casefold()
    known = "|".join(re.escape(name) for name in (*names, envelope) if name)
    marks = list(re.finditer(rf"^[ \t]*(?:[-*+] )?>.*$|{_TAG.format(known=known)}", text, re.I | re.M))
    marks = [mark for mark in marks if mark["name"] and not mark["self"]]  # the others are rows of a quotation
    closings = Counter(mark["name"].casefold() for mark in marks if mark["shut"])
    stack: list[tuple[str, int]] = []
    messages: list[_Message] = []
    loose = _Message(marks[0].start() if marks else 0)
    for mark in marks:
        name, inside = mark["name"].casefold(), any(outer in names for outer, _ in stack)
        closings[name] -= bool(mark["shut"])
        if name not in names and name != envelope:
            if not mark["shut"] and not inside and closings[name] and len(stack) < DEEPEST:
                stack.append((name, mark.end()))
            elif mark["shut"] and stack and stack[-1][0] == name:
                stack.pop()
            continue
        if not mark["shut"]:
            beside = mark["beside"] or ""
            if (name in names and not _OWN_ID.fullmatch(beside)) or any_of(tuple(others)).search(fold(beside)):
                return [], "malformed"  # <Verdict by="Ben">
            if name == envelope and not stack:
                messages.append(_Message(mark.start()))
            stack.append((name, mark.end()))
            if len(stack) > DEEPEST:
                return [], "malformed"
            continue
        if not stack or stack[-1][0] != name:
            return [], "unclosed" if name in (outer for outer, _ in stack) else "malformed"
        start = stack.pop()[1]
        outer = [around for around, _ in stack]
        message = messages[-1] if outer[:1] == [envelope] else loose
        if name == envelope and not outer:
            messages[-1].end = mark.end()
        elif outer in ([], [envelope]):
            message.words.setdefault(name, []).append(unescape(text[start : mark.start()]))
            loose.end = mark.end()
        elif any(around in names for around in outer):
            message.nested.setdefault(name, text[start : mark.start()])
    if stack:
        return [], "unclosed"
    return messages or ([loose] if loose.words else []), ""


def has_tags(form: Form, text: str) -> bool:
    """Whether a tag of a form stands anywhere in a text."""
    names = [form.envelope, *(item.name for item in form.fields)]
    return any(re.search(rf"</?{re.escape(name)}[\s/>]", text, re.I) for name in names if name)


def write_tags(form: Form, fields: Mapping[str, Value], marks: Mapping[str, str] | None = None) -> str:
    """Fields as tags, in the form's order; what a text holds can neither open a tag nor close one.

    ``marks`` are the ids that stand on tags, by the names of those: ``{"Message": "T3"}``.
    """
    ids = {name: f' id="{mark}"' for name, mark in (marks or {}).items()}
    rows = [
        f"<{item.name}{ids.get(item.name, '')}>{escape(value_text(item, fields[item.name]))}</{item.name}>"
        for item in form.fields
        if item.name in fields
    ]
    if not form.envelope:
        return "\n".join(rows)
    return "\n".join([f"<{form.envelope}{ids.get(form.envelope, '')}>", *rows, f"</{form.envelope}>"])
