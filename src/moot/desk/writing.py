"""The one internal Markdown form of a brief. This file owns how a brief is written so that it reads back the same.

Settings under their documented names in the header; the topic as heading; then Background, Rules, Options and
Participants. A text that would be read as something else where it stands is put into a code block with the word
``text`` (``sections.unfence``). Background files stay files: their names are in the header.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields

from moot.core.brief import Brief, Participant
from moot.core.form import Value
from moot.desk.names import moderates
from moot.desk.sections import SETTING, is_reserved, stands, unfence

_IN_BODY = ("topic", "participants", "rules", "options")


def write(brief: Brief, given: Mapping[str, Value]) -> str:
    """A brief as Markdown.

    Args:
        brief: what is to be debated.
        given: what the brief's file states, by the names of the keys; what it does not state is not written.
    """
    topic, heading = title(brief.topic)
    header = [*topic, *(line for name, value in given.items() for line in _setting(name, value))]
    limits = {name.removeprefix("limits."): value for name, value in given.items() if name.startswith("limits.")}
    header += ["limits:", *(f"  {name}: {_json(value)}" for name, value in limits.items())] if limits else []
    front = "---\n" + "\n".join(header) + "\n---\n" if header else ""
    return front + "\n\n".join([*heading, *_body(brief, given)]) + "\n"


def title(topic: str) -> tuple[list[str], list[str]]:
    """The topic as lines of the header and lines of the body: a heading, where it reads back as one."""
    if is_reserved(topic) or topic.endswith("#"):
        return [f"topic: {_json(topic)}"], []
    return [], [f"# {topic}"]


def _setting(name: str, value: Value) -> Iterator[str]:
    if name not in _IN_BODY and not name.startswith("limits."):
        yield f"{name}: {_json(value)}"


def _body(brief: Brief, given: Mapping[str, Value]) -> Iterator[str]:
    files = given.get("background", ())
    own = brief.background[: len(brief.background) - len(files if isinstance(files, tuple) else ())]
    for source in own["context" in given :]:
        yield f"## Background\n\n{fence(source.text, level=2)}"
    if brief.rules:
        yield f"## Rules\n\n{fence(brief.rules, level=2)}"
    if brief.options:
        yield "## Options\n\n" + "\n".join(f"- {option}" for option in brief.options)
    if names := given.get("participants"):
        yield "## Participants"
        described = names if isinstance(names, tuple) else ()
        yield from (_participant(brief.participant(name)) for name in described)


def _participant(who: Participant) -> str:
    lines = [f"role: {_json(who.role)}"]
    lines += [f"model: {_json(who.seat)}"] if who.seat else []
    lines += [f"duty: {who.duty}"] if (who.duty == "moderator") != moderates(who.name) else []
    lines += [f"weight: {_json(who.weight)}"] if who.weight is not None else []
    for each in fields(who.settings):
        value: float | None = getattr(who.settings, each.name)
        lines += [f"{each.name}: {_json(value)}"] if value is not None else []
    lines += [f"tool_usage: {_json(who.tools)}"] if who.tools else []
    block = f"### {who.name}\n\n" + "\n".join(lines)
    return f"{block}\n\n{fence(who.persona, level=3)}" if who.persona else block


def fence(text: str, *, level: int) -> str:
    """A text as it can stand under a heading of that level: as it is, or else in a code block with the word text."""
    if stands(text, level=level) and not SETTING.match(text) and unfence(text) == text:
        return text
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}text\n{text}\n{ticks}"


def _json(value: object) -> str:
    """A value as JSON, which is YAML 1.2 as well."""
    return json.dumps(value, ensure_ascii=False)
