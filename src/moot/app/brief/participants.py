"""Who takes part. This file owns how list entries and sections of a brief become its participants."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import cast

from moot.app.brief.field_values import Given, read, seat, seconds
from moot.app.brief.names import check_name, moderates, skeleton
from moot.app.brief.schema import PARTICIPANT, get
from moot.app.brief.sections import SETTING, Section, split_seat, unfence
from moot.app.brief.tables import read_all
from moot.app.brief.yaml_header import Node, Scalar, Table, load
from moot.core.brief import Duty, Participant, Search, Settings
from moot.core.errors import BriefError
from moot.core.letters import flat
from moot.core.recall import LIBRARIAN, NAMED

MOST_ROLE = 200
_SENTENCE = re.compile(r"(.+?[.!?])(\s|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What one place of a brief says about one participant."""

    name: str
    line: int
    values: Mapping[str, Given]


def listed(node: Node) -> tuple[Entry, ...]:
    """The entries of the header's ``participants:``.

    Raises:
        BriefError: it is no list of names or tables, or an entry cannot be used.
    """
    if isinstance(node, Scalar | Table):
        found = "participants / personas must be a list: [Ada, Bo], or one line '- name: Ada' for each"
        raise BriefError(found, line=node.line, code="wrong_type")
    if not node.items:
        found = "participants / personas is empty; name 2 or more, or leave the key out for the built-in ones"
        raise BriefError(found, line=node.line, code="out_of_range")
    return tuple(_listed(each) for each in node.items)


def _listed(node: Node) -> Entry:
    if not isinstance(node, Table):
        return _entry(str(read(get(PARTICIPANT, "name"), node).value), node.line, {})
    values = read_all(node, PARTICIPANT, what="participant")
    if "name" not in values:
        raise BriefError("a participant without a name; write name: Ada", line=node.line, code="wrong_type")
    name = values.pop("name")
    return _entry(str(name.value), name.line, values)


def described(section: Section) -> Entry:
    """The entry of a participant's section: ``key: value`` lines up to a blank line, then the persona.

    Raises:
        BriefError: a setting or the name cannot be used.
    """
    block, _, text = section.body.partition("\n\n") if SETTING.match(section.body) else ("", "", section.body)
    values = read_all(load(block, line=section.body_line), PARTICIPANT, what="participant")
    if "name" in values:
        found = "the name stands in the heading; a key 'name' is not allowed here"
        raise BriefError(found, line=values["name"].line, code="duplicate_key")
    if persona := unfence(text.strip()):
        if "persona" in values:
            found = "the persona is given twice, as a key and as text; keep one"
            raise BriefError(found, line=values["persona"].line, code="duplicate_key")
        line = section.body_line + (block.count("\n") + 2 if block else 0)
        values["persona"] = read(get(PARTICIPANT, "persona"), Scalar(line=line, text=persona, plain=False))
    return _entry(section.heading, section.line, values)


def _entry(text: str, line: int, values: Mapping[str, Given]) -> Entry:
    name, model = split_seat(text.strip())
    if split_seat(name)[1]:
        raise BriefError(f"two models stand behind the name {text[:60]!r}; keep one", line=line, code="duplicate_key")
    merged = dict(values)
    if model:
        if "model" in merged:
            found = f"the model is given twice, behind the name and on line {merged['model'].line}; keep one"
            raise BriefError(found, line=line, code="duplicate_key")
        merged["model"] = Given(value=seat(model, line=line), line=line)
    return Entry(name=check_name(name, line=line), line=line, values=merged)


def assemble(first: Sequence[Entry], sections: Iterable[Entry]) -> tuple[Entry, ...]:
    """All entries, those of the list first, each joined with its section.

    Raises:
        BriefError: two participants of one name or of names that look alike, or a setting in both places.
    """
    found: dict[str, Entry] = {}
    for entry in first:
        _check_new(entry, found.get(skeleton(entry.name)))
        found[skeleton(entry.name)] = entry
    named = set(found)
    for entry in sections:
        bare = skeleton(entry.name)
        if bare in named and found[bare].name == entry.name:
            named.discard(bare)
            found[bare] = _join(found[bare], entry)
        else:
            _check_new(entry, found.get(bare))
            found[bare] = entry
    return tuple(found.values())


