"""Routes of share links. This file owns how they are made, listed and taken back."""

from typing import Annotated, Literal, cast

from fastapi import Query

from moot.app.run.access import Share, revoke, share, shares
from moot.web.problems import Problem
from moot.web.schemas import MadeShare, NewShare, ShareRow, ShareRows
from moot.web.web_site import Owning, api_router

router = api_router("shares")


@router.post("/debates/{debate}/shares", status_code=201)
async def make_share(visit: Owning, body: NewShare) -> MadeShare:
    """Make a link to a debate. Its token is told this once."""
    made, secret = await share(visit.site.desk, visit.debate, body.right, who=body.who, until=body.until)
    return MadeShare(**_row(made).model_dump(), token=secret, link=f"/d/{visit.debate}?share={secret}")


@router.get("/debates/{debate}/shares")
async def list_shares(visit: Owning) -> ShareRows:
    """List the links to a debate, without their tokens."""
    return ShareRows(shares=[_row(each) for each in await shares(visit.site.desk, visit.debate)])


@router.delete("/debates/{debate}/shares")
async def revoke_share(
    visit: Owning, share_id: Annotated[str, Query(alias="id", max_length=100, description="The link's id.")]
) -> ShareRows:
    """Take a link back; whoever looks on by it is let go."""
    if not await revoke(visit.site.desk, visit.debate, share_id):
        raise Problem(404, f"there is no link {share_id[:60]!r} to this debate")
    visit.site.passes.revoked.add(share_id)
    return await list_shares(visit)


def _row(each: Share) -> ShareRow:
    right = cast('Literal["view", "join"]', each.right)
    return ShareRow(id=each.id, right=right, who=each.who, at=each.at, until=each.until, revoked=each.revoked)
