"""Read the sections of a brief: topic, background, rules, options and participants from Markdown headings.

The topic is the heading of level 1. The text under it is background, up to the first of these sections:

- ``## Background``, ``## Rules``, ``## Options`` (level 1 does as well);
- ``## Participants`` with one ``### Name`` for each, and then there are no others;
- else one ``## Name`` for each participant. A heading is taken for a name only where the brief says so: it stands in
  ``participants:``; or it names a model in parentheses (``## Ada (ollama:llama3.2)``); or its first line is a setting
  of a participant (``role: …``); or it is Moderator or Mediator. After the first of these every ``##`` is a
  participant; before it, a heading that is neither is refused, so that nobody is dropped and no chapter debates.
  Where no heading says so, two or more whose texts all begin with "You …" are participants. A single one, or one
  beside other headings, is refused: it could be either.

Where ``participants:`` or ``## Participants`` names everybody (but for the moderator, who may have a section beside),
and where no heading shows that it is a participant's, other headings are chapters of the background. Headings in lists,
quotations and code are never sections.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from markdown_it import MarkdownIt

from folkmoot.app.brief.names import is_moderator_name, skeleton
from folkmoot.app.brief.types import HEADER, PARTICIPANT, find_key, get_key
from folkmoot.app.brief.values import LocatedValue, is_agent_name, read_value
from folkmoot.app.brief.yaml_header import Items, Scalar
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError
from folkmoot.core.text import flat

MOST_LINES = 10_000
WORDS_OF_NAME = 3
MOST_HEADING = 4000  # more than any heading may have; so that a longer one is refused in no time

Part: TypeAlias = Literal["topic", "text", "background", "rules", "options", "participants", "person"]

_RESERVED: Mapping[str, Part] = {
    "background": "background",
    "context": "background",
    "rules": "rules",
    "options": "options",
    "participants": "participants",
    "personas": "participants",
}

SETTING = re.compile(r"([a-z_]+):([ \t]|$)", re.MULTILINE)
"""How a line begins that may be a setting of a participant."""

_HEADED = re.compile(r"^ {0,3}(#{1,6}([ \t]|$)|(=+|-+)[ \t]*$)", re.MULTILINE)
_TEXT = re.compile(r"(`{3,})text\n(.*)\n\1", re.DOTALL)
_SEAT = re.compile(r"(.*\S)[ \t]*\(([^()]*)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the body.

    Attributes:
        part: what it is; ``text`` is background without a heading of its own.
        heading: the heading's text, "" where there is none.
        line: the heading's line, or the body's first.
        body: the lines beneath, without blank lines around them.
        body_line: the line on which the body begins.
    """

    part: Part
    heading: str = ""
    line: int = 1
    body: str = ""
    body_line: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A body in sections, in order.

    Attributes:
        sections: what it holds.
        chapters: headings that are part of the background, though a participant's could stand there.
        unseated: the same where each of them could be somebody's name, with a line or two below; else none.
        headings: whether there is any heading at all.
    """

    sections: tuple[Section, ...]
    chapters: tuple[str, ...] = ()
    unseated: tuple[str, ...] = ()
    headings: bool = False

    def of(self, *parts: Part) -> tuple[Section, ...]:
        """The sections of those kinds."""
        return tuple(section for section in self.sections if section.part in parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """A heading: its level, 1 to 6, and text; its line in the file; its first line and the first beneath, from 0."""

    level: int
    text: str
    line: int
    start: int
    end: int
    part: Part = "text"


def read_sections(body: str, *, line: int, listed: Sequence[str] = ()) -> Body:
    """The sections of a body.

    Args:
        body: the Markdown behind the header.
        line: the line of the file on which it begins.
        listed: the names in the header's ``participants:``; empty where it is not given.

    Raises:
        BriefError: a second topic, a section twice, or a heading that might be a participant and might not.
    """
    lines = body.split("\n")
    if len(lines) > MOST_LINES:
        problem = (
            f"the brief has {len(lines):,} lines; at most {MOST_LINES:,} are allowed: put long texts in files beside it"
        )
        raise BriefError(problem, line=line, code="too_large")
    heads = list(_headings(body, line))
    settled = _settle(_sort(heads), lines, listed)
    chapters = tuple(head.text for head in settled if head.part == "text")
    first = _Head(level=0, text="", line=line, start=0, end=0)
    sorted_heads = [first, *_section_headings(settled)]
    ends = [head.start for head in sorted_heads[1:]] + [len(lines)]
    cut = [_section_of(head, lines, end, line) for head, end in zip(sorted_heads, ends, strict=True)]
    sections = tuple(section for section in cut if section.part != "text" or section.body)
    unseated = chapters if _may_be_people(settled, lines) else ()
    return Body(sections=sections, chapters=chapters, unseated=unseated, headings=bool(heads))


def _may_be_people(heads: Sequence[_Head], lines: Sequence[str]) -> bool:
    """Whether two chapters or more look like people of whom little is said, and none looks like a text."""
    stops = [head.start for head in heads[1:]] + [len(lines)]
    chapters = [(head, stop) for head, stop in zip(heads, stops, strict=False) if head.part == "text"]
    short = (
        len(head.text.split()) <= WORDS_OF_NAME and 0 < sum(map(bool, map(str.strip, lines[head.end : stop]))) <= 2
        for head, stop in chapters
    )
    return len(chapters) > 1 and all(short)


def split_agent(text: str) -> tuple[str, str]:
    """A heading or list entry as name and agent: ``Ada (ollama:llama3.2)``; the agent is "" where none is named."""
    match = _SEAT.fullmatch(text)
    return (match[1], match[2].strip()) if match and is_agent_name(match[2].strip()) else (text, "")


def unfence(text: str) -> str:
    """The text inside a code block with the word ``text``, where a section is nothing else; else the text itself.

    So a text of any shape, with headings and settings of its own, can stand in a section word for word.
    """
    match = _TEXT.fullmatch(text)
    closed = match and re.search(f"^ {{0,3}}`{{{len(match[1])},}}[ \t]*$", match[2], re.MULTILINE)
    return match[2] if match and not closed else text


def is_reserved(heading: str) -> bool:
    """Whether a heading with that text always begins a section of its own kind."""
    return heading.casefold() in _RESERVED


def stands(text: str, *, level: int) -> bool:
    """Whether a text can stand under a heading of that level as it is, and the next heading is still seen as one."""
    heads = list(_headings(f"{text}\n\n# end", 1))
    ends = bool(heads) and heads[-1].start == text.count("\n") + 2
    return ends and all(head.level > level for head in heads[:-1])


def _headings(body: str, line: int) -> Iterator[_Head]:
    """The headings of the body that stand in nothing else; those of level 2 and more only in the form with #."""
    if not _HEADED.search(body):
        return
    tokens = MarkdownIt("commonmark").disable(["reference", "inline"]).parse(body)
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            level, (start, end) = int(token.tag[1:]), token.map
            if level == 1 or token.markup.startswith("#"):
                yield _Head(
                    level=level, text=flat(inline.content[:MOST_HEADING]), line=line + start, start=start, end=end
                )


