"""The settings that the protocol of a recorded debate was made of.

A record holds the phase tree, and what was chosen for it in words for readers. The words are read back as settings. Who
uses them checks that the protocol that they make is the one on record.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace

from folkmoot.app.brief.reader import ParsedBrief
from folkmoot.app.brief.schema import CONDITIONS, FREQUENCIES, MEDIATORS, STYLES, TURN_MODES, VOTE_WEIGHTS, strategies
from folkmoot.app.plan.pretend import parts
from folkmoot.core.ask import Value
from folkmoot.core.event import Opened
from folkmoot.phases.base import Rounds
from folkmoot.phases.choices import Extras
from folkmoot.protocols.spec import load_opened

_CRITICS = re.compile(r"critics (?P<topology>[a-z-]*)(?: around (?P<hub>.+?))?(?:, sparsity (?P<sparsity>[0-9.e-]+))?$")
_MEDIATOR = re.compile("mediator (?P<kind>[^,]+), (?P<when>[^,]+), (?P<style>[^,]+)$")
_INTERVALS: Mapping[str, re.Pattern[str]] = {
    "reminder_interval": re.compile(r"timekeeper .*speaks every (\d+) messages"),
    "deadline_interval": re.compile(r"timekeeper .*deadline every (\d+) messages"),
}
_THRESHOLD = re.compile(r"threshold (\d[\d.e-]*)")
_RECALLED = re.compile(r"recalled at most (\d+) outcomes$")


def recorded_choices(parsed: ParsedBrief, opened: Opened) -> Iterator[ParsedBrief]:
    """The brief with the settings of its protocol, as the record may mean them: with and without rounds and language.

    Args:
        parsed: the brief of the record.
        opened: how the debate began.
    """
    values = dict(_values(opened))
    parsed = replace(
        parsed,
        strategy=str(values.get("strategy", "")),
        topology=str(values.get("topology", "")),
        summarize=_summaries(opened),
        given={**parsed.given, **opened.options, **values},
    )
    languages = {participant.language for participant in opened.brief.participants if participant.duty == "debater"}
    for rounds in (None, most_rounds(opened)):
        for language in ("", *(languages if len(languages) == 1 else ())):
            settings = {**parsed.given, **({"language": language} if language else {})}
            yield replace(parsed, rounds=rounds, given=settings)


def most_rounds(opened: Opened) -> int | None:
    """The greatest number of rounds of a protocol on record; None where it has none.

    Raises:
        FolkmootError: the protocol cannot be loaded.
    """
    return next((part.most for part in parts(load_opened(opened)) if isinstance(part, Rounds)), None)


def is_read_back(words: str) -> bool:
    """Whether a setting can be had again from the words of a record."""
    return bool(_summary(words) or dict(_values_of(words)))


def _summaries(opened: Opened) -> int:
    return next((every for words in opened.chosen if (every := _summary(words))), 0)


def _summary(words: str) -> int:
    match = re.fullmatch(r"summary every (?:round|(\d+) rounds)", words)
    return int(match[1] or 1) if match else 0


def _values(opened: Opened) -> Iterator[tuple[str, Value]]:
    """The settings that the words of a record name, by the names of the header's keys."""
    return (value for words in opened.chosen for value in _values_of(words))


def _values_of(words: str) -> Iterator[tuple[str, Value]]:
    yield from _one_of(words, "decided by ", "strategy", strategies())
    yield from _one_of(words, "turns ", "turn_mode", TURN_MODES)
    yield from _one_of(words, "votes weighed by ", "vote_weights", VOTE_WEIGHTS)
    if words.startswith("until "):
        yield "debate_end_condition", _choices_in_words(words.removeprefix("until "), " or ", CONDITIONS)
    if words.startswith("with "):
        extras = tuple(field.name for field in fields(Extras))
        yield from ((name, True) for name in _choices_in_words(words.removeprefix("with "), ", ", extras))
    if match := _CRITICS.match(words):
        yield from _critics(match.groupdict())
    if match := _MEDIATOR.match(words):
        yield from _one_of(match["kind"], "", "mediator_type", MEDIATORS)
        yield from _one_of(match["when"], "", "mediator_frequency", FREQUENCIES)
        yield from _one_of(match["style"], "", "summary_style", STYLES)
    if match := _THRESHOLD.fullmatch(words):
        yield "threshold", float(match[1])
    if match := _RECALLED.match(words):
        yield from (("recall", True), ("history_limit", int(match[1])))
    yield from ((name, int(match[1])) for name, form in _INTERVALS.items() if (match := form.match(words)))


def _one_of(words: str, start: str, key: str, choices: tuple[str, ...]) -> Iterator[tuple[str, Value]]:
    if words.startswith(start):
        yield from ((key, name) for name in _choices_in_words(words.removeprefix(start), "\0", choices))


def _choices_in_words(words: str, between: str, choices: tuple[str, ...]) -> tuple[str, ...]:
    """The choices that stand in words, where an underscore is written as a blank."""
    names = {name.replace("_", " "): name for name in choices}
    return tuple(names[word] for word in words.split(between) if word in names)


def _critics(parts: Mapping[str, str | None]) -> Iterator[tuple[str, Value]]:
    yield from ((name, str(parts[name])) for name in ("topology", "hub") if parts[name])
    if sparsity := parts["sparsity"]:
        yield "sparsity", float(sparsity)
