"""Run the brief of a recorded debate again (``folkmoot again``).

The brief, its settings and the protocol are those on record. Where the caller changes what the protocol is made of, it
is built anew from the brief and the settings, as for any other brief.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from folkmoot.app.brief.changes import is_plain, recorded_brief, with_settings, without
from folkmoot.app.brief.reader import ParsedBrief, Settings
from folkmoot.app.plan.assignment import assign, live_models
from folkmoot.app.plan.checks import check_prices, ignored_settings
from folkmoot.app.plan.next_steps import BY_HAND
from folkmoot.app.plan.settings import load_config
from folkmoot.app.run.fork import with_agents
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.prepare import Overrides, PreparedDebate, costing_of, prepare, protocol_of, with_moderator
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.brief import Brief
from folkmoot.core.errors import BriefError, ProtocolError
from folkmoot.core.event import Opened
from folkmoot.core.extensions import PROTOCOL, RULE
from folkmoot.core.roles import RETRIEVER, is_final_writer
from folkmoot.phases.choices import value_in_words
from folkmoot.protocols.spec import load_opened


async def start_again(
    workspace: Workspace,
    debate: str,
    overrides: Overrides,
    models: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> PreparedDebate:
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
    models, settings = models or {}, settings or {}
    opened = opening(debate, await workspace.entries(debate))
    parsed = with_settings(recorded_brief(opened, debate), settings)
    changed = {name for name in _STRUCTURAL if getattr(overrides, name) not in ("", None)}
    if changed or not is_plain(settings):
        if not (overrides.protocol or parsed.protocol):
            problem = f"a program made the protocol of {debate} ({opened.name}), so only a whole other one can replace"
            raise BriefError(f"{problem} it: --protocol NAME; without such a change it can be run as it is")
        return await _rebuilt_request(workspace, opened, parsed, overrides, models, changed | settings.keys())
    brief = _with_models(with_moderator(parsed, overrides), overrides, models, parsed.model)
    seed = brief.seed if overrides.seed is None else overrides.seed
    brief = replace(brief, seed=seed, limits=overrides.caps.on(brief.limits))
    plan = Plan(
        brief=brief,
        name=opened.name,
        protocol=load_opened(opened),
        settings=parsed.settings,
        chosen=tuple(dict.fromkeys((*(words for words in opened.chosen if not _of_a_fork(words)), parsed.cast))),
        place=parsed.place,
    )
    live = live_models(brief, workspace.pool.with_options(plan.options))
    costing = costing_of(workspace.pool, brief, plan.protocol, live)
    check_prices(brief, costing)
    return PreparedDebate(
        plan=plan,
        costing=costing,
        drops=ignored_settings(brief, live),
        parsed=parsed,
        overrides=overrides,
        config=workspace.config or load_config(),
    )


_STRUCTURAL = ("protocol", "strategy", "topology", "rounds")
"""The overrides that the protocol is made of."""

_BELONGING: Mapping[str, tuple[str, ...]] = {
    "protocol": (f"{PROTOCOL.options}.",),
    "strategy": (f"{RULE.options}.",),
    "mediator_type": ("mediator_frequency", "summary_style"),
}
"""How the names of settings begin that only say more about another one, and go with it."""


async def _rebuilt_request(
    workspace: Workspace,
    opened: Opened,
    parsed: ParsedBrief,
    overrides: Overrides,
    models: Mapping[str, str],
    changed: AbstractSet[str],
) -> PreparedDebate:
    """The same brief with a newly built protocol.

    A recorded setting that doesn't fit what the caller changed is left out, and a note says so. Which one that is says
    the error of ``prepare``, so nothing here has to know the settings of each protocol.
    """
    former = opened.settings
    now = {"protocol": protocol_of(parsed, overrides), "strategy": overrides.strategy or parsed.strategy}
    others = {name for name, value in now.items() if value != former.get(name, "")}
    if not others:
        load_opened(opened)  # it says which package is missing, if one is
    recorded = former.keys() - changed - {"protocol"}
    dropped = _with_belonging(others, recorded) - others
    parsed = _with_cast(opened, parsed, overrides, models)
    while True:
        notes = (*parsed.notes, *_notes(opened, dropped))
        fitting = replace(without(parsed, dropped), notes=notes)
        try:
            return await prepare(workspace, fitting, overrides)
        except (BriefError, ProtocolError) as error:
            misfits = {name for name in recorded - dropped if f"{name}.".startswith(f"{error.about}.")}
            if not error.about or not misfits:
                raise
            dropped |= _with_belonging(misfits, recorded)


def _with_belonging(names: AbstractSet[str], recorded: AbstractSet[str]) -> set[str]:
    """The settings, and the recorded ones that belong to them."""
    beginnings = tuple(beginning for name in names for beginning in _BELONGING.get(name, ()))
    return {*names, *(name for name in recorded if name.startswith(beginnings))}


def _notes(opened: Opened, dropped: AbstractSet[str]) -> Iterable[str]:
    """What a newly built protocol leaves out of the earlier debate."""
    if dropped:
        left_out = [f"{name}: {value_in_words(value)}" for name, value in opened.settings.items() if name in dropped]
        yield f"Settings of the earlier debate that do not fit here are left out: {'; '.join(left_out)}."
    if any(map(is_final_writer, opened.brief.participants)):
        yield "The final answer that was written for whoever asked is left out: only its caller can ask for one."


def _with_cast(opened: Opened, parsed: ParsedBrief, overrides: Overrides, models: Mapping[str, str]) -> ParsedBrief:
    """The brief with a moderator, if one is needed now, and without the helpers that the protocol adds if needed."""
    recalls = parsed.given.get("recall", True)
    people = tuple(
        participant
        for participant in parsed.brief.participants
        if participant.duty != "aide" or (participant.seat == RETRIEVER and recalls)
    )
    parsed = replace(parsed, brief=replace(parsed.brief, participants=people))
    brief = _with_models(with_moderator(parsed, overrides), overrides, models, parsed.model)
    # The tools of a tool agent are looked up where its model is new; else they are those on record.
    stated = opened.brief.participants if opened.settings.get("mediator_type") == "toolagent" else ()
    seats = {participant.name: participant.seat for participant in brief.participants}
    same = [participant for participant in stated if seats.get(participant.name) == participant.seat]
    return replace(parsed, brief=brief, own={who.name: {"tool_usage": who.tools} for who in same})


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


def _of_a_fork(words: str) -> bool:
    return BY_HAND in words or words.endswith("in the fork")
