"""The same brief once more.

The brief and the protocol are those on record. Where the caller wants another protocol, strategy or number of rounds,
the protocol is built anew from the brief.
"""

from collections.abc import Mapping
from dataclasses import replace

from moot.app.brief.default_participants import presider
from moot.app.brief.participants import needs_moderator
from moot.app.brief.reader import Intake
from moot.app.plan.assignment import agent_for, work
from moot.app.plan.estimate import estimate, likely
from moot.app.plan.ways_on import without_aides
from moot.app.run.fork import GIVEN, with_seats
from moot.app.run.outcome import opening
from moot.app.run.prepare import Ready, Wishes, ignored, live_models, prepare
from moot.app.run.start import Start
from moot.app.run.workspace import Plan, Workspace
from moot.core.event import Opened
from moot.phases.choices import PROTOCOL_OPTIONS
from moot.protocols.spec import load_opened


async def start_again(
    workspace: Workspace, debate: str, wishes: Wishes, models: Mapping[str, str] | None = None
) -> Start:
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
    if wishes.protocol or wishes.strategy or wishes.topology or wishes.rounds is not None:
        return await _rebuilt(workspace, opened, intake, wishes, models or {})
    brief = with_seats(opened.brief, models or {})
    seed = brief.seed if wishes.seed is None else wishes.seed
    brief = replace(brief, seed=seed, limits=wishes.caps.on(brief.limits))
    chosen = (*(words for words in opened.chosen if not _of_a_fork(words)), intake.cast)
    plan = Plan(brief=brief, name=opened.name, protocol=load_opened(opened), chosen=tuple(dict.fromkeys(chosen)))
    plan = replace(plan, options=opened.options)
    agent_for(brief, workspace.pool, config=workspace.config)
    live = live_models(workspace, brief)
    costing = estimate(brief, plan.protocol, live, work=work, likely=likely)
    ready = Ready(plan=plan, costing=costing, drops=ignored(brief, live))
    return Start(intake=intake, wishes=wishes, ready=ready, config=workspace.config)


def _intake(opened: Opened, debate: str) -> Intake:
    """The brief of a debate, as if it were read from a file."""
    return Intake(
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
    workspace: Workspace, opened: Opened, intake: Intake, wishes: Wishes, models: Mapping[str, str]
) -> Start:
    """The same brief with a newly built protocol."""
    brief = without_aides(opened.brief)
    name = wishes.protocol or opened.name
    if needs_moderator(name, wishes.strategy) and not brief.names("moderator"):
        brief = replace(brief, participants=(*brief.participants, presider(name)))
    kept = (PROTOCOL_OPTIONS,) if name == opened.name else ()
    options = {key: value for key, value in opened.options.items() if key.startswith(kept)}
    intake = replace(intake, brief=with_seats(brief, models), given={**intake.given, **options})
    if other := [words for words in opened.chosen if not _of_a_fork(words) and "once more" not in words]:
        intake = replace(intake, notes=(f"What was chosen before does not hold here: {', '.join(other)}.",))
    ready = await prepare(workspace, intake, wishes, config=workspace.config)
    return Start(intake=intake, wishes=wishes, ready=ready, config=workspace.config)


def _of_a_fork(words: str) -> bool:
    return GIVEN in words or words.endswith("in the fork")
