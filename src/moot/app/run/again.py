"""The same brief once more.

The brief and the protocol are those on record. Where the caller wants another protocol, strategy or number of rounds,
the protocol is built anew from the brief.
"""

from collections.abc import Mapping
from dataclasses import replace

from moot.app.brief.default_participants import default_moderator
from moot.app.brief.participants import needs_moderator
from moot.app.brief.reader import ParsedBrief
from moot.app.plan.assignment import calls_for, make_agents
from moot.app.plan.estimate import estimate, likely_requests
from moot.app.plan.next_steps import without_aides
from moot.app.run.fork import GIVEN, with_agents
from moot.app.run.outcome import opening
from moot.app.run.prepare import Overrides, PreparedDebate, ignored_settings, live_models, prepare
from moot.app.run.start import StartRequest
from moot.app.run.workspace import Plan, Workspace
from moot.core.event import Opened
from moot.phases.choices import PROTOCOL_OPTIONS
from moot.protocols.spec import load_opened


async def start_again(
    workspace: Workspace, debate: str, overrides: Overrides, models: Mapping[str, str] | None = None
) -> StartRequest:
    """Prepare a new debate with the brief of another one; ``app.run.start.run_start`` runs it.

    Args:
        workspace: where both are.
        debate: the other one's id; it stays as it is.
        wishes: what is otherwise.
        models: who answers instead, by the participant's name; under "" for all.

    Raises:
        RecordError: there is no such debate, or its record is damaged.
        BriefError: the brief cannot be debated so.
        ProtocolError: the protocol cannot run with these participants.
    """
    opened = opening(debate, await workspace.entries(debate))
    intake = _intake(opened, debate)
    if overrides.protocol or overrides.strategy or overrides.topology or overrides.rounds is not None:
        return await _rebuilt(workspace, opened, intake, overrides, models or {})
    brief = with_agents(opened.brief, models or {})
    seed = brief.seed if overrides.seed is None else overrides.seed
    brief = replace(brief, seed=seed, limits=overrides.caps.on(brief.limits))
    chosen = (*(words for words in opened.chosen if not _of_a_fork(words)), intake.cast)
    plan = Plan(brief=brief, name=opened.name, protocol=load_opened(opened), chosen=tuple(dict.fromkeys(chosen)))
    plan = replace(plan, options=opened.options)
    make_agents(brief, workspace.pool, config=workspace.config)
    live = live_models(workspace, brief)
    costing = estimate(brief, plan.protocol, live, work=calls_for, likely=likely_requests)
    ready = PreparedDebate(plan=plan, costing=costing, drops=ignored_settings(brief, live))
    return StartRequest(parsed=intake, overrides=overrides, prepared=ready, config=workspace.config)


def _intake(opened: Opened, debate: str) -> ParsedBrief:
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
    )


async def _rebuilt(
    workspace: Workspace, opened: Opened, parsed: ParsedBrief, overrides: Overrides, models: Mapping[str, str]
) -> StartRequest:
    """The same brief with a newly built protocol."""
    brief = without_aides(opened.brief)
    name = overrides.protocol or opened.name
    if needs_moderator(name, overrides.strategy) and not brief.names("moderator"):
        brief = replace(brief, participants=(*brief.participants, default_moderator(name)))
    kept = (PROTOCOL_OPTIONS,) if name == opened.name else ()
    options = {key: value for key, value in opened.options.items() if key.startswith(kept)}
    parsed = replace(parsed, brief=with_agents(brief, models), given={**parsed.given, **options})
    if other := [words for words in opened.chosen if not _of_a_fork(words) and "once more" not in words]:
        parsed = replace(parsed, notes=(f"What was chosen before does not hold here: {', '.join(other)}.",))
    ready = await prepare(workspace, parsed, overrides, config=workspace.config)
    return StartRequest(parsed=parsed, overrides=overrides, prepared=ready, config=workspace.config)


def _of_a_fork(words: str) -> bool:
    return GIVEN in words or words.endswith("in the fork")
