"""Check a brief before anything is sent, and note settings that have no effect.

The reader of Markdown refuses mistakes with a line of the file; a program can put anything into a value, so all is
checked here too. Every setting that nobody uses, and everything that may never happen, becomes one sentence. What does
happen is read from the two simulated runs of the estimate, so it is right for every protocol.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import cast

from folkmoot.agents.toolkit import LONGEST, USES
from folkmoot.app.brief.names import check_name, skeleton
from folkmoot.app.brief.participants import ACTS
from folkmoot.app.brief.types import HEADER, LIMITS, PARTICIPANT, Key
from folkmoot.app.brief.values import LONGEST_TERM, check_value
from folkmoot.app.plan.estimate import Costing, Estimate
from folkmoot.core.brief import (
    BUILTIN,
    GUEST,
    HUMAN,
    PARTICIPANTS,
    QUOTES,
    Brief,
    Limits,
    Participant,
    Source,
)
from folkmoot.core.errors import BriefError
from folkmoot.core.families import families_of, family
from folkmoot.core.labels import duration
from folkmoot.core.text import counted, every, flat, listed
from folkmoot.core.transcript import normalise
from folkmoot.models.base import Model, Settings
from folkmoot.phases.choices import AT_THE_END, Choices
from folkmoot.protocols.compose import translation
from folkmoot.protocols.known import FORMATS, GATED, WITHOUT_ROUNDS

UNREAD_LIBRARY = "Nobody has the tool rag, so nobody reads the library."
"""A note on a library that no tool searches."""


def check_brief(brief: Brief) -> None:
    """Refuse a brief that cannot be debated as it stands.

    Raises:
        BriefError: no topic, a name that is none or is taken, a weight or a deadline out of range, options that cannot
            be told apart or are no single line, a document that is no text.
    """
    if not brief.topic.strip():
        raise BriefError("the topic is empty", code="missing_topic")
    names: dict[str, str] = {}
    for participant in brief.participants:
        _check_participant(participant)
        if other := names.get(skeleton(participant.name)):
            problem = f"the name {participant.name!r} is taken by {other!r}; each participant needs a name of its own"
            raise BriefError(problem, code="duplicate_name")
        names[skeleton(participant.name)] = participant.name
    if len(debating := brief.names("debater")) > PARTICIPANTS.high:
        problem = f"{len(debating)} debaters are too many; at most {PARTICIPANTS.high} can take part"
        raise BriefError(problem, code="out_of_range")
    check_values(brief)
    _check_options(brief.options)
    for source in (*brief.background, *brief.library):
        if not isinstance(source.text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BriefError(f"the document {source.name!r} is not text", code="wrong_type")
    if any(source.file for source in brief.background):
        from folkmoot.tools.attachments import check_attachments  # deferred: few briefs have pictures

        check_attachments(brief.background)


def check_limits(limits: Limits) -> None:
    """Refuse limits out of bounds; None is no limit.

    Raises:
        BriefError: one of them is too small or too great.
    """
    if limits != Limits():  # the usual ones are within bounds
        _check_all(LIMITS, {key.name: getattr(limits, key.name.removeprefix("limits.")) for key in LIMITS})


_WITH_BOUNDS = ("role", "persona", "weight", "priority", "language", "hide", "fallback")
"""The keys of a participant that are fields of it under the same names."""

_USUAL: Mapping[str, object] = {field.name: field.default for field in fields(Participant)}
"""The defaults of a participant's fields, which are within bounds."""


def check_values(brief: Brief) -> None:
    """Refuse values that the reader of a brief refuses, in the same words.

    Raises:
        BriefError: one of them is out of bounds, too long or of the wrong type.
    """
    _check_all(HEADER, {name: getattr(brief, name) for name in ("rules", "options", "seed")})
    check_limits(brief.limits)
    for participant in brief.participants:
        _check_bounds(participant)


def _check_all(keys: Sequence[Key], values: Mapping[str, object], whose: str = "") -> None:
    """Check values by the names of their keys; what is None or empty is not given."""
    for name, value in values.items():
        if value is not None and value not in ("", ()):
            check_value(keys, name, value, whose=whose)


