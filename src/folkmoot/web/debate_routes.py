"""Routes that start, check, list, show, stop, resume, fork and resolve debates."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, cast

from fastapi import Header, Query, Request, Response
from pydantic import JsonValue

from folkmoot.app.evaluation.folder import stored_evaluations
from folkmoot.app.export.learned import add_note, check_truth
from folkmoot.app.export.plans import plan_data
from folkmoot.app.plan.next_steps import next_steps, resume_step
from folkmoot.app.plan.settings import lock_place
from folkmoot.app.run.access import name_of, rename
from folkmoot.app.run.fork import Answer
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.prepare import LimitOverrides, Overrides
from folkmoot.app.run.record_reader import ListQuery, Summary, list_query, open_asks
from folkmoot.app.run.removal import remove
from folkmoot.app.run.runner import ELSEWHERE
from folkmoot.app.serve.admission import Admission, DebateRequest, ForkRequest, read_sent_files
from folkmoot.app.serve.brief_view import BriefView, brief_view, request_body
from folkmoot.app.serve.visibility import may_read, reads, visible_entries
from folkmoot.core.ask import Value
from folkmoot.core.decision import NextStep, StoredStatus
from folkmoot.core.errors import BriefError, PackageMissing, RecordError
from folkmoot.core.event import Entry, Opened
from folkmoot.core.labels import act_of, group_in_words, group_of, noun
from folkmoot.core.transcript import Transcript, fold
from folkmoot.report.conclusion import OutcomeView, cautions, outcome_view
from folkmoot.report.metrics import faults, missing_causes, sums_of
from folkmoot.web.problems import Problem
from folkmoot.web.read_schemas import PlanResponse
from folkmoot.web.schemas import (
    AwaitedPerson,
    DebateList,
    DebateNumbers,
    DeletedDebate,
    DeletedDebates,
    DeleteDebates,
    ForkDebate,
    Limits,
    ListedDebate,
    ListedGroup,
    NewDebate,
    NextAction,
    PlanRequest,
    RefusedDebate,
    RenameDebate,
    ResolveDebate,
    ResumeDebate,
    RunAgain,
    StartedDebate,
    State,
    StopDebate,
    VerifiedRecord,
)
from folkmoot.web.site import DebateAccess, Owner, Owning, ServerState, SiteOf, Viewing, api_router, visit


def values(fields: Mapping[str, JsonValue] | None) -> dict[str, Value] | None:
    """The fields of an answer as values of a form; a field that is null is left out.

    Raises:
        BriefError: a value has a type that no field can have.
    """
    if fields is None:
        return None
    return {name: _value(name, value) for name, value in fields.items() if value is not None}


def _value(name: str, value: JsonValue) -> Value:
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list) and all(isinstance(json_value, str) for json_value in value):
        return tuple(str(json_value) for json_value in value)
    raise BriefError(f"{name[:60]!r} must be a text, a number, true or false, or a list of texts", code="wrong_type")


def caps_of(limits: Limits | None) -> LimitOverrides:
    """The limits of a request."""
    return LimitOverrides(**limits.model_dump()) if limits else LimitOverrides()


def admission(site: ServerState, owner: str) -> Admission:
    """The admission for an owner's requests; "" is the local owner."""
    return Admission(runner=site.runner, spending=site.spending, serving=site.serving, owner=owner)


async def order_of(body: PlanRequest) -> DebateRequest:
    """The request for a debate in a body."""
    overrides = Overrides(models=tuple(body.models), seed=body.seed, cast=body.participants, caps=caps_of(body.limits))
    start = not isinstance(body, NewDebate) or body.start
    background = await read_sent_files([(file.name, file.data) for file in body.files])
    return DebateRequest(brief=body.brief, overrides=overrides, start=start, preset=body.preset, background=background)


router = api_router("debates")

Key = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        pattern="^[!-~]*$",
        description="Requests with the same key and body return the same debate.",
    ),
]

LINKS: Mapping[str, object] = {
    name: {"operationId": operation, "parameters": {"debate": "$response.body#/id"}}
    for name, operation in {
        "state": "get_debate",
        "entries": "get_entries",
        "stop": "stop_debate",
        "resume": "resume_debate",
        "fork": "fork_debate",
        "asks": "get_asks",
        "report": "get_report",
        "shares": "list_shares",
    }.items()
}
"""Links to the operations on a new debate, for programs that read the description."""


def _created_response() -> dict[int | str, dict[str, object]]:
    return {201: {"description": "The debate is on record.", "links": dict(LINKS)}}


@router.post("/debates", status_code=201, responses=_created_response())
async def begin_debate(
    site: SiteOf, holder: Owner, body: NewDebate, response: Response, key: Key = ""
) -> StartedDebate:
    """Start a debate. If its participants must be generated first, it is on record only after that."""
    debate = await admission(site, holder.owner).begin(await order_of(body), key)
    return await _begun_body(site, debate, response)