def _sort(heads: Sequence[_Head]) -> list[_Head]:
    """Topic, reserved sections, participants under ``Participants``, and other headings of level 2 as ``text``."""
    named: dict[Part, _Head] = {}
    sorted_heads: list[_Head] = []
    people = 0  # the level of the heading Participants while we are beneath it
    for head in heads:
        if people and head.level == people + 1:
            sorted_heads.append(replace(head, part="person"))
            continue
        if head.level > 2:
            continue
        part = _RESERVED.get(head.text.casefold(), "topic" if head.level == 1 else "text")
        if part in named and part != "background":
            raise _second_heading_error(head, named[part])
        if part != "text":
            named[part] = head
        people = head.level if part == "participants" else 0
        sorted_heads.append(replace(head, part=part))
    return sorted_heads


def _second_heading_error(head: _Head, first: _Head) -> BriefError:
    if head.level == 1 and not is_reserved(head.text):
        sentence = f"a second heading of level 1, {head.text[:60]!r}, after line {first.line}; a brief has one: use ##"
        return BriefError(sentence, line=head.line, code="inconsistent")
    sentence = f"the section {head.text!r} appears twice, first on line {first.line}; keep one"
    return BriefError(sentence, line=head.line, code="duplicate_key")


def _settle(heads: Sequence[_Head], lines: Sequence[str], listed: Sequence[str]) -> list[_Head]:
    """The same headings; those of participants marked as such."""
    participants = next((head for head in heads if head.part == "participants"), None)
    if participants and listed:
        problem = "the header lists the participants already; describe each in a section ## Name, or drop the list"
        raise BriefError(problem, line=participants.line, code="inconsistent")
    if participants or listed:
        names = {skeleton(name) for name in listed}
        return [_place(head, lines, names) for head in heads]
    open_heads = [head for head in heads if head.part == "text"]
    first = next((head for head in open_heads if _is_marked(head, lines)), None)
    if first is None:
        if len(open_heads) > 1 and all(_is_empty(head, lines) for head in open_heads):
            raise _unclear_heading_error(open_heads[0].text, "it has no text", open_heads[0].line)
        _check_labels(open_heads, lines)
        return [_person(head) for head in heads] if _all_addressed(open_heads, lines) else list(heads)
    if early := next((head for head in open_heads if head.line < first.line), None):
        problem = (
            f"is {early.text[:60]!r} a participant or background? It comes before the first participant, "
            f"{first.text[:60]!r}: add a line 'role: …' under it, or write it as ### under ## Background"
        )
        raise BriefError(problem, line=early.line, code="inconsistent")
    return [_person(head) for head in heads]


