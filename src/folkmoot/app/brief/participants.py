"""The participants of a brief: from list entries and sections, with what each may see, and checks across all of them.

A debater sees what the header says, unless its own section has a ``context_scope``, which replaces the header's scope
and strategy. The moderator sees everything, unless its own section says otherwise.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeAlias, cast

from folkmoot.app.brief.default_participants import USUAL, debaters, default_moderator
from folkmoot.app.brief.names import check_name, is_moderator_name, skeleton
from folkmoot.app.brief.sections import SETTING, Section, split_agent, unfence
from folkmoot.app.brief.types import HEADER, PARTICIPANT, get_key
from folkmoot.app.brief.values import LocatedValue, parse_agent, read_value, read_values, seconds
from folkmoot.app.brief.yaml_header import Node, Scalar, Table, load
from folkmoot.core.ask import Value
from folkmoot.core.brief import Duty, Participant, Schemas, Search, Settings, View
from folkmoot.core.errors import BriefError
from folkmoot.core.roles import RETRIEVER, RETRIEVER_NAME
from folkmoot.core.text import counted, flat, listed, shorten
from folkmoot.core.transcript import INTERJECTION, SUMMARY
from folkmoot.phases.speak import SPOKEN
from folkmoot.protocols.known import ALONE, FORMATS, NEEDS_MODERATOR

MOST_ROLE = 200
_SENTENCE = re.compile(r"(.+?[.!?])(\s|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantEntry:
    """What one part of a brief says about one participant."""

    name: str
    line: int
    values: Mapping[str, LocatedValue]


def listed_entries(node: Node) -> tuple[ParticipantEntry, ...]:
    """The entries of the header's ``participants:``.

    Raises:
        BriefError: it is no list of names or tables, or an entry cannot be used.
    """
    if isinstance(node, Scalar | Table):
        problem = "participants / personas must be a list: [Ada, Bo], or one line '- name: Ada' for each"
        raise BriefError(problem, line=node.line, code="wrong_type")
    if not node.items:
        problem = "participants / personas is empty; name 2 or more, or leave the key out for the built-in ones"
        raise BriefError(problem, line=node.line, code="out_of_range")
    return tuple(_list_entry(item) for item in node.items)


def _list_entry(node: Node) -> ParticipantEntry:
    if not isinstance(node, Table):
        return _entry(str(read_value(get_key(PARTICIPANT, "name"), node).value), node.line, {})
    values = read_values(node, PARTICIPANT, place="participant")
    if "name" not in values:
        raise BriefError("a participant has no name; write name: Ada", line=node.line, code="wrong_type")
    name = values.pop("name")
    return _entry(str(name.value), name.line, values)


def section_entry(section: Section) -> ParticipantEntry:
    """The entry of a participant's section: ``key: value`` lines up to a blank line, then the persona.

    Raises:
        BriefError: a setting or the name cannot be used.
    """
    block, _, text = section.body.partition("\n\n") if SETTING.match(section.body) else ("", "", section.body)
    values = read_values(load(block, line=section.body_line), PARTICIPANT, place="participant")
    if "name" in values:
        problem = "the heading has the name; a key 'name' is not allowed here"
        raise BriefError(problem, line=values["name"].line, code="duplicate_key")
    if persona := unfence(text.strip()):
        if "persona" in values:
            problem = "the persona is given twice, as a key and as text; keep one"
            raise BriefError(problem, line=values["persona"].line, code="duplicate_key")
        line = section.body_line + (block.count("\n") + 2 if block else 0)
        values["persona"] = read_value(get_key(PARTICIPANT, "persona"), Scalar(line=line, text=persona, plain=False))
    return _entry(section.heading, section.line, values)


def _entry(text: str, line: int, values: Mapping[str, LocatedValue]) -> ParticipantEntry:
    name, model = split_agent(text.strip())
    if split_agent(name)[1]:
        raise BriefError(f"two models follow the name {text[:60]!r}; keep one", line=line, code="duplicate_key")
    merged = dict(values)
    if model:
        if "model" in merged:
            problem = f"the model is given twice, after the name and on line {merged['model'].line}; keep one"
            raise BriefError(problem, line=line, code="duplicate_key")
        merged["model"] = LocatedValue(value=parse_agent(model, line=line), line=line)
    return ParticipantEntry(name=check_name(name, line=line), line=line, values=merged)


def join_entries(
    first: Sequence[ParticipantEntry], sections: Iterable[ParticipantEntry]
) -> tuple[ParticipantEntry, ...]:
    """All entries, those of the list first, each joined with its section.

    Raises:
        BriefError: two participants of one name or of names that look alike, or a setting in both places.
    """
    entries: dict[str, ParticipantEntry] = {}
    for entry in first:
        _check_new(entry, entries.get(skeleton(entry.name)))
        entries[skeleton(entry.name)] = entry
    named = set(entries)
    for entry in sections:
        folded_name = skeleton(entry.name)
        if folded_name in named and entries[folded_name].name == entry.name:
            named.discard(folded_name)
            entries[folded_name] = _join(entries[folded_name], entry)
        else:
            _check_new(entry, entries.get(folded_name))
            entries[folded_name] = entry
    return tuple(entries.values())


def _check_new(entry: ParticipantEntry, other: ParticipantEntry | None) -> None:
    if other is not None:
        likeness = "is there already" if other.name == entry.name else f"looks like {other.name!r}"
        problem = f"the name {entry.name!r} {likeness} (line {other.line}); each participant needs a name of its own"
        raise BriefError(problem, line=entry.line, code="duplicate_name")


def _join(entry: ParticipantEntry, section: ParticipantEntry) -> ParticipantEntry:
    for name, item in section.values.items():
        if name in entry.values:
            problem = f"{name} of {entry.name} is given twice, first on line {entry.values[name].line}; keep one"
            raise BriefError(problem, line=item.line, code="duplicate_key")
    return ParticipantEntry(name=entry.name, line=entry.line, values={**entry.values, **section.values})


def make_participant(entry: ParticipantEntry) -> Participant:
    """Make the participant of an entry; its model is "" if the brief names none.

    Raises:
        BriefError: somebody called Moderator is to debate, or a retriever is given tools of its own.
    """
    values = {name: value.value for name, value in entry.values.items()}
    persona = str(values.get("persona", ""))
    manner = character_lines(values)
    full = "\n\n".join(part for part in (persona, manner) if part)
    if len(full) > get_key(PARTICIPANT, "persona").high:
        problem = f"the persona of {entry.name} is too long together with its other descriptions"
        raise BriefError(problem, line=entry.line, code="too_large")
    if values.get("model") in (RETRIEVER_NAME, RETRIEVER):
        if "tool_usage" in entry.values:
            problem = f"{entry.name} is a retriever, and its tools are set under research; leave out tool_usage"
            raise BriefError(problem, line=entry.values["tool_usage"].line, code="inconsistent")
        return Participant(name=entry.name, role=str(values.get("role", "")), seat=RETRIEVER, duty="aide")
    duty = values.get("duty", "moderator" if is_moderator_name(entry.name) else "debater")
    if duty == "debater" and is_moderator_name(entry.name, surely=True):
        problem = f"{entry.name!r} is a name for a moderator, not for a debater; choose another name"
        raise BriefError(problem, line=entry.line, code="bad_name")
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
        schemas=cast("Schemas", values.get("schemas", "")),
    )


MANNERS = ("personality", "expertise", "speaking_style", "style", "tone")
"""The keys that stand behind a persona, in this order."""


def character_lines(values: Mapping[str, object]) -> str:
    """The keys about a participant's character as lines after the persona, in a fixed order."""
    manners = [(name.replace("_", " ").capitalize(), values[name]) for name in MANNERS if values.get(name)]
    return "\n".join(f"{name}: {words}" for name, words in manners)


