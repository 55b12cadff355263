"""Read a brief from a file, standard input or typed text: its participants, protocol and settings.

A brief is Markdown: settings between ``---`` lines (``app.brief.types``), the question as heading, background, and one
section for each participant (``app.brief.sections``); or nothing but a question. Every mistake is a BriefError that
names the file, the line, what stands there and what is allowed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path, PurePath
from typing import BinaryIO, Literal, TypeAlias, cast

from folkmoot.app.brief.default_participants import DEFAULT_DEBATERS, debaters
from folkmoot.app.brief.files import read_files
from folkmoot.app.brief.participants import (
    ParticipantEntry,
    check_list_length,
    complete_participants,
    join_entries,
    listed_entries,
    section_entry,
    summary_interval,
)
from folkmoot.app.brief.presets import KEY as PRESET
from folkmoot.app.brief.presets import Preset, find_preset
from folkmoot.app.brief.sections import Body, background, read_sections, rules_and_options, split_topic
from folkmoot.app.brief.types import HEADER, LIMITS, Key, NamedOptions, Options, find_key, nearest, nested_name
from folkmoot.app.brief.values import LocatedValue, match_keys, read_key, read_values
from folkmoot.app.brief.writer import write
from folkmoot.app.brief.yaml_header import Parts, Scalar, Table, is_empty, load, split
from folkmoot.core.ask import Value
from folkmoot.core.brief import Brief, Limits, Schemas, Source
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, hidden
from folkmoot.record.sqlite import is_open
from folkmoot.record.store import place_of

MOST_BYTES = 2 * 1024 * 1024
"""The greatest size of a brief."""

_TOO_LARGE = f"the brief is larger than {MOST_BYTES:,} bytes, the most allowed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedBrief:
    """A brief as it was read from a text.

    Attributes:
        brief: what is to be debated; a participant's seat is "" where the file names no model for it.
        kind: ``text`` where there is neither a header nor a heading.
        given: what the file states, by the documented names of the keys, in the order of the table of keys:
            ``topic`` always; ``participants`` as names; limits as ``limits.cost``, options as
            ``protocol_options.hats`` or ``tool_options.dice.most``. Defaults are not in it.
        unseated: headings that look like people, but are part of the background, where the file describes nobody.
        cast: who made the debaters for the topic, in words; "" where nobody did.
        own: what the file states of each participant, by name and then by the documented names of the keys.
        vacant: how many debaters the file leaves to be made for its topic; built-in ones stand for them till then.
        summarize: after how many rounds the debate is summed up; 0: never.
        preset: the preset whose settings fill in what the brief leaves open; None until they do (``with_preset``).
        notes: sentences for the person who checks a file before running it, such as invisible characters taken out.
        where: the file's name as the user gave it, for errors.
        lines: the lines on which the values of ``given`` stand, by the same names; a participant's by ``## Name``.
        place: tells the folder of its documents from others; see ``Opened.place``.
    """

    brief: Brief
    kind: Literal["markdown", "text"]
    given: Mapping[str, Value]
    own: Mapping[str, Mapping[str, Value]] = field(default_factory=dict[str, Mapping[str, Value]])
    vacant: int = 0
    unseated: tuple[str, ...] = field(default=(), compare=False)
    cast: str = field(default="", compare=False)
    summarize: int = 0
    preset: Preset | None = None
    notes: tuple[str, ...] = field(default=(), compare=False)
    where: str = field(default="", compare=False)
    lines: Mapping[str, int] = field(default_factory=dict[str, int], compare=False)
    place: str = field(default="", compare=False)

    @property
    def protocol(self) -> str:
        """The name of the protocol; "" where none is given."""
        return str(self.given.get("protocol", ""))

    @property
    def rounds(self) -> int | None:
        """The greatest number of rounds; None where it is not given."""
        return cast("int | None", self.given.get("rounds"))

    @property
    def strategy(self) -> str:
        """How it is decided, as it is written; "" where it is not given."""
        return str(self.given.get("strategy", ""))

    @property
    def topology(self) -> str:
        """Who criticises whom; "" where it is not given."""
        return str(self.given.get("topology", ""))

    @property
    def model(self) -> str:
        """The file's default model, ``provider:name``; "" where there is none."""
        return str(self.given.get("model", ""))

    @property
    def settings(self) -> dict[str, Value]:
        """What ``given`` has beside what ``brief`` holds, as ``Opened.settings`` has it."""
        return {name: value for name, value in self.given.items() if name not in IN_BRIEF and name[:7] != "limits."}

    @property
    def models(self) -> tuple[str, ...]:
        """The models for all who have none of their own: the file's, else those of its preset."""
        return (self.model,) if self.model else self.preset.models if self.preset else ()

    def built_in(self, cast: str, *, usual: bool) -> bool:
        """Whether built-in participants take the places that nobody describes: as ``cast`` says, else the preset.

        Args:
            cast: what the caller wants: ``builtin``, ``new``; "" for nothing.
            usual: what is done where nobody says.
        """
        said = self.preset.participants if self.preset else ""
        return cast == "builtin" or (not cast and (said == "builtin" if said else usual))

    def options(self, key: str) -> dict[str, Value]:
        """The options behind a key such as ``protocol_options``, by name."""
        return {name.removeprefix(f"{key}."): value for name, value in self.given.items() if name.startswith(f"{key}.")}

    def named_options(self) -> dict[str, Value]:
        """The options that stand in a table for each name, under their full names: ``tool_options.dice.most``."""
        tables = tuple(f"{key.name}." for key in HEADER if key.type == NamedOptions)
        return {name: value for name, value in self.given.items() if name.startswith(tables)}