def _check_bounds(participant: Participant) -> None:
    values: dict[str, object] = {name: getattr(participant, name) for name in _WITH_BOUNDS}
    values = {name: value for name, value in values.items() if value is not _USUAL[name]}
    if (settings := participant.settings) is not _USUAL["settings"]:
        values |= {setting.name: getattr(settings, setting.name) for setting in fields(settings)}
    if participant.search:
        values |= {f"search.{part.name}": getattr(participant.search, part.name) for part in fields(participant.search)}
    _check_all(PARTICIPANT, values, f"{participant.name}: ")
    if participant.deadline is not None and not 0 < participant.deadline <= LONGEST_TERM:
        days = LONGEST_TERM // 86_400
        problem = f"{participant.name}: deadline must be from 1s to {days}d, not {participant.deadline:g}s"
        raise BriefError(problem, code="out_of_range")


def check_topic(topic: str) -> None:
    """Refuse a topic that is too long; what a council is asked may be longer.

    Raises:
        BriefError: it is longer than a brief's topic may be.
    """
    _check_all(HEADER, {"topic": topic})


def check_number(name: str, value: object) -> int:
    """A whole number of a brief's header.

    Raises:
        BriefError: it is no whole number, or out of bounds.
    """
    return cast("int", check_value(HEADER, name, value))


def _check_participant(participant: Participant) -> None:
    # A person may be called "Human", as the councils' document calls one.
    if (
        not (participant.seat == HUMAN and participant.name == "Human")
        and check_name(participant.name) != participant.name
    ):
        raise BriefError(
            f"the name {participant.name!r} has extra spaces or characters: {check_name(participant.name)!r}",
            code="bad_name",
        )


def _check_options(options: tuple[str, ...]) -> None:
    earlier: dict[str, str] = {}
    for option in options:
        if flat(option) != option or set(option) & set("<>"):
            problem = f"the option {option[:60]!r} must be one line without < and >"
            raise BriefError(problem, code="bad_option")
        if other := earlier.get(normalise(option)):
            raise BriefError(f"the options {other!r} and {option!r} cannot be told apart", code="duplicate_option")
        earlier[normalise(option)] = option


def check_sight(brief: Brief, live: Mapping[str, Model]) -> list[str]:
    """Refuse pictures that a model does not see, before anything is paid; say of whom it is not known.

    Args:
        brief: the brief with agents assigned.
        live: the models by participant; people and the built-in debater have none.

    Raises:
        BriefError: a model is known not to see pictures, or takes no PDF where that holds no text.
    """
    sources = [source for source in brief.background if source.file]
    if not sources:
        return []
    from folkmoot.models.attached_files import doubt_of  # deferred: few debates have pictures

    notes: list[str] = []
    for participant in brief.participants:
        if participant.seat.startswith(BUILTIN):
            notes.append(f"{participant.seat} sees no pictures; it quotes words only.")
        for name, fault in _blindness(participant, live.get(participant.name), sources):
            if fault:
                raise BriefError(f"{participant.name}: {fault}; choose another model", code="bad_model")
            notes += [doubt] if (doubt := doubt_of(name, sources)) else []
    return list(dict.fromkeys(notes))


def _blindness(participant: Participant, model: Model | None, sources: Sequence[Source]) -> Iterator[tuple[str, str]]:
    """The models that may answer for a participant, each with why it cannot be shown the files, or ""."""
    from folkmoot.models.attached_files import fault_of  # deferred: few debates have pictures

    names = [participant.seat] if model else []
    for name in (*names, *participant.fallback, *filter(None, (participant.stand_in,))):
        yield name, fault_of(name, sources, pictures=model is None or model.traits.pictures or name != participant.seat)


LEFT_OUT = " is left out: "
"""What stands on record of a debater whose model does not see the pictures, between its name and the reason."""


