"""Run the brief of a recorded debate again (``folkmoot again``).

The brief and the protocol are those on record. Where the caller changes what the protocol is made of, it is built anew
from the brief, with the choices that the record names (``app.plan.recorded_choices``).
"""

from collections.abc import Mapping
from dataclasses import replace

from folkmoot.app.brief.changes import is_plain, with_settings
from folkmoot.app.brief.default_participants import default_moderator
from folkmoot.app.brief.participants import needs_moderator
from folkmoot.app.brief.reader import ParsedBrief, Settings
from folkmoot.app.plan.assignment import assign, make_agents
from folkmoot.app.plan.checks import check_prices, ignored_settings
from folkmoot.app.plan.next_steps import BY_HAND, lost_choices, without_aides
from folkmoot.app.plan.recorded_choices import recorded_choices
from folkmoot.app.run.fork import with_agents
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.prepare import (
    Overrides,
    PreparedDebate,
    costing_of,
    live_models,
    make_choices,
)
from folkmoot.app.run.start import StartRequest, prepare_start
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.ask import Fields, Value
from folkmoot.core.brief import Brief
from folkmoot.core.errors import FolkmootError, PackageMissing
from folkmoot.core.event import Opened
from folkmoot.core.extensions import PROTOCOL, RULE
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build, names
from folkmoot.protocols.spec import load_opened


async def start_again(
    workspace: Workspace,
    debate: str,
    overrides: Overrides,
    models: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> StartRequest:
    """Prepare a new debate with the brief of another one; ``app.run.start.run_start`` runs it.

    Args:
        workspace: where both are.
        debate: the other one's id; it stays as it is.
        overrides: what is different this time; its models answer in turn for all whom ``models`` does not name.
        models: who answers instead, by the participant's name.
        settings: settings of a header that hold in the place of the brief's own.

    Raises:
        RecordError: there is no such debate, or its record is damaged.
        BriefError: the brief cannot be debated so.
        ProtocolError: the protocol cannot run with these participants.
    """
    settings = settings or {}
    opened = opening(debate, await workspace.entries(debate))
    parsed = _parsed_brief(opened, debate)
    structural = overrides.protocol or overrides.strategy or overrides.topology or overrides.rounds is not None
    if structural or not is_plain(settings):
        parsed = _with_recorded_settings(parsed, opened, overrides, settings)
        return await _rebuilt_request(workspace, opened, parsed, overrides, models or {})
    parsed = with_settings(parsed, settings)
    brief = _with_models(parsed.brief, overrides, models or {}, parsed.model)
    seed = brief.seed if overrides.seed is None else overrides.seed
    brief = replace(brief, seed=seed, limits=overrides.caps.on(brief.limits))
    chosen = tuple(dict.fromkeys((*(words for words in opened.chosen if not _of_a_fork(words)), parsed.cast)))
    plan = Plan(brief=brief, name=opened.name, protocol=load_opened(opened), chosen=chosen, options=opened.options)
    make_agents(brief, workspace.pool.with_options(plan.options), config=workspace.config)
    live = live_models(workspace, brief, plan.options)
    costing = costing_of(workspace, brief, plan.protocol, live)
    check_prices(brief, costing)
    ready = PreparedDebate(plan=plan, costing=costing, drops=ignored_settings(brief, live))
    return StartRequest(parsed=parsed, overrides=overrides, prepared=ready, config=workspace.config)


def _with_models(brief: Brief, overrides: Overrides, models: Mapping[str, str], default: str) -> Brief:
    """The brief with other agents: the named ones, then the caller's in turn, else the default that was set."""
    brief = with_agents(brief, models)
    others = overrides.models or ((default,) if default else ())
    if not others:
        return brief
    people = [
        participant if participant.name in models or participant.duty == "aide" else replace(participant, seat="")
        for participant in brief.participants
    ]
    return assign(replace(brief, participants=tuple(people)), others)


def _with_recorded_settings(
    parsed: ParsedBrief, opened: Opened, overrides: Overrides, settings: Settings
) -> ParsedBrief:
    """The brief with what the record says of its protocol, as far as that stays, and with the settings."""
    setting = settings.get("protocol")
    name = overrides.protocol or (str(setting.value) if setting else opened.name)
    chosen = _chosen_strategy(overrides, settings)
    try:
        recorded = _with_recorded_protocol(parsed, opened) if name == opened.name else None
    except PackageMissing:
        if not chosen or name not in names():  # another rule may stand in for one that is gone
            raise
        recorded = None
    other = [] if recorded else lost_choices(opened)
    if recorded and chosen not in ("", recorded.strategy):
        other = [*Choices(strategy_options=recorded.options(RULE.options)).in_words()]
        recorded = replace(recorded, given=_without_options(recorded.given, RULE.options))
    notes = (f"What was chosen for the earlier debate does not apply here: {', '.join(other)}.",) if other else ()
    gone = (RULE.options,) if name == opened.name else (PROTOCOL.options, RULE.options)
    parsed = recorded or replace(parsed, given={**parsed.given, **_without_options(opened.options, *gone)})
    return replace(with_settings(parsed, settings), notes=(*parsed.notes, *notes))


def _chosen_strategy(overrides: Overrides, settings: Settings) -> str:
    """The strategy that is chosen in the place of the one on record; "" for none."""
    setting = settings.get("strategy")
    return overrides.strategy or (str(setting.value) if setting else "")


def _without_options(values: Fields, *words: str) -> dict[str, Value]:
    """The values without the options behind these keys."""
    return {key: value for key, value in values.items() if key.partition(".")[0] not in words}


def recorded_brief(opened: Opened, debate: str) -> ParsedBrief:
    """The brief of a debate with the settings of its protocol, as far as the record tells them."""
    parsed = _parsed_brief(opened, debate)
    try:
        return _with_recorded_protocol(parsed, opened) or parsed
    except FolkmootError:  # a package that it needs is gone
        return parsed


def _parsed_brief(opened: Opened, debate: str) -> ParsedBrief:
    """The brief of a debate, as if it were read from a file."""
    return ParsedBrief(
        brief=opened.brief,
        protocol=opened.name,
        rounds=None,
        strategy="",
        topology="",
        model="",
        kind="text",
        given={"topic": opened.brief.topic, **({"logging_mode": opened.log} if opened.log else {})},
        cast=f"the brief of {debate} once more",
        place=opened.place,
    )


def _with_recorded_protocol(parsed: ParsedBrief, opened: Opened) -> ParsedBrief | None:
    """The brief with the settings that make the protocol on record; None where the record does not tell them."""
    return next((choice for choice in recorded_choices(parsed, opened) if _is_same(choice, opened)), None)


def _is_same(parsed: ParsedBrief, opened: Opened) -> bool:
    try:
        return build(opened.name, opened.brief, make_choices(parsed, Overrides())) == load_opened(opened)
    except FolkmootError:
        return False


async def _rebuilt_request(
    workspace: Workspace, opened: Opened, parsed: ParsedBrief, overrides: Overrides, models: Mapping[str, str]
) -> StartRequest:
    """The same brief with a newly built protocol."""
    brief = without_aides(parsed.brief)
    name = overrides.protocol or parsed.protocol
    if needs_moderator(name, overrides.strategy or parsed.strategy) and not brief.names("moderator"):
        brief = replace(brief, participants=(*brief.participants, default_moderator(name)))
    brief = _with_models(brief, overrides, models, parsed.model)
    return await prepare_start(workspace, replace(parsed, brief=brief), overrides, workspace.config)


def _of_a_fork(words: str) -> bool:
    return BY_HAND in words or words.endswith("in the fork")