def _settings(values: Mapping[str, object]) -> Settings:
    settings = {field.name: values[field.name] for field in fields(Settings) if field.name in values}
    return Settings(**settings)  # pyright: ignore[reportArgumentType]  # the table of keys gives each its type


def _search(values: Mapping[str, object]) -> Search | None:
    search = {name.removeprefix("search."): value for name, value in values.items() if name.startswith("search.")}
    return Search(**search) if search else None  # pyright: ignore[reportArgumentType]  # see _settings


def first_sentence(text: str) -> str:
    """The first sentence of the first paragraph, at most 200 characters, on one line, without its full stop."""
    words = flat(text.strip().split("\n\n")[0])
    match = _SENTENCE.match(words)
    sentence = (match[1] if match else words).removesuffix(".")
    return shorten(sentence, MOST_ROLE)


USUAL_TURNS = 6
"""How many turns a window shows where the brief does not say."""

USUAL_ROUNDS = 2
"""After how many rounds ``summarize_past`` sums up where the brief does not say."""

ACTS = (
    *SPOKEN,
    "guide",
    "inform",
    "score",
    "evaluate",
    SUMMARY,
    "reflect",
    "moderate",
    "synthesize",
    "vote",
    INTERJECTION,
)
"""The acts that can be hidden; all others are never shown to anybody but their author."""