def _place(head: _Head, lines: Sequence[str], names: Set[str]) -> _Head:
    """A heading where the participants are listed elsewhere: one of them, the moderator, or a chapter."""
    name = split_agent(head.text)[0]
    if head.part == "text" and (skeleton(name) in names or is_moderator_name(name, surely=True)):
        return _person(head)
    if head.part == "text" and _is_marked(head, lines):
        problem = f"{head.text[:60]!r} is described as a participant but is not listed; list it, or drop its settings"
        raise BriefError(problem, line=head.line, code="inconsistent")
    if head.part == "text" and _ADDRESSED.match(_first_line(head, lines)):
        reason = "the list of participants does not name it, but its text begins as a participant's does"
        raise _unclear_heading_error(head.text, reason, head.line)
    return head


_ADDRESSED = re.compile(r"(?:You|Du|Tu|Tú|Vous|Usted|Ты|Вы)(?:['\u2019](?:re|ll|ve|d))?[ ,]")
"""How a text begins that tells somebody who it is."""


def _all_addressed(heads: Sequence[_Head], lines: Sequence[str]) -> bool:
    """Whether these headings are participants because the text of each begins with "You …"; False where none does.

    Raises:
        BriefError: some do, and there is no second participant, or another heading that is none.
    """
    addressed = [head for head in heads if _ADDRESSED.match(_first_line(head, lines))]
    if addressed and (len(addressed) < 2 or len(addressed) < len(heads)):
        head = addressed[0]
        raise _unclear_heading_error(
            head.text, f'its text begins with "{_first_line(head, lines).split()[0]} …"', head.line
        )
    return bool(addressed)


_LABEL = re.compile(
    r"(?:[-*+][ \t]+)?[*_]{0,2}(role|persona|system[ _]prompt)[*_]{0,2}[ \t]*:[*_]{0,2}[ \t]*", re.IGNORECASE
)
"""How a line begins that is meant as a setting of a participant, in bold, as an item, or with a capital letter."""


