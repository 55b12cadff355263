"""A brief that is on record, and other settings for it: ``folkmoot again --set KEY=VALUE``.

The settings are those of a brief's header, as ``app.brief.reader.read_settings`` reads them. The participants and the
background stay those on record.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from typing import cast

from folkmoot.app.brief.files import read_files, read_library
from folkmoot.app.brief.participants import (
    ParticipantEntry,
    added_moderator,
    check_visibility,
    summary_interval,
    view_of,
)
from folkmoot.app.brief.reader import ParsedBrief, Settings, limits_of
from folkmoot.app.brief.values import LocatedValue
from folkmoot.core.ask import Value
from folkmoot.core.brief import Brief, Participant, Schemas, Source
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Opened
from folkmoot.record.store import place_of

PLAIN: AbstractSet[str] = frozenset(
    {"seed", "rules", "logging_mode", "context", "background", "library", "model", "schemas"}
)
"""The settings, beside the limits, that leave the protocol as it is."""

_FIXED = ("persona_count",)
"""What cannot be changed: who takes part."""

_SIGHT = ("context_scope", "context_turns", "context_strategy", "summarize_every")


def recorded_brief(opened: Opened, debate: str) -> ParsedBrief:
    """The brief of a debate with the settings on record, as if it were read from a file.

    Args:
        opened: how the debate began.
        debate: its id.
    """
    brief, values = opened.brief, opened.settings
    return ParsedBrief(
        brief=brief,
        kind="text",
        given={"topic": brief.topic, **values},
        cast=f"the brief of {debate} once more",
        summarize=summary_interval(_located(values), ())
        or int(any(who.view and who.view.summary_only for who in brief.participants)),
        place=opened.place,
    )


def without(parsed: ParsedBrief, names: AbstractSet[str]) -> ParsedBrief:
    """The brief without these settings."""
    return replace(parsed, given={name: value for name, value in parsed.given.items() if name not in names})


def _located(values: Mapping[str, Value]) -> dict[str, LocatedValue]:
    return {name: LocatedValue(value=value, line=0) for name, value in values.items()}


def is_plain(settings: Settings) -> bool:
    """Whether settings leave the protocol as it is."""
    return all(name in PLAIN or name.startswith("limits.") for name in settings)


def with_settings(parsed: ParsedBrief, settings: Settings, folder: Path | None = None) -> ParsedBrief:
    """A brief on record with other settings.

    Args:
        parsed: the brief, as if it were read from a file.
        settings: what holds in the place of its own settings.
        folder: where the files lie that a setting names; None for the current folder.

    Raises:
        BriefError: a setting that cannot be changed, that contradicts another one, or a file that cannot be read.
    """
    for name in _FIXED:
        if name in settings:
            raise BriefError(f"{name} cannot be set here: the participants are those on record", code="inconsistent")
    if "context_scope" in settings or "context_strategy" in settings:  # a new way to look replaces the earlier one
        parsed = without(parsed, set(_SIGHT))
    values = {name: item.value for name, item in settings.items()}
    header = {**_located(parsed.given), **settings}
    summarize = summary_interval(header, ()) if any(name in settings for name in _SIGHT) else parsed.summarize
    return replace(
        parsed,
        brief=_brief(parsed.brief, settings, header, folder or Path()),
        given={**parsed.given, **values},
        summarize=summarize,
        place=_place(parsed, folder or Path()) if any(name in settings for name in _FILES) else parsed.place,
    )


_FILES = ("background", "library")
"""The settings that name files."""


def _place(parsed: ParsedBrief, folder: Path) -> str:
    """The place of a brief's documents and further ones of a folder; "" where they are two."""
    new = place_of(folder)
    return new if parsed.place == new or not (parsed.brief.background or parsed.brief.library) else ""


def _brief(brief: Brief, settings: Settings, header: Settings, folder: Path) -> Brief:
    values = {name: item.value for name, item in settings.items()}
    files = cast("Sequence[str]", values.get("background", ()))
    context = str(values.get("context", ""))
    spoken = (Source(name="context", text=context),) if context else ()
    library = read_library(cast("Sequence[str]", values["library"]), folder, line=0) if "library" in values else None
    return replace(
        brief,
        background=(*spoken, *brief.background, *(read_files(files, folder, line=0) if files else ())),
        library=brief.library if library is None else library,
        rules=str(values.get("rules", brief.rules)),
        options=cast("tuple[str, ...]", values.get("options", brief.options)),
        participants=_participants(brief.participants, settings, header),
        limits=limits_of(values, brief.limits),
        seed=cast("int", values.get("seed", brief.seed)),
        schemas=cast("Schemas", values.get("schemas", brief.schemas)),
    )


def _participants(people: Sequence[Participant], settings: Settings, header: Settings) -> tuple[Participant, ...]:
    """The participants with the settings that a header has for all; ``header`` has the earlier ones as well."""
    moderating = [participant for participant in people if participant.duty == "moderator"]
    added = added_moderator(moderating, settings.get("moderator"), header)
    if any(name in settings for name in _SIGHT):
        check_visibility(header, [_hidden_entries(participant) for participant in people])
    return tuple(_with_settings(participant, settings, header) for participant in (*people, *added))


def _hidden_entries(participant: Participant) -> ParticipantEntry:
    """What a brief would say about what a participant never sees."""
    hide: Mapping[str, LocatedValue] = (
        {"hide": LocatedValue(value=participant.hide, line=0)} if participant.hide else {}
    )
    return ParticipantEntry(name=participant.name, line=0, values=hide)


def _with_settings(participant: Participant, settings: Settings, header: Settings) -> Participant:
    if "language" in settings and participant.duty != "aide":
        participant = replace(participant, language=str(settings["language"].value))
    if participant.duty == "debater" and any(name in settings for name in _SIGHT):
        participant = replace(participant, view=view_of(header, {}))
    return participant