_ROUND = re.compile(r"(?:(.+) )?round ([0-9]{1,3})", re.IGNORECASE)

Values: TypeAlias = Mapping[str, LocatedValue]


def view_of(header: Values, own: Values) -> View | None:
    """The part of the debate that a participant sees; None for all of it for which its model has room.

    Args:
        header: the values of the header; empty for a moderator.
        own: the values of its own section.
    """
    scope, strategy = _word(own, "context_scope"), ""
    if not scope:
        scope, strategy = _word(header, "context_scope"), _word(header, "context_strategy")
    turns = own.get("context_turns") or header.get("context_turns")
    last = cast("int", turns.value) if turns else USUAL_TURNS
    view = View(
        last=last if scope == "last_n_turns" or strategy == "rolling_window" else None,
        summary=strategy == "summarize_past",
        summary_only=scope == "summary_only",
        mine=scope == "persona_scoped",
        whole=scope == "full_log",
    )
    return None if view == View() else view


def own_sight(participant: Participant, header: Values) -> dict[str, Value]:
    """What the section of a participant says of its view, where the header doesn't say it: ``view_of`` backwards."""
    view = participant.view or View()
    turns: dict[str, Value] = {} if view.last is None else {"context_turns": view.last}
    scope = "summary_only" if view.summary_only else "persona_scoped" if view.mine else ""
    whole = {"context_scope": scope or ("last_n_turns" if turns else "full_log"), **turns}
    for own in ({}, turns):
        if (
            view_of(header, {name: LocatedValue(value=value, line=0) for name, value in own.items()})
            == participant.view
        ):
            return own
    return whole


def summary_interval(header: Values, entries: Sequence[ParticipantEntry]) -> int:
    """The number of rounds between summaries, if somebody sees only summaries; 0 for none."""
    if "summarize_every" in header:
        return cast("int", header["summarize_every"].value)
    if _word(header, "context_strategy") == "summarize_past":
        return USUAL_ROUNDS
    return int("summary_only" in _scopes(header, entries))


def check_visibility(header: Values, entries: Sequence[ParticipantEntry]) -> None:
    """Refuse settings of visibility that contradict each other or have no effect.

    Raises:
        BriefError: code ``inconsistent``.
    """
    scope, strategy = _word(header, "context_scope"), _word(header, "context_strategy")
    scopes = _scopes(header, entries)
    if reason := _AGAINST.get((scope, strategy)):
        at = f"context_strategy is {strategy} on line {header['context_strategy'].line}"
        _refuse(header["context_scope"], f"context_scope is {scope}, but {at}, {reason}; leave out one of them")
    if strategy == "persona_masking" and not any("hide" in entry.values for entry in entries):
        problem = (
            "context_strategy is persona_masking, but nobody hides anything; add to a participant 'hide: [round 1]'"
        )
        _refuse(header["context_strategy"], problem)
    if "context_turns" in header and "last_n_turns" not in scopes and strategy != "rolling_window":
        _refuse(header["context_turns"], _NO_WINDOW)
    if "summarize_every" in header and "summary_only" not in scopes and strategy != "summarize_past":
        problem = "summarize_every needs context_strategy: summarize_past, or context_scope: summary_only"
        _refuse(header["summarize_every"], problem)


_AGAINST: Mapping[tuple[str, str], str] = {
    ("full_log", "rolling_window"): "which shows only the newest turns",
    ("full_log", "summarize_past"): "which shows a summary in place of the turns before it",
    ("last_n_turns", "append_all"): "which keeps every turn in sight",
    ("summary_only", "append_all"): "which keeps every turn in sight",
    ("summary_only", "rolling_window"): "which shows the newest turns",
}
"""Pairs of context_scope and context_strategy that contradict each other, and what the second does."""

_NO_WINDOW = "context_turns needs a window: context_scope: last_n_turns, or context_strategy: rolling_window"