def _check_new(entry: Entry, other: Entry | None) -> None:
    if other is not None:
        how = "is there already" if other.name == entry.name else f"looks like {other.name!r}"
        found = f"the name {entry.name!r} {how} (line {other.line}); each participant needs a name of its own"
        raise BriefError(found, line=entry.line, code="duplicate_name")


def _join(entry: Entry, section: Entry) -> Entry:
    for name, given in section.values.items():
        if name in entry.values:
            found = f"{name} of {entry.name} is given twice, first on line {entry.values[name].line}; keep one"
            raise BriefError(found, line=given.line, code="duplicate_key")
    return Entry(name=entry.name, line=entry.line, values={**entry.values, **section.values})


def participant(entry: Entry) -> Participant:
    """The participant of an entry; its seat is "" where the brief names no model for it.

    Raises:
        BriefError: somebody called Moderator is to debate, or a librarian is given tools of its own.
    """
    values = {name: given.value for name, given in entry.values.items()}
    persona = str(values.get("persona", ""))
    manner = character(values)
    full = "\n\n".join(part for part in (persona, manner) if part)
    if len(full) > get(PARTICIPANT, "persona").high:
        found = f"the persona of {entry.name} is too long with what else is said about it"
        raise BriefError(found, line=entry.line, code="too_large")
    if values.get("model") in (NAMED, LIBRARIAN):
        if "tool_usage" in entry.values:
            found = f"{entry.name} is a librarian, whose tools stand under research; leave out tool_usage"
            raise BriefError(found, line=entry.values["tool_usage"].line, code="inconsistent")
        return Participant(name=entry.name, role=str(values.get("role", "")), seat=LIBRARIAN, duty="aide")
    duty = values.get("duty", "moderator" if moderates(entry.name) else "debater")
    if duty == "debater" and moderates(entry.name, surely=True):
        found = f"{entry.name!r} is a name for a moderator, not for a debater; choose another name"
        raise BriefError(found, line=entry.line, code="bad_name")
    return Participant(
        name=entry.name,
        role=str(values.get("role", "")) or first_sentence(str(values.get("expertise", "")) or persona),
        persona=full,
        seat=str(values.get("model", "")),
        duty=cast("Duty", duty),
        weight=cast("float | None", values.get("weight")),
        priority=cast("float", values.get("priority", 0.0)),
        language=str(values.get("language", "")),
        settings=_settings(values),
        tools=cast("tuple[str, ...]", values.get("tool_usage", ())),
        search=_search(values),
        deadline=float(seconds(str(values["deadline"]))) if "deadline" in values else None,
        stand_in=str(values.get("stand_in", "")),
        fallback=cast("tuple[str, ...]", values.get("fallback", ())),
    )


MANNERS = ("personality", "expertise", "speaking_style", "style", "tone")
"""The keys that stand behind a persona, in this order."""


def character(values: Mapping[str, object]) -> str:
    """What the keys say about somebody's character, behind the persona: one line each, in a fixed order."""
    said = [(name.replace("_", " ").capitalize(), values[name]) for name in MANNERS if values.get(name)]
    return "\n".join(f"{name}: {words}" for name, words in said)


def _settings(values: Mapping[str, object]) -> Settings:
    given = {each.name: values[each.name] for each in fields(Settings) if each.name in values}
    return Settings(**given)  # pyright: ignore[reportArgumentType]  # the table of keys gives each its type


def _search(values: Mapping[str, object]) -> Search | None:
    given = {name.removeprefix("search."): value for name, value in values.items() if name.startswith("search.")}
    return Search(**given) if given else None  # pyright: ignore[reportArgumentType]  # see _settings


def first_sentence(text: str) -> str:
    """The first sentence of the first paragraph, at most 200 characters, on one line, without its full stop."""
    words = flat(text.strip().split("\n\n")[0])
    found = _SENTENCE.match(words)
    sentence = (found[1] if found else words).removesuffix(".")
    return sentence if len(sentence) <= MOST_ROLE else sentence[: MOST_ROLE - 1].rstrip() + "…"