IN_BRIEF = frozenset(
    {"topic", "context", "background", "library", "rules", "options", "seed", "preset"}
    | {"participants", "persona_count", "moderator", "model"}
)
"""The keys of the header whose values a brief holds that is ready to be debated, beside those of the limits."""

_QUESTION = re.compile(r"\S\s+\S|[?？؟。！]\s*$")
"""What a question has and the name of a file has not: a blank, or a mark at its end."""

_ENDINGS = (".md", ".markdown", ".txt")

Settings: TypeAlias = Mapping[str, LocatedValue]
"""Values that hold in the place of those of a brief's header, by the documented names of the keys."""

_NONE: Mapping[str, LocatedValue] = {}


def read_settings(pairs: Sequence[str], *, where: str = "", below: str = "") -> Settings:
    """Settings as they are typed, such as ``turn_mode=random``; they hold in the place of a brief's own.

    Args:
        pairs: the texts, each the name of a key of the header, an equals sign and the value as in a header.
        where: what they are called in errors.
        below: what stands before each name, such as the table that has them.

    Raises:
        BriefError: a text without an equals sign, a key that there is not or that holds a table, a wrong value.
    """
    settings: dict[str, LocatedValue] = {}
    keys = [key for key in HEADER + LIMITS if key.name not in ("participants", "limits", "topic")]
    try:
        for pair in pairs:
            for name, item in _read_setting(keys, pair, below).items():
                if name in settings:
                    raise BriefError(f"{name} is set twice; keep one", code="duplicate_key")
                settings[name] = replace(item, line=0)
    except BriefError as error:
        raise BriefError(error.found, where=where, code=error.code) from error
    return settings


def _read_setting(keys: Sequence[Key], pair: str, below: str) -> dict[str, LocatedValue]:
    """One setting as it is typed; options of an extension also one by one: ``tool_options.dice.most=4``."""
    word, equals, value = pair.partition("=")
    if not equals or not value.strip() or "\n" in pair:
        raise BriefError(f"{pair[:60]!r} is not a setting; write KEY=VALUE", code="wrong_type")
    word = below + word.strip()
    head, *rest = word.split(".")
    options = [key for key in keys if key.type in (Options, NamedOptions)]
    key = find_key(keys, word) or find_key(options, head)
    if key is None:
        meant = nested_name(keys, word) or nearest(keys, word)
        hint = f"did you mean {meant!r}?" if meant else "the keys of a brief's header can be set"
        raise BriefError(f"there is no key {word[:60]!r} to set; {hint}", code="unknown_key")
    ((_, node),) = load(f"{head}: {value.strip()}", line=0).pairs
    for name in reversed(rest if key.type in (Options, NamedOptions) else ()):
        node = Table(line=0, pairs=((Scalar(line=0, text=name), node),))
    return read_key(key, node, keys)