def check_window(header: Values, entry: ParticipantEntry) -> None:
    """Refuse a participant's window of turns if the debate has none.

    Args:
        header: the values of the header; empty for a moderator.
        entry: what the brief says about the participant.

    Raises:
        BriefError: code ``inconsistent``.
    """
    view = view_of(header, entry.values)
    if "context_turns" in entry.values and (view is None or view.last is None):
        _refuse(entry.values["context_turns"], _NO_WINDOW)


def hidden_texts(entry: ParticipantEntry, people: Sequence[Participant], header: Values) -> tuple[str, ...]:
    """The texts that a participant must never see, as the transcript compares them.

    Raises:
        BriefError: a text names nobody in the debate, no act and no round that there can be, or the participant itself.
    """
    hide = entry.values.get("hide")
    if hide is None:
        return ()
    names = {skeleton(person.name): person.name for person in people}
    last_round = int(cast("int", header["rounds"].value) if "rounds" in header else get_key(HEADER, "rounds").high)
    masks = [_mask(text, names, last_round, hide) for text in cast("tuple[str, ...]", hide.value)]
    for text, mask in zip(cast("tuple[str, ...]", hide.value), masks, strict=True):
        if mask == entry.name or mask.startswith(f"{entry.name} round "):
            _refuse(hide, f"hide of {entry.name} holds {text!r}, but everybody sees their own turns")
    return tuple(dict.fromkeys(masks))


def _mask(text: str, names: Mapping[str, str], last_round: int, hide: LocatedValue) -> str:
    if (subject_of_all := _subject(text, names)) is not None:
        return subject_of_all
    match = _ROUND.fullmatch(text)
    subject = _subject(match[1], names) if match and match[1] else ""
    if match is None or subject is None or not 1 <= int(match[2]) <= last_round:
        allowed = (
            f"participants ({', '.join(names.values())}), acts ({', '.join(ACTS)}), 'round 1' to 'round {last_round}'"
        )
        found_text = f"hide names {text[:60]!r}, which is not known; allowed are {allowed}, or both: 'Ada round 2'"
        raise BriefError(found_text, line=hide.line, code="bad_enum")
    return f"{subject} round {int(match[2])}".strip()


def _subject(text: str, names: Mapping[str, str]) -> str | None:
    """The participant or act of that name; None where there is neither."""
    act = text.casefold()
    return names.get(skeleton(text)) or (act if act in ACTS else None)


def _scopes(header: Values, entries: Sequence[ParticipantEntry]) -> set[str]:
    return {_word(values, "context_scope") for values in (header, *(entry.values for entry in entries))}


def _word(values: Values, name: str) -> str:
    return str(values[name].value) if name in values else ""


def _refuse(setting: LocatedValue, text: str) -> None:
    raise BriefError(text, line=setting.line, code="inconsistent")


NEEDS_ROLES = ("moderated",)
"""Protocols that show everybody each debater's role, and that a moderator ends."""

JUDGED = ("vote_based", "ranked_reasons")
"""Strategies by which the moderator of a debate format is its judge."""


def complete_participants(entries: Sequence[ParticipantEntry], header: Values) -> tuple[Participant, ...]:
    """All participants: those described, or the built-in debaters; and a moderator if one is needed.

    Args:
        entries: what the brief says about its participants.
        header: the brief's values by the names of their keys.

    Raises:
        BriefError: too few or too many debaters, a number that differs from ``persona_count``, a debater without a
            role where the protocol needs one, two moderators, none where the strategy needs one, or settings that
            contradict each other (``app.brief.participants``).
    """
    people = tuple(make_participant(entry) for entry in entries)
    lines = {entry.name: entry.line for entry in entries}
    debating = [person for person in people if person.duty == "debater"]
    moderating = [person for person in people if person.duty == "moderator"]
    protocol = header["protocol"].value if "protocol" in header else ""
    if len(moderating) > 1:
        problem = f"{moderating[0].name!r} and {moderating[1].name!r} both moderate; there can be one moderator"
        raise BriefError(problem, line=lines[moderating[1].name], code="inconsistent")
    if debating:
        if len(debating) > 1 or protocol not in ALONE:
            _check_count(debating, header.get("persona_count"), header["participants"].line)
        if protocol in NEEDS_ROLES:
            _check_roles(debating, lines)
    else:
        count = header.get("persona_count")
        people = debaters(cast("int", count.value) if count else USUAL) + people
    people += added_moderator(moderating, header.get("moderator"), header)
    check_visibility(header, entries)
    own = {person.name: ParticipantEntry(name=person.name, line=0, values={}) for person in people} | {
        entry.name: entry for entry in entries
    }
    return tuple(_with_header(person, own[person.name], people, header) for person in people)