def _check_labels(heads: Sequence[_Head], lines: Sequence[str]) -> None:
    """Refuse headings that are all meant as participants, but whose settings are written so that they are none.

    Raises:
        BriefError: there are two such headings or more, and no other one.
    """
    labels = [_LABEL.match(_first_line(head, lines)) for head in heads]
    if len(labels) > 1 and labels[0] and all(labels):
        shown = _first_line(heads[0], lines)
        setting = f"{labels[0][1].lower().replace(' ', '_')}: {shown[labels[0].end() :]}"
        problem = f"the first line of {heads[0].text[:60]!r} is no setting as it is written; write {setting[:80]!r}"
        raise BriefError(problem, line=heads[0].line, code="inconsistent")


def _unclear_heading_error(name: str, why: str, line: int) -> BriefError:
    problem = (
        f"is {name[:60]!r} a participant or background? For {why}. "
        "Add a line 'role: …' under it, or write it as ### under ## Background"
    )
    return BriefError(problem, line=line, code="inconsistent")


def _first_line(head: _Head, lines: Sequence[str]) -> str:
    """The first line beneath a heading that is not blank, up to the next heading; "" where there is none."""
    below = next((line for line in lines[head.end :] if line.strip()), "")
    return "" if below.startswith("#") else below.strip()


def _is_empty(head: _Head, lines: Sequence[str]) -> bool:
    """Whether nothing stands between a heading and the next one of its level or above."""
    below = next((line for line in lines[head.end :] if line.strip()), "")
    return re.match(rf"#{{1,{head.level}}}\s|$", below) is not None


def _person(head: _Head) -> _Head:
    return replace(head, part="person") if head.part == "text" else head


def _is_marked(head: _Head, lines: Sequence[str]) -> bool:
    name, seat = split_agent(head.text)
    below = next((line for line in lines[head.end :] if line.strip()), "")
    setting = SETTING.match(below)
    return bool(seat) or is_moderator_name(name, surely=True) or bool(setting and find_key(PARTICIPANT, setting[1]))


def _section_headings(heads: Sequence[_Head]) -> Iterator[_Head]:
    """The headings that begin a section: a chapter belongs to the background before it, or begins a text of its own."""
    last: Part = "text"
    for head in heads:
        if head.part != "text":
            yield head
            last = head.part
        elif last not in ("text", "topic", "background"):
            yield replace(head, text="", end=head.start)
            last = "text"


def _section_of(head: _Head, lines: Sequence[str], end: int, line: int) -> Section:
    start = head.end
    while start < end and not lines[start].strip():
        start += 1
    body = "\n".join(lines[start:end]).rstrip()
    return Section(part=head.part, heading=head.text, line=head.line, body=body, body_line=line + start)


_BREAK = re.compile(r"[ \t]*$| {0,3}(#{1,6}([ \t]|$)|`{3}|~{3}|(=+|-+)[ \t]*$)")
_COMMENT = re.compile(r"\A(<!--.*?-->\s*)+", re.DOTALL)
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_HEADING = re.compile(r"#{1,6} (.*?)( #+)?")
_ITEM = re.compile(r" {0,3}([-*+]|[0-9]{1,3}[.)])[ \t]+(\S.*)")


