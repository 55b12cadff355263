"""Routes of people at the table. This file owns what they are shown, and how they answer, vote and speak up.

Routes of share links. This file owns how they are made, listed and taken back.
"""

from typing import Annotated, Literal, cast

from fastapi import Header, Query

from moot.app.brief.field_values import skeleton
from moot.app.run.access import Share, revoke, share, shares
from moot.app.run.outcome import opening
from moot.app.run.people import Meanwhile, Open, Shown, allowed, answer, asked, context_for, laid, news, open_asks
from moot.app.serve.view_model import hypertext
from moot.core.ask import Field
from moot.core.errors import BriefError
from moot.core.labels import act_of, noun
from moot.core.transcript import fold
from moot.web.debate_routes import answered, values
from moot.web.problems import Problem
from moot.web.schemas import (
    Answered,
    Answering,
    AskField,
    Laid,
    MadeShare,
    NewShare,
    OpenAsk,
    OpenAsks,
    Said,
    Saying,
    ShareRow,
    ShareRows,
)
from moot.web.site import Joining, Owning, Visit, api_router

router = api_router("people")

Key = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        pattern="^[!-~]*$",
        description="The same key and body are said once, however often they are sent.",
    ),
]

OFFICES = ("moderator", "mediator", "timekeeper", "judge", "juror", "chair", "owner", "admin", "librarian", "system")
"""What whoever came by a link may not be called: it would be heard with more weight than it has."""


@router.get("/debates/{debate}/asks")
async def get_asks(visit: Joining) -> OpenAsks:
    """Give the questions to people that are open: what they are shown, and the fields of the answer.

    Who came by a link is given those of the person that the link is for.
    """
    if not await visit.site.workspace.store.read(visit.debate, limit=1):
        return OpenAsks(asks=[])
    found = await open_asks(visit.site.workspace, visit.debate)
    return OpenAsks(asks=[await _shown(visit, each) for each in found if visit.ears in (None, each.turn.by)])


async def _shown(visit: Visit, each: Open) -> OpenAsk:
    workspace, turn = visit.site.workspace, each.turn
    assert turn.ask is not None
    seen, transcript = await context_for(workspace, visit.debate, turn.key), fold(await workspace.entries(visit.debate))
    outside = await (await Meanwhile.of(workspace, visit.debate, turn.key)).more()
    return OpenAsk(
        key=turn.key,
        mark=turn.mark,
        who=turn.by,
        role=seen.me.role,
        act=noun(act_of(turn)),
        round=turn.round,
        task=turn.ask.task,
        about=[_laid(shown) for shown in laid(seen, transcript)],
        news=[_laid(shown) for shown in news(seen, transcript)],
        meanwhile=[(said.by, said.text) for said in outside],
        fields=[_field(field) for field in (turn.ask.form.fields if turn.ask.form else ())],
        since=each.since,
        left=each.left,
    )


def _laid(shown: Shown) -> Laid:
    turn = shown.turn
    return Laid(
        name=shown.name,
        act=turn.act,
        mark=turn.mark,
        text=turn.text,
        html=hypertext(turn.text),
        fields=list(turn.fields),
    )


def _field(field: Field) -> AskField:
    return AskField(
        name=field.name,
        kind=field.kind,
        choices=list(field.choices),
        required=field.required,
        help=field.help,
        low=field.low,
        high=field.high,
        abstain=field.abstain,
        private=field.private,
        allowed=allowed(field),
    )


@router.post("/debates/{debate}/asks/answer")
async def answer_ask(visit: Joining, body: Answering) -> Answered:
    """Answer for a person who is waited for: speak, vote or moderate. The debate goes on by itself."""
    site = visit.site
    who = _speaker(visit, body.who)
    key = body.key or (await asked(site.workspace, visit.debate, who)).key
    reply = await answer(site.workspace, visit.debate, body.words, who=who, key=body.key, fields=values(body.fields))
    runs = await answered(site, visit.debate)
    return Answered(key=key, text=reply.text, fields=dict(reply.fields), runs=runs)


def _speaker(visit: Visit, who: str) -> str:
    """For whom somebody answers; a link for one person answers for that person alone."""
    if visit.right == "own":
        return who
    if not visit.who:
        raise Problem(403, "this link lets you speak up; it is for nobody at the table, so it cannot answer")
    if who not in ("", visit.who):
        raise Problem(403, f"this link is for {visit.who}, not for {who[:60]}")
    return visit.who


@router.post("/debates/{debate}/interjections", status_code=201)
async def interject(visit: Joining, body: Saying, key: Key = "") -> Said:
    """Speak up in a debate; everybody hears it from the next question on."""
    by = body.by if visit.right == "own" else await _name(visit, body.by)
    once = f"{visit.holder.sender} {key}" if key else ""
    return Said(number=await visit.site.remarks.say(visit.site.workspace, visit.debate, by, body.words, once))


async def _name(visit: Visit, by: str) -> str:
    """Under which name the holder of a link speaks up: as the person whom it is for, else as nobody else.

    Raises:
        BriefError: it is the name of somebody at the table or of an office, or looks like one.
    """
    found, brief = skeleton(by), opening(visit.debate, await visit.site.workspace.entries(visit.debate)).brief
    if visit.who:
        if found not in ("", skeleton(visit.who)):
            raise BriefError(f"this link is for {visit.who}; speak up as {visit.who}", code="bad_name")
        return visit.who
    if found in {skeleton(each.name) for each in brief.participants}:
        raise BriefError(f"{by[:60]!r} is somebody at the table; speak under another name", code="bad_name")
    words = (found, *map(skeleton, by.split()))
    if any(word.startswith(office) for word in words for office in OFFICES):
        raise BriefError(f"{by[:60]!r} is the name of an office; speak under a name of your own", code="bad_name")
    return by


shares_router = api_router("shares")


@shares_router.post("/debates/{debate}/shares", status_code=201)
async def make_share(visit: Owning, body: NewShare) -> MadeShare:
    """Make a link to a debate. Its token is told this once."""
    made, secret = await share(visit.site.workspace, visit.debate, body.right, who=body.who, until=body.until)
    return MadeShare(**_row(made).model_dump(), token=secret, link=f"/d/{visit.debate}?share={secret}")


@shares_router.get("/debates/{debate}/shares")
async def list_shares(visit: Owning) -> ShareRows:
    """List the links to a debate, without their tokens."""
    return ShareRows(shares=[_row(each) for each in await shares(visit.site.workspace, visit.debate)])


@shares_router.delete("/debates/{debate}/shares")
async def revoke_share(
    visit: Owning, share_id: Annotated[str, Query(alias="id", max_length=100, description="The link's id.")]
) -> ShareRows:
    """Take a link back; whoever looks on by it is let go."""
    if not await revoke(visit.site.workspace, visit.debate, share_id):
        raise Problem(404, f"there is no link {share_id[:60]!r} to this debate")
    visit.site.passes.revoked.add(share_id)
    return await list_shares(visit)


def _row(each: Share) -> ShareRow:
    right = cast('Literal["view", "join"]', each.right)
    return ShareRow(id=each.id, right=right, who=each.who, at=each.at, until=each.until, revoked=each.revoked)