async def _begun_body(site: ServerState, debate: str, response: Response) -> StartedDebate:
    response.headers["Location"] = f"/api/v1/debates/{debate}"
    now = await site.runner.running_state(debate)
    return StartedDebate(id=debate, casting=now.generation, runs=now.sure)


@router.post("/check")
async def check_brief(site: SiteOf, holder: Owner, body: PlanRequest) -> PlanResponse:
    """Show how a brief was understood, and what the debate would use. Nothing is sent to any model."""
    start = await admission(site, holder.owner).make_ready(await order_of(body))
    return PlanResponse.model_validate({"kind": start.parsed.kind, **plan_data(start)})


@router.get("/debates")
async def list_debates(
    site: SiteOf,
    holder: Owner,
    q: Annotated[str, Query(max_length=200, description="Words in the topic, the id or the protocol.")] = "",
    status: Annotated[StoredStatus | None, Query(description="Only debates with this status.")] = None,
    after: Annotated[str, Query(max_length=200, description="The last id of the previous page.")] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    protocol: Annotated[str, Query(max_length=200, description="Only debates with this protocol.")] = "",
    model: Annotated[
        str, Query(max_length=200, description="Only debates with a model whose name has this in it.")
    ] = "",
    since: Annotated[
        float, Query(ge=0, description="Only debates with an entry since then, in seconds since 1970.")
    ] = 0,
    until: Annotated[float, Query(ge=0, description="Only debates without an entry since then; 0 for no end.")] = 0,
    group: Annotated[str, Query(max_length=200, description="Only the debates of this group; see `groups`.")] = "",
) -> DebateList:
    """List debates, newest first: all for the local owner, its own for a token.

    For the local owner, debates of an evaluation, of a batch and those in which participants were generated are left
    out unless their `group` is asked for: the first page has one row in `groups` for all of a group that match.
    """
    owner = None if holder.machine else holder.owner
    folded = holder.machine and not group
    query = list_query(
        status=status or "",
        search=q,
        limit=limit + 1,  # one more shows whether there is another page
        helpers=True,
        owner=owner,
        after=after,
        prefix=f"{group}-" if group else "",
        grouped=not folded,
        protocol=protocol,
        model=model,
        since=since,
        until=until,
    )
    page = await site.workspace.page(query)
    if not page.known:
        raise Problem(
            422, f"{after[:80]!r} is not in this list; leave out `after` to start from the beginning", "cursor"
        )
    shown = page.debates[:limit]
    elsewhere = site.runner.run_elsewhere(row.debate for row in shown if row.status in ("open", "paused"))
    by = {**dict.fromkeys(elsewhere, ELSEWHERE), **await site.runner.where_debates_run()}
    stale = await site.runner.stale_debates(shown)
    rows = [
        ListedDebate.model_validate(
            {
                **_row(summary),
                "runs": summary.debate in by,
                "holder": by.get(summary.debate, ""),
                "stale": summary.debate in stale,
            }
        )
        for summary in shown
    ]
    return DebateList(
        debates=rows,
        groups=await _groups(site, query) if folded and not after else [],
        next=shown[-1].debate if len(page.debates) > limit else None,
    )


async def _groups(site: ServerState, query: ListQuery) -> list[ListedGroup]:
    """A row for each group with debates that match a query, the newest first."""
    names = list(dict.fromkeys(group for debate in await site.workspace.names() if (group := group_of(debate))))
    place = lock_place(site.workspace.store)
    folders = await asyncio.to_thread(stored_evaluations, place, Path()) if names else ()
    evaluations = {item.debates: item for item in reversed(folders)}
    rows = list[ListedGroup]()
    for group in names:
        own = replace(query, prefix=f"{group}-", grouped=True, limit=1)
        page = await site.workspace.page(own)
        if not page.debates:
            continue
        kind, name = group_in_words(group)
        row = ListedGroup.model_validate(
            {"id": group, "kind": kind, "name": name, "debates": page.matching, "at": page.debates[0].at, "open": 0}
        )
        for status in {"open", "paused"} if not query.status else {"open", "paused"} & {query.status}:
            row.open += (await site.workspace.page(replace(own, status=status, limit=0))).matching
        if known := evaluations.get(group):
            row.name, row.done, row.planned, row.cost = known.name, known.done, known.planned, known.paid_usd
            row.scoreboard = known.id if known.at else ""
        rows.append(row)
    return rows