def leave_out_unseeing(brief: Brief, live: Mapping[str, Model]) -> tuple[Brief, tuple[str, ...]]:
    """The brief without debaters and fallbacks that do not see its pictures, and why each is left out.

    Args:
        brief: the brief with agents assigned, which says that these are to be skipped.
        live: the models by participant.

    Raises:
        BriefError: fewer than two debaters are left.
    """
    sources = [source for source in brief.background if source.file]
    stay: list[Participant] = []
    left_out: list[str] = []
    for participant in brief.participants if sources else ():
        faults = {name: fault for name, fault in _blindness(participant, live.get(participant.name), sources) if fault}
        if participant.duty == "debater" and participant.name in live and participant.seat in faults:
            left_out.append(f"{participant.name}{LEFT_OUT}{faults[participant.seat]}")
            continue
        left_out += [
            f"the fallback of {participant.name}{LEFT_OUT}{faults[name]}"
            for name in participant.fallback
            if name in faults
        ]
        stay.append(replace(participant, fallback=tuple(name for name in participant.fallback if name not in faults)))
    if not left_out:
        return brief, ()
    seeing = replace(brief, participants=tuple(stay))
    if len(names := seeing.names("debater")) < min(2, len(brief.names("debater"))):
        only = f"only {names[0]} is left" if names else "nobody is left"
        files = listed([source.name for source in sources])
        problem = f"without those who do not see pictures {only}; a debate needs two ({files})"
        raise BriefError(problem, code="bad_model")
    return seeing, tuple(left_out)


_SUMMED_UP = tuple(name for name in FORMATS if name != "bp_style")
"""The protocols that a moderator ends with a summary unless the brief says otherwise; in bp_style it ranks."""

NO_ROUND = ("rounds_exhausted", "majority_certain", "lead_decided")
"""The conditions that end no round before its time: the last two end a vote."""


def _on_context(costing: Costing) -> Iterator[str]:
    """Which model does not hold the largest prompt, and what is done about it."""
    for model, fit in costing.most.fits.items():
        if fit.largest <= fit.holds:
            continue
        problem = f"The largest prompt, about {fit.largest:,} tokens, does not fit the {fit.holds:,} of {model}"
        if fit.least <= fit.holds:
            yield f"{problem}: older turns are left out of it."
        else:
            even = f", even without older turns ({fit.least:,})" if fit.least < fit.largest else ""
            remedies = "start its server with a larger context, take another model, or shorten the documents"
            yield f"{problem}{even}: {remedies}."


def notes_on(brief: Brief, protocol: str, choices: Choices, costing: Costing) -> Iterator[str]:
    """What the brief asks for and nobody uses, and what the estimate leaves out.

    Args:
        brief: the brief with agents assigned.
        protocol: its name.
        choices: what was chosen about the protocol.
        costing: what the debate would use.
    """
    for participant in brief.participants:
        if participant.name not in costing.most.asked:
            yield f"{protocol} never asks {participant.name}, who stays silent."
    if brief.library and not any("rag" in participant.tools for participant in brief.participants):
        yield UNREAD_LIBRARY
    if protocol in GATED:
        yield from _on_copies(brief)
    yield from _on_context(costing)
    yield from _on_people(brief, costing)
    yield from _on_participants(brief, choices)
    yield from _on_rounds(protocol, choices, costing)
    yield from _on_the_moderator(protocol, choices, costing)
    yield from _on_languages(brief, choices)
    yield from _on_masks(protocol, brief, costing)
    if choices.extras.interruptions and "bid" not in costing.most.acts:
        yield f"In {protocol} there is no turn to interrupt, so interruptions has no effect."
    if any(participant.tools and _has_model(participant) for participant in brief.participants):
        yield (
            "The expected tokens include one tool call in each answer. The most includes "
            f"{USES} results of {LONGEST:,} characters for one answer, sent again with each further call."
        )
    yield from _on_the_quorum(protocol, brief.limits, costing)
    limit, needed = brief.limits.asks, costing.most.asks
    if limit is not None and needed > limit:
        need = counted(needed, "question")
        yield f"The debate may need {need} and pauses after {limit}. To allow them all: --max-questions {needed}."


QUOTING = f"{QUOTES} is not a language model: participants only quote the brief's background."
"""What every host says where the built-in seat takes part."""

NOTHING = "There is no background, so there is nothing to quote: write some under the question, or choose a model."
"""What it says besides where there is nothing to quote."""


def notes_on_quoting(brief: Brief) -> Iterator[str]:
    """What to know where the built-in seat takes part."""
    if any(participant.seat == QUOTES for participant in brief.participants):
        yield QUOTING
    if has_nothing_to_quote(brief):
        yield NOTHING


