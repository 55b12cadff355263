"""Passages of a brief's body. This file owns how its sections become the topic, the rules, the options, background."""

import re
from collections.abc import Mapping
from dataclasses import replace

from moot.app.brief.field_values import Given, check_texts, read
from moot.app.brief.key import Key
from moot.app.brief.schema import HEADER, get
from moot.app.brief.sections import Body, Section, unfence
from moot.app.brief.yaml_header import Scalar
from moot.core.brief import Source
from moot.core.errors import BriefError
from moot.core.letters import flat

_BREAK = re.compile(r"[ \t]*$| {0,3}(#{1,6}([ \t]|$)|`{3}|~{3}|(=+|-+)[ \t]*$)")
_COMMENT = re.compile(r"\A(<!--.*?-->\s*)+", re.DOTALL)
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_HEADING = re.compile(r"#{1,6} (.*?)( #+)?")
_ITEM = re.compile(r" {0,3}([-*+]|[0-9]{1,3}[.)])[ \t]+(\S.*)")


def take_topic(given: Given | None, body: Body) -> tuple[Given, Body]:
    """The topic, and the body without it: the header's, else the heading's, else the first paragraph.

    Where the header has the key without a value, no paragraph is taken for it.

    Raises:
        BriefError: there is none (``missing_topic``), or header and heading differ (``inconsistent``).
    """
    heading = next((each for each in body.of("topic") if _speaks(each.heading)), None)
    said = given if given and _speaks(str(given.value)) else None
    if said and heading and flat(heading.heading).casefold() != flat(str(said.value)).casefold():
        found = (
            f"the heading {heading.heading[:60]!r} differs from the topic {str(said.value)[:60]!r} "
            f"on line {said.line}; keep one of them"
        )
        raise BriefError(found, line=heading.line, code="inconsistent")
    if said:
        return said, body
    if heading:
        return _read("topic", heading.heading, heading.line), body
    first = body.sections[0] if body.sections and body.sections[0].part == "text" and given is None else None
    taken = _first(first.body) if first else ("", "")
    if first is None or not _speaks(taken[0]):
        found = "there is nothing to debate; write the question as a heading, '# Should we …?', or as topic:"
        raise BriefError(found, line=given.line if given else 1, code="missing_topic")
    rest = taken[1].lstrip("\n")
    line = first.body_line + first.body.count("\n") - rest.count("\n")
    kept = replace(first, body=rest, body_line=line)
    return _read("topic", taken[0], first.body_line), replace(body, sections=(kept, *body.sections[1:]))


def _speaks(text: str) -> bool:
    return bool(re.search(r"[^\W_]", text))


def _first(text: str) -> tuple[str, str]:
    """The first paragraph of a text, or the heading that it begins with, on one line; and the lines behind."""
    lines = _COMMENT.sub("", text).split("\n")
    if (found := _HEADING.fullmatch(flat(lines[0]))) and not lines[0].startswith("    "):
        return found[1], "\n".join(lines[1:])
    end = next((n for n, line in enumerate(lines) if _BREAK.match(line)), len(lines))
    behind = end + 1 if end < len(lines) and _UNDERLINE.fullmatch(lines[end]) else end
    return flat(" ".join(lines[:end])), "\n".join(lines[behind:])


def take_lists(given: Mapping[str, Given], body: Body) -> dict[str, Given]:
    """Rules and options, where sections hold them.

    Raises:
        BriefError: the header holds them too, or the options are no list.
    """
    found: dict[str, Given] = {}
    for section in body.of("rules", "options"):
        if not section.body:
            continue
        if section.part in given:
            sentence = f"{section.part} are given twice, first on line {given[section.part].line}; keep one"
            raise BriefError(sentence, line=section.line, code="duplicate_key")
        if section.part == "rules":
            found["rules"] = _read("rules", unfence(section.body), section.body_line)
        else:
            found["options"] = _options(section)
    for section in body.of("participants"):
        if section.body or not body.of("person"):
            sentence = "under Participants each participant has a heading one level down: ### Ada"
            raise BriefError(sentence, line=section.body_line if section.body else section.line, code="inconsistent")
    return found


def _read(name: str, text: str, line: int) -> Given:
    return read(_key(name), Scalar(line=line, text=text, plain=False))


def _key(name: str) -> Key:
    return get(HEADER, name)


def _options(section: Section) -> Given:
    options: list[str] = []
    for n, line in enumerate(section.body.split("\n")):
        if found := _ITEM.fullmatch(line):
            options.append(flat(found[2]))
        elif line.strip() and (not options or not line.startswith("  ")):
            sentence = f"{line.strip()[:60]!r} is no list item; write one option on each line: - yes"
            raise BriefError(sentence, line=section.body_line + n, code="wrong_type")
        elif line.strip():
            options[-1] = flat(f"{options[-1]} {line}")
    value = check_texts(_key("options"), options, section.body_line)
    return Given(value=value, line=section.body_line)


def background(context: Given | None, body: Body, name: str) -> tuple[Source, ...]:
    """The background that stands in the brief itself, each piece with its line: the header's, then the body's."""
    pieces = [(str(context.value), context.line)] if context else []
    pieces += [(unfence(each.body), each.body_line) for each in body.of("topic", "text", "background")]
    return tuple(Source(name=name, text=text.strip(), line=line) for text, line in pieces if text.strip())