def read_words(words: str, folder: Path | None = None, settings: Settings = _NONE) -> ParsedBrief:
    """Read a brief from what was typed: the path of a file, or a question.

    Args:
        words: what was typed.
        folder: where the path begins; None for the current folder.
        settings: what holds in the place of the brief's own settings.

    Raises:
        BriefError: there is no such file, it cannot be read, or the brief has a mistake.
    """
    if not words.strip():
        raise BriefError("the brief is empty; name a file or put a question in quotes", code="missing_topic")
    path = (folder or Path()) / words
    if _is_file(path):
        return read_file(path, settings)
    if not _QUESTION.search(words) or words.rstrip().lower().endswith(_ENDINGS):
        named = words.lower().endswith(_ENDINGS) or "/" in words
        hint = "check the path, or write a new brief with folkmoot new" if named else "put a question in quotes"
        raise BriefError(f"there is no such file; {hint}", where=words, code="no_file")
    return read_brief(words, name="question", folder=folder or Path(), settings=settings)


def read_stream(stream: BinaryIO, settings: Settings = _NONE) -> ParsedBrief:
    """Read a brief from a stream, such as standard input; its files are in the current folder.

    Raises:
        BriefError: it cannot be read, or has a mistake.
    """
    return _decode(stream.read(MOST_BYTES + 1), "standard input", Path(), settings)


def read_file(path: Path, settings: Settings = _NONE) -> ParsedBrief:
    """Read a brief from a file.

    Raises:
        BriefError: it cannot be read, or has a mistake.
    """
    if is_open(path):
        raise BriefError("this is a record that is in use", where=str(path), code="unsafe_path")
    try:
        with path.open("rb") as file:  # no more than is allowed: it may be a device without an end
            data = file.read(MOST_BYTES + 1)
    except IsADirectoryError as error:
        raise BriefError("this is a folder; name one of the briefs in it", where=str(path), code="no_file") from error
    except OSError as error:
        raise BriefError(f"cannot be read: {error.strerror or error}", where=str(path), code="no_file") from error
    parsed = _decode(data, str(path), path.parent, settings)
    sources = [
        replace(source, sha256=sha256(data).hexdigest()) if source.name == path.name else source
        for source in parsed.brief.background
    ]
    return replace(parsed, brief=replace(parsed.brief, background=tuple(sources)))


def _decode(data: bytes, name: str, folder: Path, settings: Settings) -> ParsedBrief:
    if len(data) > MOST_BYTES:
        raise BriefError(_TOO_LARGE, where=name, code="too_large")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BriefError("this is not text in UTF-8", where=name, code="not_text") from error
    return read_brief(text, name=name, folder=folder, settings=settings)