def has_nothing_to_quote(brief: Brief) -> bool:
    """Whether the built-in seat takes part in a debate about a bare question."""
    quotes = any(participant.seat == QUOTES for participant in brief.participants)
    return quotes and not (brief.background or brief.library)


def _on_copies(brief: Brief) -> Iterator[str]:
    """What is known to make a debate worth little before it begins: models that err alike, and nothing to read."""
    debaters = [participant for participant in brief.participants if participant.duty == "debater"]
    seats = {participant.seat for participant in debaters}
    if len(debaters) < 2 or not all(
        _has_model(participant) and not participant.seat.startswith(GUEST) for participant in debaters
    ):
        return
    all_debaters = every(len(debaters), "debaters")
    if len(seats) == 1:
        yield f"{all_debaters} are {min(seats)}: among copies of one model a debate has gained nothing."
    elif many := next((seat for seat in sorted(seats) if not family(seat)), ""):
        yield f"Which models answer for {many} is not known: it may err as the others do."
    elif len(families_of(seats)) == 1:
        yield f"{all_debaters} are of one family of models: they are likely to err alike."
    if len(seats) > 1 and not (brief.background or brief.library or any(participant.tools for participant in debaters)):
        yield "Nobody gets a document: where all judge from memory, a debate has helped least."


def _has_model(participant: Participant) -> bool:
    return not participant.seat.startswith(BUILTIN) and participant.seat != HUMAN


def _on_people(brief: Brief, costing: Costing) -> Iterator[str]:
    """Whom the debate waits for, how long, and what comes then."""
    for participant in brief.participants:
        if participant.seat != HUMAN:
            if participant.deadline is not None or participant.stand_in:
                yield f"The deadline of {participant.name} changes nothing: {participant.seat} is not a person."
        elif participant.name in costing.most.asked:
            fallback = (
                f"then {participant.stand_in} answers, which only the most includes"
                if participant.stand_in
                else "then it continues"
            )
            wait = (
                "as long as it takes"
                if participant.deadline is None
                else f"at most {duration(participant.deadline)}; {fallback}"
            )
            yield f"The debate waits for each answer of {participant.name}, a person: {wait}."
        if participant.seat == HUMAN and participant.stand_in and participant.deadline is None:
            yield f"{participant.stand_in} never stands in for {participant.name}: that needs a deadline."


def _on_participants(brief: Brief, choices: Choices) -> Iterator[str]:
    """What a participant is given and cannot use here."""
    for participant in brief.participants:
        if participant.search and not _has_model(participant):
            yield f"{participant.name} does not search for arguments: {participant.seat} is not a language model."
        elif participant.search and participant.duty == "moderator":
            yield f"{participant.name} moderates and so has no arguments to search for; search has no effect."
    ranked = [participant.name for participant in brief.participants if participant.priority]
    if ranked and choices.turn_mode != "priority_order":
        yield f"The priority of {ranked[0]} has no effect: it needs turn_mode: priority_order."
    ranks = {participant.priority for participant in brief.participants if participant.duty == "debater"}
    if choices.turn_mode == "priority_order" and len(ranks) == 1:
        yield "turn_mode priority_order has no effect: all debaters have the same priority; give each a priority."
    weighed = [participant.name for participant in brief.participants if participant.weight is not None]
    if weighed and choices.strategy != "weighted":
        yield f"The weight of {weighed[0]} has no effect: it needs strategy: weighted."
    if choices.vote_weights and choices.strategy != "weighted":
        yield "vote_weights has no effect: it needs strategy: weighted."


def _on_rounds(protocol: str, choices: Choices, costing: Costing) -> Iterator[str]:
    """What was chosen for rounds that there are not."""
    least, longest = simulated_rounds(costing.least), simulated_rounds(costing.most)
    rounds_in_words = f"{longest} round{'' if longest == 1 else 's'}"
    if protocol == "bp_style" and (choices.rounds or 1) > longest:
        yield f"bp_style has {rounds_in_words}, of eight speeches, and the number of rounds has no effect."
    if protocol in WITHOUT_ROUNDS and choices.rounds:
        yield f"{protocol} has no rounds, and the number of rounds has no effect."
    ends = [condition for condition in choices.until if condition not in NO_ROUND]
    if ends and least == longest:
        yield f"{protocol} has {rounds_in_words}, which {' and '.join(ends)} cannot end earlier."
    chosen = {
        "revision": choices.extras.revision,
        "evolution": choices.extras.evolution,
        "summaries": choices.summarize > 0,
    }
    unused = [name for name, wished in chosen.items() if wished]
    if unused and not longest:
        yield f"There are no rounds, so there will be no {' and no '.join(unused)}."
    elif choices.summarize > longest:
        rest = f"one is made every {choices.summarize} rounds, and there is at most {rounds_in_words}"
        yield f"There will be no summary: {rest}."