def _with_header(
    participant: Participant, entry: ParticipantEntry, people: Sequence[Participant], settings: Values
) -> Participant:
    """The participant with the settings that the header has for all, and its view."""
    header: Values = settings if participant.duty == "debater" else {}
    check_window(header, entry)
    language = settings["language"].value if "language" in settings else ""
    return replace(
        participant,
        view=view_of(header, entry.values),
        hide=hidden_texts(entry, people, settings),
        language=participant.language or str(language),
    )


def check_list_length(*lines: Sequence[int]) -> None:
    """Refuse a list or a sequence of sections that is far too long, before its parts are read.

    Raises:
        BriefError: code ``out_of_range``.
    """
    limit = int(get_key(HEADER, "participants").high) + 1
    for line in lines:
        if len(line) > limit:
            problem = f"{len(line)} participants are described; at most {limit - 1} and a moderator can take part"
            raise BriefError(problem, line=line[limit], code="out_of_range")


def _check_count(debating: Sequence[Participant], count: LocatedValue | None, line: int) -> None:
    key = get_key(HEADER, "participants")
    names = ", ".join(item.name for item in debating[:12])
    if not key.low <= len(debating) <= key.high:
        problem = f"{counted(len(debating), 'debater')} ({names}); a debate needs {key.low:g} to {key.high:g}"
        problem += f"; the protocols {listed(ALONE)} need 1" if len(debating) == 1 else ""
        raise BriefError(problem, line=line, code="out_of_range")
    if count and count.value != len(debating):
        problem = f"persona_count is {count.value}, but {len(debating)} debaters are described: {names}"
        raise BriefError(problem, line=count.line, code="inconsistent")


def _check_roles(debating: Sequence[Participant], lines: Mapping[str, int]) -> None:
    for item in debating:
        if not item.role:
            problem = f"{item.name!r} has no role; the protocol moderated needs one: add a line 'role: …'"
            raise BriefError(problem, line=lines[item.name], code="inconsistent")


def added_moderator(
    moderating: Sequence[Participant], wanted: LocatedValue | None, header: Values
) -> tuple[Participant, ...]:
    """The built-in moderator, if ``wanted``, the value of the key ``moderator``, or the rest of the header needs one.

    Raises:
        BriefError: code ``inconsistent``.
    """
    protocol, strategy = (header[name].value if name in header else "" for name in ("protocol", "strategy"))
    for name in ("mediator_frequency", "summary_style"):
        if name in header and "mediator_type" not in header:
            problem = f"{name} needs a mediator_type: one of {', '.join(get_key(HEADER, 'mediator_type').choices)}"
            raise BriefError(problem, line=header[name].line, code="inconsistent")
    kind = _word(header, "mediator_type")
    if wanted and not wanted.value:
        if kind and not moderating:
            problem = (
                f"mediator_type is {kind}, but moderator / use_mediator is no on line {wanted.line}; keep one of them"
            )
            raise BriefError(problem, line=header["mediator_type"].line, code="inconsistent")
        need = f"{moderating[0].name!r} moderates" if moderating else needs_moderator(protocol, strategy)
        if need:
            raise BriefError(f"moderator is no, but {need}", line=wanted.line, code="inconsistent")
    elif not moderating and (wanted or kind or needs_moderator(protocol, strategy)):
        return (default_moderator(protocol),)
    if strategy == "moderator" and not moderating:
        problem = "the strategy moderator needs one: add moderator: yes, or a section ## Moderator"
        raise BriefError(problem, line=header["strategy"].line, code="inconsistent")
    return ()


def needs_moderator(protocol: object, strategy: object) -> str:
    """Why a debate needs a moderator, in words; "" if it needs none."""
    if protocol in NEEDS_MODERATOR:
        return f"the protocol {protocol} needs one"
    judged = strategy in ("mediator_summary", "judge") or (strategy in JUDGED and protocol in FORMATS)
    return f"the strategy {strategy} needs one" if judged else ""
