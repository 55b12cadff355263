"""What each participant sees. This file owns how scope, strategy and masks of a brief become views, and what clashes.

A debater sees what the header says, unless its own section has a ``context_scope``: that one stands instead of the
header's scope and strategy. The moderator sees everything, unless its own section says otherwise.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

from moot.app.brief.field_values import Given
from moot.app.brief.names import skeleton
from moot.app.brief.offers import WAYS
from moot.app.brief.participants import Entry
from moot.app.brief.schema import HEADER, get
from moot.core.brief import Participant, View
from moot.core.errors import BriefError
from moot.core.transcript import INTERJECTION, SUMMARY
from moot.phases.forms import SPOKEN

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

Values: TypeAlias = Mapping[str, Given]


def look(header: Values, own: Values) -> View | None:
    """How much of the debate a participant sees; None where all of it.

    Args:
        header: the values of the header; empty for a moderator.
        own: the values of its own section.
    """
    scope, way = _word(own, "context_scope"), ""
    if not scope:
        scope, way = _word(header, "context_scope"), _word(header, "context_strategy")
    turns = own.get("context_turns") or header.get("context_turns")
    last = cast("int", turns.value) if turns else USUAL_TURNS
    view = View(
        last=last if scope == "last_n_turns" or way == "rolling_window" else None,
        summary=way == "summarize_past",
        summary_only=scope == "summary_only",
        mine=scope == "persona_scoped",
    )
    return None if view == View() else view


def sum_up(header: Values, entries: Sequence[Entry]) -> int:
    """After how many rounds the debate is summed up, so that everybody who sees summaries has one; 0 for never."""
    if "summarize_every" in header:
        return cast("int", header["summarize_every"].value)
    if _word(header, "context_strategy") == "summarize_past":
        return USUAL_ROUNDS
    return int("summary_only" in _scopes(header, entries))


def check_sight(header: Values, entries: Sequence[Entry]) -> None:
    """Refuse settings that contradict each other or change nothing.

    Raises:
        BriefError: code ``inconsistent``.
    """
    scope, way = _word(header, "context_scope"), _word(header, "context_strategy")
    scopes = _scopes(header, entries)
    if scope == "summary_only" and way == "append_all":
        at = f"context_strategy append_all on line {header['context_strategy'].line} keeps every turn in sight"
        _refuse(header["context_scope"], f"context_scope is summary_only, but {at}; allowed are {_all_but(way, WAYS)}")
    if way == "persona_masking" and not any("hide" in entry.values for entry in entries):
        found = "context_strategy is persona_masking, but nobody hides anything; add to a participant 'hide: [round 1]'"
        _refuse(header["context_strategy"], found)
    if "context_turns" in header and "last_n_turns" not in scopes and way != "rolling_window":
        _refuse(header["context_turns"], _NO_WINDOW)
    if "summarize_every" in header and "summary_only" not in scopes and way != "summarize_past":
        found = "summarize_every needs context_strategy: summarize_past, or context_scope: summary_only"
        _refuse(header["summarize_every"], found)


_NO_WINDOW = "context_turns needs a window: context_scope: last_n_turns, or context_strategy: rolling_window"


def check_own(header: Values, entry: Entry) -> None:
    """Refuse a participant's number of turns where nothing has a window for it.

    Args:
        header: the values of the header; empty for a moderator.
        entry: what the brief says about the participant.

    Raises:
        BriefError: code ``inconsistent``.
    """
    view = look(header, entry.values)
    if "context_turns" in entry.values and (view is None or view.last is None):
        _refuse(entry.values["context_turns"], _NO_WINDOW)


def masks(entry: Entry, people: Sequence[Participant], header: Values) -> tuple[str, ...]:
    """What a participant must never see, each text as the transcript compares it.

    Raises:
        BriefError: a text names nobody at the table, no act and no round that there can be, or the participant itself.
    """
    given = entry.values.get("hide")
    if given is None:
        return ()
    names = {skeleton(each.name): each.name for each in people}
    most = int(cast("int", header["rounds"].value) if "rounds" in header else get(HEADER, "rounds").high)
    found = [_mask(text, names, most, given) for text in cast("tuple[str, ...]", given.value)]
    for text, mask in zip(cast("tuple[str, ...]", given.value), found, strict=True):
        if mask == entry.name or mask.startswith(f"{entry.name} round "):
            _refuse(given, f"hide of {entry.name} holds {text!r}, but nobody can be kept from its own turns")
    return tuple(dict.fromkeys(found))


def _mask(text: str, names: Mapping[str, str], most: int, given: Given) -> str:
    if (whole := _subject(text, names)) is not None:
        return whole
    found = _ROUND.fullmatch(text)
    subject = _subject(found[1], names) if found and found[1] else ""
    if found is None or subject is None or not 1 <= int(found[2]) <= most:
        allowed = f"participants ({', '.join(names.values())}), acts ({', '.join(ACTS)}), 'round 1' to 'round {most}'"
        found_text = f"hide names {text[:60]!r}, which there cannot be; allowed are {allowed}, or both: 'Ada round 2'"
        raise BriefError(found_text, line=given.line, code="bad_enum")
    return f"{subject} round {int(found[2])}".strip()


def _subject(text: str, names: Mapping[str, str]) -> str | None:
    """The participant or act of that name; None where there is neither."""
    act = text.casefold()
    return names.get(skeleton(text)) or (act if act in ACTS else None)


def _scopes(header: Values, entries: Sequence[Entry]) -> set[str]:
    return {_word(values, "context_scope") for values in (header, *(entry.values for entry in entries))}


def _word(values: Values, name: str) -> str:
    return str(values[name].value) if name in values else ""


def _all_but(word: str, words: Sequence[str]) -> str:
    return ", ".join(each for each in words if each != word)


def _refuse(given: Given, found: str) -> None:
    raise BriefError(found, line=given.line, code="inconsistent")