def _on_the_quorum(protocol: str, limits: Limits, costing: Costing) -> Iterator[str]:
    """Why nobody is hurried, though there is a quorum."""
    most = max(costing.least.hurried, costing.most.hurried)
    if limits.quorum is None:
        return
    if most < 2:
        yield f"In {protocol} here the debate waits for everybody, so quorum has no effect."
    elif limits.quorum >= most:
        why = f"at most {most} models speak at the same time, so the debate waits for all"
        yield f"quorum: {limits.quorum} has no effect: {why}."


def _on_languages(brief: Brief, choices: Choices) -> Iterator[str]:
    """What is not translated, though somebody has a language."""
    languages = [participant.language for participant in brief.participants if participant.duty == "debater"]
    if any(languages) and not translation(brief, choices.language):
        yield f"All debaters speak {choices.language or languages[0]}, so nothing is translated."


def _on_masks(protocol: str, brief: Brief, costing: Costing) -> Iterator[str]:
    """What is hidden from somebody and never said."""
    for participant in brief.participants:
        never = [mask for mask in participant.hide if mask in ACTS and mask not in costing.most.acts]
        if never:
            yield f"{participant.name} hides {listed(never)}, which {protocol} never has here; that has no effect."


def _on_the_moderator(protocol: str, choices: Choices, costing: Costing) -> Iterator[str]:
    """When what the moderator does beside the protocol may never come."""
    mediation = choices.mediation
    if mediation is None:
        return
    kind, least, longest = mediation.kind, simulated_rounds(costing.least), simulated_rounds(costing.most)
    sums_up = choices.strategy == "mediator_summary" or (choices.strategy == "" and protocol in _SUMMED_UP)
    if mediation.style != "neutral" and (kind == "consensus" or (kind != "silent" and not sums_up)):
        yield f"summary_style {mediation.style} has no effect: nobody writes a summary at the end."
    if mediation.when == "final":
        return
    middle = (longest + 1) // 2
    if kind in AT_THE_END:
        yield f"A moderator of the kind {kind} speaks at the end; mediator_frequency has no effect."
    elif choices.rounds == 0:
        yield f"There are no rounds, so the moderator never speaks as {kind}; use mediator_frequency: final."
    elif mediation.when == "midpoint" and least < middle:
        yield f"The moderator speaks as {kind} after round {middle}; if the rounds end earlier, it never speaks."


def simulated_rounds(estimate: Estimate) -> int:
    """How many rounds a simulated run had, those within rounds not counted."""
    return len([path for path in estimate.phases if re.fullmatch(r".*?/round-\d+", path)])


def ignored_settings(brief: Brief, live: Mapping[str, Model]) -> dict[str, tuple[str, ...]]:
    """The settings that a participant's provider ignores, by the participant's name."""
    ignored: dict[str, tuple[str, ...]] = {}
    for participant in brief.participants:
        if participant.settings == Settings() or participant.name not in live:
            continue  # so that no library is loaded for those who have no settings
        drops = live[participant.name].drops
        if names := tuple(name for name in drops if getattr(participant.settings, name, None) not in (None, ())):
            ignored[participant.name] = names
    return ignored


def check_prices(brief: Brief, costing: Costing) -> None:
    """Refuse a limit on cost with a model whose price is unknown.

    Raises:
        BriefError: code ``inconsistent``.
    """
    if brief.limits.cost is not None and costing.most.unpriced:
        unknown = ", ".join(costing.most.unpriced)
        raise BriefError(f"a limit on cost needs known prices, and the price of {unknown} is unknown; limit the tokens")