def split_topic(topic_setting: LocatedValue | None, body: Body) -> tuple[LocatedValue, Body]:
    """The topic, and the body without it: the header's, else the heading's, else the first paragraph.

    Where the header has the key without a value, no paragraph is taken for it.

    Raises:
        BriefError: there is none (``missing_topic``), or header and heading differ (``inconsistent``).
    """
    heading = next((section for section in body.of("topic") if _has_letters(section.heading)), None)
    spoken_topic = topic_setting if topic_setting and _has_letters(str(topic_setting.value)) else None
    if spoken_topic and heading and flat(heading.heading).casefold() != flat(str(spoken_topic.value)).casefold():
        problem = (
            f"the heading {heading.heading[:60]!r} differs from the topic {str(spoken_topic.value)[:60]!r} "
            f"on line {spoken_topic.line}; keep one of them"
        )
        raise BriefError(problem, line=heading.line, code="inconsistent")
    if spoken_topic:
        return spoken_topic, body
    if heading:
        return _read("topic", heading.heading, heading.line), body
    first = body.sections[0] if body.sections and body.sections[0].part == "text" and topic_setting is None else None
    opening = _first_paragraph(first.body) if first else ("", "")
    if first is None or not _has_letters(opening[0]):
        problem = "there is nothing to debate; write the question as a heading, '# Should we …?', or as topic:"
        raise BriefError(problem, line=topic_setting.line if topic_setting else 1, code="missing_topic")
    rest = opening[1].lstrip("\n")
    line = first.body_line + first.body.count("\n") - rest.count("\n")
    section = replace(first, body=rest, body_line=line)
    return _read("topic", opening[0], first.body_line), replace(body, sections=(section, *body.sections[1:]))


def _has_letters(text: str) -> bool:
    return bool(re.search(r"[^\W_]", text))


def _first_paragraph(text: str) -> tuple[str, str]:
    """The first paragraph of a text, or the heading that it begins with, on one line; and the lines behind."""
    lines = _COMMENT.sub("", text).split("\n")
    if (match := _HEADING.fullmatch(flat(lines[0]))) and not lines[0].startswith("    "):
        return match[1], "\n".join(lines[1:])
    end = next((n for n, line in enumerate(lines) if _BREAK.match(line)), len(lines))
    behind = end + 1 if end < len(lines) and _UNDERLINE.fullmatch(lines[end]) else end
    return flat(" ".join(lines[:end])), "\n".join(lines[behind:])


def rules_and_options(header: Mapping[str, LocatedValue], body: Body) -> dict[str, LocatedValue]:
    """The rules and options, if sections contain them.

    Raises:
        BriefError: the header holds them too, or the options are no list.
    """
    values: dict[str, LocatedValue] = {}
    for section in body.of("rules", "options"):
        if not section.body:
            continue
        if section.part in header:
            sentence = f"{section.part} are given twice, first on line {header[section.part].line}; keep one"
            raise BriefError(sentence, line=section.line, code="duplicate_key")
        if section.part == "rules":
            values["rules"] = _read("rules", unfence(section.body), section.body_line)
        else:
            values["options"] = _options(section)
    for section in body.of("participants"):
        if section.body or not body.of("person"):
            sentence = "under Participants each participant has a heading one level down: ### Ada"
            raise BriefError(sentence, line=section.body_line if section.body else section.line, code="inconsistent")
    return values


def _read(name: str, text: str, line: int) -> LocatedValue:
    return read_value(get_key(HEADER, name), Scalar(line=line, text=text, plain=False))


def _options(section: Section) -> LocatedValue:
    options: list[str] = []
    for n, line in enumerate(section.body.split("\n")):
        if match := _ITEM.fullmatch(line):
            options.append(flat(match[2]))
        elif line.strip() and (not options or not line.startswith("  ")):
            sentence = f"{line.strip()[:60]!r} is not a list item; write one option on each line: - yes"
            raise BriefError(sentence, line=section.body_line + n, code="wrong_type")
        elif line.strip():
            options[-1] = flat(f"{options[-1]} {line}")
    entries = tuple(Scalar(line=section.body_line, text=option, plain=False) for option in options)
    return read_value(get_key(HEADER, "options"), Items(line=section.body_line, items=entries))


def background(context: LocatedValue | None, body: Body, name: str) -> tuple[Source, ...]:
    """The background that stands in the brief itself, each piece with its line: the header's, then the body's."""
    pieces = [(str(context.value), context.line)] if context else []
    pieces += [(unfence(section.body), section.body_line) for section in body.of("topic", "text", "background")]
    return tuple(Source(name=name, text=text.strip(), line=line) for text, line in pieces if text.strip())