def _row(summary: Summary) -> dict[str, object]:
    """A debate in a list."""
    return {
        "id": summary.debate,
        "topic": summary.topic,
        "protocol": summary.protocol,
        "status": summary.status,
        "reason": summary.reason,
        "at": summary.at,
        "entries": summary.entries,
        "forked": summary.forked,
        "name": summary.name,
        "participants": list(summary.participants),
        "models": list(summary.models),
        "decision": asdict(summary.decision) if summary.decision else None,
        "tokens": summary.tokens,
        "cost": summary.cost,
        "estimated": summary.estimated,
        "seconds": max(0.0, summary.updated - summary.at),  # the clock may have been set back
        "waits_for": list(dict.fromkeys(ask.name for ask in summary.waits)),
    }


@router.get("/debates/{debate}")
async def get_debate(visit: Viewing) -> State:
    """Return the state of a debate."""
    return await state_of(visit)


async def state_of(visit: DebateAccess) -> State:
    """The state of a debate as a viewer may see it."""
    site, debate = visit.site, visit.debate
    now = await site.runner.running_state(debate)
    runs = bool(now.by)
    known: dict[str, object] = {"id": debate, "runs": runs, "holder": now.by if visit.right == "own" else ""}
    known |= {"right": visit.right, "who": visit.who, "error": str(now.error or "")}
    if not await site.workspace.store.read(debate, limit=1):
        return State.model_validate({**known, "status": "casting" if runs else "failed", "casting": now.generation})
    entries, transcript = await site.kept.read(site.workspace, debate)
    opened, outcome = opening(debate, entries), outcome_view(transcript)
    still = runs and not outcome.over  # it goes on, whatever the record says so far
    if now.guessed and not runs and outcome.status == "open":
        known["silent"] = max(0.0, site.workspace.clock() - entries[-1].at)
    known["error"] = _cause(str(known["error"]), outcome, entries)
    waits = () if outcome.over else await open_asks(site.workspace, debate)
    shown = visible_entries(entries, visit.reader)
    seen = transcript if shown is entries else fold(shown)
    stale = await site.runner.stale_warnings(debate, opened.brief, opened.place, visit.claim)
    return State(
        **known,  # pyright: ignore[reportArgumentType]
        topic=opened.brief.topic,
        protocol=opened.name,
        status="open" if still else outcome.status,
        kind="" if still else outcome.kind,
        reason="" if still else outcome.reason,
        at=entries[0].at,
        entries=len(shown),
        forked=opened.forked,
        name=await name_of(site.workspace, debate) if visit.right == "own" else "",
        sums=DebateNumbers.model_validate(asdict(sums_of(seen))),
        decision=outcome.decision,
        warnings=[*cautions(seen, reads(seen, visit.reader)), *stale],
        stale=" ".join(stale),
        ways=_ways(visit, opened, transcript, "" if still else outcome.status, stale),
        waits_for=[
            AwaitedPerson(
                name=wait.turn.by, act=noun(act_of(wait.turn)), key=wait.turn.key, since=wait.since, left=wait.left
            )
            for wait in waits
            if may_read(transcript, visit.reader, wait.turn)
        ],
    )


def _cause(error: str, outcome: OutcomeView, entries: Sequence[Entry]) -> str:
    """The error of the last run, where the reason does not say it; of a failed debate, why answers are missing."""
    if error and error != outcome.reason:
        return error
    return "; ".join(missing_causes(faults(entries))) if outcome.status == "failed" else ""


def _ways(
    visit: DebateAccess, opened: Opened, transcript: Transcript, status: str, stale: Sequence[str]
) -> list[NextAction]:
    """What its owner may do next with a debate that does not run, or whose documents have changed."""
    if visit.right != "own":
        return []
    debate = visit.debate
    steps: Iterable[NextStep] = next_steps(opened, debate, transcript)
    if status in ("open", "paused"):
        steps = [resume_step(debate, transcript.paused, transcript.usage)]
    elif status == "failed":
        steps = [NextStep(command=f"folkmoot again {debate}", words="the same brief once more")]
    if stale:
        steps = [
            *steps,
            NextStep(command=f"folkmoot verify --documents {debate}", words="which documents have changed"),
        ]
    return [_next_action(step) for step in steps]


def _next_action(step: NextStep) -> NextAction:
    action, body = request_body(step.command) or ("", {})
    return NextAction(command=step.command, words=step.words, action=action, body=cast("dict[str, JsonValue]", body))


@router.get("/debates/{debate}/brief")
async def get_brief(visit: Viewing) -> BriefView:
    """Return the brief: question, background, rules, options, participants, and for its owner the file to run again."""
    _check_made(visit, await visit.site.workspace.count_entries(visit.debate))
    entries = await visit.site.kept.entries(visit.site.workspace, visit.debate)
    return await asyncio.to_thread(brief_view, opening(visit.debate, entries), visit.reader)


