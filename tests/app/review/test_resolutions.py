"""Findings whose truth is known: whose side was right, counted once for each finding, also in copies."""

from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.review.author_dispute import DisputeRequest, open_dispute
from folkmoot.app.review.resolutions import ENOUGH, Precision, precisions, resolve_finding
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.brief import Participant
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.models.base import Request
from folkmoot.protocols.known import build
from folkmoot.testing.scripted import ScriptedModel
from tests.kits.reviewers import finding, review_brief, ruling, verdict

CLAIM = "Another thing."


def answer(request: Request) -> str:
    """R reports two findings; the checker agrees with one and cannot tell of the other; the judge upholds."""
    asked_of = "\n".join(message.text for message in request.messages)
    if "the author disputes it" in asked_of:
        return ruling("UPHELD")
    if "A reviewer reports the finding" in asked_of:
        return verdict("CANNOT_TELL" if CLAIM in asked_of else "AGREE")
    return f"{finding()}\n{finding('30', 'line thirty', CLAIM=CLAIM)}"


async def test_each_finding_counts_once_for_whoever_took_a_side(tmp_path: Path) -> None:
    workspace = Workspace.at(tmp_path / "folkmoot.sqlite")
    for name in ("one", "two"):
        workspace.pool.add_agent(name, ScriptedModel(answer, name=f"guest:{name}"))
    people = (Participant(name="R", seat="guest:one"), Participant(name="C", seat="guest:two", duty="juror"))
    brief = review_brief(people)
    plan = Plan(brief=brief, name="findings", protocol=build("findings", brief))
    try:
        with pytest.raises(RecordError):
            await resolve_finding(workspace, "nothing-123abc", "F1", "true")
        debate = workspace.new_id(plan)
        await workspace.run(plan, debate)
        copy = await open_dispute(workspace, debate, DisputeRequest(finding="F2", because="No.", cite="a.py:30"))
        with pytest.raises(RecordError, match="is not over yet; wait until it ends"):
            await resolve_finding(workspace, copy, "F1", "true")
        with pytest.raises(RecordError, match="is not over yet; resume it with"):
            await open_dispute(workspace, copy, DisputeRequest(finding="F1", because="No.", cite="a.py:30"))
        await workspace.resume(copy)
        for wrong, truth, problem in (("F9", "true", "it has F1 and F2"), ("F1", "perhaps", "true or false")):
            with pytest.raises(BriefError, match=problem):
                await resolve_finding(workspace, debate, wrong, truth)
        assert await precisions(workspace) == ()
        await resolve_finding(workspace, debate, "F1", "false")
        for name in (debate, copy):
            await resolve_finding(workspace, name, "f1", "TRUE")
        await resolve_finding(workspace, copy, "F2", "false")
        assert await precisions(workspace) == (
            Precision(model="guest:one", part="reviewer", right=1, n=2),
            Precision(model="guest:two", part="checker", right=1, n=1),
            Precision(model="guest:two", part="judge", right=0, n=1),
        )
    finally:
        await workspace.close()


def test_a_share_is_shown_from_twenty_on() -> None:
    few = Precision(model="m", part="judge", right=3, n=ENOUGH - 1)
    many = replace(few, n=ENOUGH, right=15)
    assert (few.enough, many.enough) == (False, True)
    low, high = many.interval
    assert low < 0.75 < high