def _is_file(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False  # too long for a name of a file: it is a question


def read_brief(text: str, *, name: str = "", folder: Path | None = None, settings: Settings = _NONE) -> ParsedBrief:
    """Read a brief.

    Args:
        text: the file's text, or just a question.
        name: the file's name as the user gave it, for errors and for citing its background.
        folder: where background files lie; None where there are none to be read.
        settings: what holds in the place of the brief's own settings.

    Raises:
        BriefError: the text cannot be used; ``code`` is one of ``unknown_key``, ``wrong_type``, ``bad_enum``,
            ``duplicate_key``, ``duplicate_name``, ``bad_name``, ``inconsistent``, ``missing_topic``,
            ``out_of_range``, ``too_large``, ``unsafe_yaml``, ``malformed_yaml``, ``unterminated_header``,
            ``unsafe_path``, ``no_file``, ``not_text``.
    """
    try:
        return replace(_read(text, PurePath(name).name or "brief", folder, settings), where=name)
    except BriefError as error:
        raise BriefError(error.found, where=name, line=error.line, code=error.code) from error


def normalise(parsed: ParsedBrief) -> str:
    """The brief in Folkmoot's own Markdown form, whatever form it was written in.

    It reads back to the same ``ParsedBrief``, if the same name and folder are given; only ``kind`` and the lines at
    which texts begin are those of the new form.
    """
    return write(parsed.brief, parsed.given, parsed.own)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    """The header's values by the names of their keys, and its list of participants."""

    values: Mapping[str, LocatedValue]
    people: tuple[ParticipantEntry, ...] = ()


def _check_size(text: str) -> None:
    if len(text) > MOST_BYTES or len(text.encode("utf-8", "replace")) > MOST_BYTES:
        raise BriefError(_TOO_LARGE, code="too_large")


def _read(text: str, name: str, folder: Path | None, settings: Settings) -> ParsedBrief:
    _check_size(text)
    unseen, parts = hidden(text), split(clean(text))
    header = _read_header(parts)
    body = read_sections(parts.body, line=parts.body_line, listed=[person.name for person in header.people])
    values = {**header.values, **settings}
    values["topic"], body = split_topic(values.get("topic"), body)
    values |= rules_and_options(values, body)
    check_list_length([person.line for person in header.people], [section.line for section in body.of("person")])
    entries = join_entries(header.people, [section_entry(section) for section in body.of("person")])
    if entries:
        values["participants"] = LocatedValue(value=tuple(entry.name for entry in entries), line=entries[0].line)
    plain_values = _in_key_order(values)
    brief = Brief(
        topic=str(plain_values["topic"]),
        background=background(values.get("context"), body, name) + _files(values, "background", read_files, folder),
        library=_files(values, "library", _read_library, folder),
        rules=str(plain_values.get("rules", "")),
        participants=complete_participants(entries, values),
        options=cast("tuple[str, ...]", plain_values.get("options", ())),
        limits=limits_of(plain_values),
        seed=cast("int", plain_values.get("seed", 0)),
        schemas=cast("Schemas", plain_values.get("schemas", "")),
    )
    return ParsedBrief(
        brief=brief,
        kind="text" if parts.header is None and not body.headings else "markdown",
        given=plain_values,
        own={entry.name: {key: value.value for key, value in entry.values.items()} for entry in entries},
        vacant=len([name for name in brief.names("debater") if name not in {entry.name for entry in entries}]),
        unseated=() if entries else body.unseated,
        summarize=summary_interval(values, entries),
        notes=_notes(unseen, body, entries),
        lines=_lines(values, entries),
        place=place_of(folder) if folder and (brief.background or brief.library) else "",
    )


def _in_key_order(values: Mapping[str, LocatedValue]) -> dict[str, Value]:
    """The values in the order of the table of keys; the options of packages are last."""
    plain_values = {key.name: values[key.name].value for key in HEADER + LIMITS if key.name in values}
    return plain_values | {name: item.value for name, item in values.items() if "_options." in name}


def _lines(values: Mapping[str, LocatedValue], entries: Sequence[ParticipantEntry]) -> dict[str, int]:
    """The line of each key of the header and of each participant's section."""
    return {key: value.line for key, value in values.items()} | {f"## {entry.name}": entry.line for entry in entries}


def _files(
    values: Mapping[str, LocatedValue], name: str, reads: Callable[..., tuple[Source, ...]], folder: Path | None
) -> tuple[Source, ...]:
    """The texts of the files that a key names."""
    setting = values.get(name)
    return reads(cast("tuple[str, ...]", setting.value), folder, line=setting.line) if setting else ()


def _read_library(names: Sequence[str], folder: Path | None, *, line: int) -> tuple[Source, ...]:
    from folkmoot.app.brief.files import read_library  # here for start-up time: few briefs have a library

    return read_library(names, folder, line=line)


def _read_header(parts: Parts) -> _Header:
    if parts.header is None:
        return _Header(values={})
    table = load(parts.header, line=parts.header_line)
    nodes = {key.name: node for key, node in match_keys(table, HEADER + LIMITS)}
    values = read_values(table, HEADER + LIMITS)
    if "topic" in nodes and "topic" not in values:
        values["topic"] = LocatedValue(value="", line=nodes["topic"].line)
    people = nodes.get("participants")
    return _Header(values=values, people=() if people is None or is_empty(people) else listed_entries(people))


def with_preset(
    parsed: ParsedBrief, presets: Mapping[str, Preset], *, protocol: str = "", owner: str = ""
) -> ParsedBrief:
    """The brief with the settings of the preset that it names, where it says nothing itself.

    Where another protocol is wanted than that of the preset, only its models, its participants and its limits count.

    Args:
        parsed: the brief as it was read.
        presets: all that the owner has set.
        protocol: the protocol that the caller wants; "" for that of the brief.
        owner: whose token asks for it; "" for the person at the machine.

    Raises:
        BriefError: there is no such preset.
    """
    name = str(parsed.given.get(PRESET, ""))
    if not name or parsed.preset:
        return parsed
    try:
        preset = find_preset(name, presets, owner)
    except BriefError as error:
        line = parsed.lines.get(PRESET, 0)
        raise BriefError(error.found, where=parsed.where if line else "", line=line, code=error.code) from error
    other = (protocol or parsed.protocol) not in ("", preset.settings.get("protocol", ""))
    schemas = {"schemas": preset.schemas} if preset.schemas else {}
    values = {**({} if other else preset.settings), **preset.limits, **schemas, **parsed.given}
    limits = limits_of({key: value for key, value in values.items() if key not in parsed.given}, parsed.brief.limits)
    parsed = _with_debaters(parsed, len(preset.models))
    return replace(
        parsed,
        brief=replace(parsed.brief, limits=limits, schemas=cast("Schemas", values.get("schemas", ""))),
        given=values,
        preset=preset,
        notes=(*parsed.notes, f"The preset is {name}, from {preset.where}.", *preset.warnings()),
    )


def _with_debaters(parsed: ParsedBrief, count: int) -> ParsedBrief:
    """The brief with a debater for each model, where it neither describes debaters nor says how many."""
    count, people = min(count, len(DEFAULT_DEBATERS)), parsed.brief.participants
    if not 0 < parsed.vacant < count or "persona_count" in parsed.given:
        return parsed
    first = parsed.brief.participant(parsed.brief.names("debater")[0])
    alike = [replace(debater, view=first.view, language=first.language) for debater in debaters(count)[parsed.vacant :]]
    people = (*people[: parsed.vacant], *alike, *people[parsed.vacant :])
    return replace(parsed, brief=replace(parsed.brief, participants=people), vacant=count)


def limits_of(values: Mapping[str, Value], usual: Limits | None = None) -> Limits:
    """The limits among the values of a header, by the names of their keys; the others are the usual ones."""
    usual = usual or Limits()
    number = {name: cast("float", value) for name, value in values.items() if name.startswith("limits.")}
    counts = {name: int(value) for name, value in number.items() if name in ("limits.asks", "limits.tokens")}
    return Limits(
        asks=counts.get("limits.asks", usual.asks),
        tokens=counts.get("limits.tokens", usual.tokens),
        cost=number.get("limits.cost", usual.cost),
        turn_seconds=number.get("limits.turn_seconds", usual.turn_seconds),
        total_seconds=number.get("limits.total_seconds", usual.total_seconds),
        parallel=int(number.get("limits.parallel", usual.parallel)),
        quorum=int(number["limits.quorum"]) if "limits.quorum" in number else None,
        grace=number.get("limits.grace", usual.grace),
    )


def _notes(unseen: Sequence[int], body: Body, entries: Sequence[ParticipantEntry]) -> tuple[str, ...]:
    """Notes for the owner: what is unusual in the brief."""
    notes: list[str] = []
    if unseen:
        lines = ", ".join(str(line) for line in unseen[:20]) + (" …" if len(unseen) > 20 else "")
        notes.append(f"Invisible characters were taken out on {len(unseen)} lines: {lines}.")
    if body.chapters and not entries:
        names = ", ".join(repr(chapter[:40]) for chapter in body.chapters[:10])
        notes.append(
            f"No participants are described, so built-in ones take part; {names}: background. "
            "A participant's section begins with a line such as 'role: …'."
        )
    return tuple(notes)