@router.get("/debates/{debate}/verify")
async def verify_debate(visit: Owning) -> VerifiedRecord:
    """Check the record: every hash, and that its protocol makes the same entries again."""
    _check_made(visit, entries := await visit.site.workspace.count_entries(visit.debate))
    try:
        entries, head = await visit.site.workspace.verify(visit.debate)
    except (RecordError, PackageMissing) as error:
        return VerifiedRecord(intact=isinstance(error, PackageMissing), entries=entries, head="", problem=str(error))
    return VerifiedRecord(intact=True, entries=entries, head=head)


@router.post("/debates/{debate}/again", status_code=201, responses=_created_response())
async def run_again(visit: Owning, response: Response, body: RunAgain | None = None, key: Key = "") -> StartedDebate:
    """Run the brief of a debate again, as a new debate. The old one is not changed."""
    wanted = body or RunAgain()
    _check_made(visit, await visit.site.workspace.count_entries(visit.debate))
    overrides = Overrides(
        models=tuple(wanted.models),
        protocol=wanted.protocol,
        rounds=wanted.rounds,
        strategy=wanted.strategy,
        seed=wanted.seed,
        caps=caps_of(wanted.limits),
    )
    new = await admission(visit.site, visit.holder.owner).begin_again(visit.debate, overrides, key)
    return await _begun_body(visit.site, new, response)


@router.delete("/debates/{debate}")
async def delete_debate(visit: Owning) -> DeletedDebate:
    """Delete a debate with everything that belongs to it. Its forks stay. This cannot be undone."""
    site = visit.site
    if (await site.runner.running_state(visit.debate)).by:
        raise Problem(409, f"{visit.debate} is running; stop it first")
    gone = await remove(site.workspace, visit.debate)
    site.kept.forget(visit.debate)
    return DeletedDebate(id=gone.debate, entries=gone.entries, learned=gone.learned, forks=list(gone.forks))


@router.post("/debates/delete")
async def delete_debates(request: Request, _: Owner, body: DeleteDebates) -> DeletedDebates:
    """Delete several debates. One that runs, or that cannot be deleted, stays and is named with the reason."""
    deleted, refused = list[DeletedDebate](), list[RefusedDebate]()
    for debate in dict.fromkeys(body.debates):
        try:
            deleted.append(await delete_debate(await visit(request, debate, "own")))
        except (Problem, RecordError) as error:
            refused.append(RefusedDebate(id=debate, reason=str(error)))
    return DeletedDebates(deleted=deleted, refused=refused)


@router.patch("/debates/{debate}")
async def rename_debate(visit: Owning, body: RenameDebate) -> State:
    """Give a debate another name for lists and its page. The record and its topic stay."""
    await rename(visit.site.workspace, visit.debate, body.name)
    return await state_of(visit)


@router.post("/debates/{debate}/stop")
async def stop_debate(visit: Owning, body: StopDebate | None = None) -> State:
    """Stop a debate after the answers in progress, or at once. It can be resumed."""
    stopped = await visit.site.runner.pause(visit.debate, now=bool(body and body.now))
    state = await state_of(visit)
    if not stopped and state.status == "open":
        raise Problem(409, f"{visit.debate} does not run here: stop it where it runs, or resume it here")
    return state


@router.post("/debates/{debate}/resume")
async def resume_debate(visit: Owning, body: ResumeDebate | None = None) -> State:
    """Resume a debate where its record ends. A debate that runs or has ended is not changed."""
    _check_made(visit, await visit.site.workspace.count_entries(visit.debate))
    await admission(visit.site, visit.holder.owner).resume(visit.debate, caps_of(body.limits if body else None))
    return await state_of(visit)


def _check_made(visit: DebateAccess, entries: int) -> None:
    if not entries:
        raise RecordError(f"{visit.debate} is not on record yet: its participants are not generated")


@router.post("/debates/{debate}/fork", status_code=201, responses=_created_response())
async def fork_debate(visit: Owning, body: ForkDebate, response: Response, key: Key = "") -> StartedDebate:
    """Fork a debate: a new one continues from an entry of it. The old one is not changed."""
    site, holder = visit.site, visit.holder
    _check_made(visit, await site.workspace.count_entries(visit.debate))
    replaced = body.answer
    answer = Answer(turn=replaced.turn, words=replaced.words, fields=values(replaced.fields)) if replaced else None
    order = ForkRequest(at=body.at, models=body.models, brief=body.brief, answer=answer, start=body.start)
    name = await admission(site, holder.owner).fork(visit.debate, order, key)
    return await _begun_body(site, name, response)


@router.post("/debates/{debate}/resolve")
async def resolve_debate(visit: Owning, body: ResolveDebate) -> State:
    """Record the right answer of a debate."""
    await check_truth(visit.site.workspace, visit.debate, body.answer, anyway=body.force)
    await add_note(visit.site.workspace, visit.debate, "resolve", body.answer)
    return await state_of(visit)
